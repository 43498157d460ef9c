# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the authors of the ALiBi visualizer
"""ALiBi in a model of `transformers` (made and tested with 5.23) that was written for RoPE, without a change to its code.

    import drop_in_transformers                      # registers the name "alibi"
    config = LlamaConfig(..., **drop_in_transformers.ALIBI)
    model = LlamaForCausalLM(config)
    drop_in_transformers.check_positions(model)      # raises ValueError if anything in it still rotates

Where RoPE differs by the type of layer (Gemma 3, OLMo 3, ModernBERT), it is `**drop_in_transformers.ALIBI_BY_LAYER_TYPE`.

Notable choices:
- The bias is part of the mask: `transformers` makes one mask a forward pass for all layers of a type, and already knows
  there where the queries stand (cache) and which keys are padding. The attention itself is the one of the name "sdpa".
- RoPE is switched off by the config: the RoPE type "alibi", which this file registers, has frequencies of 0, so that cos is
  1 and sin is 0; as many as the model rotates, which are few where RoPE is partial (Phi, StableLM).
- The bias is -m |i - j|. Under a causal mask that is -m (i - j). With `is_causal=False` in the config it is symmetric: a
  key after the query costs what one before it costs, as in encoders such as Jina's (arXiv 2310.19923).
- What would be wrong raises ValueError: RoPE that is still on, positions that are no RoPE (a learned table, ALiBi of the
  model's own), a ready mask [B, 1, T, Tk], which holds no bias, cross-attention, attention sinks.
- Phi-3, Phi-4 and PhiMoE take no RoPE type but their own: `Phi3Config(**ALIBI)` raises “type field must be one of
  ['longrope']”, `PhimoeConfig(**ALIBI)` “short_mscale field must be a number”. Nothing in the config helps: take a type
  whose RoPE can be switched off, such as Llama's.
- The config that is saved holds that type, but not the name of the attention. Load with
  `from_pretrained(folder, attn_implementation="alibi")`: without it the model would have no positions at all, so loading
  raises ValueError; and KeyError if this file is not imported.
- `alibi_bias_max` in the config sets the slopes as MPT has them, from 2^-(max/H) to 2^-max: `LlamaConfig(...,
  alibi_bias_max=16, **ALIBI)`. It is saved with the config. Without it the paper's 8 holds.
- A prefill of T tokens makes a bias of H x T x T numbers, whatever the kernel; a decode step makes a row.
- It is for training a model, or for one trained so. Weights that were trained with RoPE do not know ALiBi.
"""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedConfig, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

NAME = "alibi"


class Options(Mapping[str, Any]):
    """For `**`: a new copy each time, since a config writes into the dictionary that it gets."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def __getitem__(self, name: str) -> Any:
        return copy.deepcopy(self.options[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.options)

    def __len__(self) -> int:
        return len(self.options)


OFF = {"rope_type": NAME, "rope_theta": 10_000.0}  # the base is not used
ALIBI = Options(attn_implementation=NAME, rope_parameters=OFF)
ALIBI_BY_LAYER_TYPE = Options(
    attn_implementation=NAME, rope_parameters={"full_attention": OFF, "sliding_attention": OFF}
)


def alibi_slopes(heads: int, bias_max: float = 8.0) -> list[float]:
    """The slope of every head, as in the authors' code. Not sorted: head numbers of trained models follow this order.

    bias_max: MPT's `alibi_bias_max`. The last of a power of two has the slope 2^-bias_max.
    """
    power = 2 ** int(math.log2(heads))  # the largest power of two that is not above the heads
    slopes = [2 ** (-bias_max * h / power) for h in range(1, power + 1)]
    # The heads that are left take every second slope of twice that power, from the first on.
    return slopes + [2 ** (-bias_max / 2 * h / power) for h in range(1, 2 * (heads - power), 2)]


def no_rotation(
    config: PreTrainedConfig, device: Any = None, layer_type: str | None = None, **_: Any
) -> tuple[Tensor, float]:
    """RoPE's frequencies, all 0, and its factor. Raises ValueError for a model whose attention is another one."""
    implementation = getattr(config, "_attn_implementation", None)
    if implementation not in (NAME, None):
        message = f'This model was made with ALiBi: load it with attn_implementation="{NAME}"'
        raise ValueError(f'{message}, not "{implementation}".')
    rope = config.rope_parameters
    rope = rope[layer_type] if isinstance(rope.get(layer_type), dict) else rope
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    dim = int(head_dim * rope.get("partial_rotary_factor", 1.0))
    return torch.zeros((dim + 1) // 2, device=device), 1.0


def check_config(config: PreTrainedConfig) -> None:
    """Raises ValueError if the model would have other positions beside ALiBi: RoPE that is on, or what is no RoPE."""
    name = type(config).__name__
    if "rope_parameters" not in {field.name for field in dataclasses.fields(config)}:  # else nothing reads it
        raise ValueError(f"{name} declares no rope_parameters: positions other than RoPE would act beside ALiBi.")
    if config.is_encoder_decoder:
        raise ValueError(f"{name} is of an encoder and a decoder: between their texts ALiBi has no distance.")
    rope = config.rope_parameters or {}
    types = {layer: inner.get("rope_type") for layer, inner in rope.items() if isinstance(inner, dict)}
    if (rope.get("rope_type") if "rope_type" in rope or not types else NAME) != NAME:
        raise ValueError("RoPE is still on in this config: build it with **drop_in_transformers.ALIBI.")
    if on := [layer for layer, rope_type in types.items() if rope_type != NAME]:
        message = f"RoPE is still on in this config for {', '.join(on)}: build it with"
        raise ValueError(f"{message} **drop_in_transformers.ALIBI_BY_LAYER_TYPE.")


def check_positions(model: PreTrainedModel) -> None:
    """Raises ValueError if ALiBi does not act alone: a config says what was asked for, buffers say what is done."""
    check_config(model.config.get_text_config())
    frequencies = ((name, buffer) for name, buffer in model.named_buffers() if "freq" in name)
    if on := [name for name, buffer in frequencies if buffer.any()]:
        raise ValueError(f"RoPE is still on in this model: {on[0]} is not zero.")


def alibi_mask(
    batch_size: int, q_length: int, kv_length: int, q_offset: int = 0, kv_offset: int = 0, **options: Any
) -> Tensor:
    """The bias -m_h |i - j| where a query may look, else the dtype's smallest number: [B, H, q_length, kv_length]."""
    device, dtype, config = options["device"], options["dtype"], options["config"]
    check_config(config)
    sizes = {"q_length": q_length, "kv_length": kv_length, "q_offset": q_offset, "kv_offset": kv_offset}
    # A mask that hides nothing has a bias.
    always = {"allow_is_causal_skip": False, "allow_is_bidirectional_skip": False}
    allowed = sdpa_mask(batch_size, **sizes, **options | always)
    largest = getattr(config, "alibi_bias_max", 8.0)
    slopes = torch.tensor(alibi_slopes(config.num_attention_heads, largest), device=device)
    distance = (q_offset + torch.arange(q_length, device=device))[:, None]
    distance = distance - (kv_offset + torch.arange(kv_length, device=device))
    bias = (-slopes[:, None, None] * distance.abs()).to(dtype)  # in float32 first
    return torch.where(allowed, bias, torch.finfo(dtype).min)


def alibi_attention(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None, **options: Any
) -> tuple[Tensor, None]:
    """Attention with a mask of `alibi_mask`, query [B, H, T, d]. Raises ValueError for what it would leave out silently."""
    if attention_mask is None or attention_mask.shape[1] != query.shape[1]:
        raise ValueError(f"There is no ALiBi in the mask of {type(module).__name__}: it must be [B, H, T, Tk].")
    if unknown := [name for name in ("s_aux", "position_bias") if options.get(name) is not None]:
        raise ValueError(f"{type(module).__name__} adds {unknown[0]} to its scores, which is not done beside ALiBi.")
    return sdpa_attention_forward(module, query, key, value, attention_mask, **options)


ROPE_INIT_FUNCTIONS[NAME] = no_rotation
AttentionMaskInterface.register(NAME, alibi_mask)
AttentionInterface.register(NAME, alibi_attention)

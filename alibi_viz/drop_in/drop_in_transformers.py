# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the authors of the ALiBi visualizer
"""ALiBi in a model of `transformers` (made and tested with 5.23) that was written for RoPE, without a change to its code.

    import drop_in_transformers                      # registers the name "alibi"
    config = LlamaConfig(..., **drop_in_transformers.ALIBI)
    model = LlamaForCausalLM(config)

Notable choices:
- The bias is part of the mask: `transformers` makes one mask a forward pass for all layers, and already knows there where
  the queries stand (cache) and which keys are padding. The attention itself is the one of the name "sdpa".
- RoPE is switched off by the config: the RoPE type "alibi", which this file registers, has frequencies of 0, so that cos is
  1 and sin is 0.
- The config that is saved holds that type, but not the name of the attention. Load with
  `from_pretrained(folder, attn_implementation="alibi")`: without it the model would have no positions at all, so loading
  raises ValueError; and KeyError if this file is not imported. A config whose RoPE is on raises ValueError as well.
- `alibi_bias_max` in the config sets the slopes as MPT has them, from 2^-(max/H) to 2^-max: `LlamaConfig(...,
  alibi_bias_max=16, **ALIBI)`. It is saved with the config. Without it the paper's 8 holds.
- A prefill of T tokens makes a bias of H x T x T numbers, whatever the kernel; a decode step makes a row.
- It is for training a model, or for one trained so. Weights that were trained with RoPE do not know ALiBi.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedConfig
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

NAME = "alibi"
ALIBI: dict[str, Any] = {
    "attn_implementation": NAME,
    "rope_parameters": {"rope_type": NAME, "rope_theta": 10_000.0},  # the base is not used
}


def alibi_slopes(heads: int, bias_max: float = 8.0) -> list[float]:
    """The slope of every head, as in the authors' code. Not sorted: head numbers of trained models follow this order.

    bias_max: MPT's `alibi_bias_max`. The last of a power of two has the slope 2^-bias_max.
    """
    power = 2 ** int(math.log2(heads))  # the largest power of two that is not above the heads
    slopes = [2 ** (-bias_max * h / power) for h in range(1, power + 1)]
    # The heads that are left take every second slope of twice that power, from the first on.
    return slopes + [2 ** (-bias_max / 2 * h / power) for h in range(1, 2 * (heads - power), 2)]


def no_rotation(config: PreTrainedConfig, device: Any = None, **_: Any) -> tuple[Tensor, float]:
    """RoPE's frequencies, all 0, and its factor. Raises ValueError for a model whose attention is another one."""
    implementation = getattr(config, "_attn_implementation", None)
    if implementation not in (NAME, None):
        message = f'This model was made with ALiBi: load it with attn_implementation="{NAME}"'
        raise ValueError(f'{message}, not "{implementation}".')
    dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return torch.zeros(dim // 2, device=device), 1.0


def check_rope_is_off(config: PreTrainedConfig) -> None:
    """Raises ValueError if the model would rotate its queries and keys, and add ALiBi to that."""
    rope = getattr(config, "rope_parameters", None)
    if rope and rope.get("rope_type") != NAME:
        raise ValueError("RoPE is still on in this config: build it with **drop_in_transformers.ALIBI.")


def alibi_mask(
    batch_size: int, q_length: int, kv_length: int, q_offset: int = 0, kv_offset: int = 0, **options: Any
) -> Tensor:
    """The bias -m_h (i - j) where a query may look, else the dtype's smallest number: [B, H, q_length, kv_length]."""
    sizes = {"q_length": q_length, "kv_length": kv_length, "q_offset": q_offset, "kv_offset": kv_offset}
    allowed = sdpa_mask(batch_size, **sizes, **options | {"allow_is_causal_skip": False})
    device, dtype, config = options["device"], options["dtype"], options["config"]
    check_rope_is_off(config)
    largest = getattr(config, "alibi_bias_max", 8.0)
    slopes = torch.tensor(alibi_slopes(config.num_attention_heads, largest), device=device)
    distance = (q_offset + torch.arange(q_length, device=device))[:, None]
    distance = distance - (kv_offset + torch.arange(kv_length, device=device))
    bias = (-slopes[:, None, None] * distance).to(dtype)  # in float32 first
    return torch.where(allowed, bias, torch.finfo(dtype).min)


ROPE_INIT_FUNCTIONS[NAME] = no_rotation
AttentionMaskInterface.register(NAME, alibi_mask)
AttentionInterface.register(NAME, sdpa_attention_forward)

"""ALiBi in a model of `transformers` (made and tested with 5.23) that was written for RoPE, without a change to its code.

    import drop_in_transformers                      # registers the name "alibi"
    config = LlamaConfig(..., **drop_in_transformers.ALIBI)
    model = LlamaForCausalLM(config)

Notable choices:
- The bias is part of the mask: `transformers` makes one mask a forward pass for all layers, and already knows there where
  the queries stand (cache) and which keys are padding. The attention itself is the one of the name "sdpa".
- RoPE is switched off by the config: linear scaling divides every frequency by 1e30, so that cos is 1 and sin is nothing.
- The config that is saved holds the switched-off RoPE, but not the name of the attention. Load with
  `from_pretrained(folder, attn_implementation="alibi")`: without it the model has no positions at all, and says nothing.
- A prefill of T tokens makes a bias of H x T x T numbers, whatever the kernel; a decode step makes a row.
- It is for training a model, or for one trained so. Weights that were trained with RoPE do not know ALiBi.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from alibi_viz.drop_in.drop_in import alibi_slopes  # or copy that function

ALIBI: dict[str, Any] = {
    "attn_implementation": "alibi",
    "rope_parameters": {"rope_type": "linear", "factor": 1e30, "rope_theta": 10_000.0},  # every angle is 0
}


def alibi_mask(
    batch_size: int, q_length: int, kv_length: int, q_offset: int = 0, kv_offset: int = 0, **options: Any
) -> Tensor:
    """The bias -m_h (i - j) where a query may look, else the dtype's smallest number: [B, H, q_length, kv_length]."""
    sizes = {"q_length": q_length, "kv_length": kv_length, "q_offset": q_offset, "kv_offset": kv_offset}
    allowed = sdpa_mask(batch_size, **sizes, **options | {"allow_is_causal_skip": False})
    device, dtype = options["device"], options["dtype"]
    slopes = torch.tensor(alibi_slopes(options["config"].num_attention_heads), device=device)
    distance = (q_offset + torch.arange(q_length, device=device))[:, None]
    distance = distance - (kv_offset + torch.arange(kv_length, device=device))
    bias = (-slopes[:, None, None] * distance).to(dtype)  # in float32 first
    return torch.where(allowed, bias, torch.finfo(dtype).min)


AttentionMaskInterface.register("alibi", alibi_mask)
AttentionInterface.register("alibi", sdpa_attention_forward)

"""A layer as small open models have it: RMS norm, the attention of `alibi_viz.drop_in`, RMS norm, SwiGLU.

Notable choices:
- Two query heads share a key head where their number is even (grouped queries).
- SwiGLU has three matrices where a plain MLP has two, so it is 8/3 of the width wide instead of 4 times: as many parameters
  (Shazeer 2020, arXiv 2002.05202), rounded up to a multiple of 8.
- The angles of RoPE are computed once for all layers; for ALiBi nothing is computed, and nothing passed.
"""

import torch.nn.functional as F
from torch import Tensor, nn

from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.drop_in.drop_in import AlibiAttention, RopeAttention, rope_cos_sin
from alibi_viz.lm.config import llama_shape
from alibi_viz.positions import PositionMethod
from alibi_viz.positions.rotary import Rotary

CosSin = tuple[Tensor, Tensor]


class LlamaBlock(nn.Module):
    """One layer. Raises ValueError unless the method is RoPE, the same in all layers, or falls linearly (ALiBi)."""

    norm = nn.RMSNorm

    def __init__(self, width: int, heads: int, position: PositionMethod) -> None:
        super().__init__()
        kv_heads, hidden = llama_shape(width, heads)
        slopes = position.linear_slopes()
        self.attention_norm = self.norm(width)
        self.attention: RopeAttention | AlibiAttention
        if slopes is None:
            if type(position) is not Rotary:
                raise ValueError(f"A llama layer has RoPE or ALiBi, not {position.title}.")
            self.attention = RopeAttention(width, heads, kv_heads, position.head_dim)
        else:
            self.attention = AlibiAttention(width, heads, kv_heads, position.head_dim, slopes=slopes.tolist())
        self.mlp_norm = self.norm(width)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    @staticmethod
    def shared_inputs(position: PositionMethod, positions: Tensor, given: Tensor | None) -> CosSin | None:
        """What every layer takes beside x, for the positions [T] of its tokens."""
        if not isinstance(position, Rotary):
            return None
        return rope_cos_sin(positions, position.head_dim, position.base)

    def forward(self, x: Tensor, cos_sin: CosSin | None = None, cache: KVCache | None = None) -> Tensor:
        """x [B, T, D] -> [B, T, D]; fills the cache."""
        past = None
        if cache is not None and cache.keys is not None and cache.values is not None:
            past = cache.keys, cache.values
        attended, present = self.attention(self.attention_norm(x), cos_sin, past, use_cache=cache is not None)
        if cache is not None:
            cache.keys, cache.values = present
        x = x + attended
        h = self.mlp_norm(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))

"""KV cache for autoregressive decoding, and the positions that continue from it."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class KVCache:
    """Keys and values of the tokens so far; each key as it was rotated when it was appended.

    Where the rotation of an old key changes later, cache keys before rotation instead: dynamic NTK scaling (the base
    follows the length), or a cache that drops old tokens and numbers the rest anew. Appending copies the cache, which
    is quadratic over a whole text; fine at the lengths used here.
    """

    keys: Tensor | None = None  # [B, Hkv, Tk, d]
    values: Tensor | None = None  # [B, Hkv, Tk, d]
    positions: Tensor | None = None  # int64 [Tk] or [B, Tk]
    kept: Tensor | None = None  # what the position method keeps of these tokens: `PositionMethod.kept`

    def __len__(self) -> int:
        return 0 if self.keys is None else self.keys.shape[2]

    @property
    def nbytes(self) -> int:
        """Memory of the tensors, in bytes."""
        return sum(tensor.nbytes for tensor in (self.keys, self.values, self.kept) if tensor is not None)

    def append(self, keys: Tensor, values: Tensor, positions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Add T tokens, with shapes as above, and return the three tensors of all tokens so far."""
        if self.keys is not None and self.values is not None and self.positions is not None:
            keys, values = torch.cat((self.keys, keys), dim=2), torch.cat((self.values, values), dim=2)
            positions = torch.cat((self.positions, positions), dim=-1)
        self.keys, self.values, self.positions = keys, values, positions
        return keys, values, positions


def next_positions(tokens: int, *, cache: KVCache | None = None, device: torch.device | None = None) -> Tensor:
    """Positions of the next T tokens: int64 [T], counted on from the cache."""
    cached = 0 if cache is None else len(cache)
    return torch.arange(cached, cached + tokens, device=device)

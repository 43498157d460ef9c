"""KV cache for autoregressive decoding, and the positions that continue from it."""

from __future__ import annotations

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
    key_padding_mask: Tensor | None = None  # bool [B, Tk], True = padding; None: no padding

    def __len__(self) -> int:
        """Number of tokens cached, padding included."""
        return 0 if self.keys is None else self.keys.shape[2]

    def append(
        self, keys: Tensor, values: Tensor, positions: Tensor, key_padding_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
        """Add T tokens, with shapes as above, and return the four tensors of all tokens so far."""
        if self.keys is not None and self.values is not None and self.positions is not None:
            if self.key_padding_mask is not None or key_padding_mask is not None:
                masks = _full_mask(self.keys, self.key_padding_mask), _full_mask(keys, key_padding_mask)
                key_padding_mask = torch.cat(masks, dim=-1)
            earlier = self.positions
            if positions.ndim != earlier.ndim:
                earlier, positions = earlier.expand(len(keys), -1), positions.expand(len(keys), -1)
            positions = torch.cat((earlier, positions), dim=-1)
            keys, values = torch.cat((self.keys, keys), dim=2), torch.cat((self.values, values), dim=2)
        self.keys, self.values, self.positions, self.key_padding_mask = keys, values, positions, key_padding_mask
        return keys, values, positions, key_padding_mask


def _full_mask(keys: Tensor, key_padding_mask: Tensor | None) -> Tensor:
    if key_padding_mask is not None:
        return key_padding_mask.bool()
    return torch.zeros(keys.shape[0], keys.shape[2], dtype=torch.bool, device=keys.device)  # [B, T]


def next_positions(
    tokens: int, *, cache: KVCache | None = None, padding_mask: Tensor | None = None, device: torch.device | None = None
) -> Tensor:
    """Positions of the next T tokens, counted on from the cache: int64 [T], or [B, T] where there is padding.

    `padding_mask` is bool [B, T], True = padding. Counting then starts at each sequence's first real token; padding gets
    the position of the real token before it (0 if there is none), and no real token attends to it.
    """
    cached = 0 if cache is None else len(cache)
    cached_padding = None if cache is None else cache.key_padding_mask
    if padding_mask is None:
        if cached_padding is None:
            return torch.arange(cached, cached + tokens, device=device)
        padding_mask = cached_padding.new_zeros(len(cached_padding), tokens)
    before = cached if cached_padding is None else cached_padding.logical_not().sum(-1, keepdim=True)
    return (padding_mask.logical_not().long().cumsum(-1) - 1 + before).clamp(min=0)

"""The keys and values of earlier tokens, kept while a text is written token by token, and the positions that go on."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class KVCache:
    """Keys and values of the tokens seen so far, each key as it was rotated when it came.

    Caching rotated keys is wrong where the rotation of an old key changes later: dynamic NTK scaling (the
    base follows the length), or a cache that drops old tokens and numbers the rest anew. Cache keys before
    rotation there. Appending copies the cache, which is quadratic over a whole text; fine at the lengths
    shown here.
    """

    keys: Tensor | None = None  # [B, Hkv, Tk, d]
    values: Tensor | None = None  # [B, Hkv, Tk, d]
    positions: Tensor | None = None  # int64 [Tk] or [B, Tk]
    key_is_real: Tensor | None = None  # bool [B, Tk]; None: all real

    @classmethod
    def empty(cls) -> KVCache:
        """A cache with nothing in it."""
        return cls()

    def __len__(self) -> int:
        """Number of tokens cached, padding included."""
        return 0 if self.keys is None else self.keys.shape[2]

    def append(self, keys: Tensor, values: Tensor, positions: Tensor, key_is_real: Tensor | None = None) -> None:
        """Add the keys and values [B, Hkv, T, d] of T more tokens, their positions, and which are real."""
        if self.keys is None or self.values is None or self.positions is None:
            self.keys, self.values, self.positions, self.key_is_real = keys, values, positions, key_is_real
            return
        if self.key_is_real is not None or key_is_real is not None:
            self.key_is_real = torch.cat((_all_real(self.keys, self.key_is_real), _all_real(keys, key_is_real)), dim=-1)
        batch = keys.shape[0]
        if positions.ndim != self.positions.ndim:
            self.positions, positions = self.positions.expand(batch, -1), positions.expand(batch, -1)
        self.positions = torch.cat((self.positions, positions), dim=-1)
        self.keys = torch.cat((self.keys, keys), dim=2)
        self.values = torch.cat((self.values, values), dim=2)


def _all_real(keys: Tensor, key_is_real: Tensor | None) -> Tensor:
    if key_is_real is not None:
        return key_is_real.bool()
    return torch.ones(keys.shape[0], keys.shape[2], dtype=torch.bool, device=keys.device)


def next_positions(
    tokens: int,
    *,
    cache: KVCache | None = None,
    is_real: Tensor | None = None,
    device: torch.device | None = None,
) -> Tensor:
    """Positions of the next tokens, counted on from the cache: int64 [T], or [B, T] where there is padding.

    With padding, counting starts at each sequence's first real token; padding itself gets the number of the
    real token before it (0 if there is none), which no real token ever sees.
    """
    seen = 0 if cache is None else len(cache)
    earlier = None if cache is None else cache.key_is_real
    if is_real is None and earlier is None:
        return torch.arange(seen, seen + tokens, device=device)
    if is_real is None:
        assert earlier is not None
        is_real = torch.ones(earlier.shape[0], tokens, dtype=torch.bool, device=earlier.device)
    before: Tensor | int = seen if earlier is None else earlier.sum(-1, keepdim=True)
    return (is_real.long().cumsum(-1) - 1 + before).clamp(min=0)

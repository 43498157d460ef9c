"""A trained model that reads otherwise, with nothing trained anew: was it new distances, or the number of keys?

    read_as(model, "clamped", 128)  # a copy

    all               every key at its own distance
    near              keys at distances 0 .. L - 1 alone, those of the training
    clamped           every key, but one that is farther than L - 1 counts as L - 1 away (as in ReRoPE and LM-Infinite)
    thinned           the last L/2 keys, and L/2 of those before them: as many as in training, at new distances
    thinned_clamped   these keys, clamped

Notable choices:
- Distances clamped, keys thinned, or both: a two by two. Keys are drawn once for each query, the same in every layer and of
  every method. A draw over the whole past would leave out the nearest keys, which break every method.
- A clamped query stands at min(i, L - 1), a far key L - 1 before it: so FIRE, whose bias depends on the query's position,
  meets no new one either.
- A draw belongs to a text of one length: thinned models read whole texts, the others write too.
- Clamping needs a distance. Positions that are added to embeddings belong to no key, and gates (FoX) count no distance.
"""

import copy
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from alibi_viz.attention.attention import Attention
from alibi_viz.attention.kv_cache import KVCache, next_positions
from alibi_viz.attention.masks import allowed_keys, score_scale
from alibi_viz.lm.model import Block, DecoderLM, windowed
from alibi_viz.positions.base import PositionMethod, distance

Reading = Literal["all", "near", "clamped", "thinned", "thinned_clamped"]
READINGS: tuple[Reading, ...] = get_args(Reading)
SCORES = 2_097_152  # at once, all heads together: what a processor's cache holds is fast


def can_be_clamped(position: PositionMethod) -> bool:
    """Whether keys have their place by a distance, or none at all; not in a row of keys that the input makes."""
    return position.acts_on != "embeddings" and not (position.needs_input and position.has_key_bias)


def read_as(model: DecoderLM, reading: Reading, train_length: int) -> DecoderLM:
    """A copy of the model that reads so. Raises ValueError where it cannot be clamped."""
    if reading == "near":
        return windowed(model, train_length - 1)
    if "clamped" in reading and not can_be_clamped(model.position):
        raise ValueError(f"{model.position.title} has no distance between a query and a key.")
    changed = copy.deepcopy(model)
    for block in changed.blocks:
        assert isinstance(block, Block)
        block.attention = ReadAs(block.attention, reading, train_length)  # type: ignore[assignment]
    return changed


class ReadAs(nn.Module):
    """One layer's attention with a reading."""

    def __init__(self, attention: Attention, reading: Reading, train_length: int) -> None:
        super().__init__()
        self.attention, self.reading, self.train_length = attention, reading, train_length

    def forward(self, x: Tensor, *, positions: Tensor | None = None, cache: KVCache | None = None) -> Tensor:
        """x [B, T, D] -> [B, T, D]: a text from its beginning, or on from the cache, which has its keys before rotation."""
        output = torch.cat([weights @ values for weights, values in self.weights(x, cache)], dim=2)
        return self.attention.to_out(output.transpose(1, 2).flatten(2))

    def read(self, x: Tensor, cache: KVCache) -> None:
        """Append the keys and values of x [B, T, D] to the cache."""
        next(self.weights(x, cache))

    def weights(self, x: Tensor, cache: KVCache | None = None) -> Iterator[tuple[Tensor, Tensor]]:
        """Some queries at a time: weights [B, H, t, Tk] on the keys up to the last of them, and the values of these."""
        (q, k, v), places = self.attention.project(x), next_positions(x.shape[1], cache=cache)
        position = self.attention.position.given(x, None if cache is None else cache.kept)
        if cache is not None:
            k, v, places = cache.append(k, v, places)
            cache.kept = position.kept
        clamped, q = "clamped" in self.reading, q * score_scale(position, q.shape[-1])
        before, last = len(places) - q.shape[2], self.train_length - 1
        turned_q, turned_k = position.rotate(q, k, places[before:], places)
        far_q, far_k = position.rotate(q, k, torch.full_like(places[before:], last), torch.zeros_like(places))
        for queries in torch.arange(q.shape[2]).split(max(1, SCORES // (q.shape[0] * q.shape[1] * len(places)))):
            rows = places[before + queries]
            keys = places[: rows[-1] + 1]
            scores = turned_q[:, :, queries] @ turned_k[:, :, keys].mT
            if clamped and position.acts_on == "queries_and_keys":
                far = far_q[:, :, queries] @ far_k[:, :, keys].mT
                scores = torch.where(distance(rows, keys) > last, far, scores)
            if (bias := _bias(position.for_queries(queries), rows, places, last if clamped else None)) is not None:
                scores += bias[..., keys]
            seen = allowed_keys(rows, keys, causal=True, window=position.window)
            assert seen is not None
            if "thinned" in self.reading:
                seen = seen & thinned(len(places), self.train_length)[rows[:, None], keys]
            yield scores.masked_fill_(~seen, -math.inf).softmax(-1), v[:, :, keys]


def _bias(position: PositionMethod, rows: Tensor, places: Tensor, last: int | None) -> Tensor | None:
    """Of some queries, for every key: [..., H, t, T]. last: the largest distance that it knows; None: any."""
    if last is None or position.acts_on != "scores":
        return position.score_bias(rows, places)
    stands, away = rows.clamp(max=last), distance(rows, places).clamp(0, last)
    trained = position.score_bias(stands, torch.arange(last + 1))
    assert trained is not None
    stand_for = (stands[:, None] - away).clamp(min=0)
    return trained.gather(-1, stand_for.expand(*trained.shape[:-1], len(places)))


@lru_cache(maxsize=4)
def thinned(tokens: int, train_length: int) -> Tensor:
    """Which keys every query sees, bool [T, T]: the last L/2, and L/2 drawn from those before them, or all there are."""
    places, half = torch.arange(tokens), train_length // 2
    away = distance(places, places)
    drawn = torch.rand(tokens, tokens, generator=torch.Generator().manual_seed(0)).masked_fill(away < half, -1.0)
    seen = torch.zeros(tokens, tokens, dtype=torch.bool)
    seen.scatter_(1, drawn.topk(min(half, tokens), dim=1).indices, value=True)
    return (seen & (away >= half)) | ((away >= 0) & (away < half))

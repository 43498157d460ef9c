"""The Attention page with a trained model as content: one layer of it on the reader's text, as it fits on the screen.

Notable choices:
- Up to SCREEN bytes every cell is on the screen, so that a text can go beyond the training length and still be read cell
  by cell. Above that, and in the small pictures, a square stands for one query and the largest of its keys.
- The colour scale follows the scores of the layer as trained (trained scores of RoPE are ten times those of ALiBi), not
  the strength: a drag changes the picture and not its meaning.
- “Beyond” means more bytes before a byte than training ever showed at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from alibi_viz.attention.attention import Trace
from alibi_viz.positions.alibi import Alibi
from alibi_viz.trained import Layer, Loaded, inside_beyond, layer, losses
from pages.attention.study import THUMB, hatched, pooled

SCREEN = 384  # squares a side
UNIT = 8.0  # ends of the colour scale are a multiple of this


@dataclass(frozen=True)
class Controls:
    loaded: Loaded
    text: bytes
    layer: int  # 1 .. layers
    head: int  # 1 .. heads
    strength: float = 1.0  # multiplies ALiBi's slopes in every layer; other methods have none


@dataclass(frozen=True)
class Stages:
    """The chosen head on the screen: float32 [R, C] each, -inf where masked. No bias: the method adds none."""

    content: np.ndarray
    bias: np.ndarray | None
    scores: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True)
class Result:
    stages: Stages
    step: int  # bytes a square
    thumbs: tuple[np.ndarray, ...]  # weights of every head, hatched where masked
    thumb_step: int
    slopes: tuple[float, ...] | None  # ALiBi's, as trained
    reach: float  # the colour scale of scores goes from -reach to reach


@dataclass(frozen=True)
class Row:
    """One query and all its keys: float32 [T]."""

    content: np.ndarray
    bias: np.ndarray | None
    weights: np.ndarray
    plain: np.ndarray | None  # weights of the content alone; None where nothing is added


@dataclass(frozen=True)
class Seen:
    """What the page says in numbers. Shares [H] are of the last byte's weight; losses are nats a byte, or None."""

    shares: np.ndarray  # to the last L bytes, itself included
    inside: float | None  # mean loss of bytes with at most L bytes before them
    beyond: float | None  # mean loss of the others
    counts: tuple[int, int]


def slopes(loaded: Loaded) -> tuple[float, ...] | None:
    """ALiBi's slopes as the model was trained with them; None for another method, and for the form without distances."""
    method = loaded.model.position
    if not isinstance(method, Alibi) or method.form == "key_only":
        return None
    return tuple(method.slopes.tolist())


def _layer(controls: Controls) -> Layer:
    return layer(controls.loaded, controls.text, controls.layer, controls.strength)


@lru_cache(maxsize=8)  # four pictures of 384 x 384: 2.4 MB an entry
@torch.no_grad()
def study(controls: Controls) -> Result:
    """Raises ValueError, in one sentence, for a text that the model cannot read."""
    given, head = _layer(controls), controls.head - 1
    count = len(controls.text)
    step, thumb_step = -(-count // SCREEN), -(-count // THUMB)
    parts = [_pictures(one, head, step) for _, one in given.blocks(step)]
    content, bias, scores, weights = (_joined(part) for part in zip(*parts, strict=True))
    assert content is not None
    assert scores is not None
    assert weights is not None
    small = [_small(one, thumb_step) for _, one in given.blocks(thumb_step)]
    return Result(
        Stages(content, bias, scores, hatched(weights, scores)),
        step,
        tuple(np.concatenate(head_parts) for head_parts in zip(*small, strict=True)),
        thumb_step,
        slopes(controls.loaded),
        _reach(replace(controls, head=1, strength=1.0)),
    )


def _pictures(one: Trace, head: int, step: int) -> tuple[np.ndarray | None, ...]:
    """Content, bias, masked scores and weights of one head, some rows of the screen."""
    hidden = one.masked.isneginf()
    bias = None if one.bias is None else one.bias[None].masked_fill(hidden, -math.inf)
    chosen = slice(head, head + 1)
    return tuple(
        None if x is None else pooled(x[:, chosen], step) for x in (one.content, bias, one.masked, one.weights)
    )


def _small(one: Trace, step: int) -> list[np.ndarray]:
    weights = one.weights.masked_fill(one.masked.isneginf(), -math.inf)
    return [pooled(weights[:, head : head + 1], step) for head in range(weights.shape[1])]


def _joined(parts: tuple[np.ndarray | None, ...]) -> np.ndarray | None:
    found = [part for part in parts if part is not None]
    return np.concatenate(found) if found else None


@lru_cache(maxsize=64)
@torch.no_grad()
def _reach(controls: Controls) -> float:
    """Where the colours of the scores end: at the 99th percentile of what all heads may see, rounded up."""
    given = _layer(controls)
    last = given.trace(given.positions[-THUMB:])  # the last queries see the most
    seen = last.content[~last.masked.isneginf()].abs()
    return UNIT * max(1, math.ceil(float(np.percentile(seen.numpy(), 99)) / UNIT))


@torch.no_grad()
def row(controls: Controls, query: int) -> Row:
    """One query (0 is the first) of the chosen head."""
    given, head = _layer(controls), controls.head - 1
    one = given.trace(given.positions[query : query + 1])
    plain = None
    if one.bias is not None:
        plain = _numpy((one.masked - one.bias).softmax(-1)[0, head, 0])
    bias = None if one.bias is None else _numpy(one.bias[head, 0])
    return Row(_numpy(one.content[0, head, 0]), bias, _numpy(one.weights[0, head, 0]), plain)


def _numpy(x: Tensor) -> np.ndarray:
    return np.ascontiguousarray(x.float().numpy())


@torch.no_grad()
def seen(controls: Controls) -> Seen:
    """The numbers of “what you see”: where the last byte looks, and how well the model reads this text."""
    given, length = _layer(controls), controls.loaded.config.length
    last = given.trace(given.positions[-1:]).weights[0, :, 0]
    found = losses(controls.loaded, controls.text, controls.strength)
    inside = min(length, len(found) - 1)
    counts = (inside, len(found) - 1 - inside)
    return Seen(last[:, -length:].sum(1).numpy(), *inside_beyond(found, length), counts)

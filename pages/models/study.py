"""The lesson on a model of the reader's: what its configuration says, and what a local checkpoint does with a text.

Notable choices:
- From a configuration follows what the position method does by itself, whatever the weights: one picture a method, each in
  its own quantity. Of a table that is learned the file knows the size alone.
- RoPE's curve is measured on the method itself: the score of a query and a key that are alike in every number, as a share
  of what it is at distance 0.
- “Position alone” of a checkpoint is the same attention with the mean query and the mean key of the head in every place.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import torch

from alibi_viz.attention.inputs import position_alone
from alibi_viz.attention.reach import HeadReach, reach
from alibi_viz.checkpoints.config import ModelConfig
from alibi_viz.checkpoints.reading_head import ReadingHead
from alibi_viz.positions.rotary import Rotary
from alibi_viz.positions.t5 import T5Bias

POINTS = 385
MOST_CURVES = 128  # of more heads every second, third ... is drawn
TIMES = 2  # the text of the question is so many times the training length
Beyond = Literal["no_vector", "known", "penalty", "angle"]


@dataclass(frozen=True)
class Controls:
    title: str
    config: ModelConfig
    head: ReadingHead | None = None  # of a checkpoint; None: only the configuration is known


@dataclass(frozen=True)
class Curves:
    """What the method does by itself: values [C, S] at `x`, distances or (for a table) positions."""

    x: np.ndarray  # float32 [S]
    values: np.ndarray  # float32 [C, S]
    heads: dict[int, float] | None  # head -> slope of ALiBi, one a curve
    top: float  # the largest value of the axis
    bottom: float = 0.0
    unscaled: np.ndarray | None = None  # float32 [S]: without the scaling of RoPE, where there is one


@dataclass(frozen=True)
class Result:
    controls: Controls
    curves: Curves | None  # None: the method is only named
    far: int  # tokens: the distance that the question asks for
    beyond: Beyond | None  # None: nothing can be asked
    parameters: int  # learned numbers of positions


@dataclass(frozen=True)
class LayerReach:
    """How far the heads of a layer look, and how far they would by their positions alone."""

    measured: HeadReach
    alone: HeadReach


@torch.no_grad()
def study(controls: Controls) -> Result:
    """What follows from the configuration alone."""
    config = controls.config
    far = TIMES * (config.train_length or config.options.get("max_distance", 1024))
    learned = {"learned": (config.train_length or 0) * config.width}
    learned["t5"] = config.options.get("num_buckets", 0) * config.heads
    parameters = learned.get(config.method, 0)
    if config.not_computed:
        return Result(controls, None, far, None, parameters)
    curves = _CURVES[config.method](config, TIMES * far)
    asked = config.train_length is not None or config.method == "t5"
    return Result(controls, curves, far, _beyond(config, far) if asked else None, parameters)


def _distances(farthest: int) -> np.ndarray:
    """Whole distances from 1, even on a log axis."""
    return np.unique(np.round(np.geomspace(1, max(farthest, 4), POINTS))).astype(np.float32)


def _decay(config: ModelConfig, farthest: int) -> Curves:
    """ALiBi: the weight of a key against the nearest one, for equal content; one curve a head."""
    x, slopes = np.geomspace(1, farthest, POINTS).astype(np.float32), config.slopes or ()
    step = math.ceil(len(slopes) / MOST_CURVES)
    heads = dict(list(enumerate(slopes, start=1))[::step])
    return Curves(x, np.exp(-np.outer(list(heads.values()), x)).astype(np.float32), heads, 1.0)


def _rotation(config: ModelConfig, farthest: int) -> Curves:
    """RoPE: the score of alike vectors as a share of that at distance 0."""
    x = _distances(farthest)
    score = _alike(config, x)
    plain = replace(config, options={**config.options, "scaling": "none"})
    unscaled = _alike(plain, x) if "scaling" in config.options else None
    lowest = min(float(score.min()), 0.0 if unscaled is None else float(unscaled.min()))
    return Curves(x, score[None], None, 1.0, min(0.0, lowest - 0.05), unscaled)


def _alike(config: ModelConfig, x: np.ndarray) -> np.ndarray:
    """The score of a query and a key of ones at the distances x, as a share of that at distance 0."""
    ones, method = torch.ones(1, 1, len(x), config.head_dim), config.build()
    positions = torch.from_numpy(x).long()
    q, k = method.rotate(ones, ones[:, :, :1], positions, torch.zeros(1, dtype=torch.int64))
    share: np.ndarray = ((q @ k.mT)[0, 0, :, 0] / (k @ k.mT)[0, 0, 0, 0]).numpy()
    return share


def _buckets(config: ModelConfig, farthest: int) -> Curves:
    """T5: the bucket of each distance back."""
    whole, method = _distances(farthest), config.build()
    assert isinstance(method, T5Bias)
    x = np.sort(np.concatenate([whole, whole[1:] * np.float32(1 - 1e-4)]))  # a step is upright, not a slope
    buckets = method.bucket(torch.from_numpy(x).long())
    return Curves(x, buckets[None].float().numpy(), None, float(buckets.max()) + 1)


def _table(config: ModelConfig, farthest: int) -> Curves:
    """A learned table: whether a position has a vector."""
    x = _distances(farthest)
    return Curves(x, (x < (config.train_length or math.inf))[None].astype(np.float32), None, 1.1)


def _nothing(config: ModelConfig, farthest: int) -> Curves:
    """No positions: a key weighs the same at every distance."""
    x = _distances(farthest)
    return Curves(x, np.ones((1, len(x)), np.float32), None, 1.1)


_CURVES: dict[str, Callable[[ModelConfig, int], Curves]]
_CURVES = {"alibi": _decay, "rope": _rotation, "t5": _buckets, "learned": _table, "none": _nothing}


def _beyond(config: ModelConfig, far: int) -> Beyond:
    """What the method gives at a distance that training did not have."""
    if config.method == "rope":
        return "angle" if new_angles(config, far) else "known"
    ways: dict[str, Beyond] = {"learned": "no_vector", "alibi": "penalty"}
    return ways.get(config.method, "known")


def new_angles(config: ModelConfig, far: int) -> int:
    """Pairs of RoPE that show an angle at distance `far` that training, without scaling, did not have."""
    method = config.build()
    assert isinstance(method, Rotary)
    plain = Rotary(1, method.rotary_dim, method.rotary_dim, base=method.base).frequencies()[0]
    scaled, largest = method.frequencies(far + 1)[0], plain * (method.original_length - 1)
    full = 2 * math.pi / plain <= method.original_length
    return int((~full & (far * scaled > largest * (1 + 1e-12))).sum())


@lru_cache(maxsize=4)
def reaches(head: ReadingHead) -> tuple[LayerReach, ...]:
    """How far every head of every layer looks, on the reader's text."""
    return tuple(LayerReach(reach(layer), reach(position_alone(layer))) for layer in head.layers())

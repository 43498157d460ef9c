"""The lesson “use”: two attention blocks in one model, trained alike; what they cost in memory; what padding needs.

Notable choices:
- Seconds are steps times the seconds of a step, which are measured by themselves, model after model in turn: runs that
  train beside each other disturb each other's clock.
- Memory is counted, not measured: bytes of the tensors that the code of `drop_in` makes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import nan

import numpy as np
import torch

from alibi_viz.drop_in.drop_in import AlibiAttention, RopeAttention, rope_cos_sin
from alibi_viz.lm.config import TrainConfig
from alibi_viz.results import measured, pretrained
from alibi_viz.results.measured import MeasuredRun, RunCurve

VIEWS = ("steps", "seconds", "beyond")
BLOCK = "llama"
SMOOTH = 5  # entries of a stored loss curve that make a point
BLOCKS: dict[str, type[RopeAttention] | type[AlibiAttention]] = {"rope": RopeAttention, "alibi": AlibiAttention}
#: The attention of which memory is told: of the shape of Llama 3 8B, in 16 bits.
QUERY_HEADS, KEY_HEADS, WIDTH = 32, 8, 128
HALF, SINGLE = 2, 4  # bytes of a number
FEATURES = 8  # numbers that the fused path adds to each query, key and value
PADDING, BATCH_TOKENS = 9, 24


@dataclass(frozen=True)
class Controls:
    show: str  # of VIEWS
    heads: int = 8  # of the models


@dataclass(frozen=True)
class Variant:
    """One way to train the model, and its runs, which differ in the seed alone."""

    key: str  # "rope", "alibi", or "blog": ALiBi with the slopes 2^-h
    config: TrainConfig  # of the first seed
    steps: np.ndarray  # float64 [S], the last step of each mean
    losses: np.ndarray  # float64 [S, seeds], training loss, nats per byte
    step_seconds: float  # of one training step; NaN: not measured
    curve: RunCurve  # perplexity by window

    @property
    def final(self) -> float:
        """Mean loss of the last steps, over the seeds."""
        return float(self.losses[-1].mean())


@dataclass(frozen=True)
class Result:
    controls: Controls
    variants: tuple[Variant, ...]

    @property
    def config(self) -> TrainConfig:
        return self.variants[0].config

    @property
    def far(self) -> int:
        """The longest window of all, in bytes."""
        return int(max(variant.curve.lengths.max() for variant in self.variants))

    def score(self, variant: Variant) -> float:
        """What the picture ends with: the last training loss, or the perplexity at the longest window."""
        return (variant.curve.at(self.far) or nan) if self.controls.show == "beyond" else variant.final

    def best(self) -> list[str]:
        """Keys of the variants that end lowest."""
        scores = {variant.key: self.score(variant) for variant in self.variants}
        return [key for key, score in scores.items() if score == min(scores.values())]


def study(controls: Controls) -> Result:
    """The shipped runs. Raises ValueError, in one sentence, where they are missing."""
    variants = variants_of(tuple(run for run in measured.shipped("blocks") if run.config.heads == controls.heads))
    if not variants:
        raise ValueError("The shipped runs of these blocks are missing. `make pretrained` makes them again.")
    return Result(controls, variants)


@lru_cache(maxsize=4)
def variants_of(runs: tuple[MeasuredRun, ...]) -> tuple[Variant, ...]:
    """Runs that differ in the seed alone together; RoPE first, then ALiBi, then ALiBi with the slopes 2^-h."""
    variants = [_variant(curve, runs) for curve in measured.curves(runs) if len(curve.lengths)]
    order = ("rope", "alibi", "blog")
    return tuple(sorted((v for v in variants if v.losses.size), key=lambda variant: order.index(variant.key)))


def _variant(curve: RunCurve, runs: Sequence[MeasuredRun]) -> Variant:
    config = curve.config
    own = [run for run in runs if replace(run.config, seed=0) == config and run.losses]
    losses = np.array([run.losses for run in sorted(own, key=lambda run: run.config.seed)], dtype=np.float64).T
    whole = len(losses) // SMOOTH * SMOOTH
    means = losses[:whole].reshape(-1, SMOOTH, losses.shape[-1]).mean(1)
    steps = np.arange(1, len(means) + 1) * config.steps / max(len(losses), 1) * SMOOTH
    key = dict(config.options).get("rule", config.method)
    return Variant(key, config, steps, means, step_seconds(config), curve)


def step_seconds(config: TrainConfig) -> float:
    """Seconds of a training step, as measured when the runs were made; other slopes cost the same. NaN: not measured."""
    entries = pretrained.load_costs(pretrained.BLOCK_COSTS)
    same = (entry for entry in entries if (entry["method"], entry.get("heads")) == (config.method, config.heads))
    return next((float(entry["seconds"]) for entry in same), nan)


@dataclass(frozen=True)
class Memory:
    """Bytes of one layer at so many tokens. A block that does not make such a tensor has 0."""

    key: str
    rope: int
    alibi: int


def memory(tokens: int) -> tuple[Memory, ...]:
    """What one attention layer holds: for a text of so many tokens, read at once, then for the step after it."""
    cache = 2 * KEY_HEADS * WIDTH * tokens * HALF
    angles = 2 * WIDTH * tokens * SINGLE  # one table for all layers
    row, square = QUERY_HEADS * tokens * HALF, QUERY_HEADS * tokens * tokens * HALF
    features = 3 * QUERY_HEADS * FEATURES * tokens * HALF
    return (
        Memory("weights", 0, 0),
        Memory("cache", cache, cache),
        Memory("angles", angles, 0),
        Memory("features", 0, features),
        Memory("row", 0, row),
        Memory("square", 0, square),
    )


@dataclass(frozen=True)
class Padded:
    """Largest difference of an output from that of the sequence alone, by method."""

    key: str
    differences: dict[str, float]
    scale: float  # of the outputs


@lru_cache(maxsize=1)
@torch.no_grad()
def padded() -> tuple[Padded, ...]:
    """A sequence of BATCH_TOKENS tokens behind PADDING tokens of padding, in three ways; random weights."""
    x = torch.randn(1, PADDING + BATCH_TOKENS, 64, generator=torch.Generator().manual_seed(0))
    mask = torch.arange(x.shape[1])[None] < PADDING
    counted = torch.arange(x.shape[1])
    ways = {  # the mask, and the positions of the tokens
        "counted": (mask, counted),
        "from_first": (mask, (counted - PADDING).clamp(min=0)),
        "no_mask": (None, counted),
    }
    differences: dict[str, dict[str, float]] = {way: {} for way in ways}
    scale = 0.0
    for method, kind in BLOCKS.items():
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            block = kind(64, 8, 2).eval()
        alone, _ = block(x[:, PADDING:], rope_cos_sin(counted[:BATCH_TOKENS], block.head_dim))
        scale = max(scale, float(alone.abs().max()))
        for way, (given, positions) in ways.items():
            output, _ = block(x, rope_cos_sin(positions, block.head_dim), key_padding_mask=given)
            differences[way][method] = float((output[:, PADDING:] - alone).abs().max())
    return tuple(Padded(way, values, scale) for way, values in differences.items())

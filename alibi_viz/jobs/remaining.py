"""How long a run still takes: its remaining work, at the speeds that were measured on this device.

Work is counted in multiplications of the forward pass, so that a long window costs more than a short one. A training step
is three forward passes. It is an estimate: short matrices are computed less efficiently than long ones.
"""

from dataclasses import dataclass, field
from typing import Literal

from alibi_viz.jobs.tasks import Plan
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.recall import sequence_length
from alibi_viz.positions import METHODS

TRAINING = 3  # forward passes
QUESTIONS = 256  # sequences of one recall measurement, as `evaluation.recall` has by default
FORGET = 0.7  # what an older measurement of the speed still counts when a new one comes
Kind = Literal["train", "test"]


def forward_work(config: TrainConfig, length: int, tokens: float) -> float:
    """Multiplications of a forward pass through `tokens` bytes in windows of `length`."""
    inner = config.heads * config.head_dim or config.width
    weights = config.width * (256 + config.layers * (8 * config.width + 4 * inner))
    return tokens * (weights + config.layers * inner * length)  # scores and sums: half of 2 T, since the mask is causal


def training_work(config: TrainConfig, steps: int) -> float:
    """Multiplications of so many training steps."""
    return TRAINING * forward_work(config, config.length, steps * config.batch * config.length)


def test_work(config: TrainConfig, windows: list[tuple[int, int]], held_out: int) -> float:
    """Multiplications of measurements at every (length, stride), on `held_out` bytes; recall: (distance, pairs)."""
    if config.is_recall:
        windows = [(max(config.length, sequence_length(*pair)), pair[1]) for pair in windows]
    if METHODS[config.method].has_position_table:
        windows = [pair for pair in windows if pair[0] <= config.length]  # the others end at once
    if config.is_recall:
        return sum(forward_work(config, length, QUESTIONS * length) for length, _ in windows)
    fitting = [(length, stride) for length, stride in windows if length < held_out]
    return sum(forward_work(config, length, held_out * length / stride) for length, stride in fitting)


def interim_work(config: TrainConfig, plan: Plan, step: int, windows: list[tuple[int, int]]) -> float:
    """Multiplications of the interim evaluations that are still to come after this step."""
    times = max(0, config.steps // plan.sample_every - step // plan.sample_every)
    return times * test_work(config, windows, plan.sample_bytes)


@dataclass
class Speeds:
    """Work done in a second, by kind: newer measurements count more, since a machine may be busy."""

    _totals: dict[Kind, tuple[float, float]] = field(default_factory=dict)  # (work, seconds)

    def add(self, kind: Kind, work: float, seconds: float) -> None:
        """Work that took so long."""
        if work > 0 and seconds > 0:
            before = self._totals.get(kind, (0.0, 0.0))
            self._totals[kind] = work + FORGET * before[0], seconds + FORGET * before[1]

    def seconds(self, kind: Kind, work: float) -> float | None:
        """How long this work takes; None before anything is measured. Until a test is, tests go at the pace of training."""
        total = self._totals.get(kind) or self._totals.get("train")
        return None if total is None else work * total[1] / total[0]

"""The Recall lesson: which models name the digit of a far key, and whether it is the key that they follow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.recall import farthest, recall_questions, sequence_length
from alibi_viz.positions.alibi import slopes
from alibi_viz.results import measured
from alibi_viz.results.measured import RecallShare, RunCurve
from alibi_viz.ui.format import format_share

CHANCE = 0.1  # share of right answers by guessing
SHARES: tuple[RecallShare, ...] = ("right", "wrong_key", "nearest")
TIMES = (2, 4, 8, 16)  # training lengths that the sentences speak of
Curves = Mapping[RecallShare, Sequence[RunCurve]]


@dataclass(frozen=True)
class Controls:
    methods: tuple[str, ...]  # drawn
    pairs: int  # in a sequence


@dataclass(frozen=True)
class Result:
    """Curves of each share, the same runs in the same order."""

    controls: Controls
    shipped: Curves  # every method
    learned: tuple[RunCurve, ...]  # right answers of those shipped methods that learned the task

    @property
    def right(self) -> Sequence[RunCurve]:
        return self.shipped["right"]

    @property
    def config(self) -> TrainConfig:
        """Of the shipped runs."""
        return self.right[0].config

    @property
    def trained(self) -> int:
        """The farthest trained distance."""
        return farthest(self.config.length)

    @property
    def far(self) -> int:
        """The farthest distance that was asked for."""
        return max(int(curve.distances[-1]) for curve in self.right if len(curve.distances))

    def drawn(self, share: RecallShare) -> list[RunCurve]:
        """The chosen methods."""
        chosen = [curve for curve in self.shipped[share] if curve.config.method in self.controls.methods]
        return [curve for curve in chosen if len(curve.distances)]

    @property
    def times(self) -> int:
        """Training lengths in the longest sequence that was asked."""
        return sequence_length(self.far, self.controls.pairs) // self.config.length

    def at_far(self) -> dict[str, float]:
        """Right answers of the chosen methods that learned the task, at the farthest distance, most first."""
        chosen = [curve for curve in self.learned if curve.config.method in self.controls.methods]
        shares = {curve.config.method: curve.at(self.far) for curve in chosen}
        return dict(sorted(((m, s) for m, s in shares.items() if s is not None), key=lambda pair: -pair[1]))

    def named_at_far(self, share: RecallShare) -> dict[str, float]:
        """This share of the drawn methods at the farthest distance, where it was measured."""
        shares = {curve.config.method: curve.at(self.far) for curve in self.drawn(share) if curve.origin == "shipped"}
        return {method: value for method, value in shares.items() if value is not None}

    def best_at_far(self) -> list[str]:
        """The chosen methods that recall there and are right most often; more than one where they print the same share."""
        recalling = {curve.config.method for curve in self.recalling(self.far)}
        shares = {method: share for method, share in self.at_far().items() if method in recalling}
        printed = {method: format_share(share) for method, share in shares.items()}
        return [method for method in printed if printed[method] == next(iter(printed.values()))]

    def recalling(self, distance: int) -> list[RunCurve]:
        """The methods that learned the task and recall at this distance, by following the key there too."""
        controls = {curve.config.method: curve for curve in self.shipped["wrong_key"]}
        recalls = ((curve, measured.recalls(curve, controls[curve.config.method])) for curve in self.learned)
        return [curve for curve, at in recalls if distance in curve.distances[at]]

    @property
    def penalty(self) -> tuple[float, float]:
        """ALiBi's gentlest slope in these models, and what it takes from the score of a key at the farthest distance."""
        gentlest = min(slopes(self.config.heads))
        return gentlest, gentlest * self.far


def study(controls: Controls) -> Result | None:
    """None if no shipped run was asked with so many pairs."""
    runs = [run for run in measured.shipped("recall") if not run.config.options]
    every = {share: measured.recall_curves(runs, share, pairs=controls.pairs) for share in SHARES}
    if not every["right"]:
        return None
    return Result(controls, every, tuple(measured.learned(every["right"], every["wrong_key"])))


def flatter(pairs: int) -> RunCurve | None:
    """Right answers of the one ALiBi that was trained with a larger largest exponent; None if its run is not there."""
    tried = (run for run in measured.shipped("recall") if run.config.options)
    return next(iter(measured.recall_curves(tried, pairs=pairs)), None)


def example(distance: int = 24, pairs: int = 3) -> str:
    """A question of the task with its answer, as text."""
    asked = recall_questions(1, distance, pairs, torch.Generator().manual_seed(0), length=distance + 8)
    return bytes([*asked.text[0].tolist(), int(asked.digits[0, 0])]).decode("ascii")

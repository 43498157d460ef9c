"""What may be asked of the queue: how large a run, and how many that wait."""

from __future__ import annotations

from dataclasses import dataclass

from alibi_viz.lm.config import TrainConfig


class Busy(RuntimeError):
    """As many runs wait as may; the message says so to the reader."""


@dataclass(frozen=True)
class Limits:
    """What one reader may ask of a shared machine."""

    waiting: int = 32  # unfinished runs, paused ones not counted
    steps: int = 5_000
    parameters: int = 2_000_000
    tokens: int = 20_000_000  # bytes read in training
    length: int = 1_024

    def check(self, config: TrainConfig) -> None:
        """Raises ValueError, in one sentence, for a run that is too large."""
        asked = {
            "steps": config.steps,
            "parameters": config.parameters,
            "tokens": config.tokens,
            "length": config.length,
        }
        for name, value in asked.items():
            if value > getattr(self, name):
                raise ValueError(f"A run may have at most {getattr(self, name):,} {name} here, not {value:,}.")

"""Runs that came with the app: faint behind the reader's own, which they show the way.

They are measured runs of this code, shipped as data; the page says that they are recorded, and of which configuration.
"""

from functools import lru_cache
from math import log2
from typing import Any

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run
from alibi_viz.results import pretrained

PER_LOSS = 10  # steps that share one loss in a shipped record


@lru_cache(maxsize=1)
def _runs() -> tuple[Run, ...]:
    """The shipped runs of short trainings and of recall, finished."""
    records = [*pretrained.load_all("live"), *(r for r in pretrained.load_all("recall") if not r["config"]["seed"])]
    return tuple(_run(record) for record in records)


def _run(record: dict[str, Any]) -> Run:
    config = TrainConfig.from_dict(record["config"])
    losses = tuple(loss for loss in record["losses"] for _ in range(PER_LOSS))[: config.steps]
    return Run(
        config,
        record["corpus"]["sha256"],
        "finished",
        config.steps,
        losses=losses,
        evaluations=tuple(record.get("sliding", ())),
        recall=tuple(record.get("recall", ())),
    )


def nearest(config: TrainConfig) -> Run | None:
    """The recorded run of the same method and task whose training length and steps are nearest; None: there is none."""
    same = [run for run in _runs() if _kind(run.config) == _kind(config)]
    return min(same, key=lambda run: _difference(run.config, config), default=None)


def _kind(config: TrainConfig) -> tuple[object, ...]:
    return config.method, config.options, config.is_recall


def _difference(a: TrainConfig, b: TrainConfig) -> float:
    """In doublings."""
    return abs(log2(a.length / b.length)) + abs(log2(a.steps / b.steps))

"""Compare with trained models as content: each method's own model, trained on the same bytes, reads the same text.

Notable choices:
- These models come with the project: same text, same seed, same shape, and they differ in the position method alone.
- Head 3 of one model has nothing to do with head 3 of another. So pictures stand side by side and are not subtracted.
- A model that cannot read to the end (a learned table) reads as far as it can, and its own sentence is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from alibi_viz import pretrained, trained
from alibi_viz.lm.config import TrainConfig
from alibi_viz.positions import METHODS
from pages.attention import trained_study as attention_trained

LONGEST = 256  # bytes: every cell of six matrices still fits on the screen


@dataclass(frozen=True)
class Reading:
    """What one head of a method's model does with a text: float32 [T, T] each, -inf where nothing can be seen."""

    name: str
    title: str
    config: TrainConfig
    weights: np.ndarray
    scores: np.ndarray
    reach: float  # the colour scale of the scores goes from -reach to reach
    known: int  # bytes that the model could read
    problem: str  # its own sentence when that is fewer than all; else empty
    share: float  # of the last byte's weight, to the last L bytes
    inside: float | None  # loss in nats a byte with at most L bytes before it, or None where there is none
    beyond: float | None  # with more


def there(methods: Iterable[str]) -> dict[str, trained.Loaded]:
    """The models of these methods that come with the project and can be read, in the order of `methods`."""
    found = {name: trained.load(name) for name in methods if name in pretrained.METHODS}
    return {name: loaded for name, loaded in found.items() if loaded is not None}


def read(models: Iterable[trained.Loaded], text: bytes, layer: int, head: int) -> tuple[Reading, ...]:
    """Every model on the same text; layer and head count from 1.

    Raises:
        ValueError: in one sentence, for an empty text, or a layer that a model does not have.
    """
    return tuple(_reading(loaded, text, layer, head) for loaded in models)


def _reading(loaded: trained.Loaded, text: bytes, layer: int, head: int) -> Reading:
    known = min(len(text), loaded.last)
    chosen = attention_trained.Controls(loaded, text[:known], layer, min(head, loaded.config.heads))
    result, seen = attention_trained.study(chosen), attention_trained.seen(chosen)
    return Reading(
        loaded.config.method,
        METHODS[loaded.config.method].title,
        loaded.config,
        _square(result.stages.weights, len(text)),
        _square(result.stages.scores, len(text)),
        result.reach,
        known,
        "" if known == len(text) else trained.refusal(loaded, text),
        float(seen.shares[chosen.head - 1]),
        seen.inside,
        seen.beyond,
    )


def _square(picture: np.ndarray, count: int) -> np.ndarray:
    """[t, t] -> [count, count], what is missing as -inf."""
    missing = count - len(picture)
    return np.pad(picture, (0, missing), constant_values=-np.inf) if missing else picture

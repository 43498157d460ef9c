"""Compare with trained models as content: each method's own model, trained on the same bytes, reads the same text.

Notable choices:
- These models come with the project: same text, same seed, same shape, and they differ in the position method alone.
- Head 3 of one model has nothing to do with head 3 of another. So pictures stand side by side and are not subtracted.
- A model that cannot read to the end (a learned table) reads as far as it can, with its own sentence about the end.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from alibi_viz import pretrained, trained
from pages.compare.study import Controls, Picture, padded


@dataclass(frozen=True)
class ModelPicture(Picture):
    """A method's trained model on the reader's text."""

    share: float  # of the last byte's weight, to the last L bytes
    inside: float | None  # loss in nats a byte with at most L bytes before it; None: there is no such byte
    beyond: float | None  # with more


def shipped(methods: Iterable[str]) -> dict[str, trained.Loaded]:
    """The models of these methods that come with the project and can be read, in the order of `methods`."""
    models = {name: trained.load(name) for name in methods if name in pretrained.METHODS}
    return {name: loaded for name, loaded in models.items() if loaded is not None}


def read(controls: Controls) -> tuple[ModelPicture, ...]:
    """Every chosen method that has a model. Raises ValueError for an empty text, or a layer that a model does not have."""
    return tuple(_picture(loaded, controls) for loaded in shipped(controls.methods).values())


def _picture(loaded: trained.Loaded, controls: Controls) -> ModelPicture:
    count = len(controls.text)
    known = min(count, loaded.max_bytes)
    reading = trained.read(loaded, controls.text[:known], controls.layer, controls.head)
    return ModelPicture(
        loaded.config.method,
        weights=padded(reading.stages.weights, count),
        scores=padded(reading.stages.scores, count),
        score_limit=reading.score_limit,
        known=known,
        problem=trained.refusal(loaded, controls.text),
        share=float(reading.shares[controls.head - 1]),
        inside=reading.inside,
        beyond=reading.beyond,
    )

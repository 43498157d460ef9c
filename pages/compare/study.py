"""The Compare lesson: the same tokens, the same vectors, the same projections and the same attention, for every method.

Notable choices:
- One mechanism for all (see `alibi_viz.content.synthetic`): no line here asks which method it is.
- What a method adds to a score is measured, not taken from a formula: its score minus the score without positions.
- A method whose positions end (a learned table) is shown as far as they go, with its own sentence about the end.
- With trained models as content each method's own model reads the text. They were trained on the same bytes and differ
  in the method alone; but head 3 of one has nothing to do with head 3 of another, so their pictures are not subtracted.
- The latest results are cached: moving a slider of one section then computes that section alone.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from alibi_viz.attention.attention import Trace
from alibi_viz.attention.pictures import to_numpy
from alibi_viz.content.synthetic import Setting, attend, build_method, count_parameters, embed, usable
from alibi_viz.positions import METHODS, PositionMethod
from alibi_viz.results import pretrained, trained

SCORE_LIMIT = 8.0  # the color scale of synthetic scores goes from -8 to 8


@dataclass(frozen=True)
class Controls:
    """What the reader set. The fields that no result of `study` depends on do not count when two are compared."""

    setting: Setting
    methods: tuple[str, ...]  # keys of METHODS
    tokens: tuple[str, ...]
    head: int  # 1 .. heads
    text: bytes = b""  # trained models: what they read
    layer: int = 0  # trained models: 1 .. layers; 0: the content is synthetic
    stage: str = field(default="weights", compare=False)  # which of a picture's matrices is shown
    against: str = field(default="", compare=False)  # the method whose picture is subtracted; empty: none


@dataclass(frozen=True)
class Picture:
    """One method, one head: float32 [T, T] each, -inf where nothing can be seen."""

    method: str  # a key of METHODS
    weights: np.ndarray
    scores: np.ndarray
    score_limit: float  # the color scale of scores goes from -score_limit to score_limit
    known: int  # tokens that the method has positions for
    problem: str  # its own sentence where those are fewer than all; else empty

    @property
    def title(self) -> str:
        return METHODS[self.method].title


@dataclass(frozen=True)
class MethodPicture(Picture):
    """A method on synthetic content."""

    added: np.ndarray  # the score minus the score without positions
    parameters: int  # numbers that training sets


@dataclass(frozen=True)
class ModelPicture(Picture):
    """A method's trained model on the reader's text."""

    share: float  # of the last byte's weight, to the last L bytes
    inside: float | None  # loss in nats a byte with at most L bytes before it; None: there is no such byte
    beyond: float | None  # with more


@lru_cache(maxsize=8)  # six pictures of 256 x 256, three times: 5 MB an entry
@torch.no_grad()
def study(controls: Controls) -> tuple[MethodPicture, ...]:
    """Every chosen method on the same tokens. Raises ValueError for an empty text."""
    if not controls.tokens:
        raise ValueError("The text is empty. Write a few words.")
    x = embed(controls.tokens, controls.setting)
    plain = _trace(build_method("none", controls.setting), controls, x)
    methods = [build_method(name, controls.setting) for name in controls.methods]
    return tuple(_picture(method, controls, x, plain) for method in methods)


def _trace(method: PositionMethod, controls: Controls, x: Tensor) -> Trace:
    """Of the chosen head: H is 1."""
    positions = torch.arange(x.shape[1], device=x.device)
    return attend(method, controls.setting, x, positions, x, positions, controls.head - 1)


def _picture(method: PositionMethod, controls: Controls, x: Tensor, plain: Trace) -> MethodPicture:
    count = x.shape[1]
    known, problem = usable(method, count)
    trace = _trace(method, controls, x[:, :known])
    scores = trace.masked[0, 0]
    tensors = {
        "weights": trace.weights[0, 0].masked_fill(scores.isneginf(), -math.inf),
        "scores": scores,
        "added": scores - plain.content[0, 0, :known, :known],
    }
    matrices = {name: _padded(to_numpy(tensor), count) for name, tensor in tensors.items()}
    return MethodPicture(
        method.name,
        score_limit=SCORE_LIMIT,
        parameters=count_parameters(method),
        known=known,
        problem=problem,
        **matrices,
    )


def _padded(matrix: np.ndarray, count: int) -> np.ndarray:
    """[t, t] -> [count, count], what is missing as -inf."""
    return np.pad(matrix, (0, count - len(matrix)), constant_values=-np.inf)


def shipped(methods: Iterable[str]) -> dict[str, trained.Loaded]:
    """The models of these methods that come with the project and can be read, in the order of `methods`."""
    return {name: loaded for name in methods if name in pretrained.METHODS and (loaded := trained.load(name))}


def read(controls: Controls) -> tuple[ModelPicture, ...]:
    """Every chosen method that has a model. Raises ValueError for an empty text, or a layer that a model does not have."""
    return tuple(_read(loaded, controls) for loaded in shipped(controls.methods).values())


def _read(loaded: trained.Loaded, controls: Controls) -> ModelPicture:
    count = len(controls.text)
    known = min(count, loaded.max_bytes)
    reading = trained.read(loaded, controls.text[:known], controls.layer, controls.head)
    weights, scores = (_padded(matrix, count) for matrix in (reading.stages.weights, reading.stages.scores))
    return ModelPicture(
        loaded.config.method,
        weights,
        scores,
        reading.score_limit,
        known,
        problem=trained.refusal(loaded, controls.text),
        share=float(reading.shares[controls.head - 1]),
        inside=reading.inside,
        beyond=reading.beyond,
    )


def difference(picture: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """One matrix minus another; -inf where either shows nothing."""
    both = np.isfinite(picture) & np.isfinite(reference)
    return np.where(both, np.where(both, picture, 0) - np.where(both, reference, 0), -np.inf).astype(np.float32)

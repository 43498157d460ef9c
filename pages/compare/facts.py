"""What the sentences of the Compare lesson say of its curves, matrices and models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from alibi_viz.content.synthetic import Setting
from alibi_viz.ui.controls.content import ModelSizes
from alibi_viz.ui.controls.method_pills import TITLES, titles
from alibi_viz.ui.format import format_number
from pages.compare import distance
from pages.compare.distance import DistanceCurve
from pages.compare.study import Controls, ModelPicture


@dataclass(frozen=True)
class Facts:
    """The lowest and the highest curve."""

    head: int
    heads: int
    at: int  # distance
    low: str  # change of the score
    lowest: str  # method
    high: str
    highest: str
    origin: str  # of the parameters, in a sentence
    length: int  # of the training
    last: int  # position of the query at the end of the picture
    follow: str  # methods whose scores follow the query's position too


def facts_of(chosen: Controls, curves: Sequence[DistanceCurve], origin: str) -> Facts:
    length = distance.train_length(chosen)
    at, (low, lowest), (high, highest) = distance.ends(curves, length // 2)
    methods = [curve.method for curve in curves]
    return Facts(
        head=chosen.head,
        heads=chosen.setting.heads,
        at=at,
        low=format_number(low),
        lowest=TITLES[lowest],
        high=format_number(high),
        highest=TITLES[highest],
        origin=origin,
        length=length,
        last=max(curve.query for curve in curves),
        follow=titles([method for method in dict.fromkeys(methods) if methods.count(method) > 1]),
    )


@dataclass(frozen=True)
class Methods:
    methods: str
    length: int = 0  # bytes of a training sequence, where they are trained


@dataclass(frozen=True)
class Instead:
    """A text that is too long, or a choice of methods that is not possible, and what the page uses."""

    given: int | str
    used: int | str = ""


@dataclass(frozen=True)
class Refused:
    method: str
    problem: str = ""  # in the method's own words; empty: it has no trained model


@dataclass(frozen=True)
class Far:
    count: int  # words
    far: str  # of each method, the share of the weight that goes to the first half


@dataclass(frozen=True)
class Losses:
    """The smallest and the largest loss, and whose they are: inside the training length and beyond. None: there is none."""

    length: int  # of the training, bytes
    head: int
    in_low: float | None
    in_best: str | None
    in_high: float | None
    in_worst: str | None
    out_low: float | None
    out_best: str | None
    out_high: float | None
    out_worst: str | None


def losses_of(controls: Controls, pictures: Sequence[ModelPicture]) -> Losses:
    inside, beyond = _ends({p.title: p.inside for p in pictures}), _ends({p.title: p.beyond for p in pictures})
    return Losses(controls.setting.train_length, controls.head, *inside, *beyond)


def _ends(losses: Mapping[str, float | None]) -> tuple[float | None, str | None, float | None, str | None]:
    known = sorted((loss, title) for title, loss in losses.items() if loss is not None)
    return (*known[0], *known[-1]) if known else (None, None, None, None)


@dataclass(frozen=True)
class Fit:
    """A trained model, and what the page is set to."""

    method: str
    layers: int
    length: int
    heads: int
    width: int
    now_heads: int
    now_width: int
    now_length: int


def fit_of(model: ModelSizes, setting: Setting) -> Fit:
    now = setting.heads, setting.width, setting.train_length
    return Fit(model.method, model.layers, model.length, model.heads, model.width, *now)


@dataclass(frozen=True)
class Reach:
    share: str
    past: int  # tokens in sight


@dataclass(frozen=True)
class Shift:
    """A pair of positions, and where it is moved to."""

    query: int
    key: int
    moved_query: int
    moved_key: int


@dataclass(frozen=True)
class Counted:
    n: int  # tokens
    device: str

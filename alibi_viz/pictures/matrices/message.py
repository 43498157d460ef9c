"""Matrices under one row of hands: one view of panels, or a large one and thumbnails beside it, as one message of bytes.

Coordinates in every argument are tokens, not samples; ranges of a `Mark` are half open, as in Python.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from alibi_viz.lessons import load
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.message import check
from alibi_viz.pictures.message import pack as pack_message

MAX_SIDE = 512  # samples a side: about what a screen can show

Stage = Literal["content", "bias", "masked", "weights"]
Quantity = Literal["content", "bias", "weight"]  # content: of scores too, which have a sign
Scale = Literal["linear", "sqrt"]
# stage: as large as the stage has room for; beside: thumbnails that fill their place beside it
Size = Literal["normal", "large", "stage", "thumb", "beside"]
Form = Literal["causal", "symmetric", "two_sided", "key_only"]


@dataclass(frozen=True)
class Axis:
    """Which tokens the samples of one side stand for: sample r is tokens start + r·step … start + (r+1)·step − 1.

    `labels`, one a token of the window, stand in the readout, and along the side where a sample is one token.
    """

    start: int = 0
    step: int = 1
    labels: tuple[str, ...] | None = None
    name: str = "key"


@dataclass(frozen=True)
class Colours:
    """How numbers become colours: the map of a quantity over a domain, linear or by the square root.

    domain: its ends. None: from the smallest to the largest value of all panels that have none; 0 is the middle of a
    signed map. from_top: the ends count from the panel's largest value.
    """

    quantity: Quantity
    domain: tuple[float, float] | None
    scale: Scale = "linear"
    from_top: bool = False


@dataclass(frozen=True)
class Model:
    """One head's arithmetic, so that the browser can preview a dragged value and name any cell exactly.

    The bias is −strength · slope · distance; "key_only" is +strength · slope · j.
    """

    total: int  # tokens of the text: keys in a whole row
    content: NDArray[np.float32] | None = (
        None  # [total, total]: scaled scores, all of them in sight; None: zeros, or follows
    )
    slope: float = 1.0
    future: float = 1.0  # "two_sided": of the slope, for keys after the query
    form: Form = "causal"
    strength: float = 1.0
    causal: bool = True
    head: int = 1  # its number among the heads


@dataclass(frozen=True)
class Panel:
    """One matrix: values [R, C], −inf where masked. `key` names it in readouts; empty: its stage does.

    With `model` and `stage` the browser can preview the values and compute any cell exactly. title, and caption, which
    stands where a sample is several tokens: templates with {head} {slope} of the model, and {step}.
    """

    title: str
    values: NDArray[np.float32]
    colours: Colours
    caption: str = ""
    model: Model | None = None
    stage: Stage | None = None
    key: str = ""


@dataclass(frozen=True)
class Mark:
    """An outlined rectangle of tokens, half open: rows row0 … row1 − 1, columns col0 … col1 − 1.

    One that holds all of a model's text is not drawn.
    """

    row0: int
    col0: int
    row1: int
    col1: int
    label: str = ""


@dataclass(frozen=True)
class Readout:
    """Templates for the line under the panels: for an allowed cell, a masked one, and none at all.

    Placeholders: {i} {j} {query} {key} {distance} {ahead}, each panel's `key`, and of the pointed-at panel's model {slope}
    {strength}, the stages {content} {bias} {masked} {weights}, and {sum}, the softmax's divisor.
    """

    allowed: str
    masked: str
    empty: str
    ahead: str = ""  # for an allowed cell whose key comes later; empty: as `allowed`


@dataclass(frozen=True)
class View:
    """Panels of one shape, with one cursor.

    follows: the hands whose values the browser previews, and what they are: every model's strength, the number of heads
    (a model's slope is then the paper's, of the hand `head` or of the last one there is), or the number of tokens of models
    without content, or the reader's words, from which the browser has the content. Of a length the picture is the window
    from token (`row`, `col`) on, `span` wide (0: all), which are hands
    too, or the nearest that fits: at most `most` samples a side.
    """

    panels: Sequence[Panel]
    rows: Axis = Axis(name="query")
    cols: Axis = Axis()
    marks: Sequence[Mark] = ()
    readout: Readout | None = None  # without it, no line under the panels
    follows: Mapping[str, Literal["strength", "heads", "length", "words"]] | None = None
    most: int = MAX_SIDE
    size: Size = "normal"
    fills: bool = False  # cells of a stage are as high as it leaves, not square: the two sides are different things
    zoomable: bool = False  # whether there are buttons that ask for another window of tokens
    picked: int | None = None  # the chosen panel: thumbnails to choose from, and no cells to lock
    #: The panels in sight where there is no room for all; on a phone the last of them alone.
    front: Sequence[int] = (0, 1)
    filename: str = "matrix"
    alt: str = ""  # what the picture shows, in words, for screen readers


@dataclass(frozen=True)
class Sentence:
    """The sentence that follows the hand: a template with numbers of `numbers`, and with those that the browser computes
    of its hands: {heads} {head} {n} {strength}, the slope of the head {slope}, and the tokens that halve a weight {half}.

    near: a query, and how many tokens before it are near: then {near} is their share of its weight on earlier tokens, in
    the last matrix of the first view. few: of the reader's words, what is said where the last has fewer than two before it.
    """

    template: str
    numbers: Mapping[str, str]
    near: tuple[int, int] | None = None
    few: str = ""


@dataclass(frozen=True)
class Trained:
    """A model that reads the text of the hands in the browser (hands: `passage`, `layer`, `head`, and of ALiBi `strength`).

    view: what stands under its name, of a text of one byte, which the browser replaces; square: its readout where a square
    stands for more than one cell. note: as of a view with `words`. limits: of the colours of scores, by layer. slopes: of
    ALiBi, by head. most: bytes that it reads; cut: what is said of a longer text.
    """

    weights: str  # where a browser finds them
    view: View
    square: str
    note: Sentence
    limits: Sequence[float]
    slopes: Sequence[float] | None
    most: int
    cut: str


@dataclass(frozen=True)
class Message:
    """What stands under the hands.

    trained: models that the hand `model` names. beside: the least width of the second view, in pixels: it has what a
    square picture leaves.
    """

    key: str
    hands: Hands
    views: Sequence[View]
    note: Sentence
    beside: int = 0
    problem: str = ""  # in place of the picture
    size: Literal["stage", "section"] = "stage"
    trained: Mapping[str, Trained] = field(default_factory=dict)

    @property
    def answered(self) -> list[str]:
        """Of the hands those that the views follow."""
        if self.trained:
            return self.hands.without()
        follows = {key: what for view in self.views for key, what in (view.follows or {}).items()}
        if "heads" in follows.values():
            follows["head"] = "heads"
        if "words" in follows.values():
            follows |= dict.fromkeys(("unit", "content", "causal", "head_dim", "seed"), "words")
        return self.hands.without(*(hand.key for hand in self.hands.hands if hand.key not in follows))


def _axis(axis: Axis, count: int) -> dict[str, Any]:
    fits = axis.labels is None or -(-len(axis.labels) // axis.step) == count
    check(fits, f"{len(axis.labels or ())} labels for {count} samples of {axis.step}")
    return {**vars(axis), "count": count}


def _panel(panel: Panel, shape: tuple[int, ...], models: Sequence[Model]) -> dict[str, Any]:
    what, values = f"panel {panel.title!r}", np.asarray(panel.values, dtype=np.float32)
    check(max(values.shape) <= MAX_SIDE, f"{what}: {values.shape} is larger than {MAX_SIDE}×{MAX_SIDE} samples")
    check(values.shape == shape, f"{what}: shape {values.shape}, but the first panel has {shape}")
    model = next((number for number, model in enumerate(models) if model is panel.model), None)
    return {**vars(panel), "model": model, "key": panel.key or panel.stage, "values": values}


def _model(model: Model) -> dict[str, Any]:
    content = None if model.content is None else np.asarray(model.content, dtype=np.float32)
    return {**vars(model), "content": content}


def _view(view: View) -> dict[str, Any]:
    panels, shape = view.panels, np.shape(view.panels[0].values)
    models = list({id(panel.model): panel.model for panel in panels if panel.model}.values())
    return {
        **vars(view),
        "panels": [_panel(panel, shape, models) for panel in panels],
        "models": [_model(model) for model in models],
        "rows": _axis(view.rows, shape[0]),
        "cols": _axis(view.cols, shape[1]),
    }


def pack(message: Message) -> bytes:
    """The message. Raises ValueError with a sentence when a view cannot be shown."""
    words = load("shared").entries("matrix_view")
    trained = {name: {**vars(model), "view": _view(model.view)} for name, model in message.trained.items()}
    views = [_view(view) for view in message.views]
    return pack_message({**vars(message), "views": views, "trained": trained, "words": words})

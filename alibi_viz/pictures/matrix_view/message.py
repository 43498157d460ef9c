"""What the matrix view shows, as dataclasses, and how they become one message of bytes (pictures/message.py).

Coordinates in every argument are tokens, not samples; ranges of a `Mark` are half open, as in Python.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from alibi_viz.lessons import load
from alibi_viz.pictures.message import Array, check
from alibi_viz.pictures.message import pack as pack_message

MAX_SIDE = 512  # samples a side: about what a screen can show
MAX_PANELS = 128

Stage = Literal["content", "bias", "scores", "masked", "weights"]
Quantity = Literal["content", "bias", "scores", "weight"]
Scale = Literal["linear", "sqrt"]
# stage: as large as the stage has room for; beside: thumbnails that fill their place beside it
Size = Literal["normal", "large", "stage", "thumb", "beside"]
Form = Literal["causal", "symmetric", "two_sided", "key_only"]
Domain = Literal["fixed", "whole", "top"]


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

    follows, for previews: what the domain is of other values: the same ("fixed"), from the smallest to the largest
    ("whole"; signed maps have 0 in the middle), or as wide as now and up to the largest ("top").
    """

    quantity: Quantity
    domain: tuple[float, float]
    scale: Scale = "linear"
    follows: Domain = "fixed"


@dataclass(frozen=True)
class Model:
    """One head's arithmetic, so that the browser can preview a dragged value and name any cell exactly.

    `content` is None (zeros), the scaled scores of the panels' samples, or (q [rows, d], k [cols, d], scale) of all
    tokens. The bias is −strength · slope · distance; "key_only" is +strength · slope · j. `logsum`, of e^masked over a
    whole row, one number a token, makes weights exact where a row is not on the screen.
    """

    content: NDArray[np.float32] | tuple[Array, Array, float] | None = None
    slope: float = 1.0
    future_slope: float | None = None  # "two_sided": the slope for keys after the query; None: as for the past
    form: Form = "causal"
    strength: float = 1.0
    causal: bool = True
    logsum: Array | None = None
    total: int | None = None  # keys in a whole row; None: those on the screen
    head: int = 1  # its number among the heads, for `Heads`


@dataclass(frozen=True)
class Follow:
    """A hand whose values the browser previews: its key, and its value that the numbers of the message belong to.

    Each kind names a `form`: what the browser computes for another value (preview.js).
    """

    channel: str
    value: float


@dataclass(frozen=True)
class Strength(Follow):
    """The dragged value is the strength of every model."""

    form: Literal["strength"] = "strength"


@dataclass(frozen=True)
class Heads(Follow):
    """The dragged value is the number of heads: a model's slope is the paper's, of its head or of the last there is.

    future: the slope for keys after the query, in slopes.
    """

    future: float = 1.0
    form: Literal["heads"] = "heads"


@dataclass(frozen=True)
class Length(Follow):
    """The dragged value is the number of tokens n, of models without content.

    The picture is the window from token (row, col) on, `span` wide (0: all), or the nearest that fits: at most `most`
    samples a side. marks: those that a longer text has; of a text that one covers it is left out.
    """

    row: int = 0
    col: int = 0
    span: int = 0
    most: int = MAX_SIDE
    marks: "tuple[Mark, ...]" = ()
    form: Literal["length"] = "length"


@dataclass(frozen=True)
class Panel:
    """One matrix: values [R, C], −inf where masked. `key` names it in readouts; empty: its stage does.

    With `model` and `stage` the browser can preview the values and compute any cell exactly. live_title, live_caption:
    title and caption in a preview, templates with {head} {slope} {step}; the caption where a step is several tokens.
    """

    title: str
    values: NDArray[np.float32]
    colours: Colours
    caption: str = ""
    model: Model | None = None
    stage: Stage | None = None
    key: str = ""
    live_title: str = ""
    live_caption: str = ""


@dataclass(frozen=True)
class Mark:
    """An outlined rectangle of tokens, half open: rows row0 … row1 − 1, columns col0 … col1 − 1."""

    row0: int
    col0: int
    row1: int
    col1: int
    label: str = ""


@dataclass(frozen=True)
class Readout:
    """Templates for the line under the panels: for an allowed cell, a masked one, and none at all.

    Placeholders: {i} {j} {query} {key} {distance} {ahead}, each panel's `key`, and of the pointed-at panel's model {slope}
    {strength}, the stages {content} {bias} {scores} {masked} {weights}, and {sum}, the softmax's divisor.
    """

    allowed: str
    masked: str
    empty: str
    ahead: str = ""  # for an allowed cell whose key comes later; empty: as `allowed`


class Options(TypedDict, total=False):
    """What a matrix view shows beside its panels; all of it may be left out."""

    rows: Axis
    cols: Axis
    marks: Sequence[Mark]
    readout: Readout  # without it, no line under the panels
    follows: Sequence[Strength | Heads | Length]  # the hands whose values the browser previews
    size: Size
    fills: bool  # cells of a stage are as high as it leaves, not square: the two sides are different things
    zoomable: bool  # whether there are buttons that ask for another window of tokens
    locked: Sequence[int]  # the cell that is locked in the address, or none; left out: it is not kept there
    picked: int  # the chosen panel: thumbnails to choose from, and no cells to lock
    front: Sequence[int]  # the panels in sight where there is no room for all; on a phone the last of them alone
    filename: str
    alt: str  # what the picture shows, in words, for screen readers


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
    content = model.content
    packed: dict[str, Any] | None = None
    if isinstance(content, tuple):
        q, k = (np.asarray(vectors, dtype=np.float32) for vectors in content[:2])
        packed = {"q": q, "k": k, "scale": content[2]}
    elif content is not None:
        packed = {"matrix": np.asarray(content, dtype=np.float32)}
    future = model.slope if model.future_slope is None else model.future_slope
    return {**vars(model), "content": packed, "future_slope": future}


def pack(panels: Sequence[Panel], *, key: str = "", **options: Unpack[Options]) -> bytes:
    """Everything one matrix view shows, as one message of bytes. Raises ValueError with a sentence when it cannot."""
    check(0 < len(panels) <= MAX_PANELS, f"a matrix view shows 1 to {MAX_PANELS} panels, not {len(panels)}")
    size = options.get("size", "normal" if options.get("picked") is None else "thumb")
    shape = np.shape(panels[0].values)
    models = list({id(panel.model): panel.model for panel in panels if panel.model}.values())
    header: dict[str, Any] = dict.fromkeys(("readout", "picked", "locked", "front"))
    header |= {"marks": (), "follows": (), "zoomable": False, "fills": False, "filename": "matrix", "alt": ""}
    header |= {**options, "key": key, "size": size}
    header |= {
        "panels": [_panel(panel, shape, models) for panel in panels],
        "models": [_model(model) for model in models],
        "rows": _axis(options.get("rows", Axis(name="query")), shape[0]),
        "cols": _axis(options.get("cols", Axis(name="key")), shape[1]),
        "words": load("words").entries("picture") | load("words").entries("matrix_view"),
    }
    return pack_message(header)

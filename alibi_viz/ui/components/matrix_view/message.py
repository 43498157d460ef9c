"""What travels from Python to the matrix view: one message of bytes, and the dataclasses that describe it.

Streamlit hands a component raw bytes only when its whole `data` is bytes, so everything is one message:

    uint32 (little-endian)   length of the header
    header                   JSON in UTF-8; an array is named by its number in header["arrays"]
    padding to 8
    arrays                   float32, float64 or uint8, row-major, each at an offset divisible by 8

Offsets count from the end of the padded header. Nothing here imports Streamlit, so the format can be tested alone.
Coordinates in every argument are tokens, not samples; ranges of a `Mark` are half open, as in Python.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

MAX_SIDE = 512  # samples a side: about what a screen can show
MAX_BYTES = 16 * 1024 * 1024
MAX_PANELS = 128
VERSION = 1

Array = NDArray[Any]
Stage = Literal["content", "bias", "scores", "masked", "weights"]
Quantity = Literal["content", "bias", "scores", "weight"]
Scale = Literal["linear", "sqrt"]
Size = Literal["normal", "large", "thumb"]
Form = Literal["causal", "symmetric", "two_sided", "key_only"]
FORMS = ("causal", "symmetric", "two_sided", "key_only")
STAGES = ("content", "bias", "scores", "masked", "weights")

WORDS: dict[str, str] = {
    "label": "Matrices. Arrow keys move the cursor, Enter locks it.",
    "pick_label": "Matrices to choose from. Arrow keys move, Enter chooses.",
    "png": "PNG",
    "png_title": "Save the picture as a PNG file",
    "copy": "Copy",
    "copy_title": "Copy the picture",
    "copied": "Copied",
    "zoom_in": "Zoom in (+)",
    "zoom_out": "Zoom out (−)",
    "zoom_all": "Show the whole matrix (0)",
    "locked": "locked",
    "unlock": "Unlock (Escape)",
    "preview": "preview",
    "python": "PyTorch",
    "differed": "PyTorch · preview differed by {difference}",
    "masked": "masked",
    "token": "token {n}",
    "broken": "These matrices could not be drawn: {reason}",
}
"""Every fixed word of the matrix view. Pages give translations as `words`."""


@dataclass(frozen=True)
class Axis:
    """Which tokens the samples of one side stand for: sample r is tokens start + r·step … start + (r+1)·step − 1."""

    start: int = 0
    step: int = 1
    count: int = 0  # samples; 0: as many as the panels have
    labels: tuple[str, ...] | None = None  # one a sample
    name: str = "key"
    names: tuple[str, ...] | None = None  # one a token, for the readout; None: the labels


@dataclass(frozen=True)
class Model:
    """One head's arithmetic, so that the browser can preview a dragged value and name any cell exactly.

    `content` is None (zeros), the scaled scores as a matrix, or (q [rows, d], k [cols, d], scale). A matrix with the
    shape of the panels is read by sample, any other, and q and k, by token. The bias is −strength · slope · distance;
    "key_only" is +strength · slope · j. `row_max` and `row_sum` (of e^(masked − max)), or `logsum`, one a row (by
    sample or by token, as above), make weights exact when a whole row is not on the screen.
    """

    content: NDArray[np.float32] | tuple[Array, Array, float] | None = None
    slope: float = 1.0
    future_slope: float | None = None  # "two_sided": the slope for keys after the query; None: as for the past
    form: Form = "causal"
    strength: float = 1.0
    causal: bool = True
    row_max: Array | None = None
    row_sum: Array | None = None
    logsum: Array | None = None
    total: int | None = None  # keys in a whole row, where `content` is None and nothing is masked


@dataclass(frozen=True)
class Panel:
    """One matrix: values [R, C], −inf where masked. `domain` is what the colours span; `key` names it in readouts."""

    title: str
    values: NDArray[np.float32]
    quantity: Quantity
    domain: tuple[float, float]
    caption: str = ""
    model: int | None = None
    stage: str | None = None
    key: str = ""
    scale: Scale = "linear"
    size: Size = "normal"


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

    Placeholders: {i} {j} {query} {key} {distance} {ahead} {slope} {strength} {panel} {value}, each panel's `key`, the
    stages {content} {bias} {scores} {masked} {weights}, and {exp} {sum} {max} of the softmax (of the pointed-at panel's
    model).
    """

    allowed: str = "Query {i} “{query}”, key {j} “{key}”: {value}"
    masked: str = "Query {i} “{query}” may not look at key {j} “{key}”."
    empty: str = "Point at a cell."
    ahead: str = ""  # for an allowed cell whose key comes later; empty: as `allowed`


class _Arrays:
    """Collects arrays and hands out their numbers; one array given twice travels once."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.table: list[dict[str, Any]] = []
        self.size = 0
        self._seen: dict[object, tuple[Array, int]] = {}

    def add(self, array: Array, what: str) -> int:
        """Append one array; returns its number. Refuses NaN, and more than the message may hold."""
        array = np.asarray(array)
        # The memory, not the object, names an array: tensor.numpy() makes a new object at every call.
        memory = (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str)
        if memory in self._seen:
            return self._seen[memory][1]
        if array.dtype not in (np.float32, np.float64, np.uint8):
            raise ValueError(f"{what}: dtype {array.dtype} cannot be sent; give float32, float64 or uint8")
        if array.dtype != np.uint8 and np.isnan(array).any():
            raise ValueError(f"{what}: contains NaN")
        # Checked before the copy: a refused message must not cost memory first.
        if self.size + array.nbytes > MAX_BYTES:
            raise ValueError(f"{what}: the message would be larger than {MAX_BYTES >> 20} MB; send a smaller window")
        raw = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()
        self.table.append({"at": self.size, "type": array.dtype.name, "shape": list(array.shape)})
        raw += b"\0" * (-len(raw) % 8)
        self.parts.append(raw)
        self.size += len(raw)
        number = len(self.table) - 1
        self._seen[memory] = (array, number)
        return number


def _finite(number: float, what: str) -> float:
    number = float(number)
    if not math.isfinite(number):
        raise ValueError(f"{what}: must be a finite number, not {number}")
    return number


def _axis(axis: Axis, count: int, what: str) -> dict[str, Any]:
    if axis.count not in (0, count):
        raise ValueError(f"{what}: the axis counts {axis.count} samples, the panels have {count}")
    if axis.step < 1:
        raise ValueError(f"{what}: a sample must stand for at least one token, not {axis.step}")
    if axis.labels is not None and len(axis.labels) != count:
        raise ValueError(f"{what}: {len(axis.labels)} labels for {count} samples")
    labels = None if axis.labels is None else list(axis.labels)
    names = None if axis.names is None else list(axis.names)
    made = {"start": int(axis.start), "step": int(axis.step), "count": count, "labels": labels, "name": axis.name}
    return {**made, "names": names}


def _panel(panel: Panel, shape: tuple[int, ...], models: int, arrays: _Arrays) -> dict[str, Any]:
    what = f"panel {panel.title!r}"
    values = np.asarray(panel.values)
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(f"{what}: values must be a matrix, not an array of shape {values.shape}")
    if max(values.shape) > MAX_SIDE:
        raise ValueError(f"{what}: {values.shape} is larger than {MAX_SIDE}×{MAX_SIDE} samples")
    if values.shape != shape:
        raise ValueError(f"{what}: shape {values.shape}, but the first panel has {shape}")
    low, high = (_finite(end, f"{what}, domain") for end in panel.domain)
    if low >= high:
        raise ValueError(f"{what}: the domain must rise, not run from {low} to {high}")
    if panel.model is not None and not 0 <= panel.model < models:
        raise ValueError(f"{what}: there is no model {panel.model}")
    if panel.stage is not None and panel.stage not in STAGES:
        raise ValueError(f"{what}: unknown stage {panel.stage!r}")
    return {
        "title": panel.title,
        "caption": panel.caption,
        "quantity": panel.quantity,
        "low": low,
        "high": high,
        "model": panel.model,
        "stage": panel.stage,
        "key": panel.key,
        "scale": panel.scale,
        "size": panel.size,
        "values": arrays.add(np.asarray(values, dtype=np.float32), what),
    }


def _content(content: object, what: str, arrays: _Arrays) -> dict[str, Any] | None:
    if content is None:
        return None
    if isinstance(content, tuple):
        q, k, scale = content
        q, k = np.asarray(q, dtype=np.float32), np.asarray(k, dtype=np.float32)
        if q.ndim != 2 or k.ndim != 2 or q.shape[1] != k.shape[1]:
            raise ValueError(f"{what}: q {q.shape} and k {k.shape} must be [rows, d] and [cols, d]")
        return {
            "q": arrays.add(q, what),
            "k": arrays.add(k, what),
            "scale": _finite(scale, f"{what}, scale"),
        }
    matrix = np.asarray(content, dtype=np.float32)
    if matrix.ndim != 2:
        raise ValueError(f"{what}: content must be a matrix, not an array of shape {matrix.shape}")
    return {"matrix": arrays.add(matrix, what)}


def _model(model: Model, number: int, arrays: _Arrays) -> dict[str, Any]:
    what = f"model {number}"
    if model.form not in FORMS:
        raise ValueError(f"{what}: unknown form {model.form!r}")
    if (model.row_max is None) != (model.row_sum is None):
        raise ValueError(f"{what}: row_max and row_sum come together")
    rows = {
        name: None if array is None else arrays.add(np.asarray(array), f"{what}, {name}")
        for name, array in (("rowMax", model.row_max), ("rowSum", model.row_sum), ("logsum", model.logsum))
    }
    future = model.slope if model.future_slope is None else model.future_slope
    return {
        "content": _content(model.content, what, arrays),
        "slope": _finite(model.slope, f"{what}, slope"),
        "future": _finite(future, f"{what}, future_slope"),
        "futureFollows": model.future_slope is None,
        "form": model.form,
        "strength": _finite(model.strength, f"{what}, strength"),
        "causal": bool(model.causal),
        "total": None if model.total is None else int(model.total),
        **rows,
    }


def _words(words: Mapping[str, str] | None) -> dict[str, str]:
    unknown = sorted(set(words or ()) - set(WORDS))
    if unknown:
        raise ValueError(f"unknown words: {', '.join(unknown)}")
    return {**WORDS, **(words or {})}


def pack(
    panels: Sequence[Panel],
    *,
    key: str = "",
    rows: Axis | None = None,
    cols: Axis | None = None,
    models: Sequence[Model] = (),
    marks: Sequence[Mark] = (),
    readout: Readout | None = None,
    channel: str | None = None,
    value: float | None = None,
    param: str = "strength",
    mode: str = "cells",
    zoomable: bool = False,
    cursor: tuple[int, int] | None = None,
    picked: int | None = None,
    filename: str = "matrix",
    words: Mapping[str, str] | None = None,
) -> bytes:
    """Everything one matrix view shows, as one message of bytes. Raises ValueError with a sentence when it cannot."""
    if not 0 < len(panels) <= MAX_PANELS:
        raise ValueError(f"a matrix view shows 1 to {MAX_PANELS} panels, not {len(panels)}")
    if mode not in ("cells", "pick") or param not in ("strength", "slope"):
        raise ValueError(f"unknown mode {mode!r} or param {param!r}")
    arrays = _Arrays()
    shape = np.shape(panels[0].values)
    packed = [_panel(panel, shape, len(models), arrays) for panel in panels]
    header = {
        "version": VERSION,
        "key": key,
        "rows": _axis(rows or Axis(name="query"), shape[0], "rows"),
        "cols": _axis(cols or Axis(name="key"), shape[1], "columns"),
        "panels": packed,
        "models": [_model(model, number, arrays) for number, model in enumerate(models)],
        "marks": [asdict(mark) for mark in marks],
        "readout": None if readout is None else asdict(readout),
        "channel": channel,
        "value": None if value is None else _finite(value, "value"),
        "param": param,
        "mode": mode,
        "zoomable": zoomable,
        "cursor": None if cursor is None else [int(cursor[0]), int(cursor[1])],
        "picked": picked,
        "filename": filename,
        "words": _words(words),
        "arrays": arrays.table,
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-(len(text) + 4) % 8)
    message = b"".join([struct.pack("<I", len(text)), text, *arrays.parts])
    if len(message) > MAX_BYTES:
        raise ValueError(f"the message is larger than {MAX_BYTES >> 20} MB; send a smaller window")
    return message

"""The controls of the Bias page: its parameters, the widgets that set them, and how they are read."""

from dataclasses import replace

from alibi_viz.lessons import Lesson
from alibi_viz.ui.components.matrix_view import zoomed
from alibi_viz.ui.controls import rerun, state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.bias.study import DTYPES, FORMS, Controls

N = Param("n", "int", 128, low=1, high=1_048_576, widget="log_drag")
HEADS = Param("heads", "int", 8, low=1, high=128, widget="drag")
HEAD = Param("head", "int", 3, low=1, high=128)
FORM = Param("form", "choice", "distance", choices=tuple(FORMS))
CAUSAL = Param("causal", "flag", True)
AFTER = Param("after", "flag", False)
DTYPE = Param("dtype", "choice", "float32", choices=tuple(DTYPES))
TRAIN_LENGTH = Param("trained", "int", 64, low=1, high=1_048_576)
COLORS = Param("colours", "choice", "softmax range", choices=("softmax range", "whole range"))
ROW = Param("row", "int", 0, low=0, high=1_048_575)
COL = Param("col", "int", 0, low=0, high=1_048_575)
SPAN = Param("span", "int", 0, low=0, high=1_048_576)
OPEN = sections_param("bias", "forms", "elsewhere", "formats", "code")
PICTURE = (N, HEADS, HEAD, FORM, CAUSAL, AFTER, DTYPE, TRAIN_LENGTH, ROW, COL, SPAN, COLORS)
PARAMS = (*PICTURE, OPEN)
DEFAULTS = {param.key: param.default for param in PICTURE}
LENGTH_CHANNEL, HEADS_CHANNEL = "bias_length", "bias_heads"  # on which the matrix hears the sliders
MILLION, CLOSE = 1_000_000, 4096  # a whole text, and the width of a window that shows its diagonal
TRY: Presets = {
    "paper": DEFAULTS,
    "train": DEFAULTS | {"n": 512, "trained": 64, "head": 6},
    "million": DEFAULTS
    | {"n": MILLION, "head": 8, "trained": 2048, "row": MILLION - CLOSE, "col": MILLION - CLOSE, "span": CLOSE},
    "key": DEFAULTS | {"form": "key only", "n": 64},
    "encoder": DEFAULTS | {"form": "symmetric", "causal": False},
    "wrong": DEFAULTS | {"causal": False, "after": True, "n": 64},
    "bf16": DEFAULTS | {"n": 2048, "dtype": "bfloat16", "head": 1, "span": 512, "row": 1536},
}
CLOSEST = 8  # tokens a side of the smallest window that a zoom opens


def read() -> Controls:
    """The controls as they are now."""
    n, heads, head, *others = map(state.read, PICTURE)
    return Controls(n, heads, min(head, heads), *others)


def show(lesson: Lesson) -> None:
    """What stands beside the picture: the sliders, the head, and whether softmax has run."""
    widgets.drag(N, lesson, channel=LENGTH_CHANNEL)
    heads = widgets.drag(HEADS, lesson, channel=HEADS_CHANNEL)
    widgets.row(lesson, replace(HEAD, high=heads, default=min(int(HEAD.default), heads), width=100), AFTER)


def show_more(lesson: Lesson) -> None:
    """What is behind “More”: the form, the number format, the window."""
    for param in (FORM, CAUSAL, DTYPE, COLORS):
        widgets.show(param, lesson)
    for pair in ((TRAIN_LENGTH, SPAN), (ROW, COL)):
        widgets.columns(lesson, *([param] for param in pair), gap="small")


def follow_zoom(view: str) -> None:
    """Callback of the large matrix: the window that the reader asked for, around a cell."""
    zoom, n = zoomed(view), state.read(N)
    if zoom is None:
        return
    row, col, factor = zoom
    span = int(min(max((state.read(SPAN) or n) / factor, CLOSEST), n)) if factor else n
    row, col = (int(min(max(middle - span / 2, 0), n - span)) for middle in (row, col))
    state.assign({"row": row, "col": col, "span": 0 if span >= n else span})
    rerun.request()

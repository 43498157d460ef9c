"""The Bias page: the matrix that ALiBi adds, from one token to a million.

Notable choices:
- Only the samples that fit on the screen are computed, at most 512 x 512, whatever n. A sample is one cell of the matrix
  (the first of its block), never a mean.
- The softmax of a bias row alone (equal content) has a closed form, a geometric series; a test holds it against torch.
- 16-bit formats are shown as they are stored: computed in float32, rounded last.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import torch

from alibi_viz.attention.attention import trace_attention
from alibi_viz.positions.alibi import Alibi, slopes

SCREEN = 512  # samples a side of the large matrix
THUMB = 128  # samples a side of a thumbnail; fewer when there are many heads
COMPARED = 256  # tokens at which the forms are compared by the real attention
Form = Literal["causal", "key_only", "symmetric", "two_sided"]
#: The words of the page's control, and the form's name in the library.
FORMS: dict[str, Form] = {
    "distance": "causal",
    "key only": "key_only",
    "symmetric": "symmetric",
    "two-sided": "two_sided",
}
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
FUTURE_SHARE = 0.5  # two-sided: the slopes of the future are half as steep


@dataclass(frozen=True)
class Window:
    """The cells on the screen: `count` samples a side, `step` tokens apart, from cell (row, col)."""

    row: int
    col: int
    step: int
    count: int

    def rows(self) -> np.ndarray:
        return self.row + self.step * np.arange(self.count, dtype=np.int64)

    def cols(self) -> np.ndarray:
        return self.col + self.step * np.arange(self.count, dtype=np.int64)


@dataclass(frozen=True)
class Controls:
    n: int  # tokens
    heads: int
    head: int  # 1 .. heads
    form: str  # a key of FORMS
    causal: bool
    after: bool  # after softmax (equal content)
    dtype: str  # a key of DTYPES
    train_length: int
    row: int
    col: int
    span: int  # tokens a side of the window; 0: all
    colors: str = "softmax range"  # or "whole range"


@dataclass(frozen=True)
class Result:
    """All that the page shows; `slope`, `values` and the precision are those of the chosen head."""

    controls: Controls
    slope: float
    window: Window
    values: np.ndarray  # float32 [count, count]; -inf where masked
    thumbs: list[np.ndarray]  # one a head, float32, the whole matrix
    thumb_window: Window
    distinct: int  # values that the number format tells apart, of n distances
    largest_error: float  # of a stored value against the exact one
    same_inside: float  # largest difference between the matrix at the training length and that part of the long one


def window(n: int, row: int, col: int, span: int, most: int = SCREEN) -> Window:
    """The nearest window that fits into n x n and onto the screen."""
    span = n if span <= 0 else min(max(span, 1), n)
    step = -(-span // most)
    count = -(-span // step)
    last = max(n - 1 - step * (count - 1), 0)
    return Window(min(max(row, 0), last), min(max(col, 0), last), step, count)


def study(controls: Controls) -> Result:
    """All that the page shows."""
    of_heads = slopes(controls.heads)
    slope = of_heads[controls.head - 1]
    large = window(controls.n, controls.row, controls.col, controls.span)
    shrink = 1 if controls.heads <= 16 else 2 if controls.heads <= 64 else 4
    small = window(controls.n, 0, 0, 0, THUMB // shrink)
    values, thumbs = cells(slope, large, controls), [cells(m, small, controls) for m in of_heads]
    stored, same = precision(slope, controls.n, controls.dtype), same_inside(slope, controls)
    return Result(controls, slope, large, values, thumbs, small, *stored, same)


def cells(slope: float, window: Window, controls: Controls) -> np.ndarray:
    """Bias, or weights of equal content, in a window: float32 [count, count]; -inf where the mask hides a cell."""
    q, k, dtype = torch.from_numpy(window.rows()), torch.from_numpy(window.cols()), DTYPES[controls.dtype]
    values = weights(slope, q, k, controls) if controls.after else bias(slope, q, k, controls).to(dtype).float()
    return (values.masked_fill(q[:, None] < k, -math.inf) if controls.causal else values).numpy()


def method(slope: float, form: str) -> Alibi:
    """One head of ALiBi in the page's form."""
    future = [slope * FUTURE_SHARE] if form == "two-sided" else None
    return Alibi(1, 1, 1, slopes=[slope], form=FORMS[form], future_slopes=future)


def bias(slope: float, q: torch.Tensor, k: torch.Tensor, controls: Controls) -> torch.Tensor:
    """What is added to the scores: float32 [Tq, Tk], from the same class that the attention uses."""
    values = method(slope, controls.form).score_bias(q, k)
    assert values is not None
    return values[0]


def weights(slope: float, q: torch.Tensor, k: torch.Tensor, controls: Controls) -> torch.Tensor:
    """Softmax of the bias over all n keys, at the cells of a window: float32 [Tq, Tk].

    Row i has the keys 0..i under the mask, else 0..n-1. A side that falls by the factor e^-m a token sums to `series`.
    Everything is measured against the largest value of the row, so nothing overflows.
    """
    i, j = q.double()[:, None], k.double()[None, :]
    past_m, future_m = slope, slope * (FUTURE_SHARE if controls.form == "two-sided" else 1.0)
    if controls.causal:
        # All forms agree here: they differ by a constant in each row.
        values = torch.exp(-past_m * (i - j)) / series(past_m, i + 1)
        return torch.where(j <= i, values, 0.0).float()
    if controls.form in ("distance", "key only"):
        # Without a mask both reward the last key of the text, for every query.
        values = torch.exp(-past_m * (controls.n - 1 - j)) / series(past_m, torch.tensor(controls.n))
        return values.expand(len(q), -1).float()
    total = series(past_m, i + 1) + series(future_m, controls.n - i) - 1
    steep = torch.where(j <= i, past_m, future_m)
    return (torch.exp(-steep * (i - j).abs()) / total).float()


def series(slope: float, count: torch.Tensor) -> torch.Tensor:
    """1 + e^-m + e^-2m + ... of `count` terms, (1 - e^(-m count)) / (1 - e^-m), in float64."""
    return torch.expm1(-slope * count.double()) / math.expm1(-slope) if slope else count.double()


@lru_cache(maxsize=64)
def precision(slope: float, n: int, dtype: str) -> tuple[int, float]:
    """How many values of -m d, d = 0..n-1, a number format tells apart, and its largest error (infinite: overflow)."""
    exact = -slope * torch.arange(n, dtype=torch.float64)
    stored = exact.float().to(DTYPES[dtype])
    # The row is sorted already, so counting its changes counts its distinct values.
    changes = int((stored[1:] != stored[:-1]).sum()) + 1
    return changes, float((stored.double() - exact).abs().max())


def same_inside(slope: float, controls: Controls) -> float:
    """Largest difference between the matrix built for the training length and that part of the long one."""
    short = torch.arange(min(controls.train_length, controls.n, 256))
    long = torch.arange(min(controls.n, 512))
    inside = bias(slope, long, long, controls)[: len(short), : len(short)]
    return float((inside - bias(slope, short, short, controls)).abs().max())


def forms_compared(slope: float, n: int, causal: bool) -> dict[str, float]:
    """Largest difference of the weights of each form from those of "distance", by the real attention, equal content."""
    at = torch.arange(min(n, COMPARED))
    zero = torch.zeros(1, 1, len(at), 1)
    traces = {form: trace_attention(zero, zero, zero, method(slope, form), at, at, causal=causal) for form in FORMS}
    base = traces.pop("distance").weights
    return {form: float((trace.weights - base).abs().max()) for form, trace in traces.items()}

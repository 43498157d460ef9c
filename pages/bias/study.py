"""The Bias page: the matrix that ALiBi adds, from one token to a million.

Notable choices:
- Only the samples that fit on the screen are computed, at most 512 x 512, whatever n. A sample is one cell of the matrix
  (the first of its block), never a mean.
- The softmax over all keys is found in closed form; a test holds it against the real attention.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from alibi_viz.attention.attention import trace_attention
from alibi_viz.positions.alibi import Alibi
from alibi_viz.rules import slopes

SCREEN = 512  # samples a side of the large matrix
THUMB = 44  # samples a side of a thumbnail; fewer when there are many heads
LEAST = 8  # samples a side of a picture in which cells are compared
ALIKE = 0.01  # of the larger of two cells: below it a colour does not tell them apart
COMPARED = 256  # tokens at which the forms are compared by the real attention
Form = Literal["causal", "key_only", "symmetric", "two_sided"]
#: The words of the page's control, and the form's name in the library.
FORMS: dict[str, Form] = {
    "distance": "causal",
    "key only": "key_only",
    "symmetric": "symmetric",
    "two-sided": "two_sided",
}
FUTURE_SHARE = 0.5  # two-sided: the slopes of the future are half as steep: an example, no published choice


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
    train_length: int
    row: int
    col: int
    span: int  # tokens a side of the window; 0: all


GRID = 6  # patches a side of the small image


def encoder(slope: float, tokens: int) -> np.ndarray:
    """The symmetric form: every token sees both sides. float32 [tokens, tokens]."""
    at = torch.arange(tokens)
    return bias([slope], at, at, "symmetric")[0].numpy()


def image(slope: float) -> np.ndarray:
    """Patches of an image, row by row: the slope times the distance in the plane. float32 [GRID², GRID²]."""
    row, col = np.divmod(np.arange(GRID * GRID), GRID)
    distance = np.hypot(row[:, None] - row, col[:, None] - col)
    return (-slope * distance).astype(np.float32)


@dataclass(frozen=True)
class Result:
    """The stage's matrix, of the chosen head."""

    controls: Controls
    slope: float
    window: Window
    values: np.ndarray  # float32 [count, count]; -inf where masked
    same_inside: float  # largest difference between the matrix at the training length and that part of the long one


def window(n: int, row: int, col: int, span: int, most: int = SCREEN) -> Window:
    """The nearest window that fits into n x n and onto the screen."""
    span = n if span <= 0 else min(max(span, 1), n)
    step = -(-span // most)
    count = -(-span // step)
    last = max(n - 1 - step * (count - 1), 0)
    return Window(min(max(row, 0), last), min(max(col, 0), last), step, count)


def compute(controls: Controls) -> Result:
    """The chosen head, as its window shows it."""
    slope = slopes(controls.heads)[controls.head - 1]
    here = window(controls.n, controls.row, controls.col, controls.span)
    return Result(controls, slope, here, cells([slope], here, controls)[0], same_inside(slope, controls))


def compared_cells(result: Result) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Two cells of the picture to compare: of one distance; of weights, each query's own key. None: they are not there."""
    count, window = result.window.count, result.window
    if result.controls.after:
        if window.row != window.col:
            return None
        cells = (0, 0), (count // 2, count // 2)
    else:
        apart = count // 8
        cells = (count // 4, count // 4 - apart), (count - 1, count - 1 - apart)
    there = count >= LEAST and all(np.isfinite(result.values[cell]) for cell in cells)
    return cells if there else None


def every_head(controls: Controls) -> tuple[Window, np.ndarray]:
    """All heads in the window of the chosen one, with fewer samples: float32 [heads, count, count]."""
    shrink = 1 if controls.heads <= 16 else 2 if controls.heads <= 64 else 4
    here = window(controls.n, controls.row, controls.col, controls.span, THUMB // shrink)
    return here, cells(slopes(controls.heads), here, controls)


def cells(head_slopes: Sequence[float], window: Window, controls: Controls) -> np.ndarray:
    """Bias, or weights of equal content, of heads in a window: float32 [heads, count, count]; -inf where masked."""
    q, k = torch.from_numpy(window.rows()), torch.from_numpy(window.cols())
    values = weights(head_slopes, q, k, controls) if controls.after else bias(head_slopes, q, k, controls.form)
    return (values.masked_fill(q[:, None] < k, -math.inf) if controls.causal else values).numpy()


def method(head_slopes: Sequence[float], form: str) -> Alibi:
    """Heads of ALiBi in the page's form."""
    future = [slope * FUTURE_SHARE for slope in head_slopes] if form == "two-sided" else None
    return Alibi(len(head_slopes), 1, len(head_slopes), slopes=head_slopes, form=FORMS[form], future_slopes=future)


def bias(head_slopes: Sequence[float], q: torch.Tensor, k: torch.Tensor, form: str) -> torch.Tensor:
    """What is added to the scores, by the class that the attention uses: float32 [heads, Tq, Tk]."""
    values = method(head_slopes, form).score_bias(q, k)
    assert values is not None
    return values


def weights(head_slopes: Sequence[float], q: torch.Tensor, k: torch.Tensor, controls: Controls) -> torch.Tensor:
    """Softmax of the bias over all n keys, at the cells of a window: float32 [heads, Tq, Tk].

    e^bias falls from a query's best key on in equal ratios, so each row's sum is that of one or two geometric series.
    """
    rates = torch.tensor(head_slopes, dtype=torch.float64)[:, None]

    def series(rates: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        """Of every head and query: float64 [heads, Tq]."""
        return torch.expm1(-rates * count) / torch.expm1(-rates)

    if controls.form == "key only" or (controls.form == "distance" and not controls.causal):
        # The bias rises up to the last key. Differences alone count: as if each query stood there.
        last = q if controls.causal else torch.full_like(q, controls.n - 1)
        values, sums = bias(head_slopes, last, k, "distance"), series(rates, last + 1)
    else:
        values, sums = bias(head_slopes, q, k, controls.form), series(rates, q + 1)
        if not controls.causal:
            future = rates * (FUTURE_SHARE if controls.form == "two-sided" else 1)
            sums += series(future, controls.n - q) - 1  # distance 0 stands in both
    shares = (values.double().exp() / sums[..., None]).float()
    return torch.where(q[:, None] < k, 0.0, shares) if controls.causal else shares


def same_inside(slope: float, controls: Controls) -> float:
    """Largest difference between the matrix built for the training length and that part of the long one."""
    short = torch.arange(min(controls.train_length, controls.n, 256))
    long = torch.arange(min(controls.n, 512))
    inside = bias([slope], long, long, controls.form)[:, : len(short), : len(short)]
    return float((inside - bias([slope], short, short, controls.form)).abs().max())


def forms_compared(slope: float, n: int, causal: bool) -> dict[str, float]:
    """Largest difference of the weights of each form from those of "distance", by the real attention, equal content."""
    at = torch.arange(min(n, COMPARED))
    zero = torch.zeros(1, 1, len(at), 1)
    traces = {form: trace_attention(zero, zero, zero, method([slope], form), at, at, causal=causal) for form in FORMS}
    base = traces.pop("distance").weights
    return {form: float((trace.weights - base).abs().max()) for form, trace in traces.items()}

"""What the sentences of the Bias lesson say of its matrix."""

from dataclasses import dataclass

from alibi_viz.positions.alibi import half_weight_distance
from alibi_viz.ui.format import format_bytes, format_difference, format_number, format_slope
from pages.bias.study import COMPARED, DTYPES, FUTURE_SHARE, Result, forms_compared, precision, weight_errors


@dataclass(frozen=True)
class Facts:
    n: int  # tokens
    heads: int
    head: int
    dtype: str
    slope: str
    m: float  # the same as a number
    m_future: float  # the slope of later keys, of the two-sided form
    half: str  # tokens that halve a weight
    same: str  # largest difference between the matrix at the training length and that part of the long one
    farthest: str  # the bias at the largest distance
    train_length: int
    last: int  # token
    first_query: int  # on the screen
    last_query: int
    full: str  # bytes of all matrices
    slopes: str  # bytes of all slopes


def facts_of(result: Result) -> Facts:
    chosen, slope, window = result.controls, result.slope, result.window
    return Facts(
        n=chosen.n,
        heads=chosen.heads,
        head=chosen.head,
        dtype=chosen.dtype,
        slope=format_slope(slope),
        m=slope,
        m_future=slope * FUTURE_SHARE,
        half=format_number(half_weight_distance(slope)),
        same=format_difference(result.same_inside, slope * chosen.n),
        farthest=format_number(-slope * (chosen.n - 1)),
        train_length=min(chosen.train_length, chosen.n),
        last=chosen.n - 1,
        first_query=window.row,
        last_query=min(window.row + window.count * window.step, chosen.n) - 1,
        full=format_bytes(chosen.heads * float(chosen.n) ** 2 * DTYPES[chosen.dtype].itemsize),
        slopes=format_bytes(chosen.heads * 4.0),  # float32
    )


@dataclass(frozen=True)
class Forms:
    """How far the weights of the forms differ."""

    head: int
    n: int  # tokens at which they are compared
    compared: str


def forms_of(result: Result) -> Forms:
    chosen = result.controls
    differences = forms_compared(result.slope, chosen.n, chosen.causal)
    compared = ", ".join(f"{form} **{format_difference(value, 1.0)}**" for form, value in differences.items())
    return Forms(chosen.head, min(chosen.n, COMPARED), compared)


@dataclass(frozen=True)
class Precision:
    """What a number format makes of the bias, and of the weights of the last query."""

    n: int
    head: int
    dtype: str
    last: int
    distinct: int  # values
    error: str  # largest of a bias
    by_distance: str  # largest of a weight, by the form
    by_key: str


def precision_of(result: Result) -> Precision:
    chosen, slope = result.controls, result.slope
    distinct, error = precision(slope, chosen.n, chosen.dtype)
    by_distance, by_key = weight_errors(slope, chosen.n, chosen.dtype)
    return Precision(
        n=chosen.n,
        head=chosen.head,
        dtype=chosen.dtype,
        last=chosen.n - 1,
        distinct=distinct,
        error=format_number(error),
        by_distance=format_number(by_distance),
        by_key=format_number(by_key),
    )

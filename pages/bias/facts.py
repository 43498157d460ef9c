"""What the sentences of the Bias lesson say of its matrix."""

from dataclasses import dataclass

from alibi_viz.positions.alibi import half_weight_distance
from alibi_viz.ui.format import format_bytes, format_difference, format_number, format_slope
from pages.bias import study
from pages.bias.study import Result


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
        m_future=slope * study.FUTURE_SHARE,
        half=format_number(half_weight_distance(slope)),
        same=format_difference(result.same_inside, slope * chosen.n),
        train_length=min(chosen.train_length, chosen.n),
        last=chosen.n - 1,
        first_query=window.row,
        last_query=min(window.row + window.count * window.step, chosen.n) - 1,
        full=format_bytes(chosen.heads * float(chosen.n) ** 2 * study.DTYPES[chosen.dtype].itemsize),
        slopes=format_bytes(chosen.heads * 4.0),  # float32
    )


@dataclass(frozen=True)
class Forms:
    """How far the weights of the forms for encoders are from those of “distance”, without a mask."""

    head: int
    n: int  # tokens at which they are compared
    compared: str


def forms_of(result: Result) -> Forms:
    chosen = result.controls
    differences = study.forms_compared(result.slope, chosen.n, causal=False)
    compared = ", ".join(f"{form} **{format_number(differences[form])}**" for form in ("symmetric", "two-sided"))
    return Forms(chosen.head, min(chosen.n, study.COMPARED), compared)


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
    longer: int = study.LONGER  # distances, where those of the text are stored exactly


def precision_of(result: Result) -> Precision:
    chosen, slope = result.controls, result.slope
    dtype = "bfloat16" if chosen.dtype == "float32" else chosen.dtype  # float32 is what is rounded
    n = chosen.n if study.precision(slope, chosen.n, dtype)[1] else study.LONGER
    distinct, error = study.precision(slope, n, dtype)
    by_distance, by_key = study.weight_errors(slope, n, dtype)
    return Precision(
        n=n,
        head=chosen.head,
        dtype=dtype,
        last=n - 1,
        distinct=distinct,
        error=format_number(error),
        by_distance=format_number(by_distance),
        by_key=format_number(by_key),
    )

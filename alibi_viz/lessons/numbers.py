"""Numbers as sentences print them."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal

MINUS = "−"


def format_number(value: float, digits: int = 3) -> str:
    """A number for reading: 1,234 or 0.0123 or 2.3 × 10⁻⁸ or −∞; “–” for NaN.

    It has `digits` significant digits (one less before a power of ten), never fewer than its whole part, and halves are
    rounded up. The components write numbers by the same rules (pictures/shared.js); a test compares the two.
    """
    if math.isnan(value):
        return "–"
    sign, size = MINUS if value < 0 else "", abs(float(value))
    if math.isinf(size):
        return f"{sign}∞"
    if size and (size >= 1e9 or size < 1e-4):
        rounded = _round(size, digits - 1)
        power = rounded.adjusted()
        raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"{sign}{rounded.scaleb(-power).normalize():f} × 10{raised}"
    whole = size >= 10 ** (digits - 1)
    rounded = Decimal(size).quantize(Decimal(1), ROUND_HALF_UP) if whole else _round(size, digits)
    return f"{sign}{rounded.normalize():,f}"


def _round(size: float, digits: int) -> Decimal:
    return Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(Decimal(size))


def format_slope(value: float) -> str:
    """A slope: as a unit fraction when it is one (1/256), else as a number."""
    inverse = 1 / value if 0 < value < 1 else math.inf
    return f"1/{int(inverse):,}" if inverse <= 1e7 and inverse.is_integer() else format_number(value, 4)

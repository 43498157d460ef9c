"""Numbers as the pages print them, and outside text made safe for Markdown."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from alibi_viz.lessons import MINUS

ROUNDING = 1e-6  # of the scale of two numbers: what float32 may make of their difference


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


def format_difference(value: float, scale: float) -> str:
    """A difference of two results of that scale; what rounding alone makes (below 1e-6 of it) reads as 0."""
    return format_number(0.0 if abs(value) < ROUNDING * abs(scale) else value)


def format_share(share: float) -> str:
    """A share in percent: 3%, 0.4%, and 0% only if it is none."""
    return f"{share:.0%}" if share >= 0.1 or share == 0 else f"{100 * share:.2g}%"


def format_slope(value: float) -> str:
    """A slope: as a unit fraction when it is one (1/256), else as a number."""
    inverse = 1 / value if 0 < value < 1 else math.inf
    return f"1/{int(inverse):,}" if inverse <= 1e7 and inverse.is_integer() else format_number(value, 4)


def format_power_of_two(exponent: Fraction | None) -> str:
    """2^-exponent, exactly: 1/8, 2^−0.5, 2^−8/3."""
    if exponent is None:
        return "–"
    if exponent.denominator == 1 and 0 <= exponent <= 20:
        return "1" if exponent == 0 else f"1/{2 ** int(exponent):,}"
    return f"2^{MINUS if exponent > 0 else ''}{format_exponent(abs(exponent))}"


def format_exponent(exponent: Fraction) -> str:
    """A fraction as a short decimal when it has one, else as a fraction."""
    denominator = exponent.denominator
    while denominator % 2 == 0:
        denominator //= 2
    short = denominator in (1, 5) and len(f"{float(exponent):g}") <= 6
    return f"{float(exponent):g}" if short else f"{exponent.numerator}/{exponent.denominator}"


def escape_markdown(text: str) -> str:
    """Outside text for a place that reads Markdown: its signs are escaped, so that it stays text."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+-.!$|~:" else c for c in text)


def format_bytes(size: float) -> str:
    """Bytes in the unit that a person would use (1 KiB = 1,024 bytes), on one line."""
    power = max(power for power in range(5) if power == 0 or size >= 1024**power)
    value, unit = size / 1024**power, ("bytes", "KiB", "MiB", "GiB", "TiB")[power]
    number = f"{value:,.0f}" if power == 0 or value >= 100 else f"{value:.3g}"
    return f"{number}\N{NO-BREAK SPACE}{unit}"

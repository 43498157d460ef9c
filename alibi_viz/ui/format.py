"""Numbers as the pages print them, and outside text made safe for Markdown."""

from __future__ import annotations

import math
from fractions import Fraction

MINUS = "−"


def format_number(value: float, digits: int = 3) -> str:
    """A number with a few digits, a true minus sign, and thousands set apart: 1,234 or 0.0123 or 2.3 × 10^−8."""
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if math.isnan(value):
        return "not a number"
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e9 or size < 1e-4:
        power = math.floor(math.log10(size))
        text = f"{size / 10**power:.{digits - 1}g} × 10{superscript(power)}"
    elif size >= 100 or float(size).is_integer():
        text = f"{size:,.0f}"
    else:
        text = f"{size:.{digits}g}"
    return f"{MINUS}{text}" if value < 0 else text


def superscript(power: int) -> str:
    """A whole number in raised digits."""
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def format_slope(value: float) -> str:
    """A slope: as a unit fraction when it is one (1/256), else as a number."""
    if value > 0 and value < 1:
        inverse = 1 / value
        if inverse.is_integer() and inverse <= 1e7:
            return f"1/{int(inverse):,}"
    return format_number(value, 4)


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
    """Bytes in the unit that a person would use (1 KB = 1,024 bytes)."""
    for unit in ("bytes", "KB", "MB", "GB", "TB"):
        if size < 1024 or unit == "TB":
            return f"{size:,.0f} {unit}" if unit == "bytes" or size >= 100 else f"{size:.3g} {unit}"
        size /= 1024
    raise AssertionError("unreachable")

"""Checks of a single value from outside. Each returns the value, or raises ValueError with one sentence."""

import math
import operator
import os
from collections.abc import Iterable
from numbers import Real


def whole_number(value: object, name: str, least: int = 1, most: int | None = None) -> int:
    """Return `value` as int if it is an integer of any kind, but no bool, from `least` to `most`; raise ValueError else."""
    is_bool = isinstance(value, bool) or "bool" in str(getattr(value, "dtype", ""))  # a tensor's has an index too
    try:
        number = None if is_bool else operator.index(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = None
    if number is None or number < least or (most is not None and number > most):
        bounds = f"of at least {least}" if most is None else f"between {least} and {most:,}"
        raise ValueError(f"{name} must be a whole number {bounds}, not {value!r}.")
    return number


def finite_number(value: object, name: str, *, positive: bool = False) -> float:
    """Return `value` as float if it is a finite number (above 0 if `positive`); raise ValueError if not."""
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:  # an int beyond the largest float
        number = math.inf
    if not math.isfinite(number) or (positive and number <= 0):
        raise ValueError(f"{name} must be a finite number{' above 0' if positive else ''}, not {value!r}.")
    return number


def one_of(value: object, name: str, choices: Iterable[str]) -> str:
    """Return `value` if it is one of `choices`; raise ValueError if not."""
    choices = tuple(choices)
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}.")
    return str(value)


def unicode_text(value: str, name: str) -> str:
    """Return `value` if UTF-8 can write it; raise ValueError for lone surrogates, which no page, file or terminal takes."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} holds a lone surrogate: half of a character, which UTF-8 cannot write.") from None
    return value


def setting(name: str, default: int, least: int, most: int) -> int:
    """A setting of this server: the environment variable `name` (README.md, "Settings"), or `default` if it is not set."""
    value = os.environ.get(name, "").strip() or str(default)
    is_number = value.isdecimal() and len(value) < 20  # Python refuses to read a number of thousands of digits
    return whole_number(int(value) if is_number else value[:20], name, least, most)

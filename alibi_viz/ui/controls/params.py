"""What a page may be told from outside, and how it is checked. Pure Python: no Streamlit here.

Every control that changes what is shown is one `Param` in the page's table: its name in the URL, its kind, its range
and its default. A URL, a widget or a button can say anything; `clean` turns it into a value that is allowed, and into
one sentence about it when it was not.
"""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from typing import Literal

Value = int | float | str | bool
Kind = Literal["int", "float", "choice", "text", "flag"]
SHOWN = 24  # characters of a refused value that are shown back


@dataclass(frozen=True)
class Param:
    """One control. `low`, `high` and `step` bound numbers, `choices` names the allowed words, `longest` bounds a text."""

    key: str
    kind: Kind
    default: Value
    low: float = -math.inf
    high: float = math.inf
    step: float = 1
    choices: tuple[str, ...] = ()
    longest: int = 20_000


@dataclass(frozen=True)
class Cleaned:
    """An allowed value, and the name of the sentence that says what was changed (None: nothing was)."""

    value: Value
    problem: Literal["not_a_number", "too_small", "too_large", "not_whole", "unknown", "too_long", "control"] | None = (
        None
    )


def clean(param: Param, raw: object) -> Cleaned:
    """Turn anything into an allowed value of a parameter. Never raises."""
    if isinstance(raw, list | tuple):
        raw = raw[-1] if raw else param.default
    if param.kind in ("int", "float"):
        return _clean_number(param, raw)
    if param.kind == "choice":
        word = str(raw)
        return Cleaned(word) if word in param.choices else Cleaned(param.default, "unknown")
    if param.kind == "flag":
        return _clean_flag(param, raw)
    return _clean_text(param, raw)


def _clean_number(param: Param, raw: object) -> Cleaned:
    try:
        number = float(raw)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return Cleaned(param.default, "not_a_number")
    if math.isnan(number):
        return Cleaned(param.default, "not_a_number")
    if number < param.low:
        return Cleaned(_typed(param, param.low), "too_small")
    if number > param.high:
        return Cleaned(_typed(param, param.high), "too_large")
    if param.kind == "int" and number != int(number):
        return Cleaned(int(number), "not_whole")
    return Cleaned(_typed(param, number))


def _typed(param: Param, number: float) -> Value:
    return int(number) if param.kind == "int" else float(number)


def _clean_flag(param: Param, raw: object) -> Cleaned:
    if isinstance(raw, bool):
        return Cleaned(raw)
    word = str(raw).strip().lower()
    if word in ("true", "1", "yes"):
        return Cleaned(True)
    if word in ("false", "0", "no"):
        return Cleaned(False)
    return Cleaned(param.default, "unknown")


def _clean_text(param: Param, raw: object) -> Cleaned:
    text = str(raw)
    if len(text) > param.longest:
        return Cleaned(strip_control_characters(text[: param.longest]), "too_long")
    kept = strip_control_characters(text)
    return Cleaned(kept, "control" if kept != text else None)


def strip_control_characters(text: str) -> str:
    """The text without control characters (line ends become blanks), and without halves of surrogate pairs."""
    spaced = text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ").replace("\t", " ")
    return "".join(c for c in spaced if unicodedata.category(c) not in ("Cc", "Cs"))


def printable(raw: object) -> str:
    """A refused value as it may be shown back: short, visible, without Markdown's own signs."""
    text = strip_control_characters(str(raw))
    text = "".join(c for c in text if c not in "`*_[]()<>#$\\|~!")
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def parse_numbers(text: str, most: int) -> list[float]:
    """Numbers from a list that a person typed: separated by commas, blanks or semicolons; fractions as 1/8.

    Raises ValueError with one sentence for an entry that is not a finite number, or for more than `most` of them.
    """
    entries = text.replace(",", " ").replace(";", " ").split()
    if len(entries) > most:
        raise ValueError(f"The list has {len(entries)} numbers; at most {most} are allowed.")
    return [_number(entry) for entry in entries]


def _number(entry: str) -> float:
    top, slash, bottom = entry.partition("/")
    try:
        value = float(top) / float(bottom) if slash else float(top)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise ValueError(f"“{printable(entry)}” is not a number.") from None
    if not math.isfinite(value):
        raise ValueError(f"“{printable(entry)}” is not a finite number.")
    return value

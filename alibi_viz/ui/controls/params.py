"""The parameters of a page, and how values from outside are checked. Pure Python: no Streamlit here.

Every value that a page reads from the address is one `Param`, made where it is read. A URL, a widget or a button can say
anything; `clean` turns it into a value that is allowed, and names the sentence about it when it was not.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from alibi_viz.user_input import on_one_line, strip_control_characters

Value = int | float | str | bool
Kind = Literal["int", "float", "choice", "choices", "text", "flag", "cell"]  # choices: any of them, by commas
Problem = Literal[
    "not_a_number", "too_small", "too_large", "not_whole", "unknown", "too_long", "control", "not_a_cell", "outside"
]
MOST_HEADS = 128  # of `heads` and `head`, keys that lessons share: what one shows, the others can
_CELL = re.compile(r"\s*(\d{1,8})\s*,\s*(\d{1,8})\s*", re.ASCII)  # two whole numbers
_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


@dataclass(frozen=True)
class Param:
    """One control. `low` and `high` bound numbers, `choices` names the allowed words, `longest` bounds a text."""

    key: str
    kind: Kind
    default: Value
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    longest: int = 20_000


@dataclass(frozen=True)
class Cleaned:
    """An allowed value, and the name of the sentence that says what was changed (None: nothing was)."""

    value: Value
    problem: Problem | None = None


def clean(param: Param, raw: object) -> Cleaned:
    """Turn anything into an allowed value of a parameter. Never raises."""
    if param.kind in ("int", "float"):
        return _clean_number(param, raw)
    text = str(raw)
    if param.kind == "choice":
        return Cleaned(text) if text in param.choices else Cleaned(param.default, "unknown")
    if param.kind == "choices":
        return _clean_choices(param, text)
    if param.kind == "flag":
        flag = _FLAGS.get(text.strip().lower())
        return Cleaned(param.default, "unknown") if flag is None else Cleaned(flag)
    if param.kind == "cell":
        return _clean_cell(param, text)
    return _clean_text(text, param.longest)


def in_query(param: Param, query: Mapping[str, object]) -> Value:
    """The allowed value that an address asks for; the default where it names none."""
    given = query.get(param.key)
    return param.default if given is None else clean(param, given).value


@lru_cache(maxsize=64)  # a page reads its texts many times
def _clean_text(text: str, longest: int) -> Cleaned:
    used = strip_control_characters(text[:longest])
    lost = used != on_one_line(text)  # what became a blank is not lost
    return Cleaned(used, "too_long" if len(text) > longest else "control" if lost else None)


def _clean_number(param: Param, raw: object) -> Cleaned:
    try:
        number = float(raw if str(raw).isascii() else math.nan)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number):
        return Cleaned(param.default, "not_a_number")
    nearest = min(max(number, param.low), param.high)
    value = int(nearest) if param.kind == "int" else float(nearest)
    if nearest != number:
        return Cleaned(value, "too_small" if number < param.low else "too_large")
    return Cleaned(value, "not_whole" if value != number else None)


def _clean_choices(param: Param, text: str) -> Cleaned:
    """The allowed words, each once and in their own order."""
    words = {word.strip() for word in text.split(",")} - {""}
    known = ",".join(choice for choice in param.choices if choice in words)
    return Cleaned(known, None if words <= set(param.choices) else "unknown")


def _clean_cell(param: Param, text: str) -> Cleaned:
    if not text.strip():
        return Cleaned("")
    found = _CELL.fullmatch(text)
    return Cleaned(f"{int(found[1])},{int(found[2])}") if found else Cleaned(param.default, "not_a_cell")

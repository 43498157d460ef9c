"""What a person typed or pasted: as numbers, or as text that may be shown back."""

import math
import re
import unicodedata

from alibi_viz.lessons.problems import Problem

QUOTED = 24  # characters of a refused value that are shown back
_LIST = re.compile(r"\s*(?:(?:np\.|numpy\.|torch\.)?(?:array|tensor)\()?\[(.*)\]\)?\s*", re.DOTALL)
_BETWEEN = re.compile("[,;，、；]")  # the numbers of a list
_POWER = re.compile(r"([^*^]+)(?:\^|\*\*)(-?)\(?([^()]+)\)?")  # 2^-1, 2^-(1/2), 2**-0.5


def strip_control_characters(text: str) -> str:
    """The text without control characters (line ends become blanks), and without lone surrogates."""
    return "".join(c for c in on_one_line(text) if unicodedata.category(c) not in ("Cc", "Cs"))


def on_one_line(text: str) -> str:
    return re.sub(r"\r\n|[\r\n\t]", " ", text)


def printable(raw: object) -> str:
    """A refused value as it may be shown back: short, visible, without Markdown's own signs."""
    text = "".join(c for c in strip_control_characters(str(raw)) if c not in "`*[]()<>#$\\|~!")
    text = re.sub(r"(?<![^\W_])_|_(?![^\W_])", "", text)  # inside a word it means nothing
    return text if len(text) <= QUOTED else text[: QUOTED - 1] + "…"


def parse_numbers(text: str, most: int) -> list[float]:
    """Numbers from a list that a person typed: separated by commas, blanks or semicolons, Chinese and Japanese ones too.

    Fractions as 1/8, powers as 2^-3 or 2^-(1/2), and a list as Python prints it, in brackets.
    Raises ValueError with one sentence for an entry that is not a finite number, or for more than `most` of them.
    """
    pasted = _LIST.fullmatch(text)
    entries = _BETWEEN.sub(" ", pasted[1] if pasted else text).split()
    if len(entries) > most:
        raise Problem("numbers.too_many", given=len(entries), most=most)
    return [_number(entry) for entry in entries]


def _number(entry: str) -> float:
    written = entry.replace("−", "-")
    power = _POWER.fullmatch(written)
    try:
        value = math.pow(float(power[1]), _fraction(power[2] + power[3])) if power else _fraction(written)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise Problem("numbers.not_a_number", given=printable(entry)) from None
    if not math.isfinite(value):
        raise Problem("numbers.not_finite", given=printable(entry))
    return value


def _fraction(text: str) -> float:
    top, slash, bottom = text.partition("/")
    return float(top) / float(bottom) if slash else float(top)


def parse_numbered(text: str, places: range, low: float, high: float) -> tuple[tuple[tuple[int, float], ...], bool]:
    """(place, number) for each entry “place:number” of an address that can be read, in order, and whether one cannot."""
    read = [_numbered(entry, places, low, high) for entry in text.split(",") if entry.strip()]
    return tuple(sorted(dict(entry for entry in read if entry).items())), None in read


def _numbered(entry: str, places: range, low: float, high: float) -> tuple[int, float] | None:
    place, _, number = entry.partition(":")
    try:
        at, value = int(place), float(number)
    except ValueError:
        return None
    return (at, value) if at in places and low <= value <= high else None

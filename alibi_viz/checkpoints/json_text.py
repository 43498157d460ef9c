"""JSON from outside: bounded before it is parsed, and one sentence for what cannot be read."""

import json
from collections.abc import Iterable
from typing import Any, NoReturn

from alibi_viz.checks import unicode_text

LEVELS = 50  # objects and lists in one another; real files have five


def parse_object(text: str | bytes, name: str, most: int) -> dict[str, Any]:
    """The JSON object that a file `name` of at most `most` bytes holds. Raises ValueError with one sentence."""
    size = len(text) if isinstance(text, bytes) else len(text.encode(errors="replace"))
    if size > most:
        raise ValueError(f"{name} has {size:,} bytes; at most {most:,} are read.")
    try:
        found = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except RecursionError:
        raise ValueError(f"{name} is nested too deeply.") from None
    except _Twice as error:
        key = unicode_text(str(error), name)
        raise ValueError(f"{name} names something twice: “{key[:60]}”.") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{name} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.") from None
    except ValueError:  # no UTF-8, a number that no float holds, or one of thousands of digits
        raise ValueError(f"{name} is not JSON: it holds a character or a number that cannot be read.") from None
    if _is_deep(found):  # newer Pythons read what older ones refuse
        raise ValueError(f"{name} is nested too deeply.")
    unicode_text(json.dumps(found, ensure_ascii=False), name)  # "\\ud800" is ASCII until it is parsed
    if not isinstance(found, dict):
        raise ValueError(f"{name} must be a JSON object, in braces.")
    return found


def _is_deep(found: Any) -> bool:
    """Whether values stand in more than LEVELS objects and lists."""
    level = [found]
    for _ in range(LEVELS):
        level = [inner for one in level if isinstance(one, dict | list) for inner in _inside(one)]
    return bool(level)


def _inside(one: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return one.values() if isinstance(one, dict) else one


class _Twice(ValueError):
    """A key that stands twice in one object: two readers could take different values."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Twice(key)
        found[key] = value
    return found


def _refuse(constant: str) -> NoReturn:
    """NaN and Infinity are not JSON, though Python reads them."""
    raise ValueError(constant)

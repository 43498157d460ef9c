"""What run.json may say: every field is checked once, when it is read, so that no page meets what it cannot show.

Notable choices:
- A record is believed as a whole or not at all: a run with half of its numbers would be shown as if it were complete.
- Numbers are finite and bounded, lists have an end, texts can be written as UTF-8: a page can draw all that passes.
- Only known names are kept of a measurement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

from alibi_viz.lm.config import BOUNDS, TrainConfig
from alibi_viz.positions.base import finite_number

LENGTH = 2**24  # bytes of a window
PREDICTIONS = 2**40
SECONDS = 1e9
LARGEST_LOSS = 1e9
LARGEST_PERPLEXITY = 1e305  # above e^700, where `Evaluation.perplexity` ends; a sum of many is still a number
ENTRIES = 100_000  # measurements of one kind
TEXT = 20_000  # characters of a reason
Check = Callable[[Any], Any]


def checked(data: Mapping[str, Any], config: TrainConfig, statuses: object) -> dict[str, Any]:
    """The fields of a run but its configuration; those that are not there are left out.

    statuses: the Literal of what a status can be.

    Raises:
        ValueError: if a field is not what it should be.
    """
    fields: dict[str, Check] = {
        "corpus": _fingerprint,
        "status": lambda value: _one_of(value, get_args(statuses)),
        "step": lambda value: _whole(value, 0, config.steps),
        "seconds": lambda value: _number(value, 0, SECONDS),
        "losses": lambda value: tuple(_number(one, -LARGEST_LOSS, LARGEST_LOSS) for one in _list(value, config.steps)),
        "evaluations": lambda value: _measurements(value, ("length", "stride")),
        "on_the_way": lambda value: _samples(value, config.is_recall),
        "recall": lambda value: _measurements(value, ("length",), recall=True),
        "error": _text,
        "made_with": lambda value: {_text(name): _text(told) for name, told in _dict(value).items()},
    }
    return {name: check(data[name]) for name, check in fields.items() if name in data}


def _measurements(value: Any, names: tuple[str, ...], *, recall: bool = False) -> tuple[dict[str, Any], ...]:
    """Measurements, of which no two have the same values of `names`."""
    found = tuple(_measurement(one, names, recall) for one in _list(value, ENTRIES))
    if len({tuple(one[name] for name in names) for one in found}) < len(found):
        raise ValueError(f"Two measurements have the same {' and '.join(names)}.")
    return found


def _samples(value: Any, recall: bool) -> tuple[dict[str, Any], ...]:
    """Measurements on the way. A run that was taken up again may have measured a step twice: the later one counts."""
    found = [_measurement(one, ("step", "length"), recall) for one in _list(value, ENTRIES)]
    return tuple({(one["step"], one["length"]): one for one in found}.values())


def _measurement(value: Any, names: tuple[str, ...], recall: bool) -> dict[str, Any]:
    """One measurement: where it was made, and its number or the reason why there is none."""
    given = _dict(value)
    checks: dict[str, Check] = {
        "length": lambda length: _whole(length, 1, LENGTH),
        "stride": lambda stride: _whole(stride, 1, found["length"]),
        "step": lambda step: _whole(step, 0, BOUNDS["steps"][1]),
        "predictions": lambda count: _whole(count, 0, PREDICTIONS),
        "loss": lambda loss: _number(loss, -LARGEST_LOSS, LARGEST_LOSS),
        "perplexity": lambda one: None if one is None else _number(one, 1, LARGEST_PERPLEXITY),
        "accuracy": lambda share: _number(share, 0, 1),
        "by_position": lambda losses: _places(losses, found["length"]),
        "missing": _text,
    }
    if recall:
        for name in ("stride", "predictions", "loss", "perplexity", "by_position"):
            del checks[name]
    else:
        del checks["accuracy"]
    found: dict[str, Any] = {}
    for name, check in checks.items():
        if name in given:
            found[name] = check(given[name])
        elif name in names or name in ("length", "stride"):
            raise ValueError(f"A measurement has no {name}.")
    if not {"perplexity", "accuracy", "missing"} & set(found):
        raise ValueError("A measurement has neither a number nor a reason why it is missing.")
    return found


def _places(value: Any, length: int) -> tuple[float | None, ...]:
    """Losses by position; None where nothing was counted."""
    losses = _list(value, length)
    return tuple(None if one is None else _number(one, -LARGEST_LOSS, LARGEST_LOSS) for one in losses)


def _whole(value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"A whole number between {least} and {most:,} is needed.")
    return value


def _number(value: Any, least: float, most: float) -> float:
    number = finite_number(value, "A number of a run")
    if not least <= number <= most:
        raise ValueError(f"A number between {least:g} and {most:g} is needed.")
    return number


def _one_of(value: Any, names: tuple[str, ...]) -> str:
    if value not in names:
        raise ValueError(f"One of {', '.join(names)} is needed.")
    return str(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > TEXT:
        raise ValueError(f"A text of at most {TEXT:,} characters is needed.")
    value.encode()  # half of a surrogate pair is no text; UnicodeEncodeError is a ValueError
    return value


def _fingerprint(value: Any) -> str:
    """What names a text, or nothing: no signs, since it goes into names that people read."""
    if _text(value) and not (value.isascii() and value.replace(" ", "").isalnum() and len(value) <= 64):
        raise ValueError("The text of a run is named by its SHA-256.")
    return str(value)


def _list(value: Any, most: int) -> list[Any]:
    if not isinstance(value, list | tuple) or len(value) > most:
        raise ValueError(f"A list of at most {most:,} is needed.")
    return list(value)


def _dict(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("A table of names and values is needed.")
    return value

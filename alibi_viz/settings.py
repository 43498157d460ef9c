"""Settings of a server, from its environment. README.md, "Settings", has the list."""

import os


def whole_number(name: str, default: int, low: int, high: int) -> int:
    """The environment variable `name`, or `default` if it is not set. Raises ValueError outside [low, high]."""
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    if not value.lstrip("-").isdecimal() or not low <= int(value) <= high:
        raise ValueError(f"{name} must be a whole number from {low:,} to {high:,}, not {value[:24]!r}.")
    return int(value)

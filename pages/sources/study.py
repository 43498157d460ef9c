"""Where each number comes from, read from docstrings, data files, run files, and the tests' own record."""

import inspect
import json
import sys
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained, published

PACKAGES = ("transformers", "x-transformers", "rotary-embedding-torch")
ALL = "all"
EPSILON = 2.0**-23  # of float32: the step between 1 and the next number


@dataclass(frozen=True)
class Controls:
    package: str = ALL


@dataclass(frozen=True)
class Check:
    """A comparison of the tests with a published implementation."""

    check: str
    package: str
    version: str
    bound: float
    difference: float


def checks(package: str = ALL) -> list[Check]:
    """What the tests found when they were last recorded, the largest difference first."""
    found = [check for check in _recorded() if package in (ALL, check.package)]
    return sorted(found, key=lambda check: -check.difference)


@lru_cache(maxsize=1)
def _recorded() -> tuple[Check, ...]:
    rows = json.loads((published.FOLDER / "parity.json").read_text(encoding="utf-8"))["checks"]
    return tuple(Check(**row) for row in rows)


def method_sources() -> list[tuple[str, str]]:
    """Title of each method, and the source that its module names in its first lines."""
    return [(method.title, _source(sys.modules[method.__module__])) for method in METHODS.values()]


def _source(module: Any) -> str:
    """The paragraph of a module's docstring that begins with "Source:", up to its first full sentence."""
    paragraphs = (" ".join(part.split()) for part in (inspect.getdoc(module) or "").split("\n\n"))
    found = next((text for text in paragraphs if text.startswith("Source:")), "")
    return found.removeprefix("Source:").strip().rstrip(":")


def tables() -> list[tuple[str, str]]:
    """The published tables that the app has, and what each holds."""
    return [
        (name, entry["what"]) for name, entry in published.load().items() if isinstance(entry, dict) and "what" in entry
    ]


def runs() -> list[dict[str, Any]]:
    """How each set of shipped runs was made, from what the run files recorded."""
    rows = []
    for kind in pretrained.KINDS:
        groups: Counter[tuple[str, ...]] = Counter()
        seconds: Counter[tuple[str, ...]] = Counter()
        dates: dict[tuple[str, ...], list[str]] = {}
        for record in pretrained.load_all(kind):
            made = record["made_with"]
            where = tuple(str(made.get(part, "")) for part in ("machine", "device", "threads", "python", "torch"))
            groups[where] += 1
            seconds[where] += round(record["training_seconds"])
            dates.setdefault(where, []).append(record["made_at"][:10])
        for where, count in groups.items():
            facts = dict(zip(("machine", "device", "threads", "python", "torch"), where, strict=True))
            span = {"first": min(dates[where]), "last": max(dates[where])}
            rows.append({"kind": kind, "runs": count, "hours": seconds[where] / 3600, **span, **facts})
    return rows

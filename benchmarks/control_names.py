"""`make docs`: the names of all controls, read off the lessons' own tables, for links that set, hide or lock them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from alibi_viz.lessons import Lesson, load
from alibi_viz.ui.controls import frame
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.shell import navigation

FILE = Path("docs/controls.md")
LEAD = """# The names of all controls

Made by `make docs`. Each name is a key of the page's address: `/slopes?heads=12&rule=plain` sets two controls, and
`hide=heads,rule` or `lock=heads` leaves them out or fixes them. `hide=prose` leaves out the
explanations. A value that is not allowed becomes the nearest one that is.
"""


def table(params: Sequence[Param], lesson: Lesson) -> Iterator[str]:
    """One row a control: its key, what the lesson calls it, what it takes, and its default."""
    yield from ("", "| key | control | values | default |", "|---|---|---|---|")
    for param in params:
        labels = load("words").entries("labels") | lesson.entries("labels")
        default = str(param.default).lower() if param.kind == "flag" else param.default
        cells = (f"`{param.key}`", labels[param.key], param.takes, str(default))
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def text() -> str:
    """The whole file."""
    lines = [LEAD, "## On every page", *table(frame.PARAMS, load("words"))]
    for name in navigation.ICONS:
        lesson, params = load(name), importlib.import_module(f"pages.{name}.controls").PARAMS
        lines += ["", f"## {lesson.label('page')}: `/{name}`", *table(params, lesson)]
    return "\n".join(lines) + "\n"


def main() -> int:
    FILE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

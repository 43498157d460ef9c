"""The names of all controls, read off the pages as they open, for links that set them. `make docs` writes them down."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from streamlit.testing.v1 import AppTest

from alibi_viz import APP_FOLDER
from alibi_viz.lessons import Lesson, load
from alibi_viz.ui import address
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.streamlit_patches.page_of_app import choose

FILE = Path("docs/controls.md")
LEAD = """# The names of all controls

Made by `make docs`. Each name is a key of the page's address: `/slopes?heads=12&rule=sentence` sets two controls.
A value that is not allowed becomes the nearest one that is. `<page>_open` names the sections that are open, by commas.
"""


@cache
def controls(lesson: str) -> Sequence[Param]:
    """What the address of a lesson knows: what its page reads when it is opened."""
    closed = _read(lesson, {})
    sections = next((param for param in closed if param.key == f"{lesson}_open"), None)
    return _read(lesson, {sections.key: ",".join(sections.choices)}) if sections else closed


def _read(lesson: str, query: Mapping[str, str]) -> list[Param]:
    app = AppTest.from_file(str(APP_FOLDER / "app.py"), default_timeout=120)
    choose(app, navigation.url_path(lesson))
    app.query_params.update(query)
    reads = app.run().session_state[address.STATE].reads
    return [read.param for read in reads.values() if read.param not in page_options.PARAMS]


def takes(param: Param) -> str:
    """The values of a control."""
    if param.kind in ("int", "float"):
        return f"{param.low:,.12g} to {param.high:,.12g}"
    if param.kind == "text":
        return f"text, at most {param.longest:,} characters"
    choices = ", ".join(param.choices)
    return {"choice": choices, "choices": f"any of {choices}", "flag": "true, false", "cell": "row,column"}[param.kind]


def rows(page: str, params: Sequence[Param], lesson: Lesson) -> Iterator[str]:
    """One row a control: its page, its key, what the lesson calls it, what it takes, and its default."""
    labels = load("shared").entries("labels") | lesson.entries("labels")
    for param in params:
        default = str(param.default).lower() if param.kind == "flag" else param.default
        cells = (page, f"`{param.key}`", labels[param.key], takes(param), str(default))
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def text() -> str:
    """The whole file. Sections that are open stand in `<page>_open`, on every page that has some."""
    lines = [LEAD, "| page | key | control | values | default |", "|---|---|---|---|---|"]
    lines += rows("every page", page_options.PARAMS, load("shared"))
    for name in navigation.ICONS:
        lines += rows(f"`/{name}`", [param for param in controls(name) if param.key != f"{name}_open"], load(name))
    return "\n".join(lines) + "\n"

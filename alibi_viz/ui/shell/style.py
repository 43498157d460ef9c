"""What Streamlit's own theme cannot say: style.css, with the page's colours; and present.css while presenting.

The browser chooses between light and dark by itself: Python learns of a change of theme only with the next run.
"""

import hashlib
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from alibi_viz.charts.palette import ink
from alibi_viz.ui import address
from alibi_viz.ui.components.modules import KEEP
from alibi_viz.ui.controls import frame

#: Variables of style.css -> the colours of charts.palette.
VARIABLES = {"page": "surface", "line": "grid", "raised": "raised", "accent": "accent", "text": "text"}


def is_dark() -> bool:
    """Whether the page is shown in the dark theme: the address says so, else the reader's browser."""
    asked = address.value(frame.THEME)
    return bool({"dark": True, "light": False}.get(asked, st.context.theme.type == "dark"))


def show(presenting: bool) -> None:
    """Send the rules with the page: where they stand, and not the rules, since a browser fetches those once."""
    st.html(f'<style>@import url("{_file(presenting)}");</style>')


def routes() -> list[Route]:
    """For `st.App(routes=)`: the two files that `show` names."""

    def answer(presenting: bool) -> Callable[[Request], Response]:
        return lambda request: Response(_rules(presenting), media_type="text/css", headers=KEEP)

    return [Route(f"/{_file(presenting)}", answer(presenting)) for presenting in (False, True)]


@cache
def _file(presenting: bool) -> str:
    """Its address, with a digest: a browser may keep it for good."""
    return f"style-{hashlib.sha256(_rules(presenting).encode()).hexdigest()[:16]}.css"


@cache
def _rules(presenting: bool) -> str:
    light, dark = asdict(ink(dark=False)), asdict(ink(dark=True))
    colours = (f"--{name}: light-dark({light[part]}, {dark[part]});" for name, part in VARIABLES.items())
    names = ("style.css", "present.css")[: 1 + presenting]
    rules = "\n".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in names)
    return f":root {{ {' '.join(colours)} }}\n{rules}"

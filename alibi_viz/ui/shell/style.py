"""What Streamlit's own theme cannot say: style.css, with the reader's colours; and present.css while presenting."""

from functools import cache
from pathlib import Path

import streamlit as st

from alibi_viz.charts.palette import ink
from alibi_viz.ui.controls import frame, state


def is_dark() -> bool:
    """Whether the page is shown in the dark theme: the address says so, else the reader's browser."""
    asked = state.read(frame.THEME)
    if asked == frame.THEME.default:  # or no page has read the address yet
        asked = st.query_params.get(frame.THEME.key)
    return bool({"dark": True, "light": False}.get(asked, st.context.theme.type == "dark"))


def show(presenting: bool) -> None:
    """Send the rules with the page."""
    st.html(_style(is_dark(), presenting))


@cache
def _style(dark: bool, presenting: bool) -> str:
    colours = ink(dark)
    variables = f":root {{ --page: {colours.surface}; --line: {colours.grid}; --raised: {colours.raised}; }}"
    names = ("style.css", "present.css")[: 1 + presenting]
    rules = "\n".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in names)
    return f"<style>{variables}\n{rules}</style>"

"""The rules of style.css, with the colours of the reader's theme: what Streamlit's own theme cannot say."""

from functools import cache
from pathlib import Path

import streamlit as st

from alibi_viz.charts.palette import ink


def show() -> None:
    """Send the rules with the page."""
    st.html(_style(st.context.theme.type == "dark"))


@cache
def _style(dark: bool) -> str:
    colours = ink(dark)
    variables = f":root {{ --page: {colours.surface}; --line: {colours.grid}; }}"
    rules = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
    return f"<style>{variables}\n{rules}</style>"

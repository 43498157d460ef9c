"""The pages of the app, told to Streamlit in one place.

Why a page may have to tell them too: in a fresh server, before `st.navigation` has been called once, Streamlit takes a
folder named `pages/` for its older kind of app. A first visitor who opens /slopes directly would then get that
page without app.py: no sidebar of ours, no corrected URL. `ensure` declares the pages and starts again; it acts at
most once in the life of a server.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.ui.logo import ICON

PAGES = {
    "start": ":material/home:",
    "slopes": ":material/stairs:",
    "bias": ":material/grid_on:",
    "attention": ":material/visibility:",
}
COMPARE = {
    "compare": ":material/compare:",
    "lab_sinusoidal": ":material/water:",
    "lab_rope": ":material/schedule:",
    "lab_t5": ":material/view_column:",
    "lab_learned": ":material/table_rows:",
    "lab_alibi": ":material/science:",
}
EXTRAPOLATION = {
    "extrapolation": ":material/trending_flat:",
    "early_token_curse": ":material/first_page:",
}
FIRST = "start"
_declared = False  # in this process; Streamlit's own switch has the same life


def declare() -> st.Page:
    """Tell Streamlit the pages; returns the one to run."""
    global _declared
    words = load("words")
    # First of all, with an icon of our own: else the page's symbol becomes the window's icon, which Streamlit fetches from
    # another host.
    st.set_page_config(page_icon=str(ICON), layout="wide")
    sections = {
        "": _pages(PAGES),
        words.label("compare"): _pages(COMPARE),
        words.label("extrapolation"): _pages(EXTRAPOLATION),
    }
    page = st.navigation(sections)
    st.set_page_config(page_title=f"{page.title} · {words.label('app')}")
    _declared = True
    return page


def path(name: str) -> str:
    """The page's address: its name, and nothing for the first page."""
    return "" if name == FIRST else name


def icon(name: str) -> str:
    """The symbol of a page."""
    return {**PAGES, **COMPARE, **EXTRAPOLATION}[name]


def _pages(icons: Mapping[str, str]) -> list[st.Page]:
    """One entry a page, in order."""
    words = load("words")
    return [
        st.Page(
            f"pages/{name}.py",
            title=words.entry("pages", name),
            icon=icon,
            url_path=name,
            default=name == FIRST,
            help=words.entry("page_help", name),
        )
        for name, icon in icons.items()
    ]


def ensure() -> None:
    """Called by every page first: makes sure that the page runs inside app.py."""
    if not _declared:
        declare()
        st.rerun()

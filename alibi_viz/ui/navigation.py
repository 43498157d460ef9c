"""The pages of the app, told to Streamlit in one place.

Why a page may have to tell them too: in a fresh server, before `st.navigation` has been called once, Streamlit takes a
folder named `pages/` for its older kind of multipage app. A first visitor who opens /slopes directly would then get that
page without app.py: no sidebar of ours, no corrected URL. `ensure` declares the pages and starts again; it acts at most once
in the life of a server.
"""

from __future__ import annotations

import streamlit as st

from alibi_viz.lessons import load

PAGES = {
    "start": ":material/home:",
    "slopes": ":material/stairs:",
    "bias": ":material/grid_on:",
    "attention": ":material/visibility:",
}
_declared = False  # in this process; Streamlit's own switch has the same life


def declare() -> st.Page:
    """Tell Streamlit the pages; returns the one to run."""
    global _declared
    words = load("words")
    page = st.navigation(
        [
            st.Page(
                f"pages/{name}.py",
                title=words.entry("pages", name),
                icon=icon,
                url_path=name,
                default=name == "start",
                help=words.entry("page_help", name),
            )
            for name, icon in PAGES.items()
        ]
    )
    _declared = True
    return page


def ensure() -> None:
    """Called by every page first: makes sure that the page runs inside app.py."""
    if not _declared:
        declare()
        st.rerun()

"""The pages of the app, in the order in which they are read: one line a lesson.

A lesson is a folder under `pages/`, which holds its sentences too. Its name is its address.
"""

import logging
from copy import copy
from functools import cache

import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.ui.controls import frame, state
from alibi_viz.ui.shell.logo import ICON

FIRST = "playground"
ROOT = "first"  # what Streamlit calls the address of the first page, which is “/”: its name is a second address of it
#: Heading (a label of words.md; "": none) -> lesson -> its symbol.
SECTIONS: dict[str, dict[str, str]] = {
    "": {
        "playground": ":material/touch_app:",
        "story": ":material/auto_stories:",
        "start": ":material/home:",
        "slopes": ":material/stairs:",
        "bias": ":material/grid_on:",
        "attention": ":material/visibility:",
    },
    "compare": {
        "compare": ":material/compare:",
        "lab_sinusoidal": ":material/water:",
        "lab_rope": ":material/schedule:",
        "lab_t5": ":material/view_column:",
        "lab_learned": ":material/table_rows:",
        "lab_alibi": ":material/science:",
    },
    "extrapolation": {
        "extrapolation": ":material/trending_flat:",
        "why": ":material/troubleshoot:",
        "train": ":material/model_training:",
        "early_token_curse": ":material/first_page:",
        "recall": ":material/key:",
        "today": ":material/timeline:",
    },
    "practice": {
        "use": ":material/integration_instructions:",
        "models": ":material/folder_open:",
        "cost": ":material/timer:",
        "pitfalls": ":material/bug_report:",
        "sources": ":material/menu_book:",
    },
}
GLOSSARY = "glossary"  # a page, but no lesson
ICONS = {name: icon for lessons in SECTIONS.values() for name, icon in lessons.items()}


def script(name: str) -> str:
    """The file of a lesson's page, for links to it."""
    return f"pages/{name}/page.py"


def url_path(name: str) -> str:
    """The lesson's address: its name, and nothing for the first one."""
    return "" if name == FIRST else name


def following(name: str) -> str | None:
    """The lesson after this one, if there is one."""
    names = list(ICONS)
    after = names.index(name) + 1
    return names[after] if after < len(names) else None


def announce() -> None:
    """Before the first reader: there are pages, and the folder `pages/` is none of Streamlit's older kind of app.

    Until then a server tells its first visitor, if that is one of /slopes, that there is no such page.
    """
    logging.disable(logging.WARNING)  # Streamlit's lines about a call that is for no reader
    st.navigation([st.Page(script(FIRST))])
    logging.disable(logging.NOTSET)


def declare() -> st.Page:
    """Tell Streamlit the pages; returns the one to run."""
    words = load("words")
    # First of all, with an icon of our own: otherwise the page's symbol becomes the window's icon, which Streamlit
    # fetches from another host.
    st.set_page_config(page_icon=str(ICON), layout="wide")
    sections = {
        words.label(heading) if heading else "": [copy(_page(name, icon)) for name, icon in lessons.items()]
        for heading, lessons in SECTIONS.items()
    }
    sections[words.label("reference")] = [copy(_page(GLOSSARY, ":material/dictionary:")), copy(_by_name())]
    page = st.navigation(sections, expanded=True)  # else Streamlit hides the last ones behind “View more”
    st.set_page_config(page_title=f"{page.title} · {words.label('app')}")
    return page


@cache  # it looks for the file of the page; the copies are for Streamlit, which notes in them what may run
def _page(name: str, icon: str) -> st.Page:
    lesson, first = load(name), name == FIRST
    title, help_text = lesson.label("page"), lesson.label("page_help")
    url = ROOT if first else name
    return st.Page(script(name), title=title, icon=icon, url_path=url, default=first, help=help_text)


@cache
def _by_name() -> st.Page:
    """The first page by its name: the default page has no address but “/”."""
    return st.Page(script(FIRST), title=load(FIRST).label("page"), url_path=FIRST, visibility="hidden")


def link(name: str, label: str | None = None, query: dict[str, str] | None = None) -> None:
    """A link to another lesson, with the settings that it is to open with."""
    asked = {frame.PREDICT.key: state.text(frame.PREDICT)} if state.read(frame.PREDICT) else {}  # also in a new tab
    st.page_link(script(name), label=label, icon=ICONS[name], query_params=(query or {}) | asked or None)

"""How a page is framed: its language; and, for a lecture or a class, presented, with or without questions, in a theme, in
a room.

All of it stands in the address beside the page's own controls, so a link carries it from page to page.
"""

import streamlit as st

from alibi_viz.lessons import languages
from alibi_viz.ui import address
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.streamlit_patches import script_run

PRESENT = Param("present", "flag", False)  # the picture fills the window: no sidebar, no prose, large type
THEME = Param("theme", "choice", "auto", choices=("auto", "light", "dark"))  # auto: what the reader's system prefers
PREDICT = Param("predict", "flag", False)  # ask before the answer is shown
ROOM = Param("room", "text", "", longest=12)  # the code of the class that the reader has joined
LANGUAGE = Param("lang", "choice", "auto", choices=("auto", *languages.LANGUAGES))  # auto: what the browser names first
PARAMS = (PRESENT, THEME, PREDICT, ROOM, LANGUAGE)


def presenting() -> bool:
    return bool(address.value(PRESENT))


def is_dark() -> bool:
    """Whether the page is shown in the dark theme: the address says so, else the reader's browser."""
    return bool({"dark": True, "light": False}.get(address.value(THEME), st.context.theme.type == "dark"))


def language() -> str:
    """The language of the reader of this run; English where there is none, as in a thread that trains."""
    if not script_run.is_running():
        return languages.ENGLISH
    chosen = str(address.value(LANGUAGE))
    return chosen if chosen in languages.LANGUAGES else languages.nearest(st.context.locale)


languages.set_language_source(language)

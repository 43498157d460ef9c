"""The row at the top of every page: share it, the class, its language, the theme."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.lessons import languages, load
from alibi_viz.ui import address, classroom, page, share
from alibi_viz.ui.controls import frame
from alibi_viz.ui.shell import present


def place() -> DeltaGenerator:
    """The link past the row, and the place of the row: what it says follows the page, which has not run yet."""
    st.html(
        f'<a class="skip" href="#{page.CONTROLS}">{load("words").label("skip_link")}</a>'
    )  # seen while it has the focus
    return st.container(
        key="top", horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="xsmall"
    )


def show() -> None:
    """Fill the row, for the page that has just run."""
    share.panel()
    classroom.panel()
    st.menu_button(
        load("words").label("lang"),
        list(languages.LANGUAGES),
        format_func=languages.LANGUAGES.__getitem__,
        icon=":material/translate:",
        key="choose_language",
        type="tertiary",
        on_click=_speak,
    )
    st.button(
        load("words").label("theme"),
        icon=":material/contrast:",
        key="turn_theme",
        type="tertiary",
        on_click=present.turn,
    )


def _speak() -> None:
    """Callback: the language that the reader has chosen."""
    address.write({frame.LANGUAGE.key: str(st.session_state["choose_language"])}, is_step=False)

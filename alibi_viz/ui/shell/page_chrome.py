"""What stands around every page: the mark over the menu, the row at the top of the page, what stands below the menu."""

from functools import cache

import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator

from alibi_viz import device
from alibi_viz.lessons import Lesson, joined, languages, load
from alibi_viz.ui import address, classroom, share
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.shell import navigation, present
from alibi_viz.ui.streamlit_patches import callbacks

#: The app's mark: four slopes from one point, as the heads of ALiBi have them, with its name.
_MARK = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 236 40" width="236" height="40">
<g stroke="{accent}" stroke-width="3.2" stroke-linecap="round" fill="none"><path d="M4 6 L34 11"/>
<path d="M4 6 L34 20" opacity=".85"/><path d="M4 6 L29 33" opacity=".7"/><path d="M4 6 L9 35" opacity=".55"/></g>
<text x="46" y="27" font-family="'Source Serif', Georgia, serif" font-size="21" font-weight="600"
 fill="{text}">{name}</text>
</svg>"""
_DEVICE = "device"  # the key of the control


def begin() -> DeltaGenerator:
    """Before the page runs: the mark in the colours of the theme, and the link past the row.

    Returns the place of the row: what it says follows the page, which has not run yet.
    """
    torch.set_num_threads(1)  # of this run, which has a thread of its own; why: alibi_viz/device.py
    words = load("shared")
    accent, text = ("#4FA3D8", "#E4E2DD") if page_options.is_dark() else ("#0069A6", "#22262B")
    mark = navigation.image(_MARK.format(accent=accent, text=text, name=words.label("app")))
    st.logo(mark, size="large", icon_image=navigation.ICON)
    # The link is seen while it has the focus.
    st.html(f'<a class="skip" href="#controls">{words.label("skip_link")}</a>')  # the row of hands (hands.js)
    return st.container(
        key="top", horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="xsmall"
    )


def fill_row() -> None:
    """The row, for the page that has just run: share it, the class, its language, the theme; and what was refused."""
    words = load("shared")
    callbacks.say_refused()
    share.panel()
    classroom.panel()
    st.menu_button(
        words.label("lang"),
        list(languages.LANGUAGES),
        format_func=languages.LANGUAGES.__getitem__,
        icon=":material/translate:",
        key="choose_language",
        type="tertiary",
        on_click=_speak,
    )
    icon = ":material/contrast:"
    st.button(words.label("theme"), icon=icon, key="turn_theme", type="tertiary", on_click=present.turn)


def _speak() -> None:
    """Callback: the language that the reader has chosen."""
    address.write({page_options.LANGUAGE.key: str(st.session_state["choose_language"])}, is_step=False)


def below_menu() -> None:
    """The device, to be chosen where there is a choice, and one line about the numbers."""
    words = load("shared")
    labels = {option.name: _label(words, option) for option in _devices()}
    title, about = words.label("device"), [words.label("about")]
    with st.sidebar:
        if len(labels) > 1:
            st.selectbox(title, list(labels), format_func=labels.__getitem__, key=_DEVICE, persist_state="session")
        else:
            about.insert(0, joined((title, next(iter(labels.values()))), "colon"))
        st.caption("\n\n".join(about))


def _label(words: Lesson, option: device.Device) -> str:
    """A device in the reader's language; a GPU has the name of its hardware."""
    key = "cpu" if option.cores > 1 else "cpu_one"
    return words.label(key, cores=option.cores) if option.cores else option.title


def chosen_device() -> str:
    """The name of the device that computes, for `tensor.to(...)`. Checked: a session can hold anything."""
    names = [option.name for option in _devices()]
    chosen = st.session_state.get(_DEVICE)
    return chosen if chosen in names else names[0]


@cache
def _devices() -> list[device.Device]:
    return device.available()

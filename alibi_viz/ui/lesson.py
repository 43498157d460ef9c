"""The frame of a lesson whose state is the address: how it opens, its prose, its sections, and what ends it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from alibi_viz.lessons import Lesson, load
from alibi_viz.ui import address, caption, classroom, corrections, page
from alibi_viz.ui.components import mount
from alibi_viz.ui.controls import frame, state
from alibi_viz.ui.shell import navigation, present, style

READING = page.READING


def begin(name: str, numbers: Mapping[str, object] | None = None) -> Lesson:
    """Open a lesson: its title, and what it is about in a few sentences. numbers: of these sentences."""
    caption.forget()
    mount.forget()
    classroom.begin()
    text = load(name)
    address.open_page(navigation.url_path(name), text, frame.PARAMS)
    style.show(frame.presenting())
    present.show()
    navigation.tabs(name)
    st.title(text.text("title"), anchor=False)
    prose(text.text("lead", numbers))
    return text


def prose(*paragraphs: str) -> None:
    """Markdown, no wider than is good to read. All of it is one element, since each one costs the server time."""
    if not frame.presenting():
        st.markdown("\n\n".join(paragraphs), width=READING)


def say_problems(text: Lesson, *others: str) -> None:
    """What the address asks for and the page cannot show, a line each. Called when the stage's values have been read.

    others: sentences of the page's own.
    """
    corrections.say([*address.problems(text), *others, *state.notes(frame.PARAMS)])


def seen_and_formula(seen: Sequence[str], formula: Sequence[str]) -> None:
    """“What you see”, then the formula (LaTeX and Markdown, a paragraph each), and the title of the sections."""
    seen_title, formula_title, closer = map(load("words").label, ("seen", "formula", "closer"))
    prose(f"## {seen_title}", *seen, f"## {formula_title}", *formula, f"## {closer}")


def sections(text: Lesson, contents: Mapping[str, Callable[[], object]], *code: Callable[..., Any] | type) -> None:
    """“Look closer”: each section of the lesson's table `closer` draws itself when it is open; `code` is the last one."""
    if frame.presenting():
        return
    words, key = load("words"), f"{text.name}_open"
    shows = {**contents, "code": lambda: page.code(*code)} if code else dict(contents)
    own = text.entries("closer") if "closer" in text else {}
    titles = words.entries("closer") | own
    opened = address.choices(key, "", (*own, "code"))
    for name, show in shows.items():
        widget = f"{key}_{name}"
        st.session_state[widget] = name in opened  # the address is the truth
        with st.expander(titles[name], key=widget, on_change=_toggle, args=(key, name, opened, tuple(shows))):
            if name in opened:
                show()


def _toggle(key: str, name: str, opened: tuple[str, ...], sections: tuple[str, ...]) -> None:
    """Callback of a section: it was opened or closed. Back does not undo it."""
    now = {*opened, name} if st.session_state.get(f"{key}_{name}") else {*opened} - {name}
    address.write({key: ",".join(section for section in sections if section in now)}, is_step=False)


def slider(text: Lesson, key: str, default: int, *, low: int, high: int) -> int:
    """A slider of Streamlit's, for a number of one section."""
    value: int = address.number(key, default, low=low, high=high)
    widget = f"widget_{key}"
    st.session_state[widget] = value
    st.slider(text.label(key), low, high, key=widget, on_change=_set, args=(key, widget))
    return value


def _set(key: str, widget: str) -> None:
    address.write({key: st.session_state[widget]})


def end(text: Lesson, sources: Mapping[str, object] | None = None) -> None:
    """The lesson that follows, and the sources."""
    if frame.presenting():
        return
    if following := navigation.following(text.name):
        navigation.link(following, f"{load('words').label('next')}: {load(following).text('title')}")
    page.sources(text, sources)

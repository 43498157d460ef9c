"""The stage of a lesson, and what stands under it: sections to look closer, and the link to the next lesson.

Notable choices:
- The stage is one row: the picture, and beside it the few controls that change it (style.css puts them below it on a
  phone). It is as tall as the window, so the picture and the hand that changes it are in sight together.
- Any of the sections may be open. Which ones is a parameter of the page like any other, so a link opens them; what is
  closed is not computed.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.lessons import Lesson, load
from alibi_viz.ui import caption, page
from alibi_viz.ui.controls import frame, rerun, state
from alibi_viz.ui.controls.params import Param, Value, clean
from alibi_viz.ui.lesson import stage as stage_row
from alibi_viz.ui.page import Presets
from alibi_viz.ui.shell import navigation

DrawControls = Callable[[Lesson], object]  # in the words of the lesson
Contents = Mapping[str, Callable[[], object]]  # section -> draws it
_TEXTS = "_texts"  # in the session: key -> the reader's text, in whose place a preset's own may stand now


class Stage(NamedTuple):
    """The places of a stage: for the picture, for the question before it, and for its controls."""

    picture: DeltaGenerator
    asked: DeltaGenerator
    side: DeltaGenerator

    def comment(self, lesson: Lesson, section: str, facts: object) -> None:
        """Say beside the picture what it shows: a section of the lesson."""
        with self.side:
            note(lesson, section, facts)


def stage(
    lesson: Lesson, show: DrawControls, presets: Presets | None = None, further: DrawControls | None = None
) -> Stage:
    """The stage with its controls: those that `show` draws stand beside the picture, those of `further` behind “More”."""
    place = places()
    with place.side:
        show(lesson)
        if presets:
            more(lesson, presets, partial(further, lesson) if further else None)
    return place


def places() -> Stage:
    """An empty stage."""
    picture, side = stage_row()
    return Stage(picture, side.container(), side)


def more(lesson: Lesson, table: Presets, show: Callable[[], object] | None) -> None:
    """The presets in a row, and under them, behind “More”, the further controls that `show` draws.

    The stage is a fragment: what is chosen here changes the page below it too, so the whole page runs, at once.
    """
    with st.container(key="stage_presets", horizontal=True):
        for number, key in enumerate(table, 1):
            _button(lesson, table, key, str(number) if frame.presenting() else None)
    if show:
        with st.expander(load("words").label("more"), key="stage_more", icon=":material/tune:", type="compact"):
            show()
    rerun.request_if_changed(state.settled())


def _button(lesson: Lesson, table: Presets, key: str, shortcut: str | None) -> None:
    """A preset: it sets the controls of its row, and is marked while they are so. Presented, a number is its key."""
    look: dict[str, Any] = {"type": "primary" if state.are(table[key]) else "secondary", "shortcut": shortcut}
    name = f"try_{lesson.name}_{key}"
    st.button(lesson.entry("try", key), key=name, on_click=_choose, args=(table, key), **look)


def _choose(table: Presets, key: str) -> None:
    """Callback of a preset. A preset without a text of its own keeps the reader's; that of another preset goes."""
    texts: dict[str, Value] = st.session_state.setdefault(_TEXTS, {})
    for param in state.open_params():
        of_presets = [preset[param.key] for preset in table.values() if param.key in preset]
        if param.kind == "text" and of_presets and state.read(param) not in of_presets:
            texts[param.key] = state.read(param)
    own = {name: text for name, text in texts.items() if any(name in preset for preset in table.values())}
    state.assign({**own, **table[key]})
    state.step()
    rerun.request()


def note(lesson: Lesson, section: str, facts: object, write: Callable[[str], object] = st.markdown) -> None:
    """What the picture shows, in two sentences beside it (written by `write`). Of phones, the story's have room for it."""
    caption.keep_note(lesson.text(section, facts))
    if frame.presenting():
        return
    with st.container(key="stage_note"):
        write(lesson.text(section, facts))


def sections_param(name: str, *sections: str) -> Param:
    """The parameter of a lesson that says which of its sections are open."""
    return Param(f"{name}_open", "choices", "", choices=sections)


def below(
    lesson: Lesson, opened: Param, contents: Contents, *code: Callable[..., Any] | type, sources: object = None
) -> None:
    """What ends every lesson: the sections to look closer, the lesson that follows, and the sources.

    opened, contents, code: as in `sections`. sources: what the sentences about the sources are filled from.
    """
    sections(lesson, opened, contents, *code)
    next_lesson(lesson)
    page.sources(lesson, sources)


def sections(lesson: Lesson, opened: Param, contents: Contents, *code: Callable[..., Any] | type) -> None:
    """“Look closer”: the sections of the lesson's table `closer`, by name, and what each shows; `code` is the last.

    What the table does not name has the title that all lessons share.
    """
    state.end_of_stage()
    contents = {**contents, "code": partial(page.code, *code)} if code else contents
    if frame.presenting() or not contents:
        return
    words = load("words")
    page.heading(words.label("closer"))
    titles = words.entries("closer") | (lesson.entries("closer") if "closer" in lesson else {})
    now = state.read(opened).split(",")
    with st.container(gap="xsmall"):
        for name, show in contents.items():
            key = f"{opened.key}_{name}"
            st.session_state[key] = name in now  # the parameter is the truth
            with st.expander(titles[name], key=key, on_change=_toggle, args=(opened, name)):
                if name in now:
                    show()


def _toggle(opened: Param, name: str) -> None:
    """Callback of a section: it was opened or closed."""
    others = [section for section in state.read(opened).split(",") if section != name]
    now = [*others, name] if st.session_state.get(f"{opened.key}_{name}") else others
    state.assign({opened.key: clean(opened, ",".join(now)).value})


def next_lesson(lesson: Lesson) -> None:
    """A link to the lesson that follows, with its question."""
    if frame.presenting():
        return
    following = navigation.following(lesson.name)
    if following:
        st.caption(load("words").label("next"))
        navigation.link(following, load(following).text("title"))

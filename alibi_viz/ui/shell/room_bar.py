"""The bar of a room at the lower edge of the window: for a member, following the teacher; for a teacher who presents, all
that the class needs, in type for the back row.

Notable choices:
- It asks the room once a second, which is all that a member's open page costs while nothing happens.
- Presenting, every button has its key, and the keys work while the bar is hidden. The code and its QR code fill the window
  while students join.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.ui import classroom, following, qr, share
from alibi_viz.ui.components.keys import keys
from alibi_viz.ui.controls import frame, rerun, state
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.shell import navigation

_HIDDEN, _JOINING = "_room_bar_hidden", "_room_joining"  # flags of the session
SCENE = "scene"  # the control of a lesson that has scenes: they come before the next lesson


def show() -> None:
    """Once a run of a page, at its end."""
    if classroom.taught():
        if frame.presenting():
            _of_teacher()
    elif student := classroom.joined():
        _of_member(student)


@st.fragment(run_every=classroom.LOOK_EVERY)
def _of_member(student: str) -> None:
    words, now = load("words"), following.news(student)
    if following.must_run(student, now):
        st.rerun()
    if not now.place:  # the teacher leads nobody
        return
    with st.container(key="room_bar", horizontal=True, gap="small", vertical_alignment="center", width="content"):
        st.caption(words.entry("room", "following" if now.follows else "paused"), width="content")
        name = "stop_following" if now.follows else "follow_again"
        look: Any = "tertiary" if now.follows else "primary"
        st.button(
            words.entry("room", name), f"room_{name}", on_click=_follow, args=(student, not now.follows), type=look
        )


def _follow(student: str, follows: bool) -> None:
    following.set_following(student, follows)
    rerun.request()


@st.fragment(run_every=classroom.LOOK_EVERY)
def _of_teacher() -> None:
    teacher, words = classroom.taught(), load("words")
    if not teacher:
        return
    actions: dict[str, Callable[[], None]] = {"join": _join, "reveal": _reveal, "next": _next, "hide": _hide}
    names = {
        key: name
        for name in actions
        for key in (words.entry("room_keys", name), words.entry("room_keys", name).lower())
    }
    keys(names, lambda name: actions[name](), key="room_keys")
    question, options = st.session_state.get(classroom.ASKED, ("", ()))
    tally = classroom.rooms().tally(teacher, question, len(options))
    if st.session_state.get(_JOINING):
        _show_code(teacher, tally.members)
    if st.session_state.get(_HIDDEN):
        return
    with st.container(key="room_bar", horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown(f"**{teacher}** · {words.entry('room', 'members', members=tally.members)}", width="content")
        if question:
            st.markdown(words.entry("room", "answers", answered=tally.answered), width="content")
        for name, act in actions.items():
            if name != "reveal" or (question and not tally.revealed):
                label = f"{words.entry('room', name)} [{words.entry('room_keys', name)}]"
                look: Any = "primary" if name == "reveal" else "secondary"
                st.button(escape_markdown(label), f"room_{name}", on_click=act, type=look, width="content")
    if question:
        with st.container(key="room_answers", horizontal=True, gap="medium"):
            for option, count in zip(options, tally.counts, strict=True):
                st.progress(count / max(tally.answered, 1), text=f"{escape_markdown(option)}: {count}")


def _show_code(code: str, members: int) -> None:
    """The code and its QR code, as large as the window allows."""
    words, link = load("words"), share.here({frame.ROOM.key: code})
    with st.container(key="room_poster", horizontal=True, gap="large", vertical_alignment="center"):
        st.image(qr.svg(link), width="content")
        with st.container():
            st.markdown(f"# {code}")
            st.markdown(words.entry("room", "members", members=members))
            st.markdown(f"`{link}`")
            if note := share.warning():
                st.markdown(note)


def _join() -> None:
    st.session_state[_JOINING] = not st.session_state.get(_JOINING)


def _hide() -> None:
    st.session_state[_HIDDEN] = not st.session_state.get(_HIDDEN)


def _reveal() -> None:
    question, _ = st.session_state.get(classroom.ASKED, ("", ()))
    if question:
        classroom.reveal(question)


def _next() -> None:
    """The next scene; after the last one, or where there are none, the lesson that follows."""
    scene = next((param for param in state.open_params() if param.key == SCENE), None)
    if scene is not None and state.read(scene) < scene.high:
        state.assign({SCENE: state.read(scene) + 1})
    elif lesson := navigation.following(state.open_page_name() or navigation.FIRST):
        following.visit(lesson)
    rerun.request()

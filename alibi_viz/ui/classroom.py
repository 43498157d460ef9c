"""The class: a room that a teacher opens, that students join by its code, and that shows how they answered.

Notable choices:
- The room's key is in the teacher's session alone, never in a link.
- What changes without the reader's doing (answers coming in, the reveal) is looked at once a second, by a fragment that is
  on the page only while it can change.
"""

from collections.abc import Sequence

import streamlit as st

from alibi_viz.classroom.rooms import Rooms
from alibi_viz.lessons import load
from alibi_viz.ui import qr, share
from alibi_viz.ui.controls import frame, state
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.once import once

LOOK_EVERY = 1.0  # seconds
_TEACHER, _MEMBER = "_room_key", "_room_member"  # (code, key) of the teacher; (code, member) of a student


@once
def rooms() -> Rooms:
    """The rooms of this server."""
    return Rooms()


def _teacher() -> tuple[str, str] | None:
    """Code and key of the room that this session has opened, while it exists."""
    pair = st.session_state.get(_TEACHER)
    return pair if pair and rooms().exists(pair[0]) else None


def _student() -> tuple[str, str] | None:
    """Code and member of the room that the address names, joined when it is first needed."""
    code = str(state.read(frame.ROOM)).strip().upper()
    if not code or _teacher() or not rooms().exists(code):
        return None
    pair = st.session_state.get(_MEMBER)
    if not pair or pair[0] != code:
        try:
            pair = st.session_state[_MEMBER] = (code, rooms().join(code))
        except ValueError:
            return None
    return pair


def missing() -> str:
    """The code in the address if there is no such room, else empty."""
    code = str(state.read(frame.ROOM)).strip().upper()
    return code if code and not rooms().exists(code) else ""


def is_here() -> bool:
    """Whether this reader is in a room, as its teacher or as a student."""
    return _teacher() is not None or _student() is not None


def waits(question: str) -> bool:
    """Whether this reader must wait for the teacher to reveal."""
    student = _student()
    return student is not None and not rooms().tally(student[0], question, 1).revealed


def has_revealed(question: str) -> bool:
    """Whether the teacher of this reader's room has revealed a question."""
    place = _student() or _teacher()
    return place is not None and rooms().tally(place[0], question, 1).revealed


def send(question: str, option: int) -> None:
    """A student's answer goes to the room; one that comes too late is not counted."""
    if student := _student():
        try:
            rooms().answer(*student, question, option)
        except ValueError as refused:
            st.toast(escape_markdown(str(refused)))


def show_answers(question: str, options: Sequence[str]) -> None:
    """For the teacher, the distribution and “Reveal”; for a student who waits, a look every second."""
    if _teacher():
        _distribution(question, tuple(options))
    elif waits(question):
        _wait(question)


@st.fragment(run_every=LOOK_EVERY)
def _distribution(question: str, options: tuple[str, ...]) -> None:
    teacher, words = _teacher(), load("words")
    if teacher is None:
        return
    tally = rooms().tally(teacher[0], question, len(options))
    st.caption(words.entry("room", "answered", answered=tally.answered, members=tally.members))
    for option, count in zip(options, tally.counts, strict=True):
        st.progress(count / max(tally.answered, 1), text=f"{escape_markdown(option)}: {count}")
    if not tally.revealed:
        st.button(words.entry("room", "reveal"), key="room_reveal", on_click=_reveal, args=(question,), type="primary")


def _reveal(question: str) -> None:
    if teacher := _teacher():
        rooms().reveal(*teacher, question)


@st.fragment(run_every=LOOK_EVERY)
def _wait(question: str) -> None:
    if not waits(question):
        st.rerun()


def panel() -> None:
    """Open a room, or what the room of this reader is."""
    words = load("words")
    with st.popover(words.entry("room", "title"), icon=":material/groups:", type="tertiary"):
        teacher, student = _teacher(), _student()
        if teacher:
            _of_teacher(teacher[0])
        elif student:
            st.caption(words.entry("room", "joined", code=student[0]))
        else:
            st.caption(words.entry("room", "about"))
            st.button(words.entry("room", "open"), key="room_open", on_click=_open)
            st.text_input(words.entry("room", "code"), key="room_code", max_chars=12, on_change=_join)


def _of_teacher(code: str) -> None:
    words, link = load("words"), share.here({frame.ROOM.key: code})
    st.markdown(f"### {code}")
    st.image(qr.svg(link), width=220)
    st.code(link, language=None, wrap_lines=True)
    st.caption(words.entry("room", "ends"))
    st.button(words.entry("room", "close"), key="room_close", on_click=_close)


def _open() -> None:
    try:
        st.session_state[_TEACHER] = rooms().open()
    except ValueError as refused:
        st.toast(escape_markdown(str(refused)))


def _close() -> None:
    if teacher := _teacher():
        rooms().close(*teacher)
    st.session_state.pop(_TEACHER, None)


def _join() -> None:
    """Callback of the code's box."""
    code = str(st.session_state.get("room_code", "")).strip().upper()
    if rooms().exists(code):
        state.assign({frame.ROOM.key: code})
    else:
        st.toast(load("words").entry("room", "unknown"))

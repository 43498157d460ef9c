"""Members of a room go where their teacher goes: the page, its controls, its scene.

Notable choices:
- What travels is the teacher's address, without what frames a page (presented, hidden, locked, the theme). The page that a
  member is led to checks it against its own table, as it checks any link.
- A member who changes a control is not fought: then following pauses until it is asked for again. The room remembers it,
  so a reload does not undo it.
- A page of the teacher leads when it has gone to another place: two windows of one teacher do not quarrel.
"""

from urllib.parse import parse_qsl, urlencode

import streamlit as st

from alibi_viz.classroom.rooms import PLACE, News
from alibi_viz.ui import classroom
from alibi_viz.ui.controls import frame, state
from alibi_viz.ui.shell import navigation

_AT = (
    "_led_to"  # the room, its turn that this page has followed, and the place after that; none until the run has ended
)
_VISIT = "_visit"  # the lesson that a button has asked for
_SEEN = "_room_seen"  # what this page has shown of the room


def place() -> str:
    """Where this page is: its name and its controls, as in an address."""
    framed = {param.key for param in frame.PARAMS}
    name = state.open_page_name() or navigation.FIRST
    query = urlencode({key: text for key, text in state.query().items() if key not in framed})
    return f"{name}?{query}" if len(name) + len(query) < PLACE else f"{name}?"


def visit(lesson: str) -> None:
    """Callback: the next run opens this lesson."""
    st.session_state[_VISIT] = lesson


def go(opened: str) -> None:
    """Before the page runs: lead it to the teacher's place. opened: the address of the page that is about to run."""
    if lesson := st.session_state.pop(_VISIT, ""):
        st.switch_page(navigation.script(lesson))
    # The first run of a session has not read the address yet, so it does not know its room.
    code = classroom.joined() if frame.ROOM.key in st.session_state else ""
    if not code:
        return
    now = classroom.rooms().news(code, classroom.me())
    lesson, _, query = now.place.partition("?")
    if not now.follows or not now.place or (code, now.turn) == _at()[:2]:
        return
    st.session_state[_AT] = (code, now.turn, "")
    if lesson not in navigation.ENTRIES:
        return
    framed = {param.key: state.text(param) for param in frame.PARAMS}
    state.expect({**dict(parse_qsl(query, max_num_fields=200)), **framed})
    if lesson != (opened or navigation.FIRST):
        st.switch_page(navigation.script(lesson))


def close() -> None:
    """After the page has run: a teacher's class follows; a member who has gone elsewhere follows no more."""
    here = place()
    if teacher := classroom.taught():
        if st.session_state.get(classroom.LED) != here:
            classroom.rooms().lead(teacher, classroom.me(), here)
            st.session_state[classroom.LED] = here
    elif student := classroom.joined():
        code, turn, at = _at()
        if code and not at:
            st.session_state[_AT] = (code, turn, here)
        _pause_if_elsewhere(student)
        st.session_state[_SEEN] = classroom.rooms().news(student, classroom.me())


def news(student: str) -> News:
    """What there is for a member now."""
    _pause_if_elsewhere(student)
    return classroom.rooms().news(student, classroom.me())


def must_run(student: str, now: News) -> bool:
    """Whether this page must run again to show it: not for a place to which the member does not follow."""
    if now.follows and now.place and (student, now.turn) != _at()[:2]:
        return True
    seen = st.session_state.get(_SEEN, now)
    return (now.follows, now.revealed) != (seen.follows, seen.revealed)


def set_following(student: str, follows: bool) -> None:
    """Callback: follow the teacher from now on, or no more."""
    classroom.rooms().set_following(student, classroom.me(), follows)
    st.session_state.pop(_AT, None)


def _at() -> tuple[str, int, str]:
    at: tuple[str, int, str] = st.session_state.get(_AT, ("", 0, ""))
    return at


def _pause_if_elsewhere(student: str) -> None:
    code, _, at = _at()
    if at and code == student and at != place():
        set_following(student, follows=False)

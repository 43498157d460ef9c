"""The class: a room that a teacher opens, and that students join by its code. What it is for is the question
(ui/question.py); this is who is in it.

Notable choices:
- Teacher and students are known by the key of their browser (ui/reader.py), so that a reload, a second tab and a prepared
  link lead back into the room. The code in the address comes first; without one it is the room opened or joined last.
- Of the teacher's windows one leads: the wall. Another one that shows a lesson looks on, and can take the lead. The console
  (pages/lesson) steers the one that leads: it says in the room what it wants, and the wall looks there.
- Who presents and teaches nothing is a screen of the room, and no student.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import streamlit as st

from alibi_viz.classroom import plans
from alibi_viz.classroom.rooms import Place, Question, Rooms, Screen
from alibi_viz.lessons import load
from alibi_viz.ui import address, reader, share
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.streamlit_patches import sessions

ROOMS = Rooms()  # of this server
PLANS = plans.TEXTS  # the page of the plans: it is not what a teacher shows
_LAST = "_room"  # in the session: the room that this window was in
_TURNS = "_turns"  # in the session: how often a step had been turned to when this window looked last
_POSTER = "_poster"  # in the session of a window that leads no room: whether the address and its QR code fill it


class Membership(NamedTuple):
    """What a reader is in a room (its code; empty: in none), and whether this window leads it, as its teacher's; for that,
    what the console wants of it (Rooms.asked_of_wall)."""

    code: str = ""
    is_teacher: bool = False
    leads: bool = False
    turns: int = 0
    has_poster: bool = False

    @property
    def taught(self) -> str:
        """The code, for the teacher."""
        return self.code if self.is_teacher else ""


def membership() -> Membership:
    """The room of this reader, joined when it is first needed. Asked once a look: a room may end between two."""
    owner, is_here = reader.owner(), Membership()
    code = _code_in_address() or ROOMS.of(owner)
    with suppress(ValueError):  # there is none, it has just ended, or it is full
        if ROOMS.is_teacher(code, owner):
            shows = address.current_state().page != PLANS  # those are notes beside what the class looks at
            leads = shows and ROOMS.leads(code, owner, _screen(), sessions.is_connected)
            is_here = Membership(code, True, leads, *ROOMS.asked_of_wall(code))
        else:
            if not (page_options.presenting() and ROOMS.exists(code)):
                ROOMS.join(code, owner)
            is_here = Membership(code)
        st.session_state[_LAST] = code
    return is_here


def lead() -> None:
    """Callback: from now on this window leads."""
    ROOMS.lead(membership().code, reader.owner(), _screen())


def steer(act: Callable[..., None], code: str, *given: Any) -> None:
    """Callback of the console: the wall sees what it has done with the room at once."""
    act(code, *given)
    sessions.run_page(ROOMS.leader(code))


def _screen() -> Screen:
    return Screen(sessions.name(), page_options.presenting())


def _code_in_address() -> str:
    """The code in the address."""
    return str(address.value(page_options.ROOM)).strip().upper()


def trouble() -> tuple[str, str]:
    """What is wrong with the code in the address, or of the room that this window was in, by the name of its sentence, and
    the code; empty: nothing."""
    code = _code_in_address() or st.session_state.get(_LAST, "")
    if not code or membership().code:
        return "", ""
    return ("full_room" if ROOMS.exists(code) else "no_room"), code


def panel() -> None:
    """Open a room, or what the room of this reader is. Made when it is opened."""
    words = load("shared")
    look: dict[str, Any] = {"icon": ":material/groups:", "type": "tertiary", "on_change": "rerun"}
    with st.popover(words.entry("room", "title"), key="class_open", **look) as popover:
        if not popover.open:
            return
        room = membership()
        code = room.code
        if room.is_teacher:
            st.markdown(f"### {code}")
            share.show_link(share.link(room=code))
            navigation.link(PLANS)
            st.caption(words.entry("room", "ends"))
            st.button(words.entry("room", "close"), key="room_close", on_click=_close, args=(code,))
        elif code:
            st.caption(words.entry("room", "joined", code=code))
            st.button(words.entry("room", "leave"), key="room_leave", on_click=_leave, args=(code,))
        else:
            st.caption(words.entry("room", "about"))
            open_button("room_open")
            navigation.link(PLANS)
            st.text_input(words.entry("room", "code"), key="room_code", max_chars=12, on_change=_join)


def open_button(key: str) -> None:
    """Open a room. The notes of a class have such a button too, beside that of the panel."""
    st.button(load("shared").entry("room", "open"), key=key, on_click=_open)


def answered(code: str, question: Question) -> str:
    """How many have answered, of those who are here; and how many have joined."""
    here, joined = ROOMS.members(code)
    facts = {"answered": len(question.counted), "here": here, "joined": joined}
    return load("shared").entry("room", "answered", facts)


def tell_place() -> None:
    """At the end of a run: what the teacher's screen shows, for the phones."""
    page = address.current_state().page
    room = membership()
    with suppress(ValueError):  # it has just ended
        if room.leads:
            ROOMS.show(room.code, reader.owner(), Place(page, address.shown()))
            course, _ = ROOMS.course(room.code)
            if course and page == plans.PLANS[course.plan][course.step].page:
                ROOMS.begin(room.code, reader.owner())


def turn_plan(by: int) -> bool:
    """Go on in the plan that the room follows which this window leads, or back; where it has strayed, to its step. Returns
    whether there is one."""
    room = membership()
    course, _ = ROOMS.course(room.code) if room.leads else (None, None)
    if course is None:
        return False
    steps, place = plans.PLANS[course.plan], ROOMS.place(room.code)
    is_there = place is not None and place.page == steps[course.step].page
    ROOMS.turn(room.code, reader.owner(), min(max(course.step + by * is_there, 0), len(steps) - 1))
    return True


def called() -> Place | None:
    """Where a step was turned to since this window looked last, if it leads."""
    room = membership()
    before = st.session_state.get(_TURNS, room.turns)
    st.session_state[_TURNS] = room.turns
    course, _ = ROOMS.course(room.code) if room.leads and before != room.turns else (None, None)
    if course is None:
        return None
    step = plans.PLANS[course.plan][course.step]
    return Place(step.page, step.query)


def has_poster() -> bool:
    """Whether this window is to say how to join."""
    room = membership()
    return room.has_poster if room.leads else bool(st.session_state.get(_POSTER))


def put_up(has_poster: bool) -> None:
    """Callback: say so, or no more."""
    room = membership()
    if room.leads:
        ROOMS.put_up(room.code, reader.owner(), has_poster)
    else:
        st.session_state[_POSTER] = has_poster


def poster() -> None:
    """The address of this page as it is now, in a room the one by which it is joined, and its QR code: as large as the
    window allows."""
    code = membership().taught
    link = share.link(room=code) if code else share.link()
    with st.container(key="poster", horizontal=True, gap="large", vertical_alignment="center"):
        if len(link) <= share.LONGEST:
            st.image(share.qr_code(link), width="content")
        with st.container():
            if code:
                st.title(code, anchor=False)  # the icon of an anchor would be as large as the QR code
                st.markdown(load("shared").entry("room", "type"))
                st.fragment(_members, run_every=1.0)(code)
            st.markdown(f"`{link}`")
            if note := share.warning():
                st.markdown(note)


def _members(code: str) -> None:
    """A fragment: how many have joined."""
    st.markdown(load("shared").entry("room", "members", joined=ROOMS.members(code)[1]))


def _open() -> None:
    """Callback. A code of another room in the address would hide the new one."""
    ROOMS.open(reader.owner(), st.context.ip_address or "")
    address.write({page_options.ROOM.key: ""}, is_step=False)


def _close(code: str) -> None:
    with suppress(ValueError):  # it has ended
        ROOMS.close(code, reader.owner())
    _forget()


def _leave(code: str) -> None:
    ROOMS.leave(code, reader.owner())
    _forget()


def _forget() -> None:
    """This window is in no room, because its reader wants that."""
    st.session_state.pop(_LAST, None)
    address.write({page_options.ROOM.key: ""}, is_step=False)


def _join() -> None:
    """Callback of the code's box."""
    code = str(st.session_state.get("room_code", "")).strip().upper()
    if ROOMS.exists(code):
        address.write({page_options.ROOM.key: code}, is_step=False)
    else:
        st.toast(load("shared").entry("room", "unknown"))

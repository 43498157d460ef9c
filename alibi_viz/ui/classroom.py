"""The class: a room that a teacher opens, that students join by its code, and that shows how they answered.

Notable choices:
- Teacher and students are known by the key of their browser (ui/reader.py), so that a reload, a second tab and a prepared
  link lead back into the room. The code in the address comes first; without one it is the room opened or joined last.
- What changes without the reader's doing (answers coming in, the reveal) is looked at once a second: here for a teacher, in
  shell/room_bar.py for a member, and for a teacher who presents.
"""

from collections.abc import Sequence

import streamlit as st

from alibi_viz.classroom.rooms import Rooms
from alibi_viz.lessons import load
from alibi_viz.ui import qr, reader, share
from alibi_viz.ui.controls import frame, rerun, state
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.once import once

LOOK_EVERY = 0.8  # seconds
LED = "_room_led"  # in the session: the place of this page that a teacher's class was led to last
ASKED = "_room_asked"  # in the session: the question that the page asks, and its options
_PLACE = "_room_place"  # in the session: the room of this reader, and whether as its teacher
_WRONG = "_room_wrong"  # code of the address that is known to be no room


@once
def rooms() -> Rooms:
    """The rooms of this server."""
    return Rooms()


def me() -> str:
    """This reader, as the room knows readers."""
    return reader.owner()


def _code() -> str:
    """The room of this reader, by the address or by what was opened or joined; empty if there is none."""
    named = str(state.read(frame.ROOM)).strip().upper()
    return named if named and rooms().exists(named) else "" if named else rooms().of(me())


def taught() -> str:
    """The code of the room that this reader has opened, while it exists; else empty."""
    code, is_teacher = _place_in_class()
    return code if is_teacher and rooms().is_teacher(code, me()) else ""


def joined() -> str:
    """The code of the room that this reader is a member of, joined when it is first needed; else empty."""
    code, is_teacher = _place_in_class()
    return "" if is_teacher else code


def _place_in_class() -> tuple[str, bool]:
    """The room of this reader (empty: none), and whether as its teacher. A page asks often, so each run looks once."""
    if _PLACE not in st.session_state:
        code = _code()
        is_teacher = bool(code) and rooms().is_teacher(code, me())
        if code and not is_teacher:
            try:
                rooms().join(code, me())
            except ValueError:  # it is full
                code = ""
        st.session_state[_PLACE] = (code, is_teacher)
    place: tuple[str, bool] = st.session_state[_PLACE]
    return place


def trouble() -> tuple[str, str]:
    """What is wrong with the code in the address, by the name of its sentence, and the code; empty: nothing."""
    code = str(state.read(frame.ROOM)).strip().upper()
    if code and not rooms().exists(code):
        if st.session_state.get(_WRONG) != code:  # one guess is slowed once, and not every change on its page
            st.session_state[_WRONG] = code
            rooms().is_wrong(code, reader.network_address())
        return "no_room", code
    return ("full_room", code) if code and not is_here() else ("", "")


def is_here() -> bool:
    """Whether this reader is in a room, as its teacher or as a student."""
    return bool(taught() or joined())


def waits(question: str) -> bool:
    """Whether this reader must wait for the teacher to reveal."""
    student = joined()
    return bool(student) and not rooms().is_revealed(student, question)


def has_revealed(question: str) -> bool:
    """Whether the teacher of this reader's room has revealed a question."""
    code = taught() or joined()
    return bool(code) and rooms().is_revealed(code, question)


def send(question: str, option: int) -> None:
    """A student's answer goes to the room; one that comes too late is not counted."""
    if student := joined():
        try:
            rooms().answer(student, me(), question, option)
        except ValueError as refused:
            st.toast(escape_markdown(str(refused)))


def answered(question: str) -> int | None:
    """The option that this reader sent to the room before the page was loaded again; None: none."""
    student = joined()
    return rooms().answer_of(student, me(), question) if student else None


def begin() -> None:
    """A page begins: it has asked nothing yet, and looks anew at who its reader is."""
    for key in (ASKED, _PLACE):
        st.session_state.pop(key, None)


def show_answers(question: str, options: Sequence[str]) -> None:
    """For the teacher: the distribution and “Reveal”. Presenting, they stand in the bar (shell/room_bar.py)."""
    st.session_state[ASKED] = (question, tuple(options))
    if taught() and not frame.presenting():
        st.fragment(distribution, run_every=LOOK_EVERY)(question, tuple(options))


def distribution(question: str, options: tuple[str, ...]) -> None:
    """How many have answered, how often each option was chosen, and “Reveal”."""
    teacher, words = taught(), load("words")
    if not teacher:
        return
    tally = rooms().tally(teacher, question, len(options))
    st.caption(words.entry("room", "answered", answered=tally.answered, members=tally.members))
    for option, count in zip(options, tally.counts, strict=True):
        st.progress(count / max(tally.answered, 1), text=f"{escape_markdown(option)}: {count}")
    if not tally.revealed:
        st.button(words.entry("room", "reveal"), key="room_reveal", on_click=reveal, args=(question,), type="primary")


def reveal(question: str) -> None:
    """Callback in a fragment: the picture beside it is opened too, so the whole page runs."""
    if teacher := taught():
        rooms().reveal(teacher, me(), question)
    rerun.request()


def panel() -> None:
    """Open a room, or what the room of this reader is."""
    words = load("words")
    with st.popover(words.entry("room", "title"), icon=":material/groups:", type="tertiary"):
        teacher, student = taught(), joined()
        if teacher:
            _of_teacher(teacher)
        elif student:
            st.caption(words.entry("room", "joined", code=student))
            st.button(words.entry("room", "leave"), key="room_leave", on_click=_leave, args=(student,))
        else:
            st.caption(words.entry("room", "about"))
            st.button(words.entry("room", "open"), key="room_open", on_click=_open)
            st.text_input(words.entry("room", "code"), key="room_code", max_chars=12, on_change=_join)


def _of_teacher(code: str) -> None:
    words, link = load("words"), share.here({frame.ROOM.key: code})
    st.markdown(f"### {code}")
    st.image(qr.svg(link), width=220)
    if note := share.warning():
        st.caption(note)
    st.code(link, language=None, wrap_lines=True)
    st.toggle(
        words.entry("room", "lead"),
        rooms().leads(code),
        key="room_lead",
        help=words.entry("room", "lead_help"),
        on_change=_lead,
    )
    st.caption(words.entry("room", "ends"))
    st.button(words.entry("room", "close"), key="room_close", on_click=_close)


def _open() -> None:
    try:
        rooms().open(me(), reader.network_address())
    except ValueError as refused:
        st.toast(escape_markdown(str(refused)))


def _lead() -> None:
    if teacher := taught():
        rooms().set_leading(teacher, me(), bool(st.session_state.get("room_lead")))
        st.session_state.pop(LED, None)


def _close() -> None:
    if teacher := taught():
        rooms().close(teacher, me())
        state.assign({frame.ROOM.key: ""})


def _leave(code: str) -> None:
    rooms().leave(code, me())
    state.assign({frame.ROOM.key: ""})


def _join() -> None:
    """Callback of the code's box."""
    code = str(st.session_state.get("room_code", "")).strip().upper()
    if rooms().is_wrong(code, reader.network_address()):
        st.toast(load("words").entry("room", "unknown"))
    else:
        state.assign({frame.ROOM.key: code})

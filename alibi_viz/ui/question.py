"""One question beside a picture, to be answered before the note says more: `ask`. It covers nothing.

Notable choices:
- Questions are asked of those who want them (`predict=true` in the address), in a room, and where the question is the page.
- The right option is never typed: the page computes it from the live state.
- In a room the answer is a vote. The teacher sees how many have answered while it runs, and how often each option was
  chosen only after “Reveal”; then the members see the answer too. Both look at the room more than once a second.
- A reader's answer holds for as long as the session; a vote as long as the room, over a reload.
"""

from collections.abc import Sequence

import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.ui import classroom
from alibi_viz.ui.controls import frame, rerun, state
from alibi_viz.ui.format import escape_markdown

LOOK_EVERY = 0.8  # seconds
_ASKED = "_question_asked"  # in the session: the page that asked last, and the name of its question
_GIVEN = "_given"  # in the session: question -> the option chosen, in its words; "": the reader wanted the answer


def ask(question: str, options: Sequence[str], right: Sequence[int], *, name: str, always: bool = False) -> None:
    """Ask it, or say what the reader answered and what is right.

    right: numbers of the options, from 0. name: by which a room knows the question. always: the question is the page.
    """
    if not (always or state.read(frame.PREDICT) or classroom.taught() or classroom.joined()):
        return
    st.session_state[_ASKED] = (state.open_page_name(), name)
    # style.css lets the note beside the picture wait while a question is open.
    with st.container(key="question_open" if is_open(name) else "question", gap="small"):
        if code := classroom.taught():
            _show_teacher(code, question, tuple(options), right, name)
        elif code := classroom.joined():
            _show_member(code, question, options, right, name)
        elif is_open(name):
            st.markdown(question)
            _buttons(options, name)
            skip = load("words").label("skip")
            st.button(skip, key="question_skip", type="tertiary", on_click=_answer, args=(name, ""))
        else:
            st.markdown(_verdict(_given().get(name), options, right))


def is_open(name: str) -> bool:
    """Whether the answer is still to come."""
    code = classroom.taught() or classroom.joined()
    return not classroom.rooms().is_revealed(code, name) if code else name not in _given()


def reveal() -> None:
    """Callback of a teacher: show the answer to the question that the page asks, also before a run has come to it."""
    code, (page, name) = classroom.taught(), st.session_state.get(_ASKED, ("", ""))
    if code and page == state.open_page_name():
        classroom.rooms().reveal(code, classroom.me(), name)


def _given() -> dict[str, str]:
    return st.session_state.setdefault(_GIVEN, {})


def _buttons(options: Sequence[str], name: str, code: str = "") -> None:
    """One for each option. code: of the room that is told."""
    with st.container(horizontal=True, gap="small"):
        for number, option in enumerate(options):
            key = f"question_{name}_{number}"
            act, told = (_vote, (code, name, number)) if code else (_answer, (name, option))
            st.button(option, key=key, on_click=act, args=told)


def _show_member(code: str, question: str, options: Sequence[str], right: Sequence[int], name: str) -> None:
    vote = classroom.rooms().vote_of(code, classroom.me(), name)
    chosen = options[vote] if vote is not None and vote < len(options) else None
    if not is_open(name):
        st.markdown(_verdict(chosen, options, right))
        return
    st.markdown(question)
    if chosen is None:
        _buttons(options, name, code)
    else:
        st.caption(load("words").entry("predict", "waiting", chosen=chosen))
    st.fragment(_wait, run_every=LOOK_EVERY)(name)


def _wait(name: str) -> None:
    if not is_open(name):
        rerun.request()


def _show_teacher(code: str, question: str, options: tuple[str, ...], right: Sequence[int], name: str) -> None:
    opened = is_open(name)
    st.markdown(question)
    if opened:
        st.markdown("\n".join(f"- {option}" for option in options))
        st.fragment(_count, run_every=LOOK_EVERY)(code, name, len(options))
        return
    tally = classroom.rooms().tally(code, name, len(options))
    for number, (option, count) in enumerate(zip(options, tally.counts, strict=True)):
        mark = "✓ " if number in right else ""
        st.progress(count / max(tally.answered, 1), text=f"{mark}{escape_markdown(option)}: {count}")


def _count(code: str, name: str, options: int) -> None:
    """How many have answered, and “Reveal”."""
    if not is_open(name):  # in another window of the teacher's, or the room has ended
        rerun.request()
    words, tally = load("words"), classroom.rooms().tally(code, name, options)
    st.markdown(words.entry("room", "answered", answered=tally.answered, members=tally.members))
    if st.button(words.entry("room", "reveal"), key="room_reveal", type="primary"):
        reveal()
        rerun.request()


def _answer(name: str, option: str) -> None:
    """Callback: the reader's answer, or "" to see the right one."""
    _given()[name] = option
    rerun.request()


def _vote(code: str, name: str, number: int) -> None:
    """Callback: a member's vote goes to the room; one that comes too late is not counted."""
    try:
        classroom.rooms().vote(code, classroom.me(), name, number)
    except ValueError as refused:
        st.toast(escape_markdown(str(refused)))
    rerun.request()


def _verdict(chosen: str | None, options: Sequence[str], right: Sequence[int]) -> str:
    """What the reader chose, and what the live numbers say. An answer to other options counts as none."""
    is_right = chosen in [options[number] for number in right]
    kind = "skipped" if chosen not in options else "right" if is_right else "wrong"
    return load("words").entry("predict", kind, chosen=chosen or "", right=", ".join(options[i] for i in right))

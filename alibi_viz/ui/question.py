"""One question beside a picture, to be answered before the note says more: `ask`. It covers nothing.

Notable choices:
- Questions are asked of those who want them (`predict=true` in the address), in a room, and where the question is the page.
- The right option is never typed: the page computes it from the live state.
- In a room the answer is a vote. The teacher sees how many have answered while it runs, and how often each option was
  chosen only after “Reveal”; then the members see the answer too.
- A reader's answer holds for as long as the session; a vote as long as the room, over a reload.
"""

from collections.abc import Sequence

import streamlit as st

from alibi_viz.lessons import languages, load
from alibi_viz.ui import address, classroom, reader
from alibi_viz.ui.controls import frame
from alibi_viz.ui.format import escape_markdown

TEACHER_LOOKS, MEMBER_LOOKS = 0.8, 1.3  # seconds between two looks at the room
_QUESTION = "_question"  # in the session: the page that asked last, and the name of its question
_ANSWERS = "_answers"  # in the session: question -> the option chosen, in its words; "": the reader wanted the answer


def ask(question: str, options: Sequence[str], right: Sequence[int], *, name: str, always: bool = False) -> None:
    """Ask it, or say what the reader answered and what is right.

    right: numbers of the options, from 0. name: by which a room knows the question. always: the question is the page,
    which says more once it is answered.
    """
    teaches, joined = classroom.taught(), classroom.joined()
    if not (always or address.value(frame.PREDICT) or teaches or joined):
        return
    st.session_state[_QUESTION] = (address.state().page, name)
    look_every = TEACHER_LOOKS if teaches else MEMBER_LOOKS if joined else None
    st.fragment(_question, run_every=look_every)(
        question, tuple(options), right, name, is_open(name) if always else None
    )


def _question(
    question: str, options: tuple[str, ...], right: Sequence[int], name: str, page_shows_open: bool | None
) -> None:
    """A fragment: sixty votes cost no run of a page. page_shows_open: what the rest of the page shows; None: either."""
    opened = is_open(name)
    if page_shows_open not in (None, opened):
        st.rerun()
    # style.css lets the note beside the picture wait while a question is open.
    with st.container(key="question_open" if opened else "question", gap="small"):
        if code := classroom.taught():
            _show_teacher(code, question, options, right, name, opened=opened)
            return
        chosen = _answers().get(name)
        if code := classroom.joined():
            vote = classroom.ROOMS.vote_of(code, reader.owner(), name)
            chosen = options[vote] if vote is not None and vote < len(options) else None
        if not opened:
            st.markdown(_verdict(chosen, options, right))
            return
        st.markdown(question)
        if chosen is not None:
            st.caption(load("words").entry("predict", "waiting", chosen=chosen))
            return
        with st.container(horizontal=True, gap="small"):
            for number, option in enumerate(options):
                act, answer = (_vote, (code, name, number)) if code else (_answer, (name, option))
                st.button(option, key=f"question_{name}_{number}", on_click=act, args=answer)
            if not code:
                skip = load("words").label("skip")
                st.button(skip, "question_skip", type="tertiary", on_click=_answer, args=(name, ""))


def is_open(name: str) -> bool:
    """Whether the answer is still to come."""
    code = classroom.taught() or classroom.joined()
    return not classroom.ROOMS.is_revealed(code, name) if code else name not in _answers()


def reveal() -> None:
    """Callback of a teacher: show the answer to the question that the page asks, also before a run has come to it."""
    code, (page, name) = classroom.taught(), st.session_state.get(_QUESTION, ("", ""))
    if code and page == address.state().page:
        classroom.ROOMS.reveal(code, reader.owner(), name)


def _answers() -> dict[str, str]:
    return st.session_state.setdefault(_ANSWERS, {})


def _show_teacher(
    code: str, question: str, options: Sequence[str], right: Sequence[int], name: str, *, opened: bool
) -> None:
    words, tally = load("words"), classroom.ROOMS.tally(code, name, len(options))
    st.markdown(question)
    if opened:
        st.markdown("\n".join(f"- {option}" for option in options))
        st.markdown(words.entry("room", "answered", answered=tally.answered, members=tally.members))
        st.button(words.entry("room", "reveal"), key="room_reveal", type="primary", on_click=reveal)
        return
    for number, (option, count) in enumerate(zip(options, tally.counts, strict=True)):
        mark = "✓ " if number in right else ""
        st.progress(count / max(tally.answered, 1), text=f"{mark}{escape_markdown(option)}: {count}")


def _answer(name: str, option: str) -> None:
    """Callback: the reader's answer, or "" to see the right one."""
    _answers()[name] = option


def _vote(code: str, name: str, number: int) -> None:
    """Callback: a member's vote goes to the room; one that comes too late is not counted."""
    try:
        classroom.ROOMS.vote(code, reader.owner(), name, number)
    except ValueError as refused:
        st.toast(escape_markdown(languages.sentence(refused)))


def _verdict(chosen: str | None, options: Sequence[str], right: Sequence[int]) -> str:
    """What the reader chose, and what the live numbers say. An answer to other options counts as none."""
    is_right = chosen in [options[number] for number in right]
    kind = "skipped" if chosen not in options else "right" if is_right else "wrong"
    return load("words").entry("predict", kind, chosen=chosen or "", right=", ".join(options[i] for i in right))

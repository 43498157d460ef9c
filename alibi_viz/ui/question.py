"""One question beside a picture, to be answered before the page says more: `prepare` it, then `show` it.

Notable choices:
- Questions are asked of those who want them (`predict=true` in the address), in a room, and where the question is the page.
- The right option is never typed: the page computes it from the live state.
- In a room the question is the teacher's, as it was when the teacher came to it (classroom/rooms.py). Members have it on
  whatever page they are, each in their own language. Their answers are votes: the teacher sees how many there are. How
  often each option was chosen is on the wall after “Votes”, and after “Reveal” with the answer; then members see that too.
- While a question is open, what would answer it is out of sight: notes and sentences by style.css, so that sixty votes and
  a reveal cost no run of a page. A page whose picture itself would answer draws less of it as long as `show` says so.
- A reader's answer holds for as long as the session; a vote as long as the room, over a reload.
- Some answers are drawn (`ask_lines`). Until lines are shown, the teacher sees how many have drawn.
- A member sees in one line where the teacher is. Nobody is taken there. Another window of the teacher than the one that
  leads asks nothing, and says so.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from alibi_viz.classroom import drawing
from alibi_viz.classroom.rooms import RUSH, Answer, Question, Wording
from alibi_viz.lessons import Lesson, joined, languages, load
from alibi_viz.pictures.story.message import Drawing
from alibi_viz.ui import address, classroom, reader
from alibi_viz.ui.components.hands import story
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.shell import navigation

WALL_LOOKS, TEACHER_LOOKS, MEMBER_LOOKS = 0.5, 0.8, 1.3  # seconds between two looks at the room; of the leading window
_HAS_ASKED = "_question_has_asked"  # in the session: whether the page of this run has come to its question
_PLACE = "_question_place"  # in the session: where a member has the question; None: where the page asks it
_LAST = "_question"  # in the session: what a page has asked last
_ANSWERS = "_answers"  # in the session: question -> the option chosen, in its words; "": the reader wanted the answer
Words = Callable[[Lesson], tuple[str, Sequence[str], Sequence[str]]]


@dataclass(frozen=True)
class Asked:
    """What a page asks now. question: as the page has it (None: none now); alone: by what the answer of a reader who is
    asked alone is kept ("": the reader is not)."""

    question: Question | None = None
    alone: str = ""

    @property
    def name(self) -> str:
        return self.question.name if self.question else ""


def prepare(
    words: Words | None = None,
    right: Sequence[int] = (),
    *,
    measured: Sequence[float] = (),
    name: str = "",
    variant: str = "",
    always: bool = False,
) -> Asked:
    """The question of the page, for `show`; nothing is drawn. Where this window leads a room, the room has it now.

    words: the question, its options, and what who chose each of them thought, of a lesson in any language; None: what the
    page shows now has no question.
    right: numbers of the options, from 0. measured: where lines are drawn instead, what they end at. name: by which a room
    knows the question; it is asked once in a room. variant: a reader alone is asked once for each. always: ask everybody,
    for the question is the page.
    """
    room, page, own = classroom.membership(), address.current_state().page, None
    is_wanted = bool(words) and bool(always or address.value(page_options.PREDICT))
    if words and (room.code or is_wanted):
        wordings = dict[str, Wording]()
        for language in languages.LANGUAGES if room.code else (languages.current(),):
            text, options, reasons = words(load(page, language))
            wordings[language] = Wording(text, tuple(options), tuple(reasons))
        own = Question(name, page, address.shown(), wordings, tuple(right), tuple(measured))
    asked = Asked(own, f"{name} {variant}" if is_wanted else "")
    st.session_state.update({_HAS_ASKED: True, _LAST: asked})
    with suppress(ValueError):  # the room has just ended
        if room.leads and own:
            classroom.ROOMS.ask(room.code, reader.owner(), own)
        elif room.leads and not _is_of_this_page(classroom.ROOMS.question(room.code)):
            classroom.ROOMS.put_away(room.code, reader.owner())
    return asked


def show(asked: Asked, *, veils: bool = False) -> bool:
    """Draw the question, or what was answered and what is right; in a room again and again. Returns whether the answer is
    still to come.

    veils: the page shows more once it is answered, so it runs again then.
    """
    room = classroom.membership()
    if not (room.code or asked.alone):
        return False
    is_open = _is_open(asked, room)
    teachers = WALL_LOOKS if room.leads else TEACHER_LOOKS
    every = teachers if room.is_teacher else MEMBER_LOOKS if room.code else None
    with st.session_state.get(_PLACE) or nullcontext():
        st.fragment(_look, run_every=every)(asked, room, _made_for(asked, room) if veils else None)
    return is_open


def ask_lines(name: str, *, alone: bool = True) -> Drawing | None:
    """Ask for the lines of ALiBi and RoPE beyond L, to be drawn in a picture of the page; None: nobody asks.

    alone: ask also a reader who is in no room.
    """
    room = classroom.membership()
    if not (room.code or alone):
        return None
    asked = prepare(_draw_words, measured=drawing.measured(), name=name)
    show(asked, veils=True)
    if question := classroom.ROOMS.question(room.code, name) if room.code else None:
        return _drawing(question, is_teacher=room.is_teacher)
    mine, is_open = _answers().get(_drawn(asked), ()), asked.alone not in _answers()
    return drawing.message([], mine, is_open=is_open) if asked.alone else None


def _draw_words(text: Lesson) -> tuple[str, Sequence[str], Sequence[str]]:
    return load("shared", text.language).entry("predict", "draw"), (), ()


def _drawn(asked: Asked) -> str:
    """By what the lines of a reader alone are kept."""
    return f"{asked.alone} drawn"


def _drawing(question: Question, *, is_teacher: bool = False) -> Drawing:
    """The lines of a room, as this reader may see them; those of the class after “Votes” on the wall alone."""
    is_shown = question.shown if is_teacher else question.is_revealed
    answers = question.counted if is_shown else ()
    return drawing.message(answers, question.votes.get(reader.owner(), ()), is_open=not question.is_revealed)


def hand_in(drawn: object) -> None:
    """Callback: what was drawn in answer to the question of this page, or of the room."""
    room, asked = classroom.membership(), _last()
    question = classroom.ROOMS.question(room.code) if room.code and not room.is_teacher else None
    if question and question.measured:
        return _vote(room.code, question.number, drawn)
    if asked.question:
        with suppress(ValueError):
            _answers()[_drawn(asked)] = asked.question.checked(drawn)


def _last() -> Asked:
    last: Asked = st.session_state.get(_LAST, Asked())
    return last


def begin() -> None:
    """At the beginning of a page, below its lead: a member has the question there on every page."""
    st.session_state[_HAS_ASKED] = False
    st.session_state[_PLACE] = st.container() if classroom.membership().code else None


def end() -> None:
    """At the end of a page that asks nothing: what the wall does not show is not asked; a class looks on."""
    if st.session_state.get(_HAS_ASKED):
        return
    if (room := classroom.membership()).leads:
        with suppress(ValueError):  # it has just ended
            classroom.ROOMS.put_away(room.code, reader.owner())
    if st.session_state.get(_PLACE) and address.current_state().page != classroom.PLANS:
        show(Asked())


def reveal() -> None:
    """Callback: show the answer to the question of this page, also before a run has come to it. In a room its teacher does
    that alone."""
    room, asked = classroom.membership(), _last()
    if room.is_teacher:
        question = classroom.ROOMS.question(room.code, asked.name if room.leads else "")
        if question and _is_of_this_page(question):
            classroom.ROOMS.reveal(room.code, reader.owner(), question.name)
    elif asked.alone and not room.code and _is_of_this_page(asked.question):
        _answers().setdefault(asked.alone, "")


def _is_of_this_page(question: Question | None) -> bool:
    return question is not None and question.page == address.current_state().page


def _takes_place(question: Question | None, own: Question | None) -> bool:
    """Whether the room's question stands in place of the page's own."""
    if question is None or not _is_of_this_page(question):
        return False
    return not question.is_revealed or own is None or own.name == question.name


def _is_open(asked: Asked, room: classroom.Membership) -> bool:
    """Whether the page has to wait with what answers its question."""
    if room.is_teacher:
        question = classroom.ROOMS.question(room.code, asked.name)
        return question is not None and not question.is_revealed
    if room.code:
        now = classroom.ROOMS.question(room.code)
        if now and not now.is_revealed and _is_of_this_page(now):
            return True
        if asked.name and (earlier := classroom.ROOMS.question(room.code, asked.name)) and earlier.is_revealed:
            return False
    return bool(asked.alone) and asked.alone not in _answers()


def _made_for(asked: Asked, room: classroom.Membership) -> tuple[object, ...]:
    """What a page depends on that draws less while its question is open; and one on which lines are drawn."""
    question = classroom.ROOMS.question(room.code) if room.code else None
    lines = (question.number, room.is_teacher and question.shown) if question and question.measured else ()
    return _is_open(asked, room), *lines


def _look(asked: Asked, room_then: classroom.Membership, made_for: tuple[object, ...] | None) -> None:
    """A fragment. room_then, made_for: what the rest of the page has been made for (None: for anything)."""
    room = classroom.membership()
    if room != room_then or made_for not in (None, _made_for(asked, room)):
        st.rerun()
    if room.is_teacher:
        _show_teacher(room, asked.question)
        return
    question = classroom.ROOMS.question(room.code) if room.code else None
    if room.code:
        _lead_to_teacher(room.code)
    if question:
        _show_member(room.code, question, asked.question)
    if asked.question and asked.alone and not _takes_place(question, asked.question):
        _show_alone(asked.question, asked)


def _show_alone(own: Question, asked: Asked) -> None:
    """A reader answers, and sees at once what is right."""
    wording, chosen = own.wordings[languages.current()], _answers().get(asked.alone)
    # style.css hides what would answer an open question.
    with st.container(key="question_open" if chosen is None else "question", gap="small"):
        if chosen is not None:
            number = wording.options.index(chosen) if chosen in wording.options else None
            st.markdown(_verdict(_answers().get(_drawn(asked), number), wording, own))
            return
        st.markdown(wording.text)
        with st.container(horizontal=True, gap="small"):
            for number, option in enumerate(wording.options):
                st.button(option, f"question_{own.name}_{number}", on_click=_answer, args=(asked.alone, option))
            skip = load("shared").label("skip")
            st.button(skip, "question_skip", type="tertiary", on_click=_answer, args=(asked.alone, ""))


def _lead_to_teacher(code: str) -> None:
    """One line that leads to what the teacher's screen shows, unless this page shows that."""
    place = classroom.ROOMS.place(code)
    if place is None or (place.page == address.current_state().page and address.is_at(place.query)):
        return
    with st.container(key="question_teacher"):
        label = load("shared").entry("room", "here", page=load(place.page).label("page"))
        navigation.link(place.page, label, dict(place.query))


def _show_member(code: str, question: Question, own: Question | None) -> None:
    """The room's question. Which part of the page waits for the answer is told by the name of the box (style.css)."""
    wording, chosen = question.wordings[languages.current()], question.votes.get(reader.owner())
    is_here = own is not None and own.asks_the_same(question)
    is_screen, place = page_options.presenting(), "question_elsewhere"
    if _takes_place(question, own):
        place = "question" if question.is_revealed else "question_open" if is_here else "question_away"
    with st.container(key=place, gap="small"):
        if question.is_revealed:
            verdict = _verdict(chosen, wording, question)
            st.markdown(verdict if is_here else f"{wording.text}\n\n{verdict}")
        elif is_screen:
            st.markdown("\n".join([wording.text, "", *(f"- {option}" for option in wording.options)]))
        else:
            st.markdown(wording.text)
            with st.container(horizontal=True, gap="small"):
                for number, option in enumerate(wording.options):
                    kind: Any = "primary" if number == chosen else "secondary"
                    look = {"type": kind, "disabled": bool(question.shown)}
                    key, vote = f"question_{question.name}_{number}", (code, question.number, number)
                    st.button(option, key, on_click=_vote, args=vote, **look)
            if says := _waits(question, chosen):
                st.caption(load("shared").entry("predict", says, _chosen(chosen, wording)))
        if not is_here and question.measured:
            chart = drawing.chart(_drawing(question), f"drawing_{question.number}")
            story(chart, drawn=(lambda _: None) if is_screen else partial(_vote, code, question.number))
        teacher = classroom.ROOMS.place(code)
        is_there = teacher and teacher.page == question.page and question.query.items() <= teacher.query.items()
        if not (is_here or is_there):
            label = load("shared").entry("room", "picture", page=load(question.page).label("page"))
            navigation.link(question.page, label, dict(question.query))


def _show_teacher(room: classroom.Membership, own: Question | None) -> None:
    """The room's question of this page, as it was asked; and a way to ask it for the picture that the page shows now."""
    words, code = load("shared"), room.code
    question = classroom.ROOMS.question(code, own.name if own and room.leads else "")
    if not room.leads:
        _show_follower(code)
    if question is None or not (room.leads or _is_of_this_page(question)):
        return
    wording = question.wordings[languages.current()]
    with st.container(key="question" if question.is_revealed else "question_open", gap="small"):
        st.markdown(wording.text)
        if question.shown:
            _show_votes(question, wording)
        elif wording.options:
            st.markdown("\n".join(f"- {option}" for option in wording.options))
        other = own if own and not own.asks_the_same(question) else None
        if question.uncounted:
            facts = {"count": len(question.uncounted), "most": RUSH}
            st.markdown(words.entry("room", "uncounted", facts))
            count_all = partial(classroom.ROOMS.count_all, code, reader.owner())
            st.button(words.entry("room", "count"), key="room_count", on_click=count_all)
        if question.is_revealed and not other:
            return
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            if not question.is_revealed:
                st.markdown(classroom.answered(code, question), width="content")
                st.button(words.entry("room", "reveal"), key="room_reveal", type="primary", on_click=reveal)
            if other:
                anew = partial(
                    classroom.ROOMS.ask, code, reader.owner(), other, anew=True
                )  # the votes before it are gone
                st.button(words.entry("room", "anew"), key="room_anew", on_click=anew)


def _show_votes(question: Question, wording: Wording) -> None:
    """How the votes fell, those of a second round beside the first; with the answer, what is right, and the reasons."""
    words, every = load("shared"), question.rounds
    if question.measured:
        known = ("class", "measured") if question.is_revealed else ("median", "none_drawn")
        lines = [words.entry("predict", known[not lines], drawing.ends(question, *lines)) for lines in every]
        st.markdown(
            "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1)) if len(lines) > 1 else lines[0]
        )
        return
    reasons = wording.reasons if question.is_revealed else ()
    with st.container(key="question_counts", horizontal=True, gap="small"):
        for number, option in enumerate(wording.options):
            is_right = question.is_revealed and number in question.right
            counts = [votes[number] for votes in question.counts]
            named = ("✓ " if is_right else "") + escape_markdown(option)
            text = joined((named, " → ".join(map(str, counts))), "colon")
            with st.container(key=f"question_{'right' if is_right else 'wrong'}_{number}", gap=None):
                for at, (count, answers) in enumerate(zip(counts, every, strict=True)):
                    st.progress(count / max(len(answers), 1), text=None if at else text)
                if reasons:
                    st.caption(reasons[number])
    notes = {"rounds": len(every) > 1, "luck": question.is_revealed and len(wording.options) == 2}
    if said := [words.entry("predict", name) for name, holds in notes.items() if holds]:
        st.caption("  \n".join(said))


def desk(code: str) -> None:
    """On the console: what the room is asked, what the wall shows of it, and what the teacher does with it."""
    words, question = load("shared"), classroom.ROOMS.question(code)
    if question is None:
        return
    wording, teacher = question.wordings[languages.current()], (code, reader.owner())
    shows = partial(classroom.steer, classroom.ROOMS.reveal, *teacher, question.name)
    again = partial(classroom.steer, classroom.ROOMS.ask_again, *teacher, question.number)
    with st.container(key="question_desk", gap="small"):
        st.markdown(wording.text)
        if question.shown:
            _show_votes(question, wording)
        st.markdown(classroom.answered(code, question))
        if question.is_revealed:
            return
        with st.container(horizontal=True, gap="small"):
            label, shown = ("hide", "") if question.shown else ("votes", "votes")
            st.button(words.entry("room", label), key="desk_votes", on_click=shows, args=(shown,))
            st.button(words.entry("room", "answer"), key="desk_answer", type="primary", on_click=shows)
            if question.before is None:
                st.button(words.entry("room", "again"), key="desk_again", on_click=again)


def _show_follower(code: str) -> None:
    """In a window of the teacher that does not lead: where the class is, and a way to lead it from here."""
    words, place = load("shared"), classroom.ROOMS.place(code)
    with st.container(key="question_teacher", horizontal=True, gap="small", vertical_alignment="center"):
        page = load(place.page).label("page") if place else ""
        st.markdown(words.entry("room", "elsewhere", page=page), width="content")
        st.button(words.entry("room", "lead"), key="room_lead", on_click=classroom.lead)


def _answers() -> dict[str, Any]:
    return st.session_state.setdefault(_ANSWERS, {})


def _answer(key: str, option: str) -> None:
    """Callback: the reader's answer, or "" to see the right one."""
    _answers()[key] = option


def _vote(code: str, number: int, answer: object) -> None:
    """Callback: a member's answer goes to the room; one that comes too late is not counted."""
    classroom.ROOMS.vote(code, reader.owner(), number, answer)


def _waits(question: Question, chosen: Answer | None) -> str:
    """What a member is told whose question is open, by the name of its sentence; empty: nothing."""
    if question.shown:
        return "shown"
    if chosen is None:
        return "second" if question.before is not None else ""
    return "waiting" if isinstance(chosen, int) else "drawn"


def _chosen(answer: Answer | None, wording: Wording) -> dict[str, str]:
    return {"chosen": wording.options[answer] if isinstance(answer, int) else ""}


def _verdict(answer: Answer | None, wording: Wording, question: Question) -> str:
    """What the reader chose or drew, what the live numbers say, and what who chose so thought. An answer to other options
    counts as none."""
    if question.measured:
        known = "yours" if isinstance(answer, tuple) else "measured"
        return load("shared").entry("predict", known, drawing.ends(question, answer))
    kind = "skipped" if answer is None else "right" if answer in question.right else "wrong"
    right = joined(wording.options[number] for number in question.right)
    said = [load("shared").entry("predict", kind, _chosen(answer, wording) | {"right": right})]
    if isinstance(answer, int) and wording.reasons:
        said.append(wording.reasons[answer])
    if len(wording.options) == 2:
        said.append(load("shared").entry("predict", "luck"))
    return "\n\n".join(said)

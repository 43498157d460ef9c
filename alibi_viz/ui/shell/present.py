"""The theme; and while presenting, the keys of a lecture, with a hint that names them, once."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from alibi_viz.classroom.rooms import Place
from alibi_viz.lessons import load
from alibi_viz.ui import address, classroom, question
from alibi_viz.ui.components.keys import keys
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.streamlit_patches import theme

STEP = "step"  # the control of a lesson that has steps: they come before the next lesson
_HINTED = "_keys_hinted"  # the page on which the hint was shown: there it fades, and it does not come again
_NEXT = "_next_place"  # what a key has asked for: a lesson, and its query


def show() -> None:
    """Once a run of a page: its theme, and where the class goes on; while presenting, the keys, and the hint."""
    theme.apply(address.value(page_options.THEME))
    if place := classroom.called() or st.session_state.pop(_NEXT, None):
        st.switch_page(navigation.page_of(place.page), query_params=dict(place.query))
    if not page_options.presenting():
        return
    keys(ACTS)
    page = address.current_state().page
    if st.session_state.setdefault(_HINTED, page) == page:
        # The story has its tools at the lower edge. A key of its own, so that the hint begins where it stays.
        with st.container(key="keys_hint_above" if page == "story" else "keys_hint"):
            st.caption(load("shared").label("keys"))


def close() -> None:
    """At the end of a run: it is known what the page asks, and its address."""
    question.end()
    classroom.tell_place()
    if page_options.presenting() and classroom.has_poster():
        classroom.poster()


def turn() -> None:
    """Callback: the other theme."""
    address.write({page_options.THEME.key: "light" if page_options.is_dark() else "dark"}, is_step=False)


def _turn_poster() -> None:
    classroom.put_up(not classroom.has_poster())


def _leave() -> None:
    """What lies over the page goes first, then the presentation ends."""
    if classroom.has_poster():
        classroom.put_up(False)
    else:
        address.write({page_options.PRESENT.key: False}, is_step=False)


def _turn(by: int) -> None:
    """The next step of the plan, or the one before; without a plan that of the lesson, and beyond them the lesson beside
    it."""
    if classroom.turn_plan(by):
        return
    step = address.current_state().reads.get(STEP)
    number = address.value(step.param) + by if step else 0
    if step and step.param.low <= number <= step.param.high:
        address.write({STEP: number})
    elif lesson := navigation.following(address.current_state().page, by):
        st.session_state[_NEXT] = Place(lesson, {})


#: The keys of a presentation, and what each does.
ACTS: dict[str, Callable[[], None]] = {
    "T": turn,
    "J": _turn_poster,
    "R": question.reveal,
    "N": partial(_turn, 1),
    "P": partial(_turn, -1),
    "Escape": _leave,
}

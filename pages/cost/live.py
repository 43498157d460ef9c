"""“Measure here”: the same measurement on the reader's device, a few calls in every run of a fragment.

Notable choices:
- No thread: the measurement is an iterator in the reader's session. A run of the fragment takes calls for SLICE seconds and
  shows what there is. So Cancel waits for one call at most, and a closed tab simply stops.
- FlexAttention is compiled in a process of its own: a compiler would hold up every reader of the server.
- One reader of a server measures at a time (`cost.turns`); the others see their place.
"""

import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import streamlit as st

from alibi_viz.cost import apart, shipped
from alibi_viz.cost.cases import LENGTHS, Pass
from alibi_viz.cost.plan import TimingPlan, compared
from alibi_viz.cost.timing import CallTimes
from alibi_viz.cost.turns import Turns
from alibi_viz.device import pick
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from alibi_viz.ui.controls import rerun, state, widgets
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.once import once
from pages.cost import charts, controls
from pages.cost.facts import Here, Machine, machine_of, names_of
from pages.cost.study import measured_ratios

SLICE, EVERY = 0.4, 0.6  # seconds
_RUN, _READER = "_cost_run", "_cost_reader"


@dataclass
class TimedRun:
    """A measurement that is going on, or ended."""

    what: str
    kind: str
    steps: Iterator[float]
    measured: CallTimes
    machine: Machine
    share: float = 0.0
    active: bool = True
    problem: str = ""


@once
def turns() -> Turns:
    return Turns()


def reader() -> str:
    return str(st.session_state.setdefault(_READER, secrets.token_hex(8)))


def start() -> None:
    """Callback: begin a measurement of what the controls say."""
    what, kind, longest = (state.read(p) for p in (controls.OWN_WHAT, controls.OWN_PASS, controls.OWN_LONGEST))
    planned, measured = plan(what, kind, int(longest)), CallTimes()
    steps = (apart.steps if what == "flex" else TimingPlan.steps)(planned, measured)
    machine = machine_of(shipped.machine(planned.device, planned.dtype))
    st.session_state[_RUN] = TimedRun(what, kind, steps, measured, machine)
    rerun.request()


def plan(what: str, kind: Pass, longest: int) -> TimingPlan:
    """What is measured on this device. FlexAttention is compiled anew for each length, so there are two."""
    device = pick().name if pick().name == "cuda" else "cpu"
    lengths = tuple(n for n in LENGTHS if n <= longest)
    return compared(what, lengths[-2:] if what == "flex" else lengths, kind, device)


def stop() -> None:
    """Callback: keep what has been measured, and let the next reader go on."""
    if run := st.session_state.get(_RUN):
        run.active = False
    turns().leave(reader())
    rerun.request()


def show(lesson: Lesson) -> None:
    """The controls, the buttons, and what has been measured so far."""
    page.prose(lesson, "here", Here())
    widgets.row(lesson, controls.OWN_WHAT, controls.OWN_PASS, controls.OWN_LONGEST)
    run: TimedRun | None = st.session_state.get(_RUN)
    st.fragment(partial(_live, lesson), run_every=EVERY if run and run.active else None)()


def _live(lesson: Lesson) -> None:
    run: TimedRun | None = st.session_state.get(_RUN)
    active = bool(run and run.active)
    with st.container(horizontal=True, gap="small"):
        st.button(lesson.label("start"), key="cost_start", on_click=start, type="primary", disabled=active)
        st.button(lesson.label("stop"), key="cost_stop", on_click=stop, disabled=not active)
    if run is None:
        return
    if run.active:
        _advance(lesson, run)
    _results(lesson, run)
    if active and not run.active:
        rerun.request()


def _advance(lesson: Lesson, run: TimedRun) -> None:
    """Take some calls, if it is this reader's turn."""
    try:
        before = turns().ask(reader())
    except ValueError as problem:
        run.active, run.problem = False, str(problem)
        return
    if before:
        st.info(lesson.label("queue", before=before), icon=":material/hourglass_empty:")
        return
    until = time.monotonic() + SLICE
    while time.monotonic() < until:
        share = next(run.steps, None)
        if share is None:
            run.active = False
            turns().leave(reader())
            return
        run.share = share
    st.progress(run.share, lesson.label("progress", share=run.share))


def _results(lesson: Lesson, run: TimedRun) -> None:
    """What has been measured so far, and what was left out."""
    names = names_of(lesson)
    if run.problem:
        st.warning(escape_markdown(run.problem))
    if found := measured_ratios(run.measured, run.what):
        labels = lesson.entries("chart")
        st.caption(lesson.label("machine", run.machine))
        chart = charts.times(found, names, labels, dark=page.dark(), height=380)
        page.chart(chart, key="cost_own", alt=lesson.label("alt_own"), name="alibi-cost-here")
    for reason in dict.fromkeys(run.measured.left_out.values()):
        who = {names[name] for (name, _), said in run.measured.left_out.items() if said == reason}
        st.caption(lesson.label("left_out", names=", ".join(sorted(who)), reason=escape_markdown(reason)))

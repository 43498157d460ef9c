"""What does ALiBi cost? Bytes that are computed, times that were measured, and a measurement on the reader's device."""

from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.attention import near
from alibi_viz.cost import cases, shipped, timing
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.format import format_bytes
from pages.cost import charts, controls, live
from pages.cost.facts import Facts, Memory, facts_of, machine_of, names_of
from pages.cost.study import paper_table, ratios, shipped_times, sizes


def measured_on(lesson: Lesson) -> None:
    """The machine of the shipped measurement."""
    st.caption(lesson.label("machine", machine_of(shipped.load()["machine"])))


@st.fragment
def cost_stage(lesson: Lesson) -> Facts:
    """The picture and its controls; returns what the sentences say of them."""
    place = layout.stage(lesson, controls.show, controls.TRY, measured_on)
    chosen = controls.read()
    found = sizes(chosen.heads, chosen.tokens)
    facts = facts_of(chosen, found)
    place.comment(lesson, "note" if chosen.show == "size" else "note.time", facts)
    with place.picture:
        labels = lesson.entries("chart")
        if chosen.show == "size":
            chart, alt = charts.sizes(found, chosen.tokens, labels, dark=page.dark()), "alt"
        else:
            table = ratios(shipped_times(chosen.kind), chosen.what)
            chart, alt = charts.times(table, names_of(lesson), labels, dark=page.dark()), "alt_time"
        page.chart(chart, key="cost_picture", alt=lesson.label(alt, facts), name="alibi-cost")
    return facts


def memory(lesson: Lesson) -> None:
    """What one call adds to a process, measured."""
    data, labels, names = shipped.load(), lesson.entries("columns"), names_of(lesson)
    page.prose(lesson, "memory", Memory(data["memory_tokens"]))
    rows = [(names[name], format_bytes(max(size, 0))) for name, size in data["memory"].items()]
    st.dataframe(pd.DataFrame(rows, columns=[labels["name"], labels["memory"]]), hide_index=True)


def paper(lesson: Lesson) -> None:
    """The paper's Table 1."""
    page.prose(lesson, "paper")
    table = pd.DataFrame(paper_table()).rename(columns=lesson.entries("columns"))
    st.dataframe(table, hide_index=True, height="content")
    page.prose(lesson, "paper.footnote")


def table(lesson: Lesson) -> None:
    """All times of the shipped measurement, to read and to download."""
    chosen, labels, names = controls.read(), lesson.entries("columns"), names_of(lesson)
    rows = [
        {labels["name"]: names[name], labels["n"]: n}
        | {labels[part]: 1000 * getattr(spread, part) for part in ("median", "low", "high")}
        for name, at in shipped_times(chosen.kind).items()
        for n, spread in at.items()
    ]
    measured_on(lesson)
    st.dataframe(pd.DataFrame(rows), hide_index=True, height=400)
    for name, (tokens, reason) in shipped.load()["left_out"][chosen.kind].items():
        st.caption(lesson.label("left_out_from", names=names[name], tokens=tokens, reason=reason))
    page.download_csv(lambda: pd.DataFrame(rows), name="alibi-cost.csv", key="cost_csv")
    memory(lesson)


def show(lesson: Lesson) -> None:
    facts = cost_stage(lesson)
    page.what_you_see(lesson, "seen", facts)
    page.prose(lesson, "seen_time", facts)
    page.formula(lesson)
    closer = {name: partial(draw, lesson) for name, draw in (("here", live.show), ("paper", paper))}
    closer["table"] = partial(table, lesson)
    code = (timing.measure, near.near_keys, near.near_attention, cases.inputs)
    layout.below(lesson, controls.OPEN, closer, *code)


show(page.begin("cost", controls.PARAMS))

"""What does ALiBi cost? Bytes that are computed, times that were measured, and a measurement on the reader's device."""

from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.attention import near
from alibi_viz.cost import cases, shipped, timing
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page, predict
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import rerun
from alibi_viz.ui.format import format_bytes, format_number
from pages.cost import charts, controls, live
from pages.cost.study import Controls, Sizes, longest_common, paper_table, ratios, shipped_times, sizes


def facts(chosen: Controls, found: Sizes) -> dict[str, object]:
    """What the sentences say."""
    numbers: dict[str, object] = {name: format_bytes(size) for name, size in found.here.items()}
    data = shipped.load()
    table = ratios(shipped_times("forward"), "ways")
    training = ratios(shipped_times("backward"), "ways")
    at = longest_common(table, "alibi", "built", "cached")
    at_training = longest_common(training, "alibi", "built")
    numbers |= {f"time_{name}": format_number(table[name][at].median) for name in ("alibi", "built", "cached")}
    numbers |= {f"training_{name}": format_number(training[name][at_training].median) for name in ("alibi", "built")}
    numbers |= {"at": at, "at_training": at_training, "error": format_number(data["errors"]["fused"], 2)}
    numbers |= {
        "error_tokens": data["error_tokens"],
        "rows_share": format_number(found.here["cache"] / found.here["row"]),
    }
    return numbers | data["machine"] | {"heads": chosen.heads, "tokens": chosen.tokens}


@rerun.fragment
def stage(lesson: Lesson) -> dict[str, object]:
    """The picture and its controls; returns the numbers of the sentences."""
    picture, asked, side = layout.stage()
    with side:
        controls.show(lesson)
        layout.more(lesson, controls.TRY, lambda: st.caption(lesson.label("machine", **shipped.load()["machine"])))
    chosen = controls.read()
    found = sizes(chosen.heads, chosen.tokens)
    told = facts(chosen, found)
    asks = question(lesson, chosen, found) if chosen.show == "size" else None
    with asked:
        predict.ask(asks)
    with side:
        layout.note(lesson, "note" if chosen.show == "size" else "note.time", **told)
    with picture:
        labels = lesson.entries("chart")
        if chosen.show == "size":
            chart, alt = charts.sizes(found, chosen.tokens, labels, dark=page.dark()), "alt"
        else:
            table = ratios(shipped_times(chosen.kind), chosen.what)
            chart, alt = charts.times(table, lesson.entries("names"), labels, dark=page.dark()), "alt_time"
        page.chart(chart, key="cost_picture", alt=lesson.label(alt, **told), name="alibi-cost", asks=asks)
    return told


def question(lesson: Lesson, chosen: Controls, found: Sizes) -> predict.Question:
    """How large is the full tensor?"""
    right = found.here["tensor"]
    options = [format_bytes(size) for size in (right / 2**20, right / 2**10, right, right * 2**10)]
    numbers: dict[str, object] = {"heads": chosen.heads, "tokens": chosen.tokens}
    return predict.Question(lesson, options, [2], numbers, hidden=(lesson.entry("chart", "tensor"),))


def memory(lesson: Lesson) -> None:
    """What one call adds to a process, measured."""
    data, labels = shipped.load(), lesson.entries("columns")
    page.prose(lesson, "memory", tokens=data["memory_tokens"])
    rows = [(lesson.entry("names", name), format_bytes(max(size, 0))) for name, size in data["memory"].items()]
    st.dataframe(pd.DataFrame(rows, columns=[labels["name"], labels["memory"]]), hide_index=True)


def paper(lesson: Lesson) -> None:
    """The paper's Table 1."""
    page.prose(lesson, "paper")
    table = pd.DataFrame(paper_table()).rename(columns=lesson.entries("columns"))
    st.dataframe(table, hide_index=True, height="content")
    page.prose(lesson, "paper.footnote")


def table(lesson: Lesson) -> None:
    """All times of the shipped measurement, to read and to download."""
    chosen, labels = controls.read(), lesson.entries("columns")
    rows = [
        {labels["name"]: lesson.entry("names", name), labels["n"]: n}
        | {labels[part]: 1000 * getattr(spread, part) for part in ("median", "low", "high")}
        for name, at in shipped_times(chosen.kind).items()
        for n, spread in at.items()
    ]
    st.caption(lesson.label("machine", **shipped.load()["machine"]))
    st.dataframe(pd.DataFrame(rows), hide_index=True, height=400)
    for name, (tokens, reason) in shipped.load()["left_out"][chosen.kind].items():
        st.caption(lesson.label("left_out_from", names=lesson.entry("names", name), tokens=tokens, reason=reason))
    page.download_csv(lambda: pd.DataFrame(rows), name="alibi-cost.csv", key="cost_csv")
    memory(lesson)


def show(lesson: Lesson) -> None:
    told = stage(lesson)
    page.what_you_see(lesson, **told)
    page.prose(lesson, "seen_time", **told)
    page.formula(lesson)
    closer = {name: partial(draw, lesson) for name, draw in (("here", live.show), ("paper", paper))}
    closer["table"] = partial(table, lesson)
    closer["code"] = partial(page.code, timing.measure, near.near_keys, near.near_attention, cases.inputs)
    layout.sections(lesson, controls.OPEN, closer)
    layout.next_lesson(lesson)
    page.sources(lesson)


show(page.begin("cost", controls.PARAMS))

"""Lab: T5's bias. The staircase of buckets, and what training never touches."""

from __future__ import annotations

import streamlit as st

from alibi_viz.charts import lab as charts
from alibi_viz.lessons import Lesson
from alibi_viz.positions.t5 import T5Bias, relative_position_bucket
from alibi_viz.ui import page
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.params import Param
from pages.lab_t5 import study as study

TRAINED = Param("t5_trained", "int", 64, low=1, high=2048)
BUCKETS = Param("buckets", "int", 32, low=2, high=128)
FARTHEST = Param("max_distance", "int", 128, low=2, high=2048)
TWO_SIDED = Param("two_sided", "flag", False)
SHOWN = Param("t5_shown", "int", 256, low=8, high=2048)
HEAD = Param("t5_head", "int", 1, low=1, high=study.HEADS)
SEED = Param("seed", "int", 0, low=0, high=9_999)
PARAMS = (TRAINED, BUCKETS, FARTHEST, TWO_SIDED, SHOWN, HEAD, SEED)
PLAIN = {param.key: param.default for param in PARAMS}
TRY: page.Presets = {
    "short": PLAIN,
    "enough": PLAIN | {"t5_trained": 128},
    "fit": PLAIN | {"max_distance": 32},
    "encoder": PLAIN | {"two_sided": True},
    "few": PLAIN | {"buckets": 8},
}


def read_controls(lesson: Lesson) -> study.Controls:
    """The controls, checked. Buckets for both directions need at least four."""
    with st.container(border=True):
        left, right = st.columns(2, gap="large")
        with left:
            trained = int(widgets.drag(TRAINED, lesson, log=True))
            buckets = int(widgets.drag(BUCKETS, lesson))
        with right:
            farthest = int(widgets.drag(FARTHEST, lesson, log=True))
            shown = int(widgets.drag(SHOWN, lesson, log=True))
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            two_sided = widgets.flag(TWO_SIDED, lesson)
            numbers = []
            for param in (HEAD, SEED):
                with st.container(width=150):
                    numbers.append(int(widgets.number(param, lesson)))
    head, seed = numbers
    return study.Controls(buckets, farthest, two_sided, trained, shown, head, seed)


def show(lesson: Lesson) -> None:
    page.try_this(lesson, TRY)
    chosen = read_controls(lesson)
    try:
        result = study.study(chosen)
    except ValueError as problem:
        page.problem(problem)
        return
    words, touched = lesson.entries("chart"), result.touched[result.buckets]
    for key, values, axis in (("stairs", result.buckets, "bucket"), ("bias", result.bias, "bias")):
        title = lesson.label(key, head=chosen.head)
        page.heading(title)
        figure = charts.by_bucket(
            result.distances, values, touched, words, words[axis], dark=page.dark(), length=chosen.trained
        )
        page.chart(figure, key=f"t5_{key}", alt=title, name=f"t5-{key}")
    header = [words["distance"], words["bucket"], words["bias"]]
    rows = list(zip(result.distances.tolist(), result.buckets.tolist(), result.bias.tolist(), strict=True))
    page.download(lambda: page.csv_text(header, rows), name="t5-buckets.csv", key="t5_csv")
    lost = result.untrained
    listed = ", ".join(str(bucket) for bucket in lost[:12]) + (" …" if len(lost) > 12 else "")
    numbers = {"trained": f"{chosen.trained:,}", "farthest": f"{chosen.farthest:,}", "buckets": chosen.buckets}
    if lost:
        page.what_you_see(lesson, "seen.lost", **numbers, count=len(lost), listed=listed)
    else:
        page.what_you_see(lesson, "seen.all", **numbers)
    page.prose(lesson, "fresh")
    if chosen.bidirectional:
        page.prose(lesson, "two_sided")
    alone = chosen.buckets // (4 if chosen.bidirectional else 2)
    side = chosen.buckets // 2 if chosen.bidirectional else chosen.buckets
    page.formula(lesson, *lesson.text("latex", alone=alone, side=side, farthest=chosen.farthest).split("\n"))
    page.code(relative_position_bucket, T5Bias)
    page.sources(lesson)


lesson = page.begin("lab_t5", PARAMS)
show(lesson)

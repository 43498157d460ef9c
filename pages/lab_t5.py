"""Lab: T5's bias. The staircase of buckets, and what training never touches."""

from __future__ import annotations

import streamlit as st

from alibi_viz.figures import lab as charts
from alibi_viz.lessons import Lesson
from alibi_viz.positions.t5 import T5Bias, relative_position_bucket
from alibi_viz.studies import lab_t5 as study
from alibi_viz.ui import controls, page, texts
from alibi_viz.ui.params import Param

TRAINED = Param("t5_trained", "int", 64, low=1, high=2048)
BUCKETS = Param("buckets", "int", 32, low=2, high=128)
FARTHEST = Param("max_distance", "int", 128, low=2, high=2048)
TWO_SIDED = Param("two_sided", "flag", False)
SHOWN = Param("t5_shown", "int", 256, low=8, high=2048)
HEAD = Param("t5_head", "int", 1, low=1, high=study.HEADS)
SEED = Param("seed", "int", 0, low=0, high=9_999)
PARAMS = (TRAINED, BUCKETS, FARTHEST, TWO_SIDED, SHOWN, HEAD, SEED)
PLAIN = {param.key: param.default for param in PARAMS}
TRY: page.Settings = {
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
            trained = int(controls.drag(TRAINED, lesson, log=True))
            buckets = int(controls.drag(BUCKETS, lesson))
        with right:
            farthest = int(controls.drag(FARTHEST, lesson, log=True))
            shown = int(controls.drag(SHOWN, lesson, log=True))
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            two_sided = controls.flag(TWO_SIDED, lesson)
            numbers = []
            for param in (HEAD, SEED):
                with st.container(width=150):
                    numbers.append(int(controls.number(param, lesson)))
    head, seed = numbers
    return study.Controls(buckets, farthest, two_sided, trained, shown, head, seed)


def show(lesson: Lesson) -> None:
    page.tries(lesson, TRY)
    chosen = read_controls(lesson)
    try:
        result = study.study(chosen)
    except ValueError as problem:
        st.warning(texts.plain(str(problem)), icon=":material/edit:")
        return
    words, touched = lesson.entries("chart"), result.touched[result.buckets]
    for key, values, axis in (("stairs", result.buckets, "bucket"), ("bias", result.bias, "bias")):
        title = lesson.label(key, head=chosen.head)
        st.subheader(title, anchor=False)
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
        page.seen(lesson, "seen.lost", **numbers, count=len(lost), listed=listed)
    else:
        page.seen(lesson, "seen.all", **numbers)
    page.prose(lesson, "fresh")
    if chosen.bidirectional:
        page.prose(lesson, "two_sided")
    alone = chosen.buckets // (4 if chosen.bidirectional else 2)
    side = chosen.buckets // 2 if chosen.bidirectional else chosen.buckets
    page.formula(lesson, *lesson.text("latex", alone=alone, side=side, farthest=chosen.farthest).split("\n"))
    page.code(relative_position_bucket, T5Bias)
    page.sources(lesson)


lesson = page.start("lab_t5", PARAMS)
show(lesson)

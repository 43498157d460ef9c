"""Lab: T5's bias. The staircase of buckets, and what training never uses."""

import pandas as pd

from alibi_viz.lessons import Lesson
from alibi_viz.positions.t5 import T5Bias, relative_position_bucket
from alibi_viz.ui import page
from pages.lab_t5 import charts, controls
from pages.lab_t5.study import study


def show(lesson: Lesson) -> None:
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    result = page.attempt(lambda: study(controls.read()))
    if result is None:
        return
    labels, chosen = lesson.entries("chart"), result.controls
    for key, values, axis in (("stairs", result.buckets, "bucket"), ("bias", result.bias, "bias")):
        title = lesson.label(key, head=chosen.head)
        page.heading(title)
        figure = charts.by_bucket(result, values, labels, labels[axis], dark=page.dark())
        page.chart(figure, key=f"t5_{key}", alt=title, name=f"t5-{key}")
    columns = {"distance": result.distances, "bucket": result.buckets, "bias": result.bias}
    table = pd.DataFrame(columns).rename(columns=labels)
    page.download_csv(lambda: table, name="t5-buckets.csv", key="t5_csv")
    untrained = result.untrained
    listed = ", ".join(map(str, untrained[:12])) + (" …" if len(untrained) > 12 else "")
    section = "seen.untrained" if untrained else "seen.all"
    numbers = vars(chosen) | {"last_start": result.last_start, "needed": result.last_start + 1}
    page.what_you_see(lesson, section, **numbers, count=len(untrained), listed=listed)
    page.prose(lesson, "last_bucket", **numbers)
    page.prose(lesson, "initialization")
    if chosen.bidirectional:
        page.prose(lesson, "two_sided")
    side = chosen.buckets // 2 if chosen.bidirectional else chosen.buckets  # buckets for the past
    page.formula(lesson, side=side, exact=side // 2, max_distance=chosen.max_distance)
    page.code(relative_position_bucket, T5Bias)
    page.sources(lesson)


show(page.begin("lab_t5", controls.PARAMS))

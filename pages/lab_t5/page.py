"""T5's bias: the staircase of buckets, and what training never uses."""

from functools import partial

import pandas as pd

from alibi_viz.lessons import Lesson
from alibi_viz.positions.t5 import T5Bias, relative_position_bucket
from alibi_viz.ui import page, predict
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import rerun, widgets
from alibi_viz.ui.format import format_number
from pages.lab_t5 import charts, controls
from pages.lab_t5.study import Result, study


@rerun.fragment
def stage(lesson: Lesson) -> Result | None:
    """The staircase, and the slider of the training length. None where there is nothing to show."""
    picture, asked, side = layout.stage()
    with side:
        widgets.drag(controls.TRAIN_LENGTH, lesson)
        layout.more(lesson, controls.TRY, partial(controls.show, lesson))
    result = page.attempt(lambda: study(controls.read()))
    if result:
        facts = numbers(result)
        asks = question(lesson, result)
        with asked:
            predict.ask(asks)
        with side:
            layout.note(lesson, "note.untrained" if result.untrained else "note.all", **facts)
        with picture:
            labels = lesson.entries("chart")
            figure = charts.by_bucket(result, result.buckets, labels, labels["bucket"], dark=page.dark())
            page.chart(figure, key="t5_stairs", alt=lesson.label("alt", **facts), name="t5-stairs", asks=asks)
    return result


def question(lesson: Lesson, result: Result) -> predict.Question | None:
    """Which bias does a key get that is farther than any of training? None where the picture has no such key."""
    length = result.controls.train_length
    if result.asked < length:
        return None
    names = ("trained", "untrained", "none")
    right = "trained" if result.trained[result.buckets[result.distances == result.asked][0]] else "untrained"
    numbers = {"train_length": length, "distance": result.asked}
    options = [lesson.entry("options", name) for name in names]
    return predict.Question(lesson, options, [names.index(right)], numbers, begins=length - 1)


def numbers(result: Result) -> dict[str, object]:
    """What the sentences of the page say."""
    untrained = result.untrained
    listed = ", ".join(map(str, untrained[:12])) + (" …" if len(untrained) > 12 else "")
    found = {"last_start": result.last_start, "needed": result.last_start + 1, "count": len(untrained)}
    return vars(result.controls) | found | {"listed": listed}


def bias(lesson: Lesson, result: Result) -> None:
    """The bias that the buckets give, in one head; and the table of both."""
    page.prose(lesson, "initialization")
    widgets.row(lesson, controls.HEAD, controls.SEED)
    labels = lesson.entries("chart")
    ends = {"low": format_number(float(result.bias.min())), "high": format_number(float(result.bias.max()))}
    alt = lesson.label("alt_bias", head=result.controls.head, **ends)
    figure = charts.by_bucket(result, result.bias, labels, labels["bias"], dark=page.dark(), height=320)
    page.chart(figure, key="t5_bias", alt=alt, name="t5-bias")
    columns = {"distance": result.distances, "bucket": result.buckets, "bias": result.bias}
    table = pd.DataFrame(columns).rename(columns=labels)
    page.download_csv(lambda: table, name="t5-buckets.csv", key="t5_csv")


def show(lesson: Lesson) -> None:
    result = stage(lesson)
    if result is None:
        return
    chosen, facts = result.controls, numbers(result)
    page.what_you_see(lesson, "seen.untrained" if result.untrained else "seen.all", **facts)
    page.prose(lesson, "last_bucket", **facts)
    if chosen.bidirectional:
        page.prose(lesson, "two_sided")
    side = chosen.buckets // 2 if chosen.bidirectional else chosen.buckets  # buckets for the past
    page.formula(lesson, side=side, exact=side // 2, max_distance=chosen.max_distance)
    closer = {"bias": partial(bias, lesson, result), "code": partial(page.code, relative_position_bucket, T5Bias)}
    layout.sections(lesson, controls.OPEN, closer)
    layout.next_lesson(lesson)
    page.sources(lesson)


show(page.begin("lab_t5", controls.PARAMS))

"""T5's buckets: those that training never reached, in these runs and with T5's own largest distance."""

from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from pages.why import charts, study
from pages.why.facts import tables_of
from pages.why.study import T5_MAX_DISTANCE, T5_TRAIN_LENGTH, TRAIN_LENGTH, Result


def show(lesson: Lesson, result: Result) -> None:
    """T5's buckets in these runs and with T5's own largest distance: trained, never trained, never used."""
    tested = result.controls.window
    of_ours = study.buckets(TRAIN_LENGTH, study.t5_max_distance(TRAIN_LENGTH), tested)
    invented = study.buckets(T5_TRAIN_LENGTH, T5_MAX_DISTANCE, tested)
    cases = {lesson.label("row_shipped", of_ours): of_ours, lesson.label("row_t5", invented): invented}
    labels, name = lesson.entries("chart"), f"t5-buckets-{tested}"
    figure = charts.bucket_strips(cases, labels, dark=page.dark())
    lost = len(invented.untrained)
    alt = lesson.label("alt_buckets", tested=tested, untrained=len(of_ours.untrained), lost=lost)
    page.chart(figure, key="ext_buckets", alt=alt, name=name)
    rows = [
        {"run": run, "bucket": range(len(case.state)), "state": [labels[state] for state in case.state]}
        | {"nearest": case.nearest, "share": case.share}
        for run, case in cases.items()
    ]
    page.download_rows(lesson, rows, name=name, key="ext_buckets_csv")
    page.prose(lesson, "buckets", tables_of(lesson, tested, of_ours, invented))

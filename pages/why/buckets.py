"""T5's buckets: those that training never reached, in these runs and with T5's own largest distance."""

from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from pages.why import charts, study
from pages.why.study import T5_MAX_DISTANCE, T5_TRAIN_LENGTH, TRAIN_LENGTH, Result


def show(lesson: Lesson, result: Result) -> None:
    """T5's buckets in these runs and with T5's own largest distance: trained, never trained, never used."""
    tested = result.controls.window
    of_ours = study.buckets(TRAIN_LENGTH, study.t5_max_distance(TRAIN_LENGTH), tested)
    invented = study.buckets(T5_TRAIN_LENGTH, T5_MAX_DISTANCE, tested)
    cases = {lesson.label("row_shipped", **vars(of_ours)): of_ours, lesson.label("row_t5", **vars(invented)): invented}
    labels, name = lesson.entries("chart"), f"t5-buckets-{tested}"
    figure = charts.bucket_strips(cases, labels, dark=page.dark())
    lost = {"untrained": len(of_ours.untrained), "lost": len(invented.untrained)}
    page.chart(figure, key="ext_buckets", alt=lesson.label("alt_buckets", tested=tested, **lost), name=name)
    rows = [
        {"run": run, "bucket": range(len(case.state)), "state": [labels[state] for state in case.state]}
        | {"nearest": case.nearest, "share": case.share}
        for run, case in cases.items()
    ]
    page.download_rows(lesson, rows, name=name, key="ext_buckets_csv")
    numbers = vars(of_ours) | {
        "count": len(of_ours.state),
        "tested": tested,
        "in_training": study.buckets(TRAIN_LENGTH, of_ours.max_distance, TRAIN_LENGTH).share[-1],
        "in_test": of_ours.share[-1],
        "t5_max_distance": T5_MAX_DISTANCE,
        "t5_last_start": invented.last_start,
        "t5_length": T5_TRAIN_LENGTH,
        "untrained": len(invented.untrained),
        "listed": ", ".join(str(bucket) for bucket in invented.untrained),
        "untrained_share": invented.share[invented.untrained].sum(),
    }
    these_runs = lesson.text("buckets.here" if tested > TRAIN_LENGTH else "buckets.here_short", **numbers)
    page.prose(lesson, "buckets", these_runs=these_runs, **numbers)

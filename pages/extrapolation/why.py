"""The lesson's second part, “where the break comes from”: loss by position, trained heads, T5's buckets."""

import streamlit as st

from alibi_viz import measured, trained
from alibi_viz.charts.lines import Line
from alibi_viz.lessons import Lesson
from alibi_viz.lm.corpus import python_docs
from alibi_viz.pretrained import SEEDS
from alibi_viz.ui import page
from alibi_viz.ui.components.matrix_view import Colours, Panel
from alibi_viz.ui.controls import rerun, widgets
from alibi_viz.ui.controls.content import TRAINED_MODEL
from alibi_viz.ui.controls.method_pills import TITLES, titles
from alibi_viz.ui.controls.params import strip_control_characters
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.side_by_side import side_by_side
from pages.extrapolation import causes, charts, controls
from pages.extrapolation.pair import chart_labels
from pages.extrapolation.study import TRAIN_LENGTH, Controls

READ = 320  # bytes of the held-out text, if the reader gives none
SIDE_BY_SIDE = 4
NEAREST = 16  # bytes, the query's own among them
WEIGHTS = Colours("weight", (0.0, 1.0), "sqrt")
T5_MAX_DISTANCE, T5_TRAIN_LENGTH = 128, 64  # T5's own, and an invented training that is too short for it
Readings = dict[str, trained.Reading]  # method -> what one head of its model does with the text


def positions(lesson: Lesson, chosen: Controls) -> None:
    """Loss against the position in a window of the chosen length."""
    page.heading(lesson.label("positions"))
    widgets.choice(controls.WINDOW, lesson)
    length, block = chosen.window, causes.block_size(chosen.window)
    by_method = {method: causes.by_position(measured.shipped(), method, length) for method in chosen.shipped}
    losses = [loss for loss in by_method.values() if loss is not None]
    page.prose(lesson, "positions", seeds=len(SEEDS), length=length)
    st.caption(lesson.text("positions.block" if block > 1 else "positions.single", block=block))
    if losses:
        lines = [Line(loss.method, TITLES[loss.method], loss.position, loss.loss) for loss in losses]
        labels, lengths = chart_labels(lesson, TRAIN_LENGTH), {"length": length, "train_length": TRAIN_LENGTH}
        figure, name = charts.positions(lines, labels, dark=page.dark(), **lengths), f"loss-by-position-{length}"
        page.chart(figure, key="ext_places", alt=lesson.label("positions"), name=name)
        rows = [{"method": line.name, "position": line.x, "loss": line.y} for line in lines]
        page.download_rows(lesson, rows, name=name, key="ext_places_csv")
        if length <= TRAIN_LENGTH:
            page.prose(lesson, "positions.short")
        else:
            each = "\n".join(f"- {_course(lesson, loss)}" for loss in losses)
            page.prose(lesson, "positions.courses", each=each, change=causes.CHANGE, half=TRAIN_LENGTH // 2)
    if missing := titles(method for method, loss in by_method.items() if loss is None):
        st.caption(lesson.text("positions.missing", names=missing))


def _course(lesson: Lesson, loss: causes.PositionLoss) -> str:
    """What the loss of one method does at L and after it."""
    numbers = {"name": TITLES[loss.method], "times": (loss.rise or 0) / TRAIN_LENGTH, **vars(loss)}
    return lesson.text(f"positions.{loss.course}", **numbers)


def attention(lesson: Lesson, chosen: Controls) -> None:
    """The trained weights of one head of up to four methods, on one text longer than L."""
    page.heading(lesson.label("attention"))
    page.prose(lesson, "attention", seed=SEEDS[0])
    text = _text(lesson, chosen.text)
    widgets.choice(controls.LAYER, lesson)
    _heads(lesson, chosen.shipped, text, chosen.layer)


def _text(lesson: Lesson, own: bytes) -> bytes:
    """The reader's text, or the beginning of the held-out one, in at most MOST_READ bytes."""
    widgets.text(controls.TEXT, lesson, height=80)
    if len(own) > controls.MOST_READ:
        st.caption(lesson.text("cut", given=len(own), most=controls.MOST_READ))
    if not own.strip():
        st.caption(lesson.text("default_text", count=READ))
        return strip_control_characters(python_docs().held_out[:READ].decode(errors="ignore")).encode()
    if len(own) <= TRAIN_LENGTH:
        st.caption(lesson.text("short", count=len(own), train_length=TRAIN_LENGTH))
    return own[: controls.MOST_READ]


@st.fragment
def _heads(lesson: Lesson, methods: tuple[str, ...], text: bytes, layer: int) -> None:
    """The head's slider, and what follows it."""
    (head,) = widgets.row(lesson, controls.HEAD)
    readings, problems = read_heads(methods, text, layer, head)
    if readings:
        panels = [Panel(TITLES[key], reading.stages.weights, WEIGHTS, key=key) for key, reading in readings.items()]
        name = f"trained-layer-{layer}-head-{head}"
        side_by_side(lesson, panels, trained.labels(text), TRAIN_LENGTH, key="ext_matrices", filename=name)
        _say_numbers(lesson, readings, beyond=len(text) > TRAIN_LENGTH)
        # The same text, layer and head on the Attention page, and the strength as trained: not one of an earlier visit.
        same = {"content": TRAINED_MODEL, "passage": text.decode(errors="ignore"), "strength": "1"}
        st.caption(lesson.label("stages"))
        with st.container(horizontal=True, gap="small"):
            for method in readings:
                query = {**same, "layer": str(layer), "head": str(head), "model": method}
                navigation.link("attention", TITLES[method], query)
    for method, problem in problems.items():
        st.caption(lesson.text("refused", name=TITLES[method], problem=escape_markdown(problem)))
    rerun.if_requested()


def read_heads(methods: tuple[str, ...], text: bytes, layer: int, head: int) -> tuple[Readings, dict[str, str]]:
    """The first four methods that can read the text, and the sentences of those that cannot."""
    readings: Readings = {}
    problems: dict[str, str] = {}
    for method in methods:
        if len(readings) == SIDE_BY_SIDE:
            break
        loaded = trained.load(method)
        try:
            if loaded is None:
                raise ValueError(f"There is no trained model {method!r}.")
            readings[method] = trained.read(loaded, text, layer, head)
        except ValueError as problem:
            problems[method] = str(problem)
    return readings, problems


def _say_numbers(lesson: Lesson, readings: Readings, beyond: bool) -> None:
    """Loss and weight on the nearest bytes, within L and (if the text goes on so far) beyond it."""
    losses, shares = [], []
    for method, reading in readings.items():
        within, outside = ("–" if loss is None else f"{loss:.2f}" for loss in (reading.inside, reading.beyond))
        losses.append(f"{TITLES[method]} {within}" + (f" → {outside}" if beyond else ""))
        if beyond:
            near, far = causes.near_share(reading.stages.weights, NEAREST, TRAIN_LENGTH)
            shares.append(f"{TITLES[method]} {near:.0%} → {far:.0%}")
    page.prose(lesson, "attention.loss" if beyond else "attention.loss_inside", losses=", ".join(losses))
    if beyond:
        lengths = {"half": TRAIN_LENGTH // 2, "length": TRAIN_LENGTH, "nearest": NEAREST}
        page.prose(lesson, "attention.near", shares=", ".join(shares), **lengths)


def buckets(lesson: Lesson, tested: int) -> None:
    """T5's buckets in these runs and with T5's own largest distance: trained, never trained, never used."""
    page.heading(lesson.label("buckets"))
    of_ours = causes.buckets(TRAIN_LENGTH, causes.t5_max_distance(TRAIN_LENGTH), tested)
    invented = causes.buckets(T5_TRAIN_LENGTH, T5_MAX_DISTANCE, tested)
    cases = {lesson.label("row_shipped", **vars(of_ours)): of_ours, lesson.label("row_t5", **vars(invented)): invented}
    labels, name = lesson.entries("chart"), f"t5-buckets-{tested}"
    figure = charts.bucket_strips(cases, labels, dark=page.dark())
    page.chart(figure, key="ext_buckets", alt=lesson.label("buckets"), name=name)
    rows = [
        {"run": run, "bucket": range(len(case.state)), "state": [labels[state] for state in case.state]}
        | {"nearest": case.nearest, "share": case.share}
        for run, case in cases.items()
    ]
    page.download_rows(lesson, rows, name=name, key="ext_buckets_csv")
    numbers = vars(of_ours) | {
        "count": len(of_ours.state),
        "tested": tested,
        "in_training": causes.buckets(TRAIN_LENGTH, of_ours.max_distance, TRAIN_LENGTH).share[-1],
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

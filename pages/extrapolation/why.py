"""The Extrapolation page's second part, “where the break comes from”: loss by place, trained heads, T5's buckets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from alibi_viz import measured, trained
from alibi_viz.lessons import Lesson
from alibi_viz.lm.corpus import python_docs
from alibi_viz.pretrained import METHODS, SEEDS
from alibi_viz.ui import page
from alibi_viz.ui.components.matrix_view import Panel
from alibi_viz.ui.controls import rerun, widgets
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.controls.params import Param, strip_control_characters
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.side_by_side import side_by_side
from pages.attention.study import hatched
from pages.attention.trained import CONTENT
from pages.extrapolation import charts as charts
from pages.extrapolation import study as study
from pages.extrapolation.result import chart_words, seeds, trained_at

MOST_READ, READ = 512, 320  # bytes of a text on the screen: at most, and of the held-out text if the reader gives none
SIDE_BY_SIDE = 4
NEAREST = 16  # bytes, the query's own among them
T5_FARTHEST, T5_TRAINED = 128, 64  # T5's own largest distance, and an invented training that is too short for it

WINDOW = Param("ext_window", "choice", "512", choices=("128", "256", "512", "1024", "2048"))
READING = Param("ext_read", "text", "", longest=MOST_READ)
LAYER = Param("ext_layer", "choice", "2", choices=("1", "2"))
HEAD = Param("ext_head", "int", 4, low=1, high=8)
PARAMS = (WINDOW, READING, LAYER, HEAD)


def places(lesson: Lesson, methods: Sequence[str]) -> int:
    """Loss against the place in the window. Returns the window that the reader chose."""
    page.heading(lesson.label("places"))
    length = int(widgets.choice(WINDOW, lesson))
    found = {m: study.by_position(measured.shipped(), m, length) for m in METHODS if m in methods}
    shown = [one for one in found.values() if one is not None]
    block = study.block_size(length)
    smooth = lesson.text("places.block", block=block) if block > 1 else lesson.text("places.single")
    page.prose(lesson, "places", seeds=len(seeds()), length=f"{length:,}", smooth=smooth)
    if shown:
        lines = [charts.Line(one.method, TITLES[one.method], one.place, one.loss, one.loss, one.loss) for one in shown]
        words = chart_words(lesson, trained_at())
        figure = charts.places(lines, words, dark=page.dark(), length=length, trained=trained_at())
        page.chart(figure, key="ext_places", alt=lesson.label("places"), name=f"loss-by-place-{length}")
        page.download(lambda: _places_csv(lesson, lines), name=f"loss-by-place-{length}.csv", key="ext_places_csv")
        with st.container(width=page.READING):
            st.markdown(_told(lesson, shown, length))
    missing = [TITLES[method] for method, one in found.items() if one is None]
    if missing:
        st.caption(lesson.text("places.missing", names=", ".join(missing)))
    return length


def _told(lesson: Lesson, shown: Sequence[study.Places], length: int) -> str:
    """One sentence a method: what its loss does at L and after it."""
    if length <= trained_at():
        return lesson.text("places.short")
    sentences = []
    for one in shown:
        key = f"places.{study.course(one)}"
        numbers = {"before": f"{one.before:.2f}", "after": f"{one.after:.2f}", "last": f"{one.last:.2f}"}
        if one.rise:
            numbers |= {"rise": f"{one.rise:,}", "times": f"{one.rise / trained_at():.1f}"}
        sentences.append("- " + lesson.text(key, name=TITLES[one.method], **numbers))
    return "\n".join([*sentences, "", lesson.text("places.change", change=study.CHANGE, half=trained_at() // 2)])


def _places_csv(lesson: Lesson, lines: Sequence[charts.Line]) -> str:
    header = [lesson.entry("columns", key) for key in ("method", "place", "loss")]
    rows = ([one.name, float(x), float(y)] for one in lines for x, y in zip(one.x, one.y, strict=True))
    return page.csv_text(header, rows)


def attention(lesson: Lesson, methods: Sequence[str]) -> None:
    """The trained weights of one head of up to four methods, on one text longer than L."""
    page.heading(lesson.label("attention"))
    page.prose(lesson, "attention", seed=SEEDS[0])
    text = _text(lesson)
    layer = int(widgets.choice(LAYER, lesson))
    _heads(lesson, tuple(method for method in METHODS if method in methods), text, layer)


@st.fragment
def _heads(lesson: Lesson, methods: tuple[str, ...], text: bytes, layer: int) -> None:
    """The head's slider, and what follows it."""
    with st.container(width=420):
        head = int(widgets.drag(HEAD, lesson))
    found, problems = traces(methods, text, layer, head)
    if found:
        _matrices(lesson, found, text, layer, head)
        with st.container(width=page.READING):
            st.markdown(_losses(lesson, found))
            if len(text) > trained_at():
                st.markdown(_near(lesson, found))
        _links(lesson, found, text, layer, head)
    for name, problem in problems.items():
        st.caption(lesson.text("refused", name=TITLES[name], problem=escape_markdown(problem)))
    rerun.if_requested()


def _links(lesson: Lesson, methods: Iterable[str], text: bytes, layer: int, head: int) -> None:
    """The same text, layer and head on the Attention page, one link a method."""
    same = {"content": CONTENT, "passage": text.decode(errors="ignore"), "layer": str(layer), "head": str(head)}
    same |= {"strength": "1"}  # as trained; else a strength of an earlier visit would be used
    st.caption(lesson.label("stages"))
    with st.container(horizontal=True, gap="small"):
        for method in methods:
            navigation.link("attention", TITLES[method], {**same, "model": method})


def _text(lesson: Lesson) -> bytes:
    """The reader's text, or the beginning of the held-out one, in at most 512 bytes."""
    given = widgets.text(READING, lesson, height=80).encode()
    if len(given) > MOST_READ:
        st.caption(lesson.text("cut", given=f"{len(given):,}", most=MOST_READ))
    if not given.strip():
        st.caption(lesson.text("default_text", count=READ))
    elif len(given) <= trained_at():
        st.caption(lesson.text("short", count=len(given), trained=trained_at()))
    return (
        given[:MOST_READ]
        if given.strip()
        else strip_control_characters(python_docs().held_out[:READ].decode(errors="ignore")).encode()
    )


def traces(
    methods: tuple[str, ...], text: bytes, layer: int, head: int
) -> tuple[dict[str, trained.Traced], dict[str, str]]:
    """The first four methods that can read the text, and the sentences of those that cannot."""
    found: dict[str, trained.Traced] = {}
    problems: dict[str, str] = {}
    for method in methods:
        if len(found) == SIDE_BY_SIDE:
            break
        try:
            found[method] = trained.trace(method, text, layer, head)
        except (LookupError, ValueError) as problem:
            problems[method] = str(problem)
    return found, problems


def _matrices(lesson: Lesson, found: Mapping[str, trained.Traced], text: bytes, layer: int, head: int) -> None:
    panels = []
    for method, one in found.items():
        weights = hatched(one.weights[0], one.masked[0])
        panels.append(Panel(TITLES[method], weights, "weight", (0.0, 1.0), key=method, scale="sqrt"))
    name = f"trained-layer-{layer}-head-{head}"
    side_by_side(lesson, panels, trained.labels(text), trained_at(), key="ext_matrices", filename=name)


def _losses(lesson: Lesson, found: Mapping[str, trained.Traced]) -> str:
    """Mean loss inside and beyond L, one method after the other."""
    parts = []
    for method, one in found.items():
        inside, beyond = trained.inside_beyond(one.losses, trained_at())
        numbers = {"name": TITLES[method], "inside": "–" if inside is None else f"{inside:.2f}"}
        if beyond is None:
            parts.append(lesson.text("attention.inside", **numbers))
        else:
            parts.append(lesson.text("attention.both", **numbers, beyond=f"{beyond:.2f}"))
    return lesson.text("attention.loss", losses=", ".join(parts))


def _near(lesson: Lesson, found: Mapping[str, trained.Traced]) -> str:
    """Weight on the nearest bytes, of queries inside L and beyond it."""
    length = trained_at()
    parts = []
    for method, one in found.items():
        inside, beyond = study.near_share(one.weights[0], NEAREST, length)
        parts.append(
            lesson.text(
                "attention.share", name=TITLES[method], inside=f"{100 * inside:.0f}", beyond=f"{100 * beyond:.0f}"
            )
        )
    return lesson.text("attention.near", nearest=NEAREST, half=length // 2, length=length, shares=", ".join(parts))


def buckets(lesson: Lesson, tested: int) -> None:
    """T5's buckets in these runs and with T5's own largest distance: trained, never trained, never used."""
    page.heading(lesson.label("buckets"))
    length = trained_at()
    cases = (
        ("row_shipped", study.buckets(length, study.t5_farthest(length), tested)),
        ("row_t5", study.buckets(T5_TRAINED, T5_FARTHEST, tested)),
    )
    rows = [(lesson.label(key, trained=one.trained, farthest=one.farthest), one) for key, one in cases]
    drawn = [name.replace(": ", ":<br>").replace(", ", ",<br>") for name, _ in rows]  # short lines, for phones
    figure = charts.bucket_strips(
        [
            (name, {"state": one.state, "nearest": one.nearest, "share": one.share})
            for name, (_, one) in zip(drawn, rows, strict=True)
        ],
        lesson.entries("chart"),
        dark=page.dark(),
    )
    page.chart(figure, key="ext_buckets", alt=lesson.label("buckets"), name=f"t5-buckets-{tested}")
    page.download(lambda: _buckets_csv(lesson, rows), name=f"t5-buckets-{tested}.csv", key="ext_buckets_csv")
    here, far = (one for _, one in rows)
    page.prose(
        lesson,
        "buckets",
        count=len(here.state),
        farthest=here.farthest,
        trained=here.trained,
        tested=f"{tested:,}",
        fine=_lost(lesson, here, tested),
        t5_farthest=far.farthest,
        t5_trained=far.trained,
        lost=_lost(lesson, far, tested),
    )
    if not len(study.buckets(length, T5_FARTHEST, tested).lost):
        page.prose(lesson, "buckets.only", length=length, farthest=T5_FARTHEST)


def _lost(lesson: Lesson, found: study.Buckets, tested: int) -> str:
    if not len(found.lost):
        if tested <= found.trained:
            return lesson.text("buckets.none_short")
        now, then = (
            100 * one.share[-1] for one in (found, study.buckets(found.trained, found.farthest, found.trained))
        )
        return lesson.text("buckets.none", length=found.trained, then=f"{then:.0f}", now=f"{now:.0f}")
    listed = ", ".join(str(bucket) for bucket in found.lost)
    share = 100 * found.share[found.lost].sum()
    return lesson.text("buckets.lost", count=len(found.lost), listed=listed, share=f"{share:.0f}")


def _buckets_csv(lesson: Lesson, rows: Sequence[tuple[str, study.Buckets]]) -> str:
    words, states = lesson.entries("columns"), [lesson.entry("chart", key) for key in ("touched", "lost", "unused")]
    header = [words[key] for key in ("run", "bucket", "state", "nearest", "share")]
    return page.csv_text(
        header,
        (
            [name, bucket, states[one.state[bucket]], int(one.nearest[bucket]), float(one.share[bucket])]
            for name, one in rows
            for bucket in range(len(one.state))
        ),
    )

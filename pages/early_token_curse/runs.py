"""The Early token curse page's runs under both protocols: shipped, own, and as published.

Notable choices:
- The two protocols stand in two columns with the same axes; on a phone the second comes below the first.
- Every sentence about a run is put together from its numbers: who is better, flat or worse is computed, never written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import streamlit as st

from alibi_viz import measured
from alibi_viz.lessons import Lesson
from alibi_viz.measured import Curve
from alibi_viz.ui import page
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.params import Param
from pages.early_token_curse import charts as charts
from pages.early_token_curse import study as study
from pages.early_token_curse.charts import Line
from pages.early_token_curse.sections import OWN_MOST, TITLES, header, listed, percent, run_name

SCALE = Param("curse_scale", "choice", "near", choices=("near", "all"))
OWN = Param("curse_own", "flag", True)
PAPER = Param("curse_paper", "choice", "L512", choices=tuple(f"L{length}" for length in study.PAPER_LENGTHS))
PARAMS = (SCALE, OWN, PAPER)


def curves(lesson: Lesson) -> None:
    """Shipped and own runs under both protocols, on the same axes."""
    page.heading(lesson.label("measured"))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        near = widgets.choice(SCALE, lesson) == "near"
        with_own = widgets.flag(OWN, lesson)
    shipped = study.both(measured.shipped())
    own = study.both(measured.own())[:OWN_MOST] if with_own else ()
    drawn = {
        "nonoverlapping": [one.nonoverlapping for one in (*shipped, *own)],
        "sliding": [one.sliding for one in (*shipped, *own) if one.sliding],
    }
    everything = [curve for curves in drawn.values() for curve in curves if len(curve.lengths)]
    ends, words = _ends(everything, near), lesson.entries("chart")
    for column, (protocol, curves) in zip(st.columns(2, gap="medium"), drawn.items(), strict=True):
        with column:
            st.markdown(f"**{lesson.label(protocol)}**")
            figure = charts.curves(
                [_line(lesson, curve) for curve in curves],
                words,
                title=words["perplexity"],
                ends=ends,
                lengths=np.concatenate([curve.lengths for curve in everything]),
                trained=shipped[0].config.length,
                dark=page.dark(),
            )
            page.chart(figure, key=f"curves_{protocol}", alt=lesson.label(protocol), name=f"perplexity-{protocol}")
    above = [curve.config.method for curve in drawn["nonoverlapping"] if _above(curve, ends[1])]
    if above:
        st.caption(lesson.text("measured.above", names=listed(lesson, dict.fromkeys(above))))
    rows = [row for protocol, curves in drawn.items() for curve in curves for row in _rows(lesson, protocol, curve)]
    columns = header(lesson, "protocol", "method", "window", "perplexity", "low", "high")
    page.download(lambda: page.csv_text(columns, rows), name="perplexity-both-protocols.csv", key="curves_csv")
    page.prose(lesson, "measured", seeds=len(shipped[0].nonoverlapping.seeds))
    verdict(lesson, shipped)
    if with_own:
        page.prose(lesson, "measured.own_some" if own else "measured.own_none")


def _ends(drawn: Sequence[Curve], near: bool) -> tuple[float, float]:
    """Lowest and highest perplexity on both axes: all of it, or as far as a quarter above ALiBi."""
    low = min(curve.low.min() for curve in drawn)
    if near:
        alibi = next(curve for curve in drawn if curve.config.method == "alibi")
        return 0.97 * low, 1.25 * float(alibi.mean.max())
    return 0.93 * low, 1.1 * max(curve.high.max() for curve in drawn)


def _above(curve: Curve, top: float) -> bool:
    """Whether a curve is nowhere in the picture."""
    return bool(len(curve.mean) and curve.mean.min() > top)


def _line(lesson: Lesson, curve: Curve) -> Line:
    name, own = run_name(lesson, curve), curve.origin == "own"
    return Line(curve.config.method, name, curve.lengths, curve.mean, curve.low, curve.high, hollow=own, own=own)


def _rows(lesson: Lesson, protocol: str, curve: Curve) -> Iterable[tuple[object, ...]]:
    numbers = zip(curve.lengths.tolist(), curve.mean.tolist(), curve.low.tolist(), curve.high.tolist(), strict=True)
    return [(protocol, run_name(lesson, curve), *row) for row in numbers]


def verdict(lesson: Lesson, shipped: Sequence[study.Both]) -> None:
    """Who gets better, stays flat or gets worse under each protocol; and where the sliding window is no help at L."""
    first = shipped[0].nonoverlapping
    page.prose(
        lesson,
        "measured.verdict",
        trained=first.config.length,
        far=f"{int(first.lengths[-1]):,}",
        within=percent(study.WITHIN),
        plain=_changes(lesson, [one.nonoverlapping for one in shipped]),
        slide=_changes(lesson, [one.sliding for one in shipped if one.sliding]),
    )
    worse = [one.config.method for one in shipped if _no_help(one)]
    if worse:
        page.prose(lesson, "measured.reversed", names=listed(lesson, worse), within=percent(study.WITHIN))


def _changes(lesson: Lesson, curves: Sequence[Curve]) -> str:
    """The methods, grouped by what became of them beyond L."""
    groups = {
        word: [curve.config.method for curve in curves if study.changed(curve) == word]
        for word in ("better", "flat", "worse")
    }
    told = [
        lesson.entry("measured.groups", word, names=listed(lesson, names)) for word, names in groups.items() if names
    ]
    return "; ".join(told)


def _no_help(one: study.Both) -> bool:
    """Whether the sliding window is worse at L, and not only flat, although bytes then have more context."""
    plain, slide = one.nonoverlapping.at(one.config.length), one.sliding and one.sliding.at(one.config.length)
    return bool(plain and slide and study.word_of(slide / plain) == "worse")


def paper(lesson: Lesson) -> None:
    """The paper's tables for one training length, on an axis of their own."""
    page.heading(lesson.label("paper"))
    trained = int(widgets.choice(PAPER, lesson).removeprefix("L"))
    rows = study.paper(trained)
    words = lesson.entries("chart")
    lines = [
        Line(one.method, _paper_name(lesson, one), one.lengths, one.perplexity, hollow=not one.sliding) for one in rows
    ]
    close = [one.perplexity for one in rows if one.method != "sinusoidal"]
    figure = charts.curves(
        lines,
        words,
        title=words["perplexity_word"],
        ends=(0.97 * min(one.min() for one in close), 1.04 * max(one.max() for one in close)),
        lengths=rows[0].lengths,
        trained=None,
        dark=page.dark(),
    )
    page.chart(figure, key="paper", alt=lesson.label("paper"), name=f"published-L{trained}")
    told = [
        (_paper_name(lesson, one), one.table, n, p)
        for one in rows
        for n, p in zip(one.lengths.tolist(), one.perplexity.tolist(), strict=True)
    ]
    columns = header(lesson, "protocol", "table", "window", "perplexity_word")
    page.download(lambda: page.csv_text(columns, told), name=f"published-L{trained}.csv", key="paper_csv")
    numbers: dict[str, str] = {}
    for key, one in zip(("plain", "slide", "t5", "sin"), rows, strict=True):
        numbers |= {f"{key}_first": f"{one.perplexity[0]:.2f}", f"{key}_last": f"{one.perplexity[-1]:.2f}"}
    first, last = (f"{int(rows[0].lengths[at]):,}" for at in (0, -1))
    page.prose(lesson, "paper", trained=f"{trained:,}", first=first, last=last, **numbers)
    plain, slide, t5 = (one.ratio for one in rows[:3])
    page.prose(
        lesson, f"paper.{study.word_of(slide)}", last=last, plain=_change(plain), change=_change(slide), t5=_change(t5)
    )


def _change(ratio: float) -> str:
    """How far a perplexity went up or down."""
    return f"{100 * abs(ratio - 1):.1f}%"


def _paper_name(lesson: Lesson, one: study.Published) -> str:
    protocol = lesson.entry("protocols", "sliding" if one.sliding else "nonoverlapping")
    return lesson.label("paper_line", title=TITLES[one.method], protocol=protocol, table=one.table)


def explain_alibi(lesson: Lesson) -> None:
    """What the shipped runs of ALiBi gave under both protocols, short, trained and long."""
    pair = next(one for one in study.both(measured.shipped()) if one.config.method == "alibi" and one.sliding)
    plain, slide, trained = pair.nonoverlapping, pair.sliding, pair.config.length
    assert slide is not None
    short, far = int(plain.lengths[0]), int(plain.lengths[-1])
    told: dict[str, object] = {}
    for key, curve in (("plain", plain), ("slide", slide)):
        for word, length in (("short", short), ("trained", trained), ("far", far)):
            told[f"{key}_{word}"] = f"{curve.at(length):.2f}"
        told[f"{key}_word"] = lesson.entry("changes", study.changed(curve) or "flat", within=percent(study.WITHIN))
    page.prose(lesson, "seen_runs", trained=trained, short=short, far=f"{far:,}", seeds=len(plain.seeds), **told)
    if study.changed(plain) == "better" and study.changed(slide) == "flat":
        page.prose(lesson, "seen_why")

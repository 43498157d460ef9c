"""What the Extrapolation page says about the shipped runs. Every number comes from their curves and files."""

from __future__ import annotations

import math
from collections.abc import Mapping

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.studies import extrapolation as study
from alibi_viz.studies import measured
from alibi_viz.studies.measured import Curve
from alibi_viz.ui import page
from alibi_viz.ui.extrapolation_view import FAR, NEAR, Controls, seeds, trained_at, value_text
from alibi_viz.ui.method_pills import TITLES

Curves = Mapping[str, Curve]  # method -> its curve


def seen(lesson: Lesson, controls: Controls) -> None:
    """What the shipped runs gave, every number from their curves, whatever is shown on the chart."""
    found = {c.config.method: c for c in study.of_shipped(measured.shipped(), controls.protocol)}
    st.subheader(page.words().label("seen"), anchor=False)
    parts = [_best(lesson, found), _kept(lesson, found), _breaks(lesson, found)]
    parts += [lesson.text("seen.learned"), _spread(lesson, found), _paper(lesson, controls.paper)]
    with st.container(width=page.READING):
        for part in parts:
            st.markdown(part)
        st.markdown(_limit(lesson))
        st.page_link("pages/early_token_curse.py", label=lesson.label("curse"), icon=":material/first_page:")


def _best(lesson: Lesson, found: Curves) -> str:
    order = study.ranked(found.values())
    values = dict(order)
    numbers = {"alibi": value_text(values["alibi"]), "count": len(order)}
    if order[0][0] == "alibi":
        return lesson.text("seen.best_alibi", **numbers)
    place = [method for method, _ in order].index("alibi") + 1
    best, value = order[0]
    return lesson.text("seen.best", best=TITLES[best], value=value_text(value), place=place, **numbers)


def _within(found: Curves, times: int) -> str:
    ratios = {method: study.ratio_at(curve, times) for method, curve in found.items()}
    return study.titles(m for m, ratio in ratios.items() if ratio is not None and ratio <= 1 + study.WORSE)


def _kept(lesson: Lesson, found: Curves) -> str:
    return lesson.text(
        "seen.kept",
        kept=_within(found, FAR),
        near=NEAR,
        far=FAR,
        alibi_near=_ratio(found["alibi"], NEAR),
        alibi_far=_ratio(found["alibi"], FAR),
        near_list=_within(found, NEAR),
        far_list=_within(found, FAR),
    )


def _ratio(curve: Curve, times: float) -> str:
    ratio = study.ratio_at(curve, times)
    return "–" if ratio is None else f"{ratio:.2f}"


def _breaks(lesson: Lesson, found: Curves) -> str:
    places = study.breaks(found.values())
    order = sorted((b.at, method) for method, b in places.items() if b.at is not None)
    listed = ", ".join(lesson.text("seen.at", name=TITLES[method], at=f"{at:g}") for at, method in order)
    return lesson.text(
        "seen.breaks",
        breaks=listed,
        near=NEAR,
        far=FAR,
        t5_near=_ratio(found["t5"], NEAR),
        t5_far=_ratio(found["t5"], FAR),
        rope_two=_ratio(found["rope"], 2),
        rope_near=_ratio(found["rope"], NEAR),
    )


def _spread(lesson: Lesson, found: Curves) -> str:
    """The largest spread of the seeds, at L and far beyond."""
    at, name = _largest_spread(found, 1)
    far, far_name = _largest_spread(found, FAR)
    return lesson.text(
        "seen.spread",
        seeds=len(seeds()),
        spread=f"{100 * at:.0f}",
        spread_name=TITLES[name],
        far=FAR,
        far_spread=f"{100 * far:.0f}",
        far_name=TITLES[far_name],
    )


def _largest_spread(found: Curves, times: int) -> tuple[float, str]:
    spreads = {method: study.spread_at(curve, times) for method, curve in found.items()}
    return max((spread, method) for method, spread in spreads.items() if spread is not None)


def _paper(lesson: Lesson, trained: int) -> str:
    """The paper's order beside ours, and how far each ratio rises: nonoverlapping windows in both."""
    found = {c.config.method: c for c in study.of_shipped(measured.shipped(), "nonoverlapping")}
    ours, theirs = study.breaks(found.values()), study.paper_breaks(trained)
    order = ", ".join(
        lesson.text("seen.at", name=TITLES[method], at=f"{at:.1f}")
        for at, method in sorted((b.at, method) for method, b in theirs.items() if b.at is not None)
    )
    never = study.titles(method for method, b in theirs.items() if b.at is None)
    shared = [method for method in theirs if method in found]
    published = {method: study.paper_ratio(method, trained, FAR) for method in shared}
    here = {method: study.ratio_at(found[method], FAR) for method in shared}
    key = "seen.paper_same" if study.same_order(ours, theirs) else "seen.paper_other"
    ranked = sorted((one.y[one.x == trained][0], one.method) for one in study.paper(trained))
    told = lesson.text(
        key,
        trained=f"{trained:,}",
        order=order,
        never=never,
        far=FAR,
        paper_far=_ratios({method: pair[1] for method, pair in published.items() if pair}),
        ours_far=_ratios({method: ratio for method, ratio in here.items() if ratio}),
    )
    place = [method for _, method in ranked].index("alibi") + 1
    best = TITLES[ranked[0][1]]
    return f"{told} {lesson.text('seen.paper_best', best=best, place=place, count=len(ranked))}"


def _ratios(found: Mapping[str, float]) -> str:
    """Worst first."""
    pairs = sorted(((ratio, method) for method, ratio in found.items()), reverse=True)
    return ", ".join(f"{TITLES[method]} {ratio:.2f}" for ratio, method in pairs)


def _limit(lesson: Lesson) -> str:
    """ALiBi under both protocols, whichever is on the chart."""
    told: dict[str, str] = {}
    for protocol in measured.PROTOCOLS:
        curve = next(c for c in study.of_shipped(measured.shipped(), protocol) if c.config.method == "alibi")
        short = "plain" if protocol == "nonoverlapping" else "slide"
        told |= {
            f"{short}_at": value_text(curve.at(trained_at())),
            f"{short}_far": value_text(curve.at(FAR * trained_at())),
        }
    return lesson.text("seen.limit", far=FAR, **told)


def made(lesson: Lesson) -> None:
    """How the shipped runs were made, from their files."""
    found = study.made(measured.shipped())
    config = found.run.config
    with st.expander(lesson.label("made"), icon=":material/construction:"):
        st.markdown(
            lesson.text(
                "made",
                layers=config.layers,
                width=config.width,
                heads=config.heads,
                length=config.length,
                steps=f"{config.steps:,}",
                batch=config.batch,
                bytes=f"{config.tokens:,}",
                rate=f"{config.learning_rate:g}",
                seeds=", ".join(str(seed) for seed in found.seeds),
                text=found.text,
                held_out=f"{found.held_out:,}",
                methods=study.titles(found.methods),
                farthest=found.t5_farthest,
                shortest=f"{found.seconds[0]:.0f}",
                longest=f"{found.seconds[1]:.0f}",
                **{key: found.made_with[key] for key in ("torch", "python", "machine", "device", "threads")},
            )
        )


def formula(lesson: Lesson) -> None:
    """e^loss and the ratio, with ALiBi's numbers."""
    run = next(one for one in measured.shipped() if one.config.method == "alibi")
    point = run.at(trained_at())
    curve = next(c for c in study.of_shipped(measured.shipped(), "nonoverlapping") if c.config.method == "alibi")
    if point is None or point.perplexity is None:
        return
    page.formula(
        lesson,
        *lesson.text("latex").split("\n"),
        seed=run.config.seed,
        loss=f"{math.log(point.perplexity):.4f}",
        perplexity=f"{point.perplexity:.3f}",
        far=FAR,
        there=f"{curve.at(FAR * trained_at()):.3f}",
        base=f"{curve.at(trained_at()):.3f}",
        ratio=f"{study.ratio_at(curve, FAR):.3f}",
    )

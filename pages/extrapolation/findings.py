"""What the Extrapolation page says about the shipped runs. Every number comes from their curves and files."""

from __future__ import annotations

import math
from collections.abc import Mapping

import streamlit as st

from alibi_viz import measured
from alibi_viz.lessons import Lesson
from alibi_viz.measured import Curve
from alibi_viz.ui import page
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.shell import navigation
from pages.extrapolation import study as study
from pages.extrapolation.result import Controls, seeds, trained_at
from pages.extrapolation.table import FAR, NEAR, break_text, value_text

Curves = Mapping[str, Curve]  # method -> its curve


def terms(lesson: Lesson) -> None:
    """The words that the whole page uses, before they are used."""
    page.prose(lesson, "terms", length=trained_at(), seeds=len(seeds()))


def protocols(lesson: Lesson) -> None:
    """What the two kinds of windows are, with the windows that were read at L."""
    plain, slide = (study.pieces(measured.shipped(), protocol, trained_at()) for protocol in measured.PROTOCOLS)
    st.caption(
        lesson.text("protocols", length=trained_at(), plain=f"{plain[0]:,}", slide=f"{slide[0]:,}", stride=slide[1])
    )


def seen(lesson: Lesson, controls: Controls) -> None:
    """What the shipped runs gave, every number from their curves, whatever is shown on the chart."""
    found = {c.config.method: c for c in measured.curves(measured.shipped(), controls.protocol)}
    page.heading(lesson.label("seen"))
    parts = [_best(lesson, found), _kept(lesson, found), _breaks(lesson, found)]
    parts += [lesson.text("seen.learned"), _spread(lesson, found), _paper(lesson, controls.paper)]
    with st.container(width=page.READING):
        for part in parts:
            st.markdown(part)
        st.markdown(_limit(lesson))
        navigation.link("early_token_curse", lesson.label("curse"))


def _best(lesson: Lesson, found: Curves) -> str:
    order = measured.ranked(found.values())
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
    listed = ", ".join(lesson.entry("seen.order", "at", name=TITLES[method], at=f"{at:g}") for at, method in order)
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
    """The paper's order beside ours, under both protocols, and how far each ratio rises: nonoverlapping windows there."""
    told = []
    for protocol in measured.PROTOCOLS:
        found = measured.curves(measured.shipped(), protocol)
        told.append(_order(lesson, trained, protocol, study.breaks(found)))
    return "\n\n".join([*told, f"{_rises(lesson, trained)} {_paper_best(lesson, trained)}"])


def _order(lesson: Lesson, trained: int, protocol: measured.Protocol, ours: dict[str, study.Break]) -> str:
    """Which breaks come in the paper's order, which cannot be told, and which do not."""
    theirs = study.paper_breaks(trained)
    found = study.agreement(ours, theirs)
    listed = ", ".join(
        lesson.entry("seen.order", "at", name=TITLES[method], at=f"{at:.1f}")
        for at, method in sorted((b.at, method) for method, b in theirs.items() if b.at is not None)
    )
    section = "seen.paper" if protocol == "nonoverlapping" else "seen.paper_sliding"
    verdict = lesson.entry("seen.order", found.verdict)
    parts = [lesson.text(section, verdict=verdict, trained=f"{trained:,}", order=listed)]
    ends = {"first": found.first and TITLES[found.first], "never": study.titles(found.never)}
    known = {key: names for key, names in ends.items() if names}
    if known:
        parts.append(lesson.entry("seen.order", "both" if len(known) == 2 else next(iter(known)), **known))
    for key, pairs in (("tied", found.tied), ("opposite", found.opposite)):
        parts += [_pair(lesson, key, pair, ours) for pair in pairs]
    return " ".join(parts)


def _pair(lesson: Lesson, key: str, pair: tuple[str, str], ours: dict[str, study.Break]) -> str:
    """One pair of methods whose order here is not the paper's."""
    first, second = pair
    if key == "tied" and ours[first].at is None:
        key = "tied_never"
    spans = {"one": break_text(lesson, ours[first]), "two": break_text(lesson, ours[second])}
    return lesson.entry("seen.order", key, first=TITLES[first], second=TITLES[second], **spans)


def _rises(lesson: Lesson, trained: int) -> str:
    """Ratios at FAR training lengths, there and here. Where the paper's last window is elsewhere, its place is told."""
    found = {c.config.method: c for c in measured.curves(measured.shipped(), "nonoverlapping")}
    shared = [method for method in study.paper_breaks(trained) if method in found]
    theirs = {method: pair for method in shared if (pair := study.paper_ratio(method, trained, FAR))}
    here = {method: ratio for method in shared if (ratio := study.ratio_at(found[method], FAR))}
    elsewhere = {method: at for method, (at, _) in theirs.items() if abs(at / FAR - 1) > study.WORSE}
    return lesson.text(
        "seen.rises",
        far=FAR,
        paper_far=_ratios(lesson, {method: ratio for method, (_, ratio) in theirs.items()}, elsewhere),
        ours_far=_ratios(lesson, here, {}),
    )


def _paper_best(lesson: Lesson, trained: int) -> str:
    ranked = [method for _, method in sorted((one.y[one.x == trained][0], one.method) for one in study.paper(trained))]
    if ranked[0] == "alibi":
        return lesson.text("seen.paper_best_alibi", count=len(ranked))
    place = ranked.index("alibi") + 1
    return lesson.text("seen.paper_best", best=TITLES[ranked[0]], place=place, count=len(ranked))


def _ratios(lesson: Lesson, found: Mapping[str, float], elsewhere: Mapping[str, float]) -> str:
    """Worst first. elsewhere: methods whose number stands for another length, in training lengths."""
    parts = []
    for ratio, method in sorted(((ratio, method) for method, ratio in found.items()), reverse=True):
        part = f"{TITLES[method]} {ratio:.2f}"
        parts.append(
            lesson.entry("seen.order", "elsewhere", part=part, at=f"{elsewhere[method]:.1f}")
            if method in elsewhere
            else part
        )
    return ", ".join(parts)


def _limit(lesson: Lesson) -> str:
    """ALiBi under both protocols, whichever is on the chart."""
    told: dict[str, str] = {}
    for protocol in measured.PROTOCOLS:
        curve = next(c for c in measured.curves(measured.shipped(), protocol) if c.config.method == "alibi")
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
    curve = next(c for c in measured.curves(measured.shipped(), "nonoverlapping") if c.config.method == "alibi")
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

"""Slopes: one number a head, by dragging the number of heads or bending a curve."""

from functools import partial
from math import expm1, floor

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz import rules
from alibi_viz.charts.figure import Chart, trace
from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.charts.palette import curve, figure, ink, mark
from alibi_viz.checkpoints.presets import PRESETS, Preset
from alibi_viz.lessons import Lesson, joined, load, problems
from alibi_viz.pictures.slopes.message import Message
from alibi_viz.positions import title_of
from alibi_viz.ui import lesson, page, question
from alibi_viz.ui.components.hands import slopes_view
from alibi_viz.ui.control_panel import ControlPanel, Presets
from alibi_viz.ui.controls.params import MOST_HEADS
from alibi_viz.ui.format import format_number, format_power_of_two, format_slope
from alibi_viz.ui.shell import navigation
from alibi_viz.user_input import parse_numbers
from pages.slopes import study as numbers
from pages.slopes.study import FARTHEST, LAYERS, PUBLISHED, RULES, SHARE, Result, compute

PRESET_VALUES: Presets = {  # what each changes of the defaults
    "eight": {},
    "twelve": {"heads": 12},
    "bloom": {"heads": 112, "model": "BLOOM 176B"},
    "blog": {"heads": 32, "rule": "2^-h"},
    "far": {"heads": 32, "max_bias": 16.0},
}
MODELS = {model.title: model for model in PRESETS}
FAR = 2048  # tokens: the training length of BLOOM
TRAINED = 16  # heads that a training changes at most
COST = 3  # % of the training speed: Press and others 2022, of trained slopes
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def main() -> None:
    text, controls = lesson.begin("slopes")
    heads = controls.slider("heads", 8, low=1, high=MOST_HEADS, visible_when={"rule": list(RULES)[:-1]})
    rule = controls.choice("rule", tuple(RULES), "code")
    max_bias = controls.slider("max_bias", 8.0, low=1.0, high=32.0, step=0.5, visible_when={"rule": list(PUBLISHED)})
    own = controls.line("own", "1/2, 1/4, 1/8, 1/16, 0.05", longest=2_000, visible_when={"rule": ["own list"]})
    titles = {title: f"{title} ({title_of(model.method)})" for title, model in MODELS.items()}
    sets = {m.title: {"heads": min(m.heads, MOST_HEADS), "rule": "code", "max_bias": m.max_bias} for m in PRESETS}
    model = controls.choice("model", {"": text.label("model_none"), **titles}, "", sets=sets, kind="pick")
    problem = ""
    try:
        own_slopes = tuple(parse_numbers(own, most=MOST_HEADS)) if rule == "own list" else ()
        result = compute(heads, rule, max_bias, own_slopes)
    except ValueError as error:  # the list cannot be read: its field stays, with what to change
        problem, result = problems.say(error), compute(heads, "code", max_bias)
    cell = controls.cell(range(result.heads), range(1, FARTHEST + 1))
    lesson.say_problems(text)
    facts = {
        "heads": result.heads,
        "steepest": format_slope(max(result.slopes)),
        "gentlest": format_slope(min(result.slopes)),
        "half_short": min(result.half),
        "half_long": max(result.half),
        "reach_long": max(result.reach),
        "share": SHARE,
    }
    question.show(asked(result))
    slopes_view(
        Message(
            numbers.DISTANCES,
            result.slopes,
            result.families,
            result.weights,
            hands=controls.hands(PRESET_VALUES),
            words=text.entries("picture"),
            alt=text.label("alt", facts),
            filename=f"alibi-slopes-{result.heads}",
            problem=problem,
        )
    )
    if problem:
        return
    head_elsewhere(text, result, cell)
    lesson.seen_and_formula(seen(text, result, facts, model), [*formula(result), text.text("formula", facts)])
    sections = {
        "heads": partial(reach, text, result, facts),
        "trained": partial(trained, text, result),
        "table": partial(table, text, result),
    }
    presets = joined(map(source_of, PRESETS), "semicolon")
    code = (rules.slopes, rules.slope_exponents, compute, numbers.train)
    lesson.end(text, sections, *code, sources={"presets": presets})


def source_of(model: Preset) -> str:
    """A real model in the list of sources: its heads, its method, and where that was read."""
    method = joined((title_of(model.method), model.source), "bracket")
    return joined((model.title, joined((str(model.heads), method), "apart")), "colon")


def asked(result: Result) -> question.Asked:
    """The gentlest slope of twice as many heads, among three: which the picture does not show. A list has no more heads."""
    if result.rule == "own list":
        return question.prepare()
    now, heads = min(result.slopes), 2 * result.heads
    doubled = min(rules.slopes(heads, RULES[result.rule], result.max_bias))
    others = [slope for slope in (now, now / 2, 2 * now) if slope != doubled]
    slopes = sorted([doubled, *others[:2]])

    def words(text: Lesson) -> tuple[str, list[str], list[str]]:
        options = [text.label("one_head", slope=format_slope(slope)) for slope in slopes]
        thoughts = {now: "same", now / 2: "half", 2 * now: "twice"}
        reasons = [text.entry("reasons", thoughts.get(slope, "rule")) for slope in slopes]
        return text.text("predict", {"heads": result.heads, "doubled": heads}), options, reasons

    return question.prepare(words, [slopes.index(doubled)], name="slopes")


def head_elsewhere(text: Lesson, result: Result, cell: tuple[int, int] | None) -> None:
    """The head of the locked point, as a link to the lessons that draw it. They have the slopes of the authors' code."""
    if cell is None or (result.rule, result.max_bias) != ("code", 8.0):
        return
    query = {"heads": str(result.heads), "head": str(cell[0] + 1)}
    with st.container(key="head_elsewhere", horizontal=True):
        for name in ("bias", "attention"):
            navigation.link(name, text.label("head_in", head=cell[0] + 1, page=load(name).label("page")), query)


def seen(text: Lesson, result: Result, facts: dict[str, object], model: str) -> list[str]:
    """What the picture shows, in numbers."""
    gentlest, said = min(result.slopes), []
    chosen = MODELS.get(model)
    if chosen and chosen.method != "alibi" and (result.rule, result.heads) == ("code", chosen.heads):
        about = {"model": chosen.title, "method": title_of(chosen.method), "heads": chosen.heads}
        said.append(text.text("other_method", about))
    if gentlest <= 0:
        return [*said, text.text("seen_none")]
    said.append(text.text("seen_one" if result.heads == 1 else "seen", facts | {"worth_one": 1 / gentlest}))
    if result.rule == "2^-h" and result.heads > 8:
        penalty = gentlest * FAR
        blog = {"far": FAR, "penalty": penalty, "drop": -100 * expm1(-penalty)}
        said.append(text.text("seen_blog", facts | blog))
    if result.other is not None:
        said.append(text.text("seen_rules", facts | two_rules(result)))
    return said


def two_rules(result: Result) -> dict[str, object]:
    """The head whose slopes by the authors' code and by the paper's sentence differ most."""
    assert result.other is not None
    head = result.most_different
    by_rule = {result.rule: result.slopes[head], PUBLISHED[result.rule]: result.other[head]}
    power = 2 ** (result.heads.bit_length() - 1)
    numbers: dict[str, object] = {rule: format_slope(slope) for rule, slope in by_rule.items()}
    ratio = max(by_rule.values()) / min(by_rule.values())
    return numbers | {"head": head + 1, "ratio": ratio, "power": power, "double": 2 * power, "top": result.max_bias}


def formula(result: Result) -> list[str]:
    """The rule in LaTeX, then the slopes that it gives: the first three and the last."""
    rule, top, power, heads = result.rule, f"{result.max_bias:g}", result.families.count(0), result.heads
    if rule == "own list":
        return [r"$$m_h = \text{your numbers}$$"]
    general = "m_h = 2^{-h}" if rule == "2^-h" else rf"m_h = 2^{{-{top} h/n}}"
    if power < heads:
        general = (
            rf"m_h = 2^{{-{top} h/{power}}} \;\; (h \le {power}), \qquad "
            rf"m_{{{power}+k}} = 2^{{-{top} (2k-1)/{2 * power}}} \;\; (k \le {heads - power})"
        )
    exponents = [f"{float(exponent or 0):g}" for exponent in result.exponents]
    exponents = [
        short if len(short) <= 6 else str(exact) for short, exact in zip(exponents, result.exponents, strict=True)
    ]
    parts = [rf"m_{{{head}}} = 2^{{-{exponent}}}" for head, exponent in enumerate(exponents, start=1)]
    if heads > 3:
        parts[3:] = ([r"\;\dots\;"] if heads > 4 else []) + parts[-1:]
    listed = r",\quad ".join(parts)
    return [f"$${general}$$", f"$${listed}$$"]


def reach(text: Lesson, result: Result, facts: dict[str, object]) -> None:
    """How far each head looks, then how far stacked layers do."""
    page.chart(reach_chart(text, result), key="reach", alt=text.label("alt_reach", facts), name="alibi-reach-by-head")
    by_layers = numbers.reach_by_layers(tuple(result.slopes))
    if by_layers is None:
        lesson.prose(text.text("too_gentle"))
        return
    all_heads, gentlest = by_layers
    depths: dict[str, object] = {
        "share": SHARE,
        "one": all_heads[0],
        "many": all_heads[-1],
        "gentlest": gentlest[-1],
        "layers": LAYERS[-1],
    }
    labels = text.entries("chart")
    lines = [
        Line("alibi", labels[name], np.array(LAYERS), np.array(tokens, dtype=np.float64), hollow=name == "gentlest")
        for name, tokens in (("all_heads", all_heads), ("gentlest", gentlest))
    ]
    axes = {"x": labels["layers"], "y": labels["tokens"], "hover": "%{x:,.0f} × %{y:,.0f}"}
    chart = on_log_axis(lines, axes, dark=page.dark())
    page.chart(chart, key="slopes_depth", alt=text.label("alt_depth", depths), name="reach-by-depth")
    lesson.prose(text.text("depth", depths))


def reach_chart(text: Lesson, result: Result) -> Chart:
    """Distances in tokens: an open mark where the weight halves, a filled one at how many keys hold SHARE of it."""
    labels, heads, colour = text.entries("chart"), np.arange(1, result.heads + 1, dtype=np.float64), ink(page.dark())
    fig = figure(page.dark(), 360)
    size = 9 if result.heads <= 24 else 6 if result.heads <= 64 else 5
    # For a log axis: at least half a token, and NaN, which is not drawn, for a head that never forgets. Float64: a slope
    # of 2^-128 halves beyond the range of float32.
    low, high = (np.where(np.isinf(tokens), np.nan, np.maximum(tokens, 0.5)) for tokens in (result.half, result.reach))
    shades = [(colour.accent, colour.second)[family] for family in result.families]
    between = np.stack([low, high, np.full_like(low, np.nan)], axis=1).ravel()
    silent = {"line": {"color": colour.quiet, "width": 1.5}, "hoverinfo": "skip", "showlegend": False}
    fig.add(trace("scatter", x=np.repeat(heads, 3), y=between, mode="lines", **silent))
    for values, name, fill in ((low, "half", colour.surface), (high, "ninety", shades)):
        marker = {"color": fill, "size": size, "line": {"width": 2, "color": shades}}
        hover = joined((f"{labels['head']} %{{x}}", "%{y:,.1f}"), "colon") + "<extra></extra>"
        fig.add(
            trace("scatter", name=labels[name], hovertemplate=hover, x=heads, y=values, mode="markers", marker=marker)
        )
    every = next(step for step in (1, 2, 4, 8, 16, 32) if result.heads / step <= 20)
    fig.x_axis(title=labels["head"], range=[0.4, result.heads + 0.6], dtick=every)
    fig.y_axis(title=labels["tokens"], type="log", dtick=1)
    return fig


def trained(text: Lesson, result: Result) -> None:
    """Slopes that learn one task, step by step."""
    controls = ControlPanel(text)
    target = controls.slider("target", 16, low=1, high=256)
    controls.row()
    start = tuple(result.slopes[:TRAINED])
    if min(start) <= 0:
        lesson.prose(text.text("too_gentle"))
        return
    training = numbers.train(start, target)
    facts = {
        "target": target,
        "heads": len(start),
        "steps": len(training.path) - 1,
        "best": training.best,
        "learned": format_number(float(training.path[-1].mean()), 4),
        "held": 100 * training.held,
        "held_before": 100 * training.held_before,
        "cost": COST,
    }
    chart = training_chart(text, training)
    page.chart(chart, key="training", alt=text.label("alt_training", facts), name="alibi-trained-slopes")
    lesson.prose(text.text("training", facts))


def training_chart(text: Lesson, training: numbers.Training) -> Chart:
    """Slopes of every head, step by step, on a log axis; the dotted line is the best slope."""
    labels, path = text.entries("chart"), training.path
    fig, steps = figure(page.dark(), 300), np.arange(len(path))
    hover = joined((f"{labels['step']} %{{x:,.0f}}", "%{y:.4g}"), "colon")
    for head, slopes in enumerate(path.T, start=1):
        line = {"color": ink(page.dark()).accent, "width": 1.5, "dash": DASHES[head % len(DASHES)]}
        fig.add(curve(steps, slopes, labels["head_n"].format(head=head), line, hover))
    mark(fig, "y", training.best, labels["best"], page.dark(), log=True)
    low, high = min(float(path.min()), training.best), max(float(path.max()), training.best)
    fig.x_axis(title=labels["step"], range=[0, max(len(path) - 1, 1)])
    fig.y_axis(title=labels["slope"], type="log", dtick=1, range=[floor(np.log10(low)), np.log10(high) + 0.2])
    return fig


def table(text: Lesson, result: Result) -> None:
    """One row a head, to read and to download."""
    labels, heads = text.entries("columns"), range(1, result.heads + 1)
    exact = [format_power_of_two(exponent) for exponent in result.exponents]
    columns = {"head": heads, "exact": exact, "slope": result.slopes, "half": result.half, "ninety": result.reach}
    if result.other is not None:
        columns[f"by_{PUBLISHED[result.rule]}"] = result.other
    rows = pd.DataFrame(columns).rename(columns=labels)
    st.dataframe(rows, hide_index=True, height=min(38 + 35 * result.heads, 460))
    page.download_csv(lambda: rows, name=f"alibi-slopes-{result.heads}.csv", key="slopes_csv")

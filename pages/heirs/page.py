"""A slope that every word chooses: a staircase over the reader's words, of ALiBi or of a trained FoX; and its relatives."""

from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import numpy as np

from alibi_viz.charts.figure import trace
from alibi_viz.charts.palette import color, curve, figure, floats, ink
from alibi_viz.lessons import Lesson, joined, languages, load
from alibi_viz.pictures.heirs.message import STEEPEST, Message
from alibi_viz.pictures.matrices.message import Colours, Panel, Readout, View
from alibi_viz.positions import title_of
from alibi_viz.positions.forgetting import Forgetting
from alibi_viz.results import table, trained
from alibi_viz.results.facts import compared, load_facts
from alibi_viz.ui import address, lesson, page, weights
from alibi_viz.ui.components.hands import heirs_view, matrix_view
from alibi_viz.ui.control_panel import Presets
from alibi_viz.ui.controls.content import LONGEST
from alibi_viz.ui.format import escape_markdown, format_number
from alibi_viz.ui.matrices import sides
from alibi_viz.user_input import parse_numbered
from pages.heirs import study
from pages.heirs.study import FAR, HEADS, LAYERS, Controls, Result

STAIRS = ("fox", "alibi")
PRESET_VALUES: Presets = {
    "fox": {},
    "alibi": {"stairs": "alibi"},
    "blank": {"layer": 1, "head": 5},
    "open": {"layer": 2, "head": 7},
}
NAMED = ("dot", "dash", "solid")  # how the profiles of which a query takes the most are drawn, the largest last
WITHIN = 0.9  # of its weight: a query that keeps more looks at its own word alone
LATEX = (
    r"$$\text{score}(i, j) = \frac{q_i \cdot k_j}{\sqrt{d}} - (s_{j+1} + \dots + s_i), \qquad "
    r"\text{ALiBi: } s_l = m_h, \quad \text{FoX: } s_l = -\ln f_l$$"
)


def main() -> None:
    text, controls = lesson.begin("heirs")
    example = load("shared", languages.ENGLISH).entry("examples", "sentence")  # the model has read English alone
    sentence = controls.line("text", example, longest=LONGEST, least=1, shown=study.MOST_WORDS)
    stairs = controls.choice("stairs", STAIRS, "fox")
    alibi_step = controls.slider(
        "alibi_step", 0.25, low=0.0, high=STEEPEST, step=0.01, visible_when={"stairs": ["alibi"]}
    )
    layer = controls.moved("layer", 2, low=1, high=LAYERS)
    head = controls.moved("head", 4, low=1, high=HEADS)
    written = address.text("fox_steps", "", longest=400)  # “7:0.5”: words whose step is not the model's
    given = study.text_of(sentence)
    used = given if given.words else study.text_of(example)
    moved, is_cut = parse_numbered(written, range(2, used.query + 2), 0.0, STEEPEST)
    controls.values["fox_steps"] = controls.defaults["fox_steps"] = ""
    if moved:
        controls.values["fox_steps"] = ",".join(f"{place}:{step:g}" for place, step in moved)
    notes = text.entries("notes")
    lesson.say_problems(text, *([notes["steps"]] if is_cut else []))
    if not study.is_shipped(study.MODEL):
        lesson.prose(notes["missing"])
        return
    chosen = Controls(used, layer, head, stairs, alibi_step, moved)
    result = study.compute(chosen)
    facts = facts_of(chosen, result)
    arrays = {name: getattr(result.heads, name).numpy().astype(np.float32) for name in ("gates", "steps", "match")}
    heirs_view(
        Message(
            used.words,
            used.query,
            HEADS,
            trained.labels(used.read),
            used.ends,
            hands=controls.hands(PRESET_VALUES),
            weights=result.weights.astype(np.float32),
            model=weights.address_of(study.MODEL),
            words=words_of(text),
            alt=text.label(f"alt_{stairs}", facts),
            filename=f"stairs-layer-{layer}-head-{head}",
            **arrays,
        )
    )
    reduced = load("shared").text("reduced", load_facts("heirs")["more_parameters"])
    seen = [text.text("seen", facts), text.text("seen_losses", losses(text)), reduced]
    lesson.seen_and_formula(seen, [LATEX, text.text("formula")])
    sections = {"kinds": partial(kinds, text, facts)}
    for name, show in {"inkling": inkling, "hybrid": hybrid}.items():
        if study.is_shipped(name):
            sections[name] = partial(show, text, chosen)
    lesson.end(text, sections, study.heads_of, study.weights, Forgetting)


def words_of(text: Lesson) -> dict[str, str]:
    """What the picture says; of words that are not English also that the model has learned no others."""
    said = text.entries("picture")
    return said | {"forgotten_foreign": joined((said["forgotten"], said["foreign"]), "sentences")}


def facts_of(chosen: Controls, result: Result) -> dict[str, object]:
    """The stairs in numbers."""
    words, steps, heads = chosen.text.words, result.between, result.heads
    return vars(chosen) | {
        "count": len(result.steps),
        "layers": LAYERS,
        "heads": HEADS,
        "all": LAYERS * HEADS,
        "low": format_number(float(steps.min()), 2),
        "high": format_number(float(steps.max()), 2),
        "word": words[result.tallest],
        "query": escape_markdown(words[chosen.text.query]),
        "itself": float(result.weights[-1]),
        "inside": int((study.weights(heads.match, heads.steps)[:, -1] > WITHIN).sum()),
        "within": WITHIN,
    }


def losses(text: Lesson) -> dict[str, object]:
    """The shipped heirs beside ALiBi and RoPE, best at the training length first."""
    shown, facts = study.perplexities(), load_facts("extrapolation")
    by_method = sorted(shown.items(), key=lambda entry: entry[1])
    of_each = [
        text.entry("loss", "of", title=title_of(method), at=at, far=far, seeds=seeds)
        for method, (at, far, seeds) in by_method
    ]
    beside = {
        verdict: [method for method in methods if method in shown]
        for verdict, methods in facts["sliding"]["beside_alibi"].items()
    }
    numbers = {"length": table.train_length(), "far": FAR}
    return {"listed": joined(of_each, "semicolon"), "compared": compared(beside, once=facts["once"]), **numbers}


def kinds(text: Lesson, facts: dict[str, Any]) -> None:
    """The mean step of each kind of byte, over held-out text: a bar for the chosen head, and a mark for all heads."""
    layer, head = facts["layer"], facts["head"]
    measured, labels, dark = load_facts("heirs"), text.entries("chart"), page.dark()
    means = {kind: float(np.mean(steps)) for kind, steps in measured["steps"].items()}
    order = sorted(means, key=means.__getitem__)  # the largest on top
    names, hover = [text.entry("kind", kind) for kind in order], "%{y}: %{x:.2f}<extra></extra>"
    own = floats([measured["steps"][kind][layer - 1][head - 1] for kind in order])
    look: dict[str, Any] = {"color": ink(dark).text, "symbol": "line-ns-open", "size": 16, "line": {"width": 3}}
    bar: dict[str, Any] = {"orientation": "h", "marker": {"color": color("forgetting", dark)}, "hovertemplate": hover}
    mark: dict[str, Any] = {"mode": "markers", "marker": look, "hovertemplate": hover}
    of_head = text.entry("chart", "head", layer=layer, head=head)
    fig = figure(dark, 400)
    fig.add(trace("bar", x=own, y=names, name=of_head, **bar))
    fig.add(trace("scatter", x=floats([means[kind] for kind in order]), y=names, name=labels["all"], **mark))
    fig.x_axis(title=labels["step"], rangemode="tozero")
    fig.lay_out(margin={"l": 170})
    page.chart(fig, key="kinds", alt=text.label("alt_kinds", layer=layer, head=head), name="steps-by-kind-of-byte")
    steps = {f"{kind}_step": step for kind, step in means.items()}
    shares = {f"{kind}_share": share for kind, share in measured["of_steps"].items()}
    letters = {"letter_bytes": measured["of_bytes"]["letter"], "bytes": measured["bytes"]}
    lesson.prose(text.text("kinds", facts | measured["line_ends"] | steps | shares | letters))


def inkling(text: Lesson, chosen: Controls) -> None:
    """The profiles that the query mixes, those of which it takes the most last, and their sum."""
    taken, labels, dark = study.profiles(chosen.text, chosen.layer, chosen.head), text.entries("chart"), page.dark()
    fig, back, hover = figure(dark, 340), np.arange(taken.shape[1]), "%{x}: %{y:.2f}"
    order = np.abs(taken).max(1).argsort()
    for rank, at in enumerate(order, start=len(NAMED) - len(order)):
        look = {"color": ink(dark).second, "dash": NAMED[rank], "width": 2} if rank >= 0 else {"color": ink(dark).quiet}
        name = text.entry("chart", "profile", number=at + 1)
        fig.add(curve(back, taken[at], name, {"width": 1, **look}, hover, showlegend=rank >= 0))
    fig.add(curve(back, taken.sum(0), labels["sum"], {"color": color("inkling", dark), "width": 4}, hover))
    ends = len(chosen.text.read) - np.array(chosen.text.ends)
    ticks = {"tickvals": ends.tolist(), "ticktext": [escape(word) for word in chosen.text.words[: len(ends)]]}
    fig.x_axis(title=labels["back"], range=[len(back) - 0.5, -0.5], **ticks)
    fig.y_axis(title=labels["bias"])
    query = escape_markdown(chosen.text.words[chosen.text.query])
    facts = {"count": len(taken), "extent": len(back), "layer": chosen.layer, "head": chosen.head, "query": query}
    page.chart(fig, key="inkling", alt=text.label("alt_inkling", facts), name="inkling-profiles")
    lesson.prose(text.text("inkling", facts))


def hybrid(text: Lesson, chosen: Controls) -> None:
    """The weights of both layers over the words again and again."""
    near, far = study.near_and_far(chosen.text)
    labels, window = text.entries("chart"), study.window()
    panels = [
        Panel(labels[name].format(window=window), weights, Colours("weight", (0.0, 1.0), "sqrt"), key=name)
        for name, weights in (("near", near), ("far", far))
    ]
    words = text.entries("readout")
    view = View(
        panels,
        *sides(text, labels=trained.labels(study.repeated(chosen.text))),
        readout=Readout(words["allowed"], words["masked"], words["empty"]),
    )
    matrix_view("hybrid", replace(view, alt=text.label("alt_hybrid", window=window)))
    lesson.prose(text.text("hybrid", {"bytes": len(near), "window": window}))

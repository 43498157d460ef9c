"""The playground: one sentence, ALiBi's bias on it, and a hand that bends it. The first thing a visitor meets."""

import streamlit as st

from alibi_viz.attention.attention import trace_attention
from alibi_viz.attention.pictures import near_share, nearest
from alibi_viz.charts.palette import LOOKS
from alibi_viz.lessons.languages import ENGLISH
from alibi_viz.pictures.hands.message import Choice
from alibi_viz.pictures.playground.message import MOST_WORDS, Message
from alibi_viz.pictures.story.message import Line
from alibi_viz.positions import title_of
from alibi_viz.positions.alibi import Alibi
from alibi_viz.results.facts import load_facts
from alibi_viz.ui import address, lesson
from alibi_viz.ui.components.hands import playground
from alibi_viz.ui.control_panel import cut
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.content import LONGEST, example
from alibi_viz.ui.controls.params import MOST_HEADS
from alibi_viz.ui.format import escape_markdown, format_slope
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.texts import words_of
from alibi_viz.user_input import parse_numbered
from pages.playground import study
from pages.playground.study import COUNTS, GENTLEST, STEEPEST, TIMES, Controls, Result

STRONGEST = 4.0
LEADS_ON = ("slopes", "bias", "attention", "extrapolation", "write")
LATEX = r"$$\text{score}(i, j) = \frac{q_i \cdot k_j}{\sqrt{d}} - m_h \, (i - j)$$"


def main() -> None:
    text, controls = lesson.begin("playground")
    sentence = controls.line("text", example(), longest=LONGEST, least=1, shown=MOST_WORDS)
    requested = address.number("heads", 8, low=1, high=MOST_HEADS)
    heads = study.nearest_count(requested)
    counts = [(str(count), str(count)) for count in COUNTS]
    controls.add(Choice("heads", text.label("heads"), options=counts), str(heads))
    strength = controls.slider("strength", 1.0, low=0.0, high=STRONGEST, step=0.05)
    # What follows is moved in the picture itself.
    head = min(controls.moved("head", 2, low=1, high=MOST_HEADS), heads)
    slopes = address.text("slopes", "", longest=400)  # “2:0.083, 5:0.1”: the heads whose slopes are not the rule's
    query = controls.moved("query", -1, low=-1, high=MOST_WORDS - 1)  # -1: the text's closing signs
    ratio = controls.moved("ratio", 1.0, low=1.0, high=TIMES)
    used = (cut(sentence) or cut(example()))[:MOST_WORDS]
    own, is_cut = parse_numbered(slopes, range(1, heads + 1), GENTLEST, STEEPEST)
    back = study.closing(used) if query < 0 else query
    chosen = Controls(used, heads, head, strength, own, back, ratio)
    own_slopes = ", ".join(f"{at}:{slope:.6g}" for at, slope in own)
    controls.values |= {"head": head, "slopes": own_slopes, "query": -1 if back == study.closing(used) else query}
    lesson.say_problems(text)
    notes = text.entries("notes")
    corrected = {
        text.entry("notes", "heads", given=requested, used=heads): requested != heads,
        notes["slopes"]: is_cut,
        text.entry("notes", "query", given=query, used=chosen.count): query >= chosen.count,
    }
    result = study.compute(chosen)
    facts, measured = facts_of(chosen, result), load_facts("playground")
    language = text.language if text.language in measured["lines"] else ENGLISH  # of the text that the models read
    has_far = chosen.query > 1  # of fewer earlier words none is far
    playground(
        Message(
            key="playground",
            hands=controls.hands(),
            rows=result.rows,
            plain=result.plain,
            matrix=result.matrix,
            lines=[
                Line(method, title_of(method), (look.light, look.dark), is_strong=look.is_strong, **numbers)
                for method, numbers in measured["lines"][language].items()
                for look in [LOOKS[method]]
            ],
            trained=measured["train_length"],
            note=" ".join(note for note, holds in corrected.items() if holds),
            alt=text.plain("alt" if has_far else "alt_few", facts),
            words=words_of("playground", language),
        )
    )
    if (
        not page_options.presenting()
    ):  # each part of the picture has its own lesson, which opens with what is chosen here
        with st.container(horizontal=True, gap="medium", key="lead_on"):
            for name in LEADS_ON:
                navigation.link(name)
    seen = (
        "seen_few" if not has_far else "seen" if chosen.strength * chosen.slopes[chosen.head - 1] > 0 else "seen_none"
    )
    lesson.seen_and_formula([text.text(seen, facts)], [LATEX, text.text("formula", facts)])
    lesson.end(text, {}, study.compute, trace_attention, Alibi.bias_by_distance)


def facts_of(chosen: Controls, result: Result) -> dict[str, object]:
    """The chosen head, and where the query's weight goes."""
    slope = chosen.slopes[chosen.head - 1]
    return vars(chosen) | {
        "query": escape_markdown(chosen.words[chosen.order[chosen.query]][:24]),
        "words": chosen.count,
        "slope": format_slope(slope),
        "nearest": nearest(chosen.query),
        "near": near_share(result.rows[chosen.head - 1], chosen.query),
        "near_plain": near_share(result.plain, chosen.query),
    }

"""Side by side: up to six position methods on the same words, what each adds to the scores, and the weights that follow."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.charts.palette import LOOKS
from alibi_viz.content.synthetic import CONTENTS
from alibi_viz.content.words import last_word, words
from alibi_viz.lessons import Lesson, in_language, joined, load, printed, problems
from alibi_viz.pictures.compare.message import MOST_METHODS, Column, Message
from alibi_viz.pictures.hands.message import Choice, Hands, Value
from alibi_viz.positions import METHODS, title_of, titles_of
from alibi_viz.results import table
from alibi_viz.results.facts import compared, joined_titles, load_facts
from alibi_viz.ui import address, lesson
from alibi_viz.ui.components.hands import compare_view
from alibi_viz.ui.control_panel import Presets
from alibi_viz.ui.controls.content import LONGEST, example
from alibi_viz.ui.format import format_difference
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.shell.page_chrome import chosen_device
from alibi_viz.user_input import printable
from pages.compare import study
from pages.compare.study import KEY, MOST_WORDS, QUERY, SETTING, SHIFT, TIMES, Added, Controls

USUAL = ("none", "learned", "sinusoidal", "rope", "t5", "alibi")
PAGES = {"alibi": "slopes", **{name: f"lab_{name}" for name in ("sinusoidal", "rope", "t5", "learned")}}
HEIRS = ("alibi", "forgetting", "inkling", "hybrid", "rope", "none")
RELATIVES = ("kerple", "kerple_power", "sandwich", "fire", "t5", "alibi")
STAGES = ("added", "weights")  # what is shown where there is room for one matrix a method
PLAIN: dict[str, Value] = {"content": "equal", "times": "1", "methods": ",".join(USUAL)}
PRESET_VALUES: Presets = {
    "six": PLAIN,
    "long": PLAIN | {"times": "4"},
    "relatives": PLAIN | {"methods": ",".join(RELATIVES)},
    "heirs": PLAIN | {"methods": ",".join(HEIRS), "content": "same words attract"},
}
#: Where a method acts -> the score of query i and key j.
SCORES = {
    "embeddings": r"\frac{(W_q (x_i + p_i)) \cdot (W_k (x_j + p_j))}{\sqrt{d}}",
    "queries_and_keys": r"\frac{(R_i W_q x_i) \cdot (R_j W_k x_j)}{\sqrt{d}}",
    "scores": r"\frac{(W_q x_i) \cdot (W_k x_j)}{\sqrt{d}} + b_h(i, j)",
    "nothing": r"\frac{(W_q x_i) \cdot (W_k x_j)}{\sqrt{d}}",
}
OUTPUT = 10.0  # the scale of an output: its rounding shows as 0


def main() -> None:
    text, controls = lesson.begin("compare")
    content = controls.choice("content", CONTENTS[:2], "equal")
    user_text = controls.line("text", example(), longest=LONGEST, visible_when={"content": [CONTENTS[1]]})
    head = address.number("head", 2, low=1, high=SETTING.heads)
    heads = [(str(number), str(number)) for number in range(1, SETTING.heads + 1)]
    controls.add(Choice("head", text.label("head"), options=heads), str(head))
    times = controls.choice("times", {times: load("shared").label("ratio", times=times) for times in TIMES}, 1)
    controls.switch("measured")
    controls.choice("stage", {stage: text.entry("picture", stage) for stage in STAGES}, "added")
    grouped = controls.switch("grouped", advanced=True)
    methods, left_out = parse_methods(address.text("methods", ",".join(USUAL), longest=200))
    controls.values["methods"] = ",".join(methods)
    given = words(user_text)
    used = tuple((given or words(example()))[:MOST_WORDS])
    count = len(used) * times
    cell = controls.cell(range(count), range(count))
    if cell and cell[1] > cell[0]:  # a key after its query is hidden
        controls.values["cell"], cell = "", None
    pair = cell or first_pair(used, times)
    chosen = Controls(used, methods, content, head, times, pair[0], grouped, chosen_device())
    notes = text.entries("notes")
    corrected = {
        notes["empty"]: not given,
        text.entry("notes", "long", given=len(given), used=MOST_WORDS): len(given) > MOST_WORDS,
        text.entry("notes", "methods", given=left_out): bool(left_out),
    }
    lesson.say_problems(text, *(note for note, holds in corrected.items() if holds))
    controls.defaults = {}  # a preset leaves what it does not name
    states = ("content", "head", "times", "stage", "measured")
    draw(text, chosen, pair, controls.hands(PRESET_VALUES, states=states))
    scores = [
        joined((f"**{joined_titles(names)}**", rf"${{s_{{ij}} = {score}}}$"), "colon")  # a group stays on its line
        for place, score in SCORES.items()
        if (names := acting(chosen.methods)[place])
    ]
    lesson.seen_and_formula([text.text("seen", facts_of(text, chosen))], [*scores, text.text("formula")])
    sections = {"tests": partial(tests, text, chosen), "formulas": partial(formulas, text, chosen)}
    lesson.end(text, sections, study.compute, study.trace)


def parse_methods(requested: str) -> tuple[tuple[str, ...], str]:
    """Up to six known methods, each once, in the order of the columns; and what else was asked for, as it may be shown."""
    entries = [entry.strip() for entry in requested.split(",") if entry.strip()]
    known = [name for name in dict.fromkeys(entries) if name in METHODS][:MOST_METHODS]
    others = [name for name in dict.fromkeys(entries) if name not in known]
    return tuple(known) or USUAL, "" if not others else joined(
        title_of(name) if name in METHODS else printable(name) for name in others
    )


def draw(text: Lesson, chosen: Controls, pair: tuple[int, int], hands: Hands) -> None:
    """The columns under their hands; a name opens the page of its method."""
    result, (query, key) = study.compute(chosen), pair
    measures = {name: study.perplexity(name) for name in METHODS}
    every = [value for of_method in measures.values() for value in of_method.values()] or [1.0, 10.0]
    length = table.train_length()
    named = chosen.content != "equal"
    picture = text.entries("picture") | load("shared").entries("lists")
    picture["perplexity"] = text.entry("picture", "perplexity", length=length, longest=f"{TIMES[-1] * length:,}")
    picture["height"] = text.entry("about", "height") if any(map(is_unscaled, chosen.methods)) else ""
    numbers = (
        joined(
            (f"{title_of(added.method)} {printed(added.row[key], '.2f')}", f"{study.weight(result, added, key):.1%}"),
            "apart",
        )
        for added in result.added
        if len(added.row)
    )
    facts = {"count": chosen.count, "head": chosen.head, "distance": query - key}
    message = Message(
        key="compare",
        hands=hands,
        columns=[column(text, added, measures[added.method]) for added in result.added],
        methods=list(titles_of(METHODS).items()),
        tokens=chosen.words,
        named=named,
        positions=result.positions.astype(np.float32),
        count=chosen.count,
        content=result.content,
        query=chosen.query,
        row=result.row,
        pair=pair,
        perplexities=(min(every), max(every)),
        words=picture,
        alt=text.label("alt", facts | {"numbers": joined(numbers, "semicolon")}),
        filename=f"position-methods-head-{chosen.head}",
    )
    if to := PAGES.get(str(compare_view(message).open)):
        st.switch_page(navigation.page_of(to))


def column(text: Lesson, added: Added, perplexity: Mapping[int, float]) -> Column:
    """One method as the picture shows it, and where its numbers come from."""
    method, look, adds = METHODS[added.method], LOOKS[added.method], text.entries("adds")
    end = 0 if method.acts_on == "nothing" else None  # its zeros do not travel
    built, source = study.built(added.method)
    kind = "trained" if source else "fresh" if list(built.parameters()) else "fixed"
    numbers = {"length": source.config.length, "seed": source.config.seed} if source else {}
    about = text.entry("about", kind, numbers)
    origin = text.entry("origin", kind, numbers)
    if method.needs_input:
        about = f"{about} {text.entry('about', 'input')}"
    if is_unscaled(added.method):
        origin, about = f"{origin} · {text.entry('origin', 'height')}", f"{about} {text.entry('about', 'height')}"
    return Column(
        method=added.method,
        name=title_of(added.method),
        colours=look.colours,
        is_strong=look.is_strong,
        acts_on=method.acts_on,
        adds=adds.get(added.method, adds[method.acts_on]),
        origin=origin,
        about=about,
        page=PAGES.get(added.method, ""),
        cells=added.cells[:end],
        logsum=added.logsum,
        row=added.row[:end],
        row_logsum=added.row_logsum,
        problem=problems.say(added.problem),
        perplexity={str(times): value for times, value in perplexity.items()},
    )


def is_unscaled(method: str) -> bool:
    """Whether what it adds depends on the random vectors of the words."""
    return METHODS[method].acts_on in ("embeddings", "queries_and_keys")


def first_pair(used: Sequence[str], times: int) -> tuple[int, int]:
    """The last word, and the nearest earlier one of its text that is the same; else the one in the middle."""
    lowered = [word.casefold() for word in used]
    query = last_word(used)
    same = [place for place in range(query) if lowered[place] == lowered[query]]
    before = len(used) * (times - 1)
    return before + query, before + (same[-1] if same else query // 2)


def acting(methods: Sequence[str]) -> dict[str, list[str]]:
    """Which methods act where, by the places of SCORES."""
    return {place: [name for name in methods if METHODS[name].acts_on == place] for place in SCORES}


def facts_of(text: Lesson, chosen: Controls) -> dict[str, object]:
    """Where the methods act, and which of them bear more than the training length."""
    places = text.entries("places")
    length, rises = table.train_length(), load_facts("extrapolation")["sliding"]["verdicts"]
    return {
        "places": joined(
            (
                joined((places[place].capitalize(), joined_titles(names)), "colon")
                for place, names in acting(chosen.methods).items()
                if names
            ),
            "stop",
        ),
        "length": length,
        "longest": TIMES[-1] * length,
        "compared": compared(
            {verdict: [name for name in chosen.methods if name in found] for verdict, found in rises.items()},
            with_itself=True,
            once=load_facts("extrapolation")["once"],
        ),
        "end": joined_titles(name for name in chosen.methods if METHODS[name].has_position_table),
    }


def tests(text: Lesson, chosen: Controls) -> None:
    """A pair that is moved, and words in another order."""
    facts = {"query": QUERY, "key": KEY, "shift": SHIFT}
    headers, places = text.entries("columns"), text.entries("places")
    headers["after"] = text.entry("columns", "after", facts)
    rows = [
        [
            title_of(method),
            places[METHODS[method].acts_on],
            printed(before, ".3f"),
            printed(after, ".3f"),
            format_difference(reordered, OUTPUT),
        ]
        for method, (before, after, reordered) in study.moved(chosen).items()
    ]
    st.dataframe(pd.DataFrame(rows, columns=list(headers.values())), hide_index=True)
    lesson.prose(text.text("tests", facts))


def formulas(text: Lesson, chosen: Controls) -> None:
    """Each method's own."""
    lines = [f"- **{title_of(name)}** ${in_language(METHODS[name].formula)}$" for name in chosen.methods]
    lesson.prose("\n".join(lines), text.text("formulas"))

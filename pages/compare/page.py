"""Side by side: up to six position methods on the same words, what each adds to the scores, and the weights that follow."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from alibi_viz.content.synthetic import CONTENTS, attend
from alibi_viz.content.words import last_word, words
from alibi_viz.lessons import Lesson
from alibi_viz.pictures.compare.message import MOST_METHODS, Column, Message
from alibi_viz.pictures.hands.message import Choice, Hands, Preset, Switch, Value
from alibi_viz.pictures.hands.message import Line as TextLine
from alibi_viz.positions import METHODS
from alibi_viz.results import table
from alibi_viz.typed import printable
from alibi_viz.ui import address, lesson
from alibi_viz.ui.components.hands import compare_view
from alibi_viz.ui.controls.content import LONGEST, example
from alibi_viz.ui.format import MINUS, format_difference
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.shell.sidebar import chosen_device
from pages.compare import study
from pages.compare.study import KEY, MOST_WORDS, QUERY, SETTING, SHIFT, TIMES, Added, Controls

USUAL = ("none", "learned", "sinusoidal", "rope", "t5", "alibi")
RELATIVES = ("kerple", "kerple_power", "sandwich", "fire", "t5", "alibi")
STAGES = ("added", "weights")  # what is shown where there is room for one matrix a method
PLAIN: dict[str, Value] = {"content": "equal", "times": "1", "methods": ",".join(USUAL)}
PRESET_VALUES: dict[str, dict[str, Value]] = {
    "six": PLAIN,
    "long": PLAIN | {"times": "4"},
    "relatives": PLAIN | {"methods": ",".join(RELATIVES)},
}
SHARED = r"$$s_{ij} = \frac{q_i \cdot k_j}{\sqrt{d}} + b_h(i, j)$$"
OUTPUT = 10.0  # the scale of an output: its rounding shows as 0


def main() -> None:
    text = lesson.begin("compare")
    content = address.choice("content", "equal", CONTENTS[:2])
    own = address.text("text", example(), longest=LONGEST)
    head = address.number("head", 2, low=1, high=SETTING.heads)
    times = address.choice("times", "1", map(str, TIMES))
    asked = address.text("methods", ",".join(USUAL), longest=200)
    stage = address.choice("stage", "added", STAGES)
    grouped = address.flag("grouped")
    given = words(own)
    used = tuple((given or words(example()))[:MOST_WORDS])
    methods, left_out = parse_methods(asked)
    count = len(used) * int(times)
    cell = address.cell(range(count), range(count))
    if cell and cell[1] > cell[0]:  # a key after its query is hidden
        cell = None
    pair = cell or first_pair(used, int(times))
    chosen = Controls(used, methods, content, head, int(times), pair[0], grouped, chosen_device())
    notes = text.entries("notes")
    corrected = {
        notes["empty"]: not given,
        text.entry("notes", "long", given=len(given), used=MOST_WORDS): len(given) > MOST_WORDS,
        text.entry("notes", "methods", given=left_out): bool(left_out),
    }
    lesson.say_problems(text, *(note for note, holds in corrected.items() if holds))
    values: dict[str, Value] = {"content": content, "text": own, "head": str(head), "times": times, "stage": stage}
    values |= {"grouped": grouped, "methods": ",".join(methods), "cell": ",".join(map(str, cell or ()))}
    draw(text, chosen, pair, values)
    lesson.seen_and_formula([text.text("seen", facts_of(text, chosen))], [SHARED])
    closer = {"tests": partial(tests, text, chosen), "formulas": partial(formulas, text, chosen)}
    lesson.sections(text, closer, study.study, attend)
    lesson.end(text)


def parse_methods(asked: str) -> tuple[tuple[str, ...], str]:
    """Up to six known methods, each once, in the order of the columns; and what else was asked for, as it may be shown."""
    entries = [entry.strip() for entry in asked.split(",") if entry.strip()]
    known = [name for name in dict.fromkeys(entries) if name in METHODS][:MOST_METHODS]
    others = [name for name in dict.fromkeys(entries) if name not in known]
    return tuple(known) or USUAL, ", ".join(
        METHODS[name].title if name in METHODS else printable(name) for name in others
    )


def draw(text: Lesson, chosen: Controls, pair: tuple[int, int], values: dict[str, Value]) -> None:
    """The columns under their hands; a name opens the page of its method."""
    result = study.study(chosen)
    measures = {name: study.perplexity(name) for name in METHODS}
    every = [value for of_method in measures.values() for value in of_method.values()] or [1.0, 10.0]
    length = table.train_length()
    named = chosen.content != "equal"
    picture = text.entries("picture")
    picture["perplexity"] = text.entry("picture", "perplexity", length=length, longest=f"{TIMES[-1] * length:,}")
    numbers = {METHODS[added.method].title: study.cell(result, added, *pair) for added in result.added}
    said = (f"{name} {cell.added:.2f}, {cell.weight:.1%}" for name, cell in numbers.items() if cell)
    facts = {"count": chosen.count, "head": chosen.head, "distance": pair[0] - pair[1]}
    drawn = compare_view(
        Message(
            key="compare",
            hands=hands(text, values),
            columns=[column(text, added, measures[added.method]) for added in result.added],
            methods=[(name, method.title) for name, method in METHODS.items()],
            tokens=chosen.words,
            named=named,
            positions=result.positions,
            count=chosen.count,
            content=result.content,
            query=chosen.query,
            row=result.row,
            pair=pair,
            perplexities=(min(every), max(every)),
            words=picture,
            alt=text.label("alt", facts | {"numbers": "; ".join(said).replace("-", MINUS)}),
            filename=f"position-methods-head-{chosen.head}",
        )
    )
    if to := page_of(str(drawn.open or "")):
        st.switch_page(navigation.script(to))


def hands(text: Lesson, values: dict[str, Value]) -> Hands:
    """The row on top of the picture."""
    labels = text.entries("labels")
    contents = [(content, text.entry("choices", content.replace(" ", "_"))) for content in CONTENTS[:2]]
    heads = [(str(head), str(head)) for head in range(1, SETTING.heads + 1)]
    lengths = [(str(times), f"{times}×") for times in TIMES]
    row = (
        Choice("content", labels["content"], options=contents),
        TextLine("text", labels["text"], "", {"content": [CONTENTS[1]]}, longest=LONGEST),
        Choice("head", labels["head"], options=heads),
        Choice("times", labels["times"], options=lengths),
        Choice("stage", labels["stage"], options=[(stage, text.entry("picture", stage)) for stage in STAGES]),
        Switch("grouped", labels["grouped"], further=True),
    )
    presets = [Preset(text.entry("try", name), to) for name, to in PRESET_VALUES.items()]
    return Hands(row, values, presets, labels["more"])


def column(text: Lesson, added: Added, perplexity: Mapping[int, float]) -> Column:
    """One method as the picture shows it, and where its numbers come from."""
    method, adds = METHODS[added.method], text.entries("adds")
    built, source = study.built(added.method)
    kind = "trained" if source else "fresh" if list(built.parameters()) else "fixed"
    numbers = {"length": source.config.length, "seed": source.config.seed} if source else {}
    about = text.entry("about", kind, numbers)
    origin = text.entry("origin", kind, numbers)
    if method.acts_on in ("embeddings", "queries_and_keys"):
        origin, about = f"{origin} · {text.entry('origin', 'height')}", f"{about} {text.entry('about', 'height')}"
    return Column(
        method=added.method,
        name=method.title,
        acts_on=method.acts_on,
        adds=adds.get(added.method, adds[method.acts_on]),
        origin=origin,
        about=about,
        page=page_of(added.method),
        cells=added.cells,
        logsum=added.logsum,
        row=added.row,
        row_logsum=added.row_logsum,
        problem=added.problem,
        perplexity={str(times): value for times, value in perplexity.items()},
    )


def page_of(method: str) -> str:
    """The lesson about one method; empty where there is none."""
    name = "slopes" if method == "alibi" else f"lab_{method}"
    return name if name in navigation.ICONS else ""


def first_pair(used: Sequence[str], times: int) -> tuple[int, int]:
    """The last word, and the nearest earlier one of its text that is the same; else the one in the middle."""
    lowered = [word.casefold() for word in used]
    query = last_word(used)
    same = [place for place in range(query) if lowered[place] == lowered[query]]
    before = len(used) * (times - 1)
    return before + query, before + (same[-1] if same else query // 2)


def facts_of(text: Lesson, chosen: Controls) -> dict[str, object]:
    """Where the methods act, and which of them bear more than the training length."""
    places = [
        f"{text.entry('places', place).capitalize()}: {titles(names)}"
        for place, names in study.by_place(chosen.methods).items()
        if names
    ]
    length = table.train_length()
    every = study.rises()
    rises = {name: every[name] for name in chosen.methods if name in every}
    return {
        "places": ". ".join(places),
        "length": length,
        "longest": TIMES[-1] * length,
        "worse": table.WORSE,
        "stay": titles(name for name, rise in rises.items() if rise <= table.WORSE),
        "rise": titles(name for name, rise in rises.items() if rise > table.WORSE),
        "end": titles(name for name in chosen.methods if METHODS[name].has_position_table),
    }


def titles(methods: Any) -> str:
    """Their names in a sentence."""
    return ", ".join(METHODS[name].title for name in methods) or "–"


def tests(text: Lesson, chosen: Controls) -> None:
    """A pair that is moved, and words in another order."""
    facts = {"query": QUERY, "key": KEY, "shift": SHIFT}
    headers, places = text.entries("columns"), text.entries("places")
    headers["after"] = text.entry("columns", "after", facts)
    rows = [
        [
            METHODS[moved.method].title,
            places[METHODS[moved.method].acts_on],
            signed(moved.before),
            signed(moved.after),
            format_difference(moved.reordered, OUTPUT),
        ]
        for moved in study.moved(chosen)
    ]
    st.dataframe(pd.DataFrame(rows, columns=list(headers.values())), hide_index=True)
    lesson.prose(text.text("tests", facts))


def signed(value: float) -> str:
    return f"{value:.3f}".replace("-0.000", "0.000").replace("-", MINUS)


def formulas(text: Lesson, chosen: Controls) -> None:
    """Each method's own."""
    lines = [f"- **{METHODS[name].title}**: ${METHODS[name].formula}$" for name in chosen.methods]
    lesson.prose("\n".join(lines), text.text("formulas"))


if __name__ == "__main__":
    main()

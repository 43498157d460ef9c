"""The result: models that were trained on short windows read longer ones; a line a position method."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from alibi_viz.charts.lines import Line
from alibi_viz.classroom import drawing
from alibi_viz.lessons import Lesson, joined, load, method_title
from alibi_viz.lm.evaluation import evaluate, windows
from alibi_viz.positions import title_of, titles_of
from alibi_viz.results.facts import compared, joined_titles, load_facts
from alibi_viz.results.pretrained import MAIN
from alibi_viz.results.pretrained import METHODS as MEASURED
from alibi_viz.results.table import PROTOCOLS, Protocol
from alibi_viz.ui import lesson, page, question
from alibi_viz.ui.components.hands import story
from alibi_viz.ui.control_panel import ControlPanel, Presets
from alibi_viz.ui.shell import navigation
from pages.extrapolation import study
from pages.extrapolation.study import LARGER, PAPER

PRESET_VALUES: Presets = {
    "plain": {},
    "rivals": {"ext_methods": "alibi,rope,t5"},
    "every": {"ext_methods": ",".join(MEASURED)},
    "nonoverlapping": {"ext_protocol": "nonoverlapping"},
}
ALIKE = ("same", "open")  # pairs of methods that do not differ by the rule
Curves = tuple[Callable[..., Sequence[Line]], tuple[Any, ...], str, str]  # lines, their inputs, and the two axes
LATEX = (
    r"$$\text{perplexity} = e^{\text{loss}}, \qquad "
    r"\text{loss} = -\frac{1}{N}\sum_{i=1}^{N} \ln p(\text{byte}_i \mid \text{the bytes before it in its window})$$"
)


def main() -> None:
    facts = load_facts("extrapolation")
    text, controls = lesson.begin("extrapolation", facts)
    protocol: Any = controls.choice("ext_protocol", PROTOCOLS[::-1], "sliding")
    methods = controls.multi_choice("ext_methods", titles_of(MEASURED), MAIN)
    numbers = facts_of(text, facts, protocol)
    lesson.say_problems(text)
    asked = question.ask_lines("extrapolation")
    with lesson.stage():
        if asked and asked.is_open:
            story(drawing.chart(asked, "guess"), drawn=question.hand_in)
        else:
            controls.row(PRESET_VALUES)
            lesson.note(text.text("note", numbers))
            look = {"height": None, "has_file": False, "at": facts["length"]}
            look["drawn"] = drawing.curves(asked) if asked and protocol == "sliding" else ()
            inputs = (methods, protocol)
            lesson.curves(text, study.lines, inputs, "length", "perplexity", "perplexity-by-window", **look)
    lesson.seen_and_formula(
        [text.text(section, numbers) for section in ("best", "breaks", "limit")] + heirs(text, numbers),
        [LATEX, text.text("formula", numbers)],
    )
    sections = {
        "paper": partial(paper, text, facts, methods),
        "lengths": partial(lengths, text, facts),
        "made": partial(made, text, numbers, protocol),
    }
    lesson.end(text, sections, windows, evaluate)


def facts_of(text: Lesson, facts: dict[str, Any], protocol: Protocol) -> dict[str, Any]:
    """The numbers of one kind of windows, with lists of methods as sentences have them."""
    here = facts[protocol]
    best, first = next(iter(here["order"])), min(here["breaks"].values())
    return {
        **facts,
        **here,
        "best": title_of(best),
        "value": here["order"][best],
        "beside": compared(here["beside_alibi"], once=facts["once"]),
        "shown": text.entry("windows", protocol),
        "first": joined_titles(method for method, at in here["breaks"].items() if at == first),
        "first_at": first,
        "breaks_at": here["breaks"],
        "breaks": joined_titles(here["breaks"], joined(("{title}", "{value:g}\u00a0L"), "bracket")),
        "held": joined_titles(here["held"]),
        "open": joined_titles(here["open"]),
        "unread": joined_titles(here["unread"]),
        "at_16": facts["far"] * facts["length"],
        **{f"spread_{where}": joined_titles({s["method"]: s["value"]}) for where, s in here["spread"].items()},
    }


def heirs(text: Lesson, numbers: dict[str, Any]) -> list[str]:
    """What came after ALiBi, as far as it was measured."""
    values = numbers["heirs"]
    if not values:
        return []
    listed = [text.entry("heirs_of", method, values[method] | {"times": numbers["far"]}) for method in values]
    reduced = load("shared").text("reduced", load_facts("heirs")["more_parameters"])
    return [text.text("heirs", numbers | {"listed": joined(listed, "semicolon")}), reduced]


def beside(text: Lesson, name: str, charts: Mapping[str, Curves], **options: Any) -> None:
    """Ours and the paper's, side by side."""
    for column, (where, (lines, inputs, x, y)) in zip(st.columns(2, gap="medium"), charts.items(), strict=True):
        with column:
            st.markdown(f"**{text.label(where)}**")
            lesson.curves(text, lines, inputs, x, y, f"{name}-{where}", **options)


def paper(text: Lesson, facts: dict[str, Any], methods: Sequence[str]) -> None:
    """Figure 1 of the paper beside ours, in one unit; its test set, its books and its largest models."""
    controls = ControlPanel(text)
    train_length = controls.choice("ext_paper", {length: f"{length:,}" for length in PAPER}, 512)
    controls.row()
    charts: dict[str, Curves] = {
        "here": (study.ratios, (methods,), "times", "ratio"),
        "published": (study.paper_ratios, (methods, train_length), "times", "ratio"),
    }
    if all(lines(*inputs) for lines, inputs, *_ in charts.values()):
        beside(text, "figure1", charts, at=1, at_label="train_length_times")
    theirs, ours = facts["paper"][str(train_length)], facts["paper"]["nonoverlapping"]
    numbers = facts | {"train_length": train_length, "best": title_of(theirs["best"]), "rank": theirs["rank"]}
    for where, of in (("paper", theirs), ("here", ours)):
        numbers[f"breaks_{where}"] = joined_titles(of["breaks"], joined(("{title}", "{value:.3g}\u00a0L"), "bracket"))
        times = {m: f"{ratio:.2f}" if ratio < 10 else f"{float(f'{ratio:.2g}'):,.0f}" for m, ratio in of["far"].items()}
        numbers[f"far_{where}"] = joined_titles(times, "{title} ×\u00a0{value}")
    lesson.prose(text.text("paper", numbers))
    test_and_books(text, facts)
    lesson.prose(text.text("larger", facts["larger"]))
    labels = text.entries("larger_columns")
    tested = [text.entry("larger_columns", "tested", length=n) for n in LARGER]
    columns = [labels["model"], *tested, labels["updates"], labels["hours"]]
    rows = []
    for row in study.larger():
        perplexities = (f"{value:.2f}" if (value := row.get(f"ppl_{n}")) else "–" for n in LARGER)
        name, trained = row["model"].split(", L = ")
        model = text.entry("books_columns", "alibi", title=method_title(name), length=int(trained))
        rows.append([model, *perplexities, f"{row['updates']:,}", f"{row['gpu_hours']:,}"])
    st.dataframe(pd.DataFrame(rows, columns=columns), hide_index=True)


def test_and_books(text: Lesson, facts: dict[str, Any]) -> None:
    """The paper's Tables 6 and 8: do its results hold on the test set, and on other text?"""
    on_test, on_books = st.columns(2, gap="medium")
    with on_test:
        headers = text.entries("test_columns").values()
        rows = [
            [title_of(row.method), f"{row.trained:,}", f"{row.tested:,}", f"{row.valid:.2f}", f"{row.test:.2f}"]
            for row in study.test_set()
        ]
        st.dataframe(pd.DataFrame(rows, columns=list(headers)), hide_index=True)
        lesson.prose(text.text("test", facts["test"]))
    with on_books:
        labels, (lengths, table) = text.entries("books_columns"), study.books()
        columns = [labels["model"], *(text.entry("books_columns", "tested", length=length) for length in lengths)]
        own = text.entry("books_columns", "own", title=title_of("sinusoidal"))
        rows = []
        for name, perplexities in table.items():
            shape = {"title": title_of("alibi"), "length": 0 if name == "Sinusoidal" else int(name)}
            model = text.entry("books_columns", "alibi", shape) if shape["length"] else own
            rows.append([model, *("–" if value is None else f"{value:.2f}" for value in perplexities)])
        st.dataframe(pd.DataFrame(rows, columns=columns), hide_index=True)
        lesson.prose(text.text("books", facts["books"]))


def lengths(text: Lesson, facts: dict[str, Any]) -> None:
    """ALiBi and sinusoidal positions, trained at several lengths with equally many bytes: here and in the paper."""
    charts: dict[str, Curves] = {
        "here": (study.short_and_long, (), "length", "perplexity"),
        "published": (study.paper_short_and_long, (), "words", "per_word"),
    }
    beside(text, "lengths", charts)
    here = facts["lengths"]
    at = str(here["at"])
    tested, alone = here["tested"]["alibi"], here["own"]["sinusoidal"]
    shorter = {n: perplexity for n, perplexity in tested.items() if n != at}
    numbers = here | {
        "best_length": min(shorter, key=shorter.__getitem__),
        "best": min(shorter.values()),
        "alibi": tested[at],
        "sinusoidal": here["tested"]["sinusoidal"][at],
        "own": joined(joined((f"L\u00a0=\u00a0{n}", f"{perplexity:.2f}"), "colon") for n, perplexity in alone.items()),
    }
    lesson.prose(*(text.text(section, numbers) for section in ("lengths", "lengths_here", "lengths_paper")))


def made(text: Lesson, numbers: dict[str, Any], protocol: Protocol) -> None:
    """All numbers, and how the runs were made."""
    columns = text.entries("columns")
    rows = []
    for line in study.of_every_method(protocol):
        by_times = dict(zip((line.x / numbers["length"]).tolist(), line.y.tolist(), strict=True))
        at = [f"{by_times[n]:.2f}" if n in by_times else "–" for n in (1, 4, 16)]
        last_good, first = numbers["last_good"].get(line.method), numbers["breaks_at"].get(line.method)
        where = "–" if last_good is None else f"{last_good:g}–{first:g}" if first else f"> {last_good:g}"
        rows.append([line.name, *at, where])
    frame = pd.DataFrame(rows, columns=[columns[name] for name in ("method", "at", "near", "far", "breaks")])
    st.dataframe(frame, hide_index=True)
    page.download_csv(lambda: frame, name="extrapolation.csv", key="result_csv")
    of_runs = numbers["made"]
    numbers = numbers | of_runs | of_runs["environment"]
    numbers |= {
        "frequencies": of_runs["head_dim"] // 2,
        **{kind: joined((joined(map(title_of, pair), "and") for pair in of_runs[kind]), "semicolon") for kind in ALIKE},
        "not_better": joined_titles(of_runs["ngram"]["not_better"]),
    }
    lesson.prose(*(text.text(section, numbers) for section in ("table", "rule", "made", "order")))
    navigation.link("train", text.label("train"))

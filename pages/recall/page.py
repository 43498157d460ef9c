"""Far pairs: right answers against the distance of the pair, and whether it is the asked letter that a model follows.

The letter of a pair is a key in the task's papers and in `alibi_viz.lm.recall`; to readers a key is one of attention's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import pandas as pd
import streamlit as st

from alibi_viz.charts.figure import Chart
from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.lessons import Lesson, joined, load
from alibi_viz.lm.recall import recall_questions
from alibi_viz.positions import METHODS, title_of, titles_of
from alibi_viz.results.facts import joined_titles, load_facts
from alibi_viz.results.pretrained import MAIN, methods_of
from alibi_viz.ui import lesson, page, question
from alibi_viz.ui.control_panel import Presets
from alibi_viz.ui.format import format_share
from alibi_viz.ui.shell import navigation
from pages.recall import study
from pages.recall.study import Share

MEASURED = methods_of("recall")
PAIRS = ("2", "4", "8")
PRESET_VALUES: Presets = {
    "plain": {},
    "hard": {"curse_pairs": "8"},
    "biases": {"recall_methods": "alibi,t5,kerple,kerple_power,sandwich,fire"},
    "every": {"recall_methods": ",".join(MEASURED)},
}
MOST_OPTIONS = 5  # of a question
LATEX = (
    r"$$s_{\text{far}} - m\,d_{\text{far}} > s_{\text{near}} - m\,d_{\text{near}}, \qquad "
    r"m\,d_{\text{far}} = %d / %d = %.1f$$"
)


def main() -> None:
    facts = load_facts("recall")
    example = study.example()
    text, controls = lesson.begin("recall", {"question": example[:-1], "answer": example[-1]})
    pairs = controls.choice("curse_pairs", PAIRS, "4")
    methods = controls.multi_choice("recall_methods", titles_of(MEASURED), MAIN)
    here = facts[pairs]
    numbers = facts_of(facts, here, int(pairs))
    lesson.say_problems(text)
    is_open = question.show(asked(here, methods, numbers), veils=True)
    with lesson.stage():
        controls.row(PRESET_VALUES)
        lesson.note(text.text("note_guess" if "alibi" in here["guessing"] else "note", numbers))
        until = numbers["farthest"] if is_open else inf
        draw(text, methods, "accuracy", numbers["pairs"], numbers["farthest"], None, until)
    latex = LATEX % (here["most"], 1 / facts["slope"], numbers["penalty"])
    seen = [text.text("seen", numbers), text.text("beyond", numbers)]
    for method, first in here["left_out"].items():  # it is right, so the chart alone does not say why
        seen.append(text.text("left_out", {**facts, **first, "title": title_of(method)}))
    lesson.seen_and_formula(seen, [latex, text.text("formula", numbers)])
    sections = {
        "controls": partial(control_runs, text, numbers, methods),
        "table": partial(numbers_of, text, numbers),
        "task": partial(task, text, numbers),
    }
    lesson.end(text, sections, recall_questions)


def facts_of(facts: Mapping[str, Any], here: Mapping[str, Any], pairs: int) -> dict[str, Any]:
    """The numbers of one count of pairs, with lists of methods as sentences have them."""
    alibi, recalling = here["far"]["alibi"], here["recalling"]["16"]
    shares = {method: format_share(share) for method, share in here["far"].items()}
    share = next(iter(shares.values()))  # the largest, as it is printed
    return {
        **facts,
        "pairs": pairs,
        "far": here["most"],
        "times": here["times"],
        "best": joined_titles(method for method in shares if shares[method] == share),
        "share": share,
        "alibi": shares["alibi"],
        "ahead": sum(here["far"][method] > alibi for method in recalling),
        "count": len(here["learned"]),
        "all": len(here["learned"]) + len(here["others"]),
        "learned": joined_titles(here["learned"]),
        "others": joined_titles(
            {m: 100 * share for m, share in here["others"].items()}, joined(("{title}", "{value:.0f}%"), "bracket")
        ),
        **{f"to_{times}": joined_titles(methods) for times, methods in longest_recalled(here["recalling"]).items()},
        "flatter": format_share(here["flatter"]["share"]),
        "flatter_bias": here["flatter"]["options"].split()[-1].removesuffix(".0"),
        "penalty": here["most"] * facts["slope"],
        "chance": f"{100 * here['chance']:g}%",
    }


def longest_recalled(recalling: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Each method once: at the longest texts in which it recalls. What recalls in long texts does so in shorter ones."""
    named: set[str] = set()
    longest = {}
    for times in sorted(recalling, key=int, reverse=True):
        longest[times] = [method for method in recalling[times] if method not in named]
        named.update(longest[times])
    return longest


def asked(here: Mapping[str, Any], methods: Sequence[str], numbers: Mapping[str, Any]) -> question.Asked:
    """Who is right most often at the farthest distance? Nothing where there is nothing to choose from. Until it
    is answered the picture ends at the trained distances."""
    shares = {method: format_share(here["far"][method]) for method in methods if method in here["far"]}
    if not shares:
        return question.prepare()
    top = max((here["far"][method], shares[method]) for method in shares)[1]
    first = list(shares)[:MOST_OPTIONS]
    if top not in [shares[method] for method in first]:
        first[-1] = next(method for method in shares if shares[method] == top)
    right = [number for number, method in enumerate(first) if shares[method] == top]
    if len(right) == len(first):
        return question.prepare()

    def words(text: Lesson) -> tuple[str, list[str], list[str]]:
        # What speaks for a method is how it acts; ALiBi has a sentence of its own.
        thoughts = [method if method == "alibi" else METHODS[method].acts_on for method in first]
        reasons = [text.entry("reasons", thought) for thought in thoughts]
        return text.text("predict", numbers), [title_of(method) for method in first], reasons

    return question.prepare(words, right, name="recall")


def draw(
    text: Lesson,
    methods: tuple[str, ...],
    share: Share,
    pairs: int,
    farthest: int,
    height: int | None,
    until: float = inf,
) -> None:
    """A share of the answers against the distance, `until` one of them."""
    labels = text.entries("chart")
    lines = named_lines(text, methods, pairs, share)
    ends = joined(f"{line.name} {format_share(line.up_to(until).y[-1])}" for line in lines)
    alt = load("shared").label("curves", x=labels["distance"], y=labels[share], ends=ends)
    inputs = (text, methods, share, pairs, farthest, height, until)
    page.chart(shares_chart, *inputs, key=f"recall_{share}", alt=alt, name=f"recall-{share}")


def named_lines(text: Lesson, methods: tuple[str, ...], pairs: int, share: Share) -> list[Line]:
    """The curves; that of a method that did not learn the task says so."""
    return [
        replace(line, name=text.entry("chart", "unlearned", name=line.name)) if line.faint else line
        for line in study.lines(methods, pairs, share)
    ]


def shares_chart(
    text: Lesson, methods: tuple[str, ...], share: Share, pairs: int, farthest: int, height: int | None, until: float
) -> Chart:
    """Lines that lie on each other stay visible: the first is drawn last, and each later one has larger marks behind it."""
    labels = text.entries("chart")
    axes = {"x": labels["distance"], "y": labels[share], "hover": joined(("%{x:,}", "%{y:.0%}"), "colon")}
    axes |= {"at": labels["farthest"], "ends": load("shared").entries("labels")["ends"]}
    fig = on_log_axis(
        named_lines(text, methods, pairs, share)[::-1],
        axes,
        dark=page.dark(),
        height=height,
        log_y=False,
        at=farthest,
        levels={text.entry("chart", "chance", pairs=pairs): 1 / pairs},
        ends_y=(-0.03, 1.12),
        until=until,
    )
    curves = [trace for trace in fig.data if trace["mode"] == "lines+markers"]
    for behind, trace in enumerate(curves[::-1]):
        trace["marker"]["size"] = 7 + 1.7 * behind
    fig.y_axis(tickformat=".0%", dtick=0.25)
    return fig


def control_runs(text: Lesson, numbers: Mapping[str, Any], methods: tuple[str, ...]) -> None:
    """Another letter asked, and the nearest digit."""
    both: tuple[Share, Share] = ("wrong_key", "nearest")
    for column, share in zip(st.columns(2, gap="medium"), both, strict=True):
        with column:
            draw(text, methods, share, numbers["pairs"], numbers["farthest"], 340)
    lesson.prose(text.text("controls", numbers))


def numbers_of(text: Lesson, numbers: Mapping[str, Any]) -> None:
    """Right answers of every method at every distance; a dash where a method cannot be asked."""
    shares = study.by_distance(numbers["pairs"]).map(lambda share: "–" if pd.isna(share) else format_share(share))
    shares.index = shares.index.map(title_of)
    frame = shares.rename(columns="{:,}".format).rename_axis(text.label("method")).reset_index()
    st.dataframe(frame, hide_index=True)
    page.download_csv(lambda: frame, name="recall-by-distance.csv", key="recall_csv")
    lesson.prose(text.text("table", numbers))


def task(text: Lesson, numbers: Mapping[str, Any]) -> None:
    """The task, how the models were trained, and how both were chosen."""
    lesson.prose(text.text("task", numbers), text.text("choice"))
    if not page.on_site():  # a tab trains on no other text
        navigation.link("train", text.label("train"), {"train_text": "recall", "train_steps": "2000"})

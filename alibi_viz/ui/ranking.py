"""A trained model on a short text ranks no methods: the order that the shipped runs gave on a long one, beside it."""

from dataclasses import dataclass

from alibi_viz.lessons import load
from alibi_viz.positions import METHODS
from alibi_viz.results import measured
from alibi_viz.ui import lesson
from alibi_viz.ui.shell import navigation


@dataclass(frozen=True)
class Ranking:
    count: int  # predictions on the reader's text
    all: int  # predictions of the shipped runs
    length: int  # of their training and windows, bytes
    seeds: int
    order: str  # methods, the best first


def show(count: int) -> None:
    """Say that `count` predictions are too few, and what the shipped runs gave; nothing where these are missing."""
    runs, words = measured.shipped(), load("words")
    curves = measured.curves(runs, "nonoverlapping")
    point = runs[0].at(runs[0].config.length) if runs else None
    if not curves or point is None:
        return
    order = ", ".join(f"{METHODS[method].title} {perplexity:.2f}" for method, perplexity in measured.ranked(curves))
    lesson.prose(words.text("ranking", Ranking(count, point.predictions, point.length, len(curves[0].seeds), order)))
    navigation.link("extrapolation", words.label("measured_runs"))

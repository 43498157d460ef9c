"""Far pairs: which models name the digit of a pair that is far back, and whether they follow the asked letter."""

from dataclasses import replace
from typing import Literal

import pandas as pd
import torch

from alibi_viz.charts.lines import Line
from alibi_viz.lessons.languages import kept_by_language
from alibi_viz.lm.recall import recall_questions
from alibi_viz.results import table
from alibi_viz.results.facts import load_facts

Share = Literal["accuracy", "wrong_key", "nearest"]  # of the answers: right; the two controls


def runs(pairs: int) -> pd.DataFrame:
    """The answers of every method by distance ("length"), with so many pairs in a sequence."""
    every = table.measurements("recall", "recall")
    return every[(every.options == "") & (every.pairs == pairs)]


def lines(methods: tuple[str, ...], pairs: int, share: Share) -> list[Line]:
    """A share of the answers against the distance. Methods that did not learn the task are faint: theirs says nothing."""
    return [line for line in _of_every_method(pairs, share) if line.method in methods]


@kept_by_language(9)
def _of_every_method(pairs: int, share: Share) -> list[Line]:
    learned = load_facts("recall")[str(pairs)]["learned"]
    return [replace(line, faint=line.method not in learned) for line in table.lines(runs(pairs), value=share)]


def by_distance(pairs: int) -> pd.DataFrame:
    """Share of right answers, a row a method, a column a distance; NaN where a method cannot be asked."""
    return runs(pairs).pivot(index="method", columns="length", values="accuracy")


def example(distance: int = 10, pairs: int = 3) -> str:
    """A question of the task with its answer, the last sign, as text."""
    questions = recall_questions(1, distance, pairs, torch.Generator().manual_seed(3), length=distance + 4)
    return bytes([*questions.text[0].tolist(), int(questions.digits[0, 0])]).decode("ascii")

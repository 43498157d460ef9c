"""Longer windows: which word sees how much context, in nonoverlapping and in sliding windows, and what it costs.

Notable choices:
- Windows and their cost come from `alibi_viz.lm.evaluation`, which measured the shipped runs too.
- The context of a token is the number of tokens before it in its window. The first token of a text is never predicted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from alibi_viz.charts.lines import Line
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm.evaluation import tokens_processed, windows
from alibi_viz.positions import title_of
from alibi_viz.results import published, table
from alibi_viz.results.table import PROTOCOLS, Protocol

FEWEST, MOST = 3, 12  # words of the sentence: with more, a cell would be too small to read
LONG_WINDOW, LONG_LEAST = 512, 32  # tokens, of a long text: its windows, and enough context
#: Tables of the paper, their method and their windows (sliding by one word).
TABLES: tuple[tuple[str, str, Protocol], ...] = (
    ("table5_alibi_train_by_eval", "alibi", "nonoverlapping"),
    ("table15_sliding_alibi", "alibi", "sliding"),
    ("table14_sliding_t5", "t5", "sliding"),
    ("table13_sliding_sinusoidal", "sinusoidal", "sliding"),
)


@dataclass(frozen=True)
class Plan:
    """One protocol over a short text, whose words are numbered from 0. Arrays are [windows, words]."""

    stride: int
    read: np.ndarray  # bool: the words that the model reads in each window
    counted: np.ndarray  # bool: the words whose prediction counts there
    context: np.ndarray  # int64 [words - 1]: words of context of the words 1, 2, ...
    words_read: int  # through the model, all windows together

    def short(self, least: int) -> int:
        """How many predicted words have less than `least` words of context."""
        return int((self.context < least).sum())


@lru_cache(maxsize=64)
def compute(words: int, window: int, stride: int) -> dict[Protocol, Plan]:
    """Both protocols over a text of so many words. Raises ValueError for one of fewer than FEWEST words."""
    if words < FEWEST:
        raise Problem("texts.for_a_window", least=FEWEST)
    return dict(zip(PROTOCOLS, (plan(words, window, window), plan(words, window, stride)), strict=True))


def plan(words: int, length: int, stride: int) -> Plan:
    """Every window over a text of that many words. Raises ValueError for a stride not in 1..length."""
    begin, end, first = np.array(list(windows(words - 1, length, stride))).T[..., None]  # [windows, 1] each
    word = np.arange(words)
    counted = (begin + first < word) & (word <= end)  # after each word that it reads, the model predicts the next one
    context = np.broadcast_to(word - begin, counted.shape)[counted]
    read = (begin <= word) & (word < end)
    return Plan(stride, read, counted, context, tokens_processed(words - 1, length, stride))


@lru_cache(maxsize=16)
def long_text(predictions: int, length: int, stride: int, least: int) -> tuple[float, float]:
    """Share of the predictions with fewer than `least` tokens of context, and tokens through the model for each of them."""
    short = 0
    for begin, end, first in windows(predictions, length, stride):
        # This window has one prediction with each context from first + 1 to end - begin.
        short += max(min(least - 1, end - begin) - first, 0)
    return short / predictions, tokens_processed(predictions, length, stride) / predictions


def context() -> list[Line]:
    """Perplexity of the same predictions by the bytes of context that they have."""
    return table.lines(table.measurements("contexts"), "context")


def paper(train_length: int, names: Mapping[str, str]) -> list[Line]:
    """The paper's rows for one training length: perplexity per word against the window, in words.

    names: of a line, by its windows, with `title`.
    """
    lines = []
    for key, method, protocol in TABLES:
        x, y = np.array(list(published.row(key, str(train_length)).items()), dtype=np.float64).T
        name = names[protocol].format(title=title_of(method))
        lines.append(Line(method, name, x, y, hollow=protocol == "nonoverlapping"))
    return lines

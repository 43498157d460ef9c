"""What the runs gave, one sentence a run. No verdict on a model that has learned no more than a bigram model knows."""

import math

from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.results.measured import WORSE
from alibi_viz.ui.format import format_number
from alibi_viz.ui.run_names import method_title
from pages.train.study import Results


def sentence(lesson: Lesson, results: Results, bigram: float, bytes_per_word: float) -> str:
    """What one run gives at L and at 4 L."""
    method, near, far, is_recall = results.config.method, results.at(1), results.at(4), results.config.is_recall
    rise = math.log(far / near) * bytes_per_word if near and far else 0.0  # nats per word
    if near is None or far is None:
        key = "ends" if results.ends and METHODS[method].has_position_table else "near"
    elif is_recall:
        key = "recall"
    else:
        key = "early" if near >= bigram else "keeps" if rise <= WORSE else "breaks"
    at, beyond = number(near, is_recall), number(far, is_recall)
    return lesson.entry("seen.one", key, method=method_title(results.config), rise=rise, at=at, far=beyond)


def number(value: float | None, is_recall: bool) -> str:
    """A perplexity, or for recall a share of right answers."""
    if value is None:
        return "–"
    return f"{value:.0%}" if is_recall else f"{value:.2f}" if value < 100 else format_number(value)

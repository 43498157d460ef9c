"""Longer windows as a reader opens it; and what each window counts, against what the evaluation counts."""

import json
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.lm.evaluation import tokens_processed, windows
from pages.early_token_curse import study
from tests.pages.apptest import numbers, open_page, release, said, says

NAME = "early_token_curse"


def opened(**url):
    return open_page(NAME, **{f"curse_{key}": value for key, value in url.items()})


def written(at):
    """What stands in each cell, by its row and column."""
    of_stage = json.loads(at.get("plotly_chart")[0].proto.spec)["data"]
    return {
        (row, round(begin + width / 2)): text
        for trace in of_stage
        for row, begin, width, text in zip(
            *map(numbers, (trace["y"], trace["base"], trace["x"])), trace["text"], strict=True
        )
    }


def test_the_numbers_in_the_picture_are_the_contexts():
    cells = written(opened())
    heights = sorted({row for row, _ in cells})
    rows = [[cells[key] for key in sorted(cells) if key[0] == row and cells[key]] for row in heights]
    assert [low - high > 1 for high, low in pairwise(heights)] == [False, True, False, False, False], "room between"
    assert rows == [["1", "2", "3", "4"], ["1", "2", "3"], ["1", "2", "3", "4"], ["4"], ["4"], ["4"]]


def test_a_sentence_of_any_length_gets_a_sentence_and_loses_nothing():
    at = opened(text="one two")
    assert "at least 3" in at.warning[0].value
    assert says(said(at), NAME, "pair")
    release(at, is_step=False, curse_text="猫追老鼠")  # three words: the story's short sentence
    assert not at.warning
    at = opened(text=" ".join(f"w{n}" for n in range(30)))
    assert "30 words and punctuation marks" in at.info[0].value
    assert max(column for _, column in written(at)) == 11


spans = st.integers(1, 40).flatmap(lambda length: st.tuples(st.just(length), st.integers(1, length)))


@settings(max_examples=200)
@given(st.integers(3, 30), spans)
def test_every_word_but_the_first_counts_once_with_the_context_of_its_window(words, span):
    length, stride = span
    plan = study.plan(words, length, stride)
    passes = list(windows(words - 1, length, stride))
    assert [np.flatnonzero(row).tolist() for row in plan.read] == [list(range(begin, end)) for begin, end, _ in passes]
    rows, counted = np.nonzero(plan.counted)
    assert counted.tolist() == list(range(1, words))
    assert [word - passes[row][0] for row, word in zip(rows, counted, strict=True)] == plan.context.tolist()
    assert plan.words_read == tokens_processed(words - 1, length, stride) == plan.read.sum()
    assert plan.short(3) == sum(context < 3 for context in plan.context)


@settings(max_examples=200)
@given(st.integers(1, 200), spans, st.integers(2, 50))
def test_the_share_of_a_long_text_is_counted_window_by_window(predictions, span, least):
    length, stride = span
    every = [
        place + 1 for begin, end, first in windows(predictions, length, stride) for place in range(first, end - begin)
    ]
    short = sum(context < least for context in every) / predictions
    passes = tokens_processed(predictions, length, stride) / predictions
    assert study.long_text(predictions, length, stride, least) == (short, passes)

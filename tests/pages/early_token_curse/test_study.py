"""Longer windows: what each window reads and counts, against what the evaluation counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.evaluation import evaluate, tokens_processed, windows
from alibi_viz.lm.training import build_model
from pages.early_token_curse import study

spans = st.integers(1, 40).flatmap(lambda length: st.tuples(st.just(length), st.integers(1, length)))


@settings(deadline=None, max_examples=200)
@given(st.integers(4, 30), spans)
def test_every_word_but_the_first_counts_once_with_the_context_of_its_window(words, span):
    length, stride = span
    plan = study.plan(words, length, stride)
    passes = list(windows(words - 1, length, stride))
    assert [np.flatnonzero(row).tolist() for row in plan.read] == [list(range(begin, end)) for begin, end, _ in passes]
    rows, counted = np.nonzero(plan.counted)
    assert counted.tolist() == list(range(1, words))
    assert [word - passes[row][0] for row, word in zip(rows, counted, strict=True)] == plan.context.tolist()
    firsts = [begin + first + 1 for begin, _, first in passes]
    assert plan.counted.argmax(1).tolist() == firsts
    assert plan.words_read == tokens_processed(words - 1, length, stride) == plan.read.sum()
    assert max(plan.context) <= length


def test_the_default_sentence_by_hand():
    plain, slide = study.plan(8, 4, 4), study.plan(8, 4, 1)
    assert plain.context.tolist() == [1, 2, 3, 4, 1, 2, 3]
    assert slide.context.tolist() == [1, 2, 3, 4, 4, 4, 4]
    assert (len(plain.read), plain.words_read) == (2, 7)
    assert (len(slide.read), slide.words_read) == (4, 16)
    assert (plain.short(3), slide.short(3)) == (4, 2)


@pytest.mark.parametrize("words", [0, 1, 3])
def test_a_short_sentence_gets_a_sentence(words):
    with pytest.raises(ValueError, match="at least 4 words"):
        study.study(words, 2, 1)


@settings(deadline=None, max_examples=200)
@given(st.integers(1, 200), spans, st.integers(2, 50))
def test_the_share_of_a_long_text_is_counted_window_by_window(predictions, span, least):
    length, stride = span
    every = [
        place + 1 for begin, end, first in windows(predictions, length, stride) for place in range(first, end - begin)
    ]
    assert study.contexts(predictions, length, stride).tolist() == np.bincount(every, minlength=length + 1).tolist()
    short = sum(context < least for context in every) / predictions
    passes = tokens_processed(predictions, length, stride) / predictions
    assert study.long_text(predictions, length, stride, least) == (short, passes)


@pytest.mark.parametrize("stride", [24, 5])
def test_counts_by_position_are_those_of_an_evaluation(stride):
    """Counted prediction by prediction over the windows that the evaluation reads; its own losses add up with them."""
    model = build_model(TrainConfig(length=8, width=8, heads=1, layers=1)).eval()
    result = evaluate(model, bytes(range(100)), 24, stride)
    by_hand = [0] * 24
    for begin, end, first in windows(99, 24, stride):
        for position in range(first, end - begin):
            by_hand[position] += 1
    assert study.contexts(99, 24, stride)[1:].tolist() == by_hand
    assert sum(by_hand) == result.predictions
    assert [count == 0 for count in by_hand] == [loss is None for loss in result.by_position]
    total = sum(count * loss for count, loss in zip(by_hand, result.by_position, strict=True) if loss is not None)
    assert total == pytest.approx(99 * result.loss)


def test_the_paper_s_rows_are_its_tables():
    one, sliding, t5, sinusoidal = study.paper(512, {"nonoverlapping": "{title}", "sliding": "{title}, sliding"})
    assert (one.y[0], one.y[-1]) == (19.73, 18.40)
    assert (sliding.y[0], sliding.y[-1], t5.y[-1], sinusoidal.y[-1]) == (17.98, 18.3, 30.77, 360.12)
    assert one.hollow
    assert not sliding.hollow

"""The Early token curse page's study: windows against what evaluation counts, shares, groups of places, recall."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.evaluation import evaluate, tokens_processed, windows
from alibi_viz.lm.training import build_model
from alibi_viz.results import measured, pretrained
from alibi_viz.results.measured import MeasuredRun, Point
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
    assert (plain.short(3), slide.short(3)) == (4 / 7, 2 / 7)


@pytest.mark.parametrize("words", [0, 1, 3])
def test_a_short_sentence_gets_a_sentence(words):
    with pytest.raises(ValueError, match="at least 4 words"):
        study.plan(words, 2, 1)


@settings(deadline=None, max_examples=200)
@given(st.integers(1, 200), spans, st.integers(2, 50))
def test_the_share_of_a_long_text_is_counted_window_by_window(predictions, span, least):
    length, stride = span
    every = [
        place + 1 for begin, end, first in windows(predictions, length, stride) for place in range(first, end - begin)
    ]
    assert study.contexts(predictions, length, stride).tolist() == np.bincount(every, minlength=length + 1).tolist()
    short = sum(context < least for context in every) / predictions
    assert study.short_share(predictions, length, stride, least) == short


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


def test_the_trade_has_a_price():
    plain, quarter, every = study.trades(10_000, 32)
    assert np.all(plain.cost == 1)
    assert np.all(np.diff(plain.share) <= 0)
    assert np.all(plain.share >= quarter.share)
    assert np.all(quarter.share >= every.share)
    assert np.all((quarter.cost[2:9] > 3) & (quarter.cost[2:9] <= 4))  # windows short against the text
    assert np.all(every.cost[:8] > quarter.cost[:8])


def with_positions(losses: np.ndarray, windows_read: int = 10, length: int = 16, seed: int = 0) -> MeasuredRun:
    """A run of L = 16 with these losses by position."""
    window = len(losses)
    point = Point(window, window, 2.0, predictions=window * windows_read, by_position=tuple(losses))
    return MeasuredRun(TrainConfig(length=length, seed=seed), "own", "", (point,))


def mean(losses: study.Positions) -> float:
    """The mean loss over the whole window."""
    return np.average(losses.loss, weights=losses.predictions)


def test_groups_of_positions_cover_the_window_and_stop_where_training_ends():
    for length, train_length in ((64, 64), (128, 128), (160, 128), (2048, 128), (2, 2)):
        edges = study.groups(length, train_length)
        assert (edges[0], edges[-1]) == (0, length)
        assert np.all(np.diff(edges) > 0)
        assert train_length in edges


def test_needed_context_is_where_the_loss_has_come_down():
    losses = np.full(16, 1.0)
    losses[:5] = 2.0
    result = study.positions([with_positions(losses)], 16)
    assert (result.level, result.needed) == (1.0, 7)  # positions 5 and 6 are one group, whose mean is 1.5
    assert (result.level_from, result.level_to) == (9, 16)
    assert mean(result) == pytest.approx(losses.mean())
    assert result.predictions.sum() == 160
    assert (result.first[0], result.last[-1]) == (1, 16)


def test_a_method_without_the_curse_needs_no_context():
    assert study.positions([with_positions(np.linspace(1, 2, 16))], 16).needed == 1
    assert study.positions([with_positions(np.ones(16))], 16).needed == 1


def test_the_level_looks_at_trained_positions_only():
    losses = np.concatenate([np.full(16, 1.0), np.full(48, 5.0)])
    result = study.positions([with_positions(losses)], 64)
    assert (result.level, result.needed) == (1.0, 1)
    assert result.loss[-1] == 5.0


def test_what_was_not_measured_is_nothing():
    assert study.positions([with_positions(np.ones(16))], 32) is None
    learned = [run for run in measured.shipped() if run.config.method == "learned"]
    assert study.positions(learned, 256) is None


def test_loss_by_position_gives_back_the_shipped_perplexity():
    for method in pretrained.METHODS:
        runs = [run for run in measured.shipped() if run.config.method == method]
        means = [math.log(run.at(128).perplexity) for run in runs]
        assert mean(study.positions(runs, 128)) == pytest.approx(np.mean(means), abs=1e-3)


def test_both_protocols_of_the_same_runs_stand_together():
    points = (Point(16, 16, 2.0), Point(16, 4, 3.0))
    here = MeasuredRun(TrainConfig(length=16), "own", "one text", points)
    there = dataclasses.replace(here, corpus="another", points=(Point(16, 16, 8.0),))
    first, second = study.both([here, there])
    assert {protocol: curve.mean[0] for protocol, curve in first.items()} == {"nonoverlapping": 2.0, "sliding": 3.0}
    assert {protocol: curve.mean[0] for protocol, curve in second.items()} == {"nonoverlapping": 8.0}
    curves = study.by_protocol([first, second])
    assert {protocol: [curve.mean[0] for curve in group] for protocol, group in curves.items()} == {
        "nonoverlapping": [2.0, 8.0],
        "sliding": [3.0],
    }
    assert len(study.both(measured.shipped())) == len(pretrained.METHODS)
    assert all(tuple(pair) == measured.PROTOCOLS for pair in study.both(measured.shipped()))


def test_both_keeps_the_order_of_the_runs_whatever_their_texts():
    """The newest own run first; not text by text."""
    points = (Point(16, 16, 2.0),)
    runs = [
        MeasuredRun(TrainConfig(length=16, steps=steps), "own", text, points)
        for steps, text in ((1, "one"), (2, "another"), (3, "one"), (4, "another"))
    ]
    assert [pair["nonoverlapping"].config.steps for pair in study.both(runs)] == [1, 2, 3, 4]


@pytest.mark.parametrize(("far", "word"), [(2.0, "flat"), (2.003, "flat"), (1.99, "better"), (2.01, "worse")])
def test_a_change_has_one_word(far, word):
    """A hundredth of a nat per word: with five bytes in a word, 0.2% of the perplexity per byte."""
    points = (Point(16, 16, 2.0), Point(32, 32, far))
    run = MeasuredRun(TrainConfig(length=16), "own", "", points, bytes_per_word=5.0)
    assert study.changed(measured.curves([run])[0]) == word


def test_no_change_where_nothing_beyond_training_was_measured():
    run = MeasuredRun(TrainConfig(length=16), "own", "", (Point(8, 8, 2.0), Point(16, 16, 2.0)))
    assert study.changed(measured.curves([run])[0]) is None


def test_the_papers_rows():
    rows = {row.table: row for row in study.paper(512)}
    assert rows["5"].perplexity[[0, -1]].tolist() == [19.73, 18.40]
    assert rows["15"].perplexity[[0, -1]].tolist() == [17.98, 18.30]
    assert rows["14"].perplexity[-1] == 30.77
    assert rows["5"].protocol == "nonoverlapping"
    assert {rows[table].protocol for table in ("13", "14", "15")} == {"sliding"}
    for train_length in study.PAPER_LENGTHS:
        for row in study.paper(train_length):
            assert row.lengths[0] == train_length
            assert row.lengths[-1] == 3072

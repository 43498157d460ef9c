"""Charts of the Early token curse page: traces and axes, not pixels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from alibi_viz.lessons import load
from pages.early_token_curse import charts as charts
from pages.early_token_curse import study as study
from pages.early_token_curse.charts import Line
from tests.pages.compare.test_charts import numbers

WORDS = load("early_token_curse").entries("chart")
TEXT = "the cat sat on the mat and slept".split()


def drawn(length: int, stride: int, least: int, dark: bool = False):
    plan = study.plan(len(TEXT), length, stride)
    passes = [(one.begin, one.end, one.counted.start) for one in plan.windows]
    return charts.windows(passes, plan.context, TEXT, WORDS, least=least, rows=7, dark=dark)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("length", "stride"), [(4, 4), (4, 1), (2, 2), (7, 3)])
def test_every_pass_has_one_cell_a_word(dark, length, stride):
    fig = drawn(length, stride, 3, dark)
    plan = study.plan(len(TEXT), length, stride)
    enough, poor, read, outside, bars = fig.data
    assert sum(len(one.text) for one in (enough, poor, read, outside)) == len(plan.windows) * len(TEXT)
    assert len(enough.text) + len(poor.text) == len(TEXT) - 1  # every word but the first counts once
    assert len(poor.text) == (plan.context < 3).sum()
    assert numbers(bars.y).tolist() == plan.context.tolist()
    for cells in (enough, poor, read, outside):
        columns = (numbers(cells.base).astype(float) - 0.53).round().astype(int)
        assert [TEXT[column] for column in columns] == list(cells.text)


def test_words_of_one_window_at_their_places():
    _, poor, read, outside, _ = drawn(4, 4, 3).data
    second = [text for text, row in zip(poor.text, numbers(poor.y), strict=True) if row == 2]
    assert second == ["mat", "and"]
    assert list(read.text) == ["the", "the"]
    assert "slept" in outside.text


def test_long_words_are_cut_and_not_made_smaller():
    text = ["incomprehensibility"] * 12
    plan = study.plan(12, 4, 1)
    passes = [(one.begin, one.end, one.counted.start) for one in plan.windows]
    fig = charts.windows(passes, plan.context, text, WORDS, least=3, rows=9, dark=False)
    assert {len(word) for one in fig.data[:4] for word in one.text} == {3}
    assert {word for one in fig.data[:4] for word in one.customdata} == set(text)
    assert fig.layout.uniformtext.minsize == charts.SMALLEST
    assert fig.layout.uniformtext.mode == "show"


def test_dragging_moves_no_axis_and_no_height():
    one, other = drawn(4, 1, 3), drawn(2, 2, 2)
    assert one.layout.height == other.layout.height
    assert one.layout.yaxis.range == other.layout.yaxis.range
    assert one.layout.yaxis2.range == other.layout.yaxis2.range


def test_the_trade_is_in_percent_and_the_cost_on_a_log_axis():
    lines = [(one.name, one.lengths, one.share) for one in study.trades(1000, 9)]
    share = charts.trade(lines, WORDS, quantity="share", dark=False)
    assert numbers(share.data[0].y)[0] == pytest.approx(100)
    assert charts.trade(lines, WORDS, quantity="cost", dark=False).layout.yaxis.type == "log"


def test_curves_have_the_callers_axes_and_the_spread_of_the_seeds():
    lengths, mean = np.array([64, 128, 256]), np.array([5.0, 4.0, 4.5])
    shipped = Line("alibi", "ALiBi", lengths, mean, mean - 0.5, mean + 0.25)
    own = Line("alibi", "own", lengths, mean, hollow=True, own=True)
    fig = charts.curves([shipped, own], WORDS, title="y", ends=(3.0, 6.0), lengths=lengths, trained=128, dark=False)
    assert tuple(fig.layout.yaxis.range) == (math.log10(3), math.log10(6))
    assert numbers(fig.data[0].error_y.array).tolist() == [0.25] * 3
    assert numbers(fig.data[0].error_y.arrayminus).tolist() == [0.5] * 3
    assert fig.data[1].marker.symbol == "circle-open"
    assert [trace.legend for trace in fig.data] == ["legend", "legend2"]
    assert fig.layout.shapes[0].x0 == 128


@pytest.mark.parametrize(("low", "high"), [(4.0, 6.1), (3.0, 60.0), (17.4, 32.0), (1.0, 1e4), (4.99, 5.01)])
def test_a_log_axis_has_a_few_round_numbers(low, high):
    ticks = charts._ticks(low, high)
    assert 1 <= len(ticks["tickvals"]) <= 14
    assert all(low <= one <= high for one in ticks["tickvals"])


def test_the_cursed_places_are_shaded():
    line = Line("rope", "RoPE", np.array([1, 8, 64]), np.array([3.0, 2.0, 1.5]))
    fig = charts.places(line, WORDS, length=64, level=1.5, needed=7, trained=32, dark=False)
    shaded = [shape for shape in fig.layout.shapes if shape.type == "rect"]
    assert [shape.x1 for shape in shaded] == [6.5]
    flat = charts.places(line, WORDS, length=64, level=1.5, needed=1, trained=64, dark=False)
    assert not [shape for shape in flat.layout.shapes if shape.type == "rect"]


def test_recall_draws_the_first_line_last():
    lines = [Line(name, name, np.array([2, 127, 511]), np.full(3, 100.0)) for name in ("alibi", "rope", "none")]
    fig = charts.recall(lines, WORDS, chance=0.1, trained=127, dark=False)
    assert [trace.name for trace in fig.data] == ["none", "rope", "alibi"]
    sizes = [trace.marker.size for trace in fig.data]
    assert sizes == sorted(sizes, reverse=True)
    assert {shape.x0 for shape in fig.layout.shapes} == {127, 0}


@pytest.mark.parametrize(("predictions", "length", "stride"), [(7, 4, 1), (7, 4, 4), (7, 7, 3), (11, 2, 2), (3, 5, 1)])
def test_the_formula_counts_the_windows(predictions, length, stride):
    count = len(study.plan(predictions + 1, length, stride).windows)
    assert charts.formulas(predictions, length, stride)[-1].endswith(f"= {count}")

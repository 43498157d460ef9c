"""Charts of the Early token curse page: traces and axes, not pixels."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from alibi_viz.charts.lines import Line, log_ticks
from alibi_viz.lessons import load
from pages.early_token_curse import charts, study
from tests.pages.apptest import numbers

WORDS = load("early_token_curse").entries("chart")
TEXT = "the cat sat on the mat and slept".split()
DEFAULTS = study.Controls(tuple(TEXT), 4, 1, 3, "nonoverlapping", 32, True, 512, "alibi", 128)


def test_the_trade_is_in_percent_and_the_cost_on_a_log_axis():
    trades = study.trades(1000, 9)
    share = charts.trade(trades, WORDS, quantity="share", dark=False)
    assert numbers(share.data[0].y)[0] == pytest.approx(100)
    assert charts.trade(trades, WORDS, quantity="cost", dark=False).layout.yaxis.type == "log"


def test_curves_have_the_callers_axes_and_the_spread_of_the_seeds():
    lengths, mean = np.array([64, 128, 256]), np.array([5.0, 4.0, 4.5])
    shipped = Line("alibi", "ALiBi", lengths, mean, mean - 0.5, mean + 0.25)
    beside = Line("alibi", "2⁻ʰ", lengths, mean, hollow=True)
    axes = {"span": (3.0, 6.0), "lengths": lengths, "train_length": 128}
    fig = charts.perplexity([shipped, beside], WORDS, "perplexity", dark=False, **axes)
    assert fig.layout.yaxis.title.text == WORDS["perplexity"]
    assert tuple(fig.layout.yaxis.range) == (math.log10(3), math.log10(6))
    assert numbers(fig.data[0].error_y.array).tolist() == [0.25] * 3
    assert numbers(fig.data[0].error_y.arrayminus).tolist() == [0.5] * 3
    assert fig.data[1].marker.symbol == "circle-open"
    assert fig.layout.shapes[0].x0 == 128


@pytest.mark.parametrize(("low", "high"), [(4.0, 6.1), (3.0, 60.0), (17.4, 32.0), (1.0, 1e4), (4.99, 5.01)])
def test_a_log_axis_has_a_few_round_numbers(low, high):
    ticks = log_ticks(low, high)["tickvals"]
    assert 3 <= len(ticks) <= 14
    assert all(low <= tick <= high for tick in ticks)


def positions(needed: int, train_length: int) -> study.Positions:
    first, last, loss = np.array([1, 2, 9]), np.array([1, 8, 64]), np.array([3.0, 2.0, 1.5])
    numbers = {"predictions": np.ones(3), "level": 1.5, "level_from": train_length // 2 + 1, "level_to": train_length}
    return study.Positions(first=first, last=last, loss=loss, low=loss, high=loss, needed=needed, **numbers)


def test_the_cursed_positions_are_shaded():
    line = Line("rope", "RoPE", np.array([1, 8, 64]), np.array([3.0, 2.0, 1.5]))
    cursed, flat = positions(needed=7, train_length=32), positions(needed=1, train_length=64)
    fig = charts.positions(line, cursed, WORDS, dark=False)
    assert [(shape.type, shape.x1) for shape in fig.layout.shapes if shape.type == "rect"] == [("rect", 6.5)]
    assert 32 in [shape.x0 for shape in fig.layout.shapes], "L is marked where the window is longer"
    fig = charts.positions(line, flat, WORDS, dark=False)
    assert not [shape for shape in fig.layout.shapes if shape.type == "rect"]
    assert 64 not in [shape.x0 for shape in fig.layout.shapes]


@pytest.mark.parametrize(("predictions", "length", "stride"), [(7, 4, 1), (7, 4, 4), (7, 7, 3), (11, 2, 2), (3, 5, 1)])
def test_the_formula_counts_the_windows(predictions, length, stride):
    words = ("word",) * (predictions + 1)
    result = study.study(dataclasses.replace(DEFAULTS, words=words, window=length, stride=stride))
    assert charts.formula(result).endswith(f"= {len(result.plans['sliding'].read)}")

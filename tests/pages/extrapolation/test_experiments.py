"""The experiments beside the main curves: steps, training lengths, stretched models, and what the page says of them."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.results import measured, pretrained
from alibi_viz.ui.controls.method_pills import TITLES
from pages.extrapolation import experiment_facts, experiments, findings


def test_every_method_was_trained_for_as_many_steps_and_the_leading_ones_for_twice_as_many():
    usual = measured.shipped()[0].config.steps
    for line in experiments.steps():
        more = [2 * usual] if line.method in pretrained.MAIN else []
        assert line.x.tolist() == [*line.x[:1], usual, *more]
        assert np.isfinite(line.y).all()


def test_the_models_of_a_conclusion_beat_the_n_gram():
    """All but the model without positions, which the page names."""
    assert experiment_facts.step_order().names == TITLES["none"]


def test_the_order_at_l_is_settled_for_most_pairs():
    """The claim: a list of what is not settled, and it is short; the order of the seeds' means keeps to the rest."""
    facts = experiment_facts.step_order()
    names = facts.order.split(", ")
    settled = {(TITLES[better], TITLES[worse]) for better, worse in experiments.settled()}
    open_ones = [(a, b) for a, b in combinations(names, 2) if (a, b) not in settled]
    assert facts.pairs == comb(len(pretrained.MAIN), 2) == facts.settled + len(open_ones)
    assert facts.unsettled == ", ".join(f"{a} and {b}" for a, b in open_ones)
    assert 0 < len(open_ones) < facts.settled


def test_sinusoidal_positions_do_not_improve_with_l_here_as_they_do_in_the_paper():
    """The claim: part of the gap is training that has not ended."""
    for lines, improves in (
        (experiments.short_and_long(experiments.at_lengths()), False),
        (experiments.paper_short_and_long(), True),
    ):
        (sinusoidal,) = (line for line in lines if line.method == "sinusoidal")
        assert (sinusoidal.y[-1] < sinusoidal.y[:-1].min()) == improves


def test_the_paper_s_lines_are_its_table():
    lines = {line.name: line for line in experiments.paper_short_and_long()}
    assert lines["L = 512"].y.tolist() == [19.73, 18.81, 18.5, 18.48, 18.4]
    assert lines["Sinusoidal"].y[-1] == 18.67
    costs = experiments.paper_costs()
    assert [(method, row["train_length"]) for method, row in costs][-1] == ("alibi", 3072)
    assert {method for method, _ in costs} == {"alibi", "sinusoidal"}


def test_a_line_begins_where_its_model_was_trained():
    lines = experiments.short_and_long(experiments.at_lengths())
    assert [line.x[0] for line in lines if line.method == "alibi"] == [64, 128, 256, 512]
    (sinusoidal,) = (line for line in lines if line.method == "sinusoidal")
    assert sinusoidal.x.tolist() == [64, 128, 256, 512]


@pytest.mark.parametrize("claims", [findings.short_and_long, findings.stretched])
def test_every_claim_has_its_sentence(claims):
    for claim in claims():
        text = load("extrapolation").text(*claim)
        assert "nan" not in text
        assert "None" not in text


def test_what_is_said_of_stretched_alibi():
    """“Worse than as trained”, “it is not the length”, and the gentle half alone does little."""
    facts = experiment_facts.stretched()
    assert facts.flatter.at_lengths.near > 2 * facts.alibi.near
    assert facts.flatter.at_lengths.far > 2 * facts.alibi.far
    assert facts.flatter.halved > 1.5 * facts.alibi.at
    assert facts.gentle.halved < 1.02 * facts.alibi.at
    assert facts.gentle.at_lengths.far < 1.05 * facts.alibi.far


def test_the_paper_s_models_say_what_the_page_says():
    """“Passes sinusoidal positions”, “better still”."""
    facts = experiment_facts.paper_short_and_long()
    assert facts.alibi < facts.best < facts.sinusoidal


def test_the_stretched_lines_are_those_of_their_methods():
    names = [line.name for line in experiments.stretched()]
    alibi = ["alibi/", "alibi/interpolated", "alibi/gentle half"]
    assert names == [*alibi, "rope/", "rope/linear", "rope/dynamic", "rope/yarn"]
    assert all(line.x.tolist() == [2, 4, 8, 16] for line in experiments.stretched())


def test_models_without_positions_have_two_four_and_six_layers():
    assert [line.name for line in experiments.depth()] == ["2", "4", "6"]


def test_the_two_methods_train_equally_fast():
    """“That is noise”: neither method has more memory at all lengths; “in both, a longer L costs speed”."""
    entries = pretrained.load_costs()
    assert experiment_facts.costs_of(entries).speed < 0.1
    by_method = {m: [e for e in entries if e["method"] == m] for m in experiments.COMPARED}
    more = {a["memory"] > b["memory"] for a, b in zip(*by_method.values(), strict=True)}
    assert more == {True, False}
    for of_method in by_method.values():
        speeds = [entry["tokens_per_second"] for entry in of_method]
        assert speeds == sorted(speeds, reverse=True)

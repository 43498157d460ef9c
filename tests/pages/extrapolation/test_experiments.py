"""The experiments beside the main curves: steps, training lengths, stretched models, and what the page says of them."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.results import pretrained
from pages.extrapolation import experiment_facts, experiments, findings


def test_every_method_has_every_number_of_steps():
    result = experiments.steps()
    assert [line.method for line in result.lines] == list(pretrained.METHODS)
    assert all(line.x.tolist() == result.counts for line in result.lines)
    assert all(np.isfinite(line.y).all() for line in result.lines)
    assert all(sorted(order) == sorted(pretrained.METHODS) for order in result.order)


def test_the_models_of_a_conclusion_beat_the_n_gram():
    """All but the model without positions, which the page names."""
    assert experiments.steps().beaten == ("none",)


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


def test_the_sentences_for_other_outcomes_are_there():
    facts = experiment_facts.short_and_long()
    for where in ("here", "paper"):
        for verdict in ("ahead", "behind", "longer_better", "longer_worse"):
            assert "{{" not in load("extrapolation").text(f"lengths.{where}_{verdict}", facts)
    facts = experiment_facts.stretched()
    for verdict in ("better", "worse"):
        assert "{{" not in load("extrapolation").text(f"stretched.alibi_{verdict}", facts)


def test_the_stretched_lines_are_those_of_their_methods():
    names = [line.name for line in experiments.stretched()]
    assert names == ["alibi/", "alibi/interpolated", "rope/", "rope/linear", "rope/dynamic", "rope/yarn"]
    assert all(line.x.tolist() == [2, 4, 8, 16] for line in experiments.stretched())

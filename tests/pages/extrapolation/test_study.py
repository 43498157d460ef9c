"""The Extrapolation page's study, against second ways to compute the same, and the claims that its words make."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.lm import evaluation
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.positions.rotary import scaled_inv_freq
from alibi_viz.results import measured, pretrained, trained
from alibi_viz.results.measured import MeasuredRun, Point, curves, shipped
from alibi_viz.ui.controls.method_pills import titles
from pages.extrapolation import experiment_facts, facts, findings, study

CONFIG = TrainConfig(length=16, steps=10)


BYTES_PER_WORD = 5.0


def run(seed: int, perplexities: dict[int, float], **positions: list[float]) -> MeasuredRun:
    points = tuple(
        Point(n, n, value, by_position=tuple(positions.get(f"at{n}", ()))) for n, value in perplexities.items()
    )
    return MeasuredRun(dataclasses.replace(CONFIG, seed=seed), "own", "", points, bytes_per_word=BYTES_PER_WORD)


def of(method: str, protocol: str = "nonoverlapping"):
    return next(c for c in measured.curves(shipped(), protocol) if c.config.method == method)


def test_a_difference_has_the_spread_of_differences_not_of_perplexities():
    """Two seeds that differ at L and rise by the same factor have no spread left."""
    curve = curves([run(0, {16: 2.0, 32: 4.0}), run(1, {16: 3.0, 32: 6.0})])[0]
    plain, above = study.line_of(curve), study.line_of(curve, difference=True, times=True)
    assert (plain.low[1], plain.high[1]) == (4.0, 6.0)
    for values in (above.low, above.high, above.y):
        assert values.tolist() == pytest.approx([0.0, BYTES_PER_WORD * math.log(2)])
    assert above.x.tolist() == [1.0, 2.0]
    assert study.line_of(curves([run(0, {8: 2.0})])[0], difference=True) is None
    unknown = dataclasses.replace(run(0, {16: 2.0}), bytes_per_word=None)
    assert study.line_of(curves([unknown])[0], difference=True) is None


def test_a_difference_per_byte_becomes_one_per_word():
    """The chance of a word is the product of those of its bytes: perplexity per word is that per byte, to their number."""
    curve = curves([run(0, {16: 2.0, 32: 2.2})])[0]
    per_word = {length: curve.at(length) ** BYTES_PER_WORD for length in (16, 32)}
    assert curve.rise_at(32) == pytest.approx(math.log(per_word[32] / per_word[16]))
    assert math.isnan(curve.rise_at(64))


def test_the_mean_lies_between_the_seeds():
    for curve in measured.curves(shipped(), "sliding"):
        for line in (study.line_of(curve), study.line_of(curve, difference=True)):
            assert (line.low <= line.y + 1e-9).all()
            assert (line.y <= line.high + 1e-9).all()


def test_a_break_is_the_first_window_a_tenth_of_a_nat_per_word_worse():
    times = np.array([0.5, 1, 2, 4, 8])
    assert study.first_break(times, np.array([-0.1, 0, 0.09, 0.11, 3])) == study.Break(4.0, 2.0)
    assert study.first_break(times, np.array([9, 0, -0.1, -0.1, 0.1])) == study.Break(None, 8.0)
    assert study.breaks(curves([run(0, {16: 2.0, 32: 2.03, 64: 2.05})]))["alibi"] == study.Break(4.0, 2.0)


@pytest.mark.parametrize("trained", study.PAPER)
def test_published_numbers_are_read_as_printed(trained):
    lines = {line.method: line for line in study.paper(trained)}
    assert set(lines) == set(study.PAPER_METHODS)
    for line in lines.values():
        assert line.x[0] == trained
        assert np.isfinite(line.y).all()
        assert line.ends == (line.method == "t5")  # "OOM"
    assert study.paper(trained, difference=True, times=True)[0].y[0] == 0
    assert study.paper_rises(trained, 1)["alibi"] == (1.0, 0.0)


def test_figures_of_the_paper_that_the_facts_name():
    alibi = next(line for line in study.paper(512) if line.method == "alibi")
    assert (alibi.y[0], alibi.x[-1]) == (19.73, 15512)
    times, rise = study.paper_rises(512, 16)["sinusoidal"]
    assert times == pytest.approx(16, rel=0.05)
    assert rise > math.log(10)


def test_only_a_method_that_cannot_go_on_ends():
    missing = (
        Point(8, 8, 2.0),
        Point(16, 16, 3.0),
        Point(32, 32, None, "The text is shorter than one window of 32 bytes."),
    )
    short = curves([MeasuredRun(CONFIG, "own", "", missing)])[0]
    assert not study.line_of(short).ends
    learned = curves([MeasuredRun(dataclasses.replace(CONFIG, method="learned"), "own", "", missing)])[0]
    assert study.line_of(learned).ends


def test_windows_of_a_measurement_are_counted():
    point = shipped()[0].at(128)
    assert study.window_count(shipped(), "nonoverlapping", 128) == (math.ceil(point.predictions / 128), 128)
    count, stride = study.window_count(shipped(), "sliding", 128)
    assert stride == 32
    assert count == math.ceil((point.predictions - 128) / 32) + 1


def test_the_files_say_how_the_runs_were_made():
    training = facts.training()
    assert training.methods == titles(pretrained.METHODS)
    assert training.seeds.most == len(pretrained.SEEDS)
    assert training.seeds.once == titles(m for m in pretrained.METHODS if m not in pretrained.MAIN)
    assert training.held_out > 10_000
    assert (training.config.heads, training.config.head_dim, training.pairs) == (8, 16, 8)


def test_what_the_page_says_of_the_shipped_runs_still_holds():
    """The words beside the numbers: if new runs change one of these, the lesson must be written anew."""
    alibi, rope, t5 = of("alibi"), of("rope"), of("t5")
    assert measured.ranked(measured.curves(shipped(), "nonoverlapping"))[0][0] != "alibi"  # "not ALiBi"
    assert study.rise_at(alibi, 4) < 0  # "does not get worse"
    assert study.rise_at(alibi, 16) < 0
    assert abs(study.rise_at(of("alibi", "sliding"), 16)) < 0.02  # no gain is left
    assert study.rise_at(rope, 4) > 10 * abs(study.rise_at(t5, 16))  # "some rise steeply and some slowly"
    assert of("learned").lengths[-1] == 128
    assert "no vector" in next(iter(of("learned").missing.values()))


@pytest.mark.parametrize("protocol", measured.PROTOCOLS)
@pytest.mark.parametrize("paper_length", study.PAPER)
def test_every_sentence_about_the_shipped_runs_holds(protocol, paper_length):
    """What the lesson's sentences say beyond their numbers, under both protocols and beside both of the paper's tables."""
    claims = dict([*findings.seen(protocol), *findings.details(protocol), *findings.compared(paper_length)])
    for claim in claims.items():
        assert "nan" not in load("extrapolation").text(*claim)
    here = facts.facts_of(protocol)
    for methods in (here.near_list, here.far_list):  # "ALiBi does not get worse"
        assert "ALiBi" in methods.split(", ")
    assert "Learned" not in here.breaks
    assert here.nonoverlapping.far < here.nonoverlapping.at
    assert here.sliding.far == pytest.approx(here.sliding.at, abs=0.02)


@pytest.mark.parametrize("paper_length", study.PAPER)
def test_in_the_paper_and_here_sinusoidal_breaks_first_and_alibi_never(paper_length):
    paper, _ = facts.paper_of(paper_length)
    for order in (paper.order, paper.ours, paper.sliding):
        assert order.startswith("Sinusoidal")
        assert "ALiBi" not in order


def test_a_shipped_number_is_what_its_weights_give():
    """The weights on disk, measured again on a part of the held-out text, beside the run's own loss at L."""
    loaded = trained.load("alibi")
    text = python_text().held_out[:20_001]
    again = evaluation.evaluate(loaded.model, text, 128)
    first = next(run for run in shipped() if run.config.method == "alibi" and run.config.seed == 0)
    assert again.perplexity == pytest.approx(first.at(128).perplexity, rel=0.15)  # a third of the text


def test_breaks_that_nonoverlapping_windows_hide():
    """The headline: ALiBi changes by −0.01, T5 and Sandwich rise from 8 L and 4 L, Learned cannot read beyond L."""
    slide, plain = facts.facts_of("sliding"), facts.facts_of("nonoverlapping")
    assert study.rise_at(of("alibi", "sliding"), 16) == pytest.approx(-0.007, abs=0.003)
    breaks = study.breaks(study.shipped_curves("sliding").values())
    assert (breaks["t5"].at, breaks["sandwich"].at) == (8, 4)
    assert slide.hidden == plain.hidden == "T5 bias, Sandwich"
    assert slide.held == "ALiBi, KERPLE log, KERPLE power"
    assert slide.unread == plain.unread == "Learned"
    for here in (slide, plain):
        assert here.broken + len(here.held.split(", ")) + len(here.unread.split(", ")) == here.count


def test_what_the_conditions_of_the_runs_are():
    """T5's bias is nearly a table of distances; FIRE's normalization was not in training; dynamic NTK's base."""
    training, runs = facts.training(), experiment_facts.runs_of()
    assert training.t5_used - training.t5_single <= 3
    assert study.t5_distances(128).sum() == 128
    assert study.fire_threshold() > training.config.length
    width = training.config.head_dim
    frequencies, _ = scaled_inv_freq(width, 10_000.0, "dynamic", 1.0, 128, 16 * 128)
    assert runs.ntk == pytest.approx(float(frequencies[1]) ** (-width / 2) / 10_000)


@pytest.mark.parametrize("protocol", measured.PROTOCOLS)
def test_fire_breaks_here_with_one_seed(protocol):
    """The claim beside its paper, whose larger models go on."""
    curve = study.shipped_curves(protocol)["fire"]
    assert curve.seeds == (0,)
    assert study.breaks([curve])["fire"].at is not None

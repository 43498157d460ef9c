"""The study of where the break comes from, against second ways to compute the same, and the claims that its words make."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.model import position_for
from alibi_viz.results import measured, trained
from alibi_viz.results.measured import MeasuredRun, Point, shipped
from pages.why import heads, probes, study

CONFIG = TrainConfig(length=16, steps=10)


def run(seed: int, perplexities: dict[int, float], **positions: list[float]) -> MeasuredRun:
    points = tuple(
        Point(n, n, value, by_position=tuple(positions.get(f"at{n}", ()))) for n, value in perplexities.items()
    )
    return MeasuredRun(dataclasses.replace(CONFIG, seed=seed), "own", "", points)


def test_what_the_shipped_runs_do_beyond_the_training_length():
    courses = {m: study.by_position(shipped(), m, 512).course for m in ("alibi", "rope", "t5", "sinusoidal")}
    assert courses == {"alibi": "flat", "rope": "jump", "t5": "flat", "sinusoidal": "jump"}


def test_who_rises_most_and_who_changes_least():
    result = study.study(study.Controls(("alibi", "sinusoidal", "learned"), 512, b"", 1))
    assert result.missing == ("learned",)
    assert result.most_at_length().method == "sinusoidal"
    assert result.least().method == "alibi"
    assert study.study(study.Controls(("alibi",), 512, b"", 1)).most_at_length() is None


@pytest.mark.parametrize("length", [128, 512, 2048])
def test_loss_by_place_adds_up_to_the_perplexity(length):
    """The mean over the places is the mean loss: a second way to the number on the first chart."""
    for method in ("alibi", "rope", "none"):
        losses_by_place = study.by_position(shipped(), method, length)
        losses = [math.log(run.at(length).perplexity) for run in shipped() if run.config.method == method]
        assert losses_by_place.loss.mean() == pytest.approx(np.mean(losses), abs=0.02)  # the last window is cut
        assert len(losses_by_place.position) <= study.BLOCKS
        assert (np.diff(losses_by_place.position) == study.block_size(length)).all()


def test_no_block_holds_places_before_and_after_the_training_length():
    for length in (256, 512, 1024, 2048):
        assert shipped()[0].config.length % study.block_size(length) == 0


def test_loss_by_place_tells_before_and_after():
    flat, jump = [1.0] * 32, [1.0] * 16 + [3.0] * 16
    both = [run(0, {32: 2.0}, at32=flat), run(1, {32: 2.0}, at32=jump)]
    losses_by_place = study.by_position(both, "alibi", 32)
    assert (losses_by_place.before, losses_by_place.after, losses_by_place.last) == (1.0, 2.0, 2.0)
    assert (losses_by_place.position[0], losses_by_place.position[-1]) == (1, 32)  # positions count from 1
    assert study.by_position([*both, run(2, {16: 2.0})], "alibi", 32) is None
    assert study.by_position(shipped(), "learned", 512) is None


@pytest.mark.parametrize(
    ("course", "loss"),
    [
        ("flat", [1.0] * 64),
        ("jump", [1.0] * 16 + [2.0] * 48),
        ("slow", [1.0] * 32 + [3.0] * 32),
        ("slow", [1.0] * 16 + [1 + 0.15 * (place // 8 + 1) for place in range(48)]),
    ],
)
def test_what_the_loss_does_beyond_the_training_length(course, loss):
    assert study.by_position([run(0, {64: 2.0}, at64=loss)], "alibi", 64).course == course


def test_the_byte_with_exactly_l_bytes_before_it_is_within_training():
    losses = np.array([np.nan, 1, 1, 1, 1, 5, 5])
    assert trained.inside_beyond(losses, 4) == (1.0, 5.0)
    assert trained.inside_beyond(losses[:5], 4) == (1.0, None)
    assert trained.inside_beyond(losses[:1], 4) == (None, None)


def test_inside_and_beyond_are_those_of_the_attention_page():
    """Both lessons take them from one reading; they are the means of the text's own losses."""
    loaded, text = trained.load("alibi"), python_text().held_out[:160]
    readings, problems = heads.read_heads(("alibi",), text, 1, 1)
    assert not problems
    assert readings["alibi"] == trained.read(loaded, text, 1, 1)
    ours = trained.inside_beyond(trained.losses(loaded, text), 128)
    assert ours == pytest.approx((readings["alibi"].inside, readings["alibi"].beyond))


@pytest.mark.parametrize(("trained", "farthest"), [(128, 32), (64, 128), (64, 17)])
def test_buckets_are_counted_on_the_pairs_of_a_real_window(trained, farthest):
    """Every pair of a window, through the bias that the model adds: a table that holds its own row numbers."""
    tested = 200
    buckets = study.buckets(trained, farthest, tested)
    position = position_for(
        "t5", train_length=trained, width=64, heads=8, head_dim=8, options={"max_distance": farthest}
    )
    with torch.no_grad():
        position.table.weight[:] = torch.arange(32)[:, None].float()
    rows = torch.arange(tested)
    bias = position.score_bias(rows, rows)[0].long()
    seen = bias[torch.ones(tested, tested).tril().bool()]
    counts = torch.bincount(seen, minlength=32).numpy()
    np.testing.assert_allclose(buckets.share, counts / counts.sum())
    assert ((buckets.nearest >= 0) == (counts > 0)).all()
    assert (buckets.state[counts == 0] != "untrained").all()
    short = torch.bincount(bias[:trained, :trained].tril().flatten(), minlength=32).bool().numpy()
    assert (buckets.trained == short).all()
    assert set(buckets.untrained) == set(np.flatnonzero(buckets.state == "untrained"))


def test_t5s_own_largest_distance_loses_buckets_at_64_and_the_shipped_one_none():
    assert study.buckets(64, 128, 512).untrained.tolist() == [27, 28, 29, 30, 31]
    assert study.t5_max_distance(128) == 32
    assert not len(study.buckets(128, 32, 2048).untrained)
    assert not len(study.buckets(128, 128, 2048).untrained)
    assert all(len(study.buckets(length, 128, 2048).untrained) == 0 for length in (128, 129, 200, 512))


def test_near_share_of_uniform_weights():
    weights = np.tril(np.ones((40, 40))) / np.arange(1, 41)[:, None]
    inside, beyond = study.near_share(weights, 4, 20)
    assert inside == pytest.approx(np.mean([4 / n for n in range(11, 21)]))
    assert beyond == pytest.approx(np.mean([4 / n for n in range(21, 41)]))


@pytest.mark.parametrize("tested", [128, 256, 512, 1024, 2048])
def test_what_the_page_says_of_t5_s_buckets(tested):
    """No window leaves the shipped runs an untrained bucket, every one leaves the invented case some."""
    assert not len(study.buckets(128, study.t5_max_distance(128), tested).untrained)
    assert not len(study.buckets(128, study.T5_MAX_DISTANCE, tested).untrained)
    assert study.buckets(128, study.t5_max_distance(128), tested).last_start == 31  # below L, as Compare says too
    assert study.buckets(128, study.T5_MAX_DISTANCE, tested).last_start == 113
    assert len(study.buckets(study.T5_TRAIN_LENGTH, study.T5_MAX_DISTANCE, tested).untrained) > 1


def test_hiding_far_keys_mends_rope_and_costs_alibi_nothing():
    """The claims of the page: RoPE is as at L again, sinusoidal positions are not, T5 is worse far beyond L."""
    facts = probes.hidden_of()
    assert facts.rope_far == pytest.approx(1.46, abs=0.01)
    assert facts.rope_usual == pytest.approx(1.49, abs=0.01)
    assert facts.sinusoidal_far > 2 * facts.rope_usual
    assert facts.cost == pytest.approx(0.002, abs=0.001)
    (t5,) = (curve for curve in measured.curves(measured.shipped(), "sliding") if curve.config.method == "t5")
    assert t5.rise_at(16 * 128) > measured.WORSE

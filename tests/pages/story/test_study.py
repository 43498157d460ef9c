"""What the scenes compute."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.positions.alibi import slopes
from alibi_viz.results import measured, trained
from pages.story import charts, facts, study
from pages.story.controls import SCENES
from pages.story.scenes import SCENES as DRAWN

FIRST, SECOND = (load("story").label(f"dogs_{name}").split() for name in ("first", "second"))


def test_every_scene_has_its_picture_and_its_words():
    lesson = load("story")
    assert tuple(DRAWN) == SCENES
    assert all(f"{name}.question" in lesson for name in SCENES)
    assert all(f"{name}.note" in lesson for name in SCENES[:-1])


def test_without_positions_attention_is_permutation_equivariant_and_a_mask_ends_that():
    assert sorted(FIRST) == sorted(SECOND)
    free = study.orders(FIRST, SECOND, causal=False)
    assert free.difference < 1e-6 < np.abs(free.first - free.second).max(), "each stands in its own order"
    assert study.orders(FIRST, SECOND, causal=True).difference > 0.05
    assert study.orders(FIRST, FIRST, causal=True).difference == 0


def test_a_penalty_is_the_bias_and_its_softmax():
    result, m, n = study.penalty(0.25, 8), 0.25, 8
    i, j = np.mgrid[:n, :n]
    below = j <= i
    assert result.bias[below] == pytest.approx((-m * (i - j))[below])
    assert np.isneginf(result.bias[~below]).all()
    expected = np.where(below, np.exp(-m * (i - j)), 0)
    expected /= expected.sum(1, keepdims=True)
    assert result.weights[below] == pytest.approx(expected[below], abs=1e-6)


@pytest.mark.parametrize("times", [2, 16])
def test_a_sampled_matrix_is_the_whole_one_at_its_tokens(times):
    whole, sampled = study.penalty(1 / 16, 32 * times), study.penalty(1 / 16, 32 * times, times)
    assert np.array_equal(sampled.bias, whole.bias[::times, ::times])
    assert np.array_equal(sampled.weights, whole.weights[::times, ::times])


def test_every_trained_distance_keeps_its_bias_and_the_line_goes_on():
    slope, n = slopes(8)[3], study.FAR * study.TRAINED
    short, long = (study.last_query(slope, tokens).bias[0] for tokens in (study.TRAINED, n))
    assert np.array_equal(short, long[-study.TRAINED :])
    assert np.diff(long) == pytest.approx(slope)


def test_steep_heads_leave_next_to_nothing_beyond_l_and_gentle_ones_spread():
    """The sentence of the scene: computed for equal content, and of the shipped heads."""
    assert trained.load("alibi").config.length == study.TRAINED
    m, length = 1 / 256, study.TRAINED
    distances = np.arange(study.FAR * length)
    weights = np.exp(-m * distances)
    assert study.beyond(m) == pytest.approx(weights[length:].sum() / weights.sum(), rel=1e-4)
    assert study.beyond(0.5) < facts.NOTHING < 0.1 < study.beyond(m)
    steep, gentle = study.trained_beyond()
    assert steep < 0.01 < 0.1 < gentle


def test_what_moves_does_not_say_what_breaks():
    """The sentence of the scene, from the shipped models: less moves, and the loss rises more."""
    profiles = {profile.method: profile for profile in study.profiles()}
    assert tuple(profiles) == study.COMPARED
    for profile in profiles.values():
        assert profile.at_length.sum() == pytest.approx(1)
        assert profile.beyond.sum() == pytest.approx(1)
    shifts = {method: profile.shift for method, profile in profiles.items()}
    rises = study.rises_at(study.TIMES)
    less, more = facts.exception(shifts, rises)
    assert shifts[less] < shifts[more]
    assert rises[less] > rises[more] + 0.5
    assert study.breaks()["alibi"] > study.TIMES


def test_an_exception_is_one_that_rises_more_though_less_moves():
    shifts = {"a": 0.1, "b": 0.2, "c": 0.3}
    assert facts.exception(shifts, {"a": 1.0, "b": 0.5, "c": 0.2}) == ("a", "c")
    with pytest.raises(ValueError, match="empty"):
        facts.exception(shifts, {"a": 0.0, "b": 0.1, "c": 1.0})


def test_the_groups_of_the_methods_and_the_decisive_measurement():
    """The sentences of the result and of the recap."""
    groups = facts.beyond(load("story"))
    assert groups.never == "ALiBi, KERPLE log, KERPLE power"
    assert groups.unread == "Learned"
    assert {"T5 bias (8 L)", "Sandwich (4 L)"} <= set(groups.listed.split(", "))
    assert groups.alibi == pytest.approx(-0.007, abs=0.003)
    recap = facts.recap(load("story"))
    assert recap.change == groups.alibi
    assert recap.rope_hidden == pytest.approx(1.46, abs=0.01)
    assert recap.rope_usual == pytest.approx(1.49, abs=0.01)
    assert recap.alibi_hidden == pytest.approx(0.002, abs=0.001)
    assert (recap.first, recap.first_share, recap.alibi_share) == ("T5 bias", "100%", "27%")


def test_most_of_the_gain_is_the_early_token_curse():
    """The sentence of the scene: in sliding windows the loss hardly changes."""
    windows = facts.windows_of(study.by_windows({kind: kind for kind in measured.PROTOCOLS}))
    assert windows.nonoverlapping.at == pytest.approx(0)
    assert windows.nonoverlapping.by < 0
    assert abs(windows.sliding.by) < 0.5 * abs(windows.nonoverlapping.by)


def test_the_axis_tells_the_two_lowest_lines_apart():
    lines = study.rises()
    top, (low, second, *_) = charts.ceiling(lines, measured.WORSE), sorted(float(line.y[-1]) for line in lines)
    assert second <= top
    assert second - low > 0.05 * top


def test_the_mean_weight_by_distance_by_hand():
    loaded = trained.load("alibi")
    text = study.python_text().held_out[:16]
    rows = trained.inputs(loaded, text, loaded.config.layers).trace().weights[0].double().mean(0).numpy()
    last = rows[15, ::-1]  # by distance
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patch:
        patch.setattr(study, "QUERIES", 1)
        patch.setattr(study, "TEXTS", 1)
        assert study._by_distance(loaded, 16).mean(0) == pytest.approx(last)

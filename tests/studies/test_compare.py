"""The Compare page's studies: one mechanism for every method, against second ways to compute the same."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.positions import METHODS, build
from alibi_viz.studies import compare, compare_distance, compare_facts

TEXT = tuple("the cat sat on the mat and the dog sat on the rug".split())
SETTING = compare.Setting(heads=4, head_dim=8, trained=32)
ALL = compare.Controls(SETTING, tuple(METHODS), TEXT, 2)
LEARNED = {"learned", "t5", "kerple", "kerple_power", "fire"}

method_sets = st.lists(st.sampled_from(list(METHODS)), min_size=2, max_size=6, unique=True).map(tuple)
controls = st.builds(
    lambda methods, heads, head, dim, trained, content, tokens, seed: compare.Controls(
        compare.Setting(heads, dim, trained, content, seed), methods, tuple(tokens), min(head, heads)
    ),
    method_sets,
    st.sampled_from([1, 2, 3, 8]),
    st.integers(1, 8),
    st.sampled_from([2, 8]),
    st.integers(1, 40),
    st.sampled_from(compare.CONTENTS),
    st.lists(st.sampled_from("abc日🙂"), min_size=1, max_size=30),
    st.integers(0, 9),
)


@settings(deadline=None, max_examples=60)
@given(controls)
def test_any_methods_heads_and_lengths(chosen):
    for shown in compare.study(chosen):
        count = len(chosen.tokens)
        for picture in (shown.weights, shown.scores, shown.added):
            assert picture.shape == (count, count)
            assert picture.dtype == np.float32
            assert not np.isnan(picture).any()
            assert np.isneginf(picture[~np.tri(count, dtype=bool)]).all()
        known = shown.known
        sums = np.where(np.isfinite(shown.weights), shown.weights, 0).sum(1)
        np.testing.assert_allclose(sums[:known], 1, atol=1e-5)
        assert bool(shown.problem) == (known < count)
        assert (
            np.isfinite(compare.difference(shown.weights, shown.weights)[:known, :known]).sum()
            == known * (known + 1) / 2
        )


@settings(deadline=None, max_examples=40)
@given(controls, st.integers(0, 60), st.integers(0, 60), st.integers(0, 3000), st.integers(1, 70_000), st.booleans())
def test_any_shift_and_any_distance(chosen, query, back, shift, farthest, even):
    for moved in compare_distance.shifted(chosen, query, max(query - back, 0), shift):
        assert (moved.after is None) == bool(moved.problem)
        if moved.name in ("none", "t5", "alibi", "kerple", "kerple_power", "sandwich"):
            assert moved.change == 0
        if moved.name == "rope":
            assert moved.change == pytest.approx(0, abs=1e-4)
    for curve in compare_distance.curves(chosen, farthest, even):
        assert len(curve.distances) == len(curve.added) <= compare_distance.SAMPLES
        assert np.isfinite(curve.added).all()
        if curve.name == "none":
            assert (curve.added == 0).all()
    for reach in compare_distance.reach(chosen.methods, chosen.setting, min(farthest, 200)):
        assert reach.tokens.shape == (chosen.setting.heads, 3)
        assert (np.diff(reach.tokens, axis=1) >= 0).all()
        assert reach.tokens.max() < reach.past <= 200


def test_the_same_content_for_all_and_only_the_method_changes():
    """Where a method adds nothing to the embeddings and turns nothing, score minus bias is the score without it."""
    shown = {one.name: one for one in compare.study(ALL)}
    positions = torch.arange(len(TEXT))
    for name in ("t5", "alibi", "kerple", "sandwich", "fire"):
        bias = compare.built(name, SETTING).score_bias(positions, positions)
        seen = np.tri(len(TEXT), dtype=bool)
        np.testing.assert_allclose(shown[name].added[seen], bias[1].numpy()[seen], atol=1e-5)
        np.testing.assert_allclose(
            shown[name].scores[seen] - bias[1].numpy()[seen], shown["none"].scores[seen], atol=1e-5
        )
    assert np.array_equal(shown["none"].added[seen], np.zeros(seen.sum(), np.float32))


def test_embeddings_are_moved_before_the_projections():
    """Sinusoidal by hand: (x + PE) W, for the chosen head."""
    shown = compare.study(dataclasses.replace(ALL, methods=("sinusoidal", "none")))[0]
    x = compare.words_of(TEXT, SETTING)
    moved = build("sinusoidal", heads=4, head_dim=8).add_to_embeddings(x, torch.arange(len(TEXT)))
    q = (moved @ compare._projection(SETTING, "q"))[0, :, 8:16]
    scores = (q @ q.T / math.sqrt(8)).numpy()
    seen = np.tri(len(TEXT), dtype=bool)
    np.testing.assert_allclose(shown.scores[seen], scores[seen], atol=1e-4)


def test_fresh_numbers_are_the_same_each_time_and_leave_the_generator_alone():
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    one, two = (compare.built("fire", SETTING).first.weight for _ in range(2))
    assert torch.equal(one, two)
    assert torch.equal(torch.rand(3), expected)
    other = compare.built("fire", dataclasses.replace(SETTING, seed=1)).first.weight
    assert not torch.equal(one, other)


def test_learned_ends_and_says_so():
    long = dataclasses.replace(ALL, tokens=TEXT * 4, methods=("learned", "alibi"))
    learned, alibi = compare.study(long)
    assert (learned.known, alibi.known) == (32, 52)
    assert "position 51 has no vector" in learned.problem
    assert np.isneginf(learned.weights[32:]).all()
    assert {one.name for one in compare.study(ALL) if one.learned} == LEARNED


def test_equal_content_is_one_word():
    one = compare.study(
        dataclasses.replace(ALL, setting=dataclasses.replace(SETTING, content="equal"), methods=("none",))
    )
    rows = one[0].weights
    for i in range(len(TEXT)):
        np.testing.assert_allclose(rows[i, : i + 1], 1 / (i + 1), atol=1e-6)


def test_curves_are_the_bias_at_each_distance_and_need_no_square():
    for even in (False, True):
        curves = {c.name: c for c in compare_distance.curves(ALL, compare_distance.FARTHEST, even)}
        alibi = curves["alibi"]
        assert (alibi.distances[0], alibi.distances[-1]) == (1, 65_536)
        np.testing.assert_allclose(alibi.added, -(2.0**-4) * alibi.distances, rtol=1e-5, atol=1e-4)
        assert curves["learned"].distances.max() == SETTING.trained - 1
        assert "no vector" in curves["learned"].problem
    assert np.array_equal(compare_distance.sampled(5, even=False), [1, 2, 3, 4, 5])


def test_reach_holds_its_share():
    reach = {r.name: r for r in compare_distance.reach(ALL.methods, SETTING, 500)}
    assert reach["none"].tokens[0].tolist() == [249, 449, 494]
    assert reach["learned"].past == SETTING.trained
    for head, slope in enumerate(build("alibi", heads=4, head_dim=8).slopes.tolist()):
        weights = np.exp(-slope * np.arange(500.0))
        held = np.cumsum(weights) / weights.sum()
        expected = [int(np.argmax(held >= share)) for share in compare_distance.SHARES]
        assert np.abs(reach["alibi"].tokens[head] - expected).max() <= 1  # a tie may fall on either side


def test_shift_moves_absolute_methods_only():
    moved = {s.name: s for s in compare_distance.shifted(ALL, 20, 12, 8)}
    assert abs(moved["sinusoidal"].change) > 1e-3
    assert abs(moved["learned"].change) > 1e-6
    assert moved["fire"].change == pytest.approx(0, abs=1e-6)  # below its threshold FIRE sees the distance alone
    far = {s.name: s for s in compare_distance.shifted(ALL, 20, 12, 3000)}
    assert abs(far["fire"].change) > 1e-5
    assert far["learned"].after is None


def test_only_positions_tell_the_last_token_that_the_others_changed_places():
    for order in compare_distance.reordered(ALL):
        assert (order.change < 1e-5) == (order.name == "none"), order
    alone = dataclasses.replace(ALL, tokens=("word",))
    assert all(order.change == 0 for order in compare_distance.reordered(alone))


def test_facts_come_from_the_objects():
    small = {f.name: f for f in compare_facts.facts(tuple(METHODS), SETTING, 100)}
    wide = {f.name: f for f in compare_facts.facts(tuple(METHODS), dataclasses.replace(SETTING, head_dim=16), 100)}
    long = {f.name: f for f in compare_facts.facts(tuple(METHODS), SETTING, 200)}
    assert small["learned"].learned == 100 * 32
    assert wide["learned"].learned == 2 * small["learned"].learned
    assert long["learned"].state == 2 * small["learned"].state == 2 * 4 * 100 * 32
    assert wide["sinusoidal"].work > small["sinusoidal"].work
    assert wide["rope"].work > small["rope"].work
    assert long["alibi"].work > 1.9 * small["alibi"].work
    assert small["none"].work == 0
    assert {name for name, fact in small.items() if not fact.beyond} == {"learned"}
    assert "no vector" in small["learned"].refusal
    assert {name for name, fact in small.items() if fact.learned} == LEARNED
    for name, fact in small.items():
        assert fact.acts_on == METHODS[name].acts_on


def test_timings_are_ratios_to_no_positions():
    timed = compare_facts.timings(("alibi", "none"), SETTING, 16, rounds=1)
    assert set(timed) == {"alibi", "none"}
    assert timed["none"].ratio == 1
    assert timed["alibi"].milliseconds > 0


def test_an_empty_text_is_refused():
    with pytest.raises(ValueError, match="empty"):
        compare.study(dataclasses.replace(ALL, tokens=()))

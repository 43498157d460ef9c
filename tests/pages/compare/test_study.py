"""The Compare page's studies: one mechanism for every method, against second ways to compute the same."""

from __future__ import annotations

import dataclasses
import math
import shutil

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open

from alibi_viz.content import synthetic
from alibi_viz.files import read_weights, write_weights
from alibi_viz.positions import METHODS, build
from alibi_viz.results import pretrained, trained
from alibi_viz.results.pretrained import weights_path
from pages.compare import counted as compare_facts
from pages.compare import distance as compare_distance
from pages.compare import study as compare

TEXT = tuple("the cat sat on the mat and the dog sat on the rug".split())
SETTING = synthetic.Setting(heads=4, head_dim=8, train_length=32)
ALL = compare.Controls(SETTING, tuple(METHODS), TEXT, 2)
LEARNED = {"learned", "t5", "kerple", "kerple_power", "fire"}

method_sets = st.lists(st.sampled_from(list(METHODS)), min_size=2, max_size=6, unique=True).map(tuple)
controls = st.builds(
    lambda methods, heads, head, dim, trained, content, tokens, seed: compare.Controls(
        synthetic.Setting(heads, dim, trained, content, seed), methods, tuple(tokens), min(head, heads)
    ),
    method_sets,
    st.sampled_from([1, 2, 3, 8]),
    st.integers(1, 8),
    st.sampled_from([2, 8]),
    st.integers(1, 40),
    st.sampled_from(synthetic.CONTENTS),
    st.lists(st.sampled_from("abc日🙂"), min_size=1, max_size=30),
    st.integers(0, 9),
)


@settings(deadline=None, max_examples=60)
@given(controls)
def test_any_methods_heads_and_lengths(chosen):
    for picture_of in compare.study(chosen):
        count = len(chosen.tokens)
        for picture in (picture_of.weights, picture_of.scores, picture_of.added):
            assert picture.shape == (count, count)
            assert picture.dtype == np.float32
            assert not np.isnan(picture).any()
            assert np.isneginf(picture[~np.tri(count, dtype=bool)]).all()
        known = picture_of.known
        sums = np.where(np.isfinite(picture_of.weights), picture_of.weights, 0).sum(1)
        np.testing.assert_allclose(sums[:known], 1, atol=1e-5)
        assert bool(picture_of.problem) == (known < count)
        assert (
            np.isfinite(compare.difference(picture_of.weights, picture_of.weights)[:known, :known]).sum()
            == known * (known + 1) / 2
        )


@settings(deadline=None, max_examples=40)
@given(controls, st.integers(0, 60), st.integers(0, 60), st.integers(0, 3000), st.integers(1, 70_000), st.booleans())
def test_any_shift_and_any_distance(chosen, query, back, shift, farthest, even):
    for moved in compare_distance.shifted(chosen, query, max(query - back, 0), shift):
        assert (moved.after is None) == bool(moved.problem)
        if moved.method in ("none", "t5", "alibi", "kerple", "kerple_power", "sandwich"):
            assert moved.change == 0
        if moved.method == "rope":
            assert moved.change == pytest.approx(0, abs=1e-4)
    for curve in compare_distance.curves(chosen, farthest, even):
        assert len(curve.distances) == len(curve.added) <= synthetic.SAMPLES + 1
        assert np.isfinite(curve.added).all()
        if curve.method == "none":
            assert (curve.added == 0).all()
    for reach in compare_distance.reach(chosen.methods, chosen.setting, min(farthest, 200)):
        assert reach.tokens.shape == (chosen.setting.heads, 3)
        assert (np.diff(reach.tokens, axis=1) >= 0).all()
        assert reach.tokens.max() < reach.past <= 200


def test_the_same_content_for_all_and_only_the_method_changes():
    """Where a method adds nothing to the embeddings and turns nothing, score minus bias is the score without it."""
    pictures = {entry.method: entry for entry in compare.study(ALL)}
    positions = torch.arange(len(TEXT))
    for name in ("t5", "alibi", "kerple", "sandwich", "fire"):
        bias = synthetic.build_method(name, SETTING).score_bias(positions, positions)
        seen = np.tri(len(TEXT), dtype=bool)
        np.testing.assert_allclose(pictures[name].added[seen], bias[1].numpy()[seen], atol=1e-5)
        np.testing.assert_allclose(
            pictures[name].scores[seen] - bias[1].numpy()[seen], pictures["none"].scores[seen], atol=1e-5
        )
    assert np.array_equal(pictures["none"].added[seen], np.zeros(seen.sum(), np.float32))


def test_embeddings_are_moved_before_the_projections():
    """Sinusoidal by hand: (x + PE) W, for the chosen head."""
    picture = compare.study(dataclasses.replace(ALL, methods=("sinusoidal", "none")))[0]
    x = synthetic.embed(TEXT, SETTING)
    moved = build("sinusoidal", heads=4, head_dim=8).add_to_embeddings(x, torch.arange(len(TEXT)))
    q = synthetic.project(moved, SETTING, "q")[0, 1]
    scores = (q @ q.T / math.sqrt(8)).numpy()
    seen = np.tri(len(TEXT), dtype=bool)
    np.testing.assert_allclose(picture.scores[seen], scores[seen], atol=1e-4)


def test_fresh_numbers_are_the_same_each_time_and_leave_the_generator_alone():
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    weights, again = (synthetic.build_method("fire", SETTING).first.weight for _ in range(2))
    assert torch.equal(weights, again)
    assert torch.equal(torch.rand(3), expected)
    other = synthetic.build_method("fire", dataclasses.replace(SETTING, seed=1)).first.weight
    assert not torch.equal(weights, other)


TRAINED = synthetic.Setting(heads=8, head_dim=8, train_length=128, content="equal", weights="trained")


def stored(name: str) -> np.ndarray:
    """The shipped table, read without the code under test."""
    with safe_open(str(weights_path(name)), "numpy") as file:
        return np.asarray(file.get_tensor("position.table.weight"), np.float32)


def test_methods_without_a_table_have_their_trained_numbers_too():
    with safe_open(str(weights_path("kerple")), "numpy") as file:
        p = np.asarray(file.get_tensor("position.p"), np.float32)
    np.testing.assert_array_equal(synthetic.build_method("kerple", TRAINED).p.numpy(), p)
    fresh = dataclasses.replace(TRAINED, weights="fresh")
    assert not torch.equal(*(synthetic.build_method("fire", one).first.weight for one in (TRAINED, fresh)))


def test_t5_shows_the_shipped_biases():
    tokens, table = TEXT * 4, stored("t5")  # 52 tokens: past 31, where the last bucket begins
    for head in (1, 8):
        (picture,) = compare.study(compare.Controls(TRAINED, ("t5",), tokens, head))
        buckets = [d if d < 16 else min(31, 16 + int(math.log(d / 16) / math.log(32 / 16) * 16)) for d in range(52)]
        # a float64 logarithm may fall on the other side of a bucket's edge; no distance here but 16 and 32 is on one
        np.testing.assert_allclose(picture.added[-1, ::-1], table[buckets, head - 1], atol=1e-4)


def test_learned_holds_the_shipped_table_at_the_size_the_model_uses():
    built = synthetic.build_method("learned", TRAINED).table.weight.numpy()
    np.testing.assert_array_equal(built, stored("learned") * np.float32(8))
    short = synthetic.build_method("learned", dataclasses.replace(TRAINED, train_length=10)).table.weight.numpy()
    np.testing.assert_array_equal(short, built[:10])


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("t5", {"heads": 4}, "heads"),
        ("learned", {"head_dim": 32}, "width"),
        ("learned", {"train_length": 129}, "positions"),
        ("kerple", {"heads": 6}, "heads"),
        ("fire", {"heads": 6}, "heads"),
        ("alibi", {}, "run"),
    ],
)
def test_what_does_not_fit_stays_fresh(name, change, reason):
    asked = dataclasses.replace(TRAINED, **change)
    fresh = synthetic.build_method(name, dataclasses.replace(asked, weights="fresh")).state_dict()
    built = synthetic.build_method(name, asked).state_dict()
    assert synthetic.misfit(name, asked) == reason
    assert all(torch.equal(built[key], fresh[key]) for key in fresh)


@pytest.mark.parametrize("spoil", ["missing", "shape", "nan"])
def test_a_spoilt_file_counts_as_no_model(spoil, monkeypatch, tmp_path):
    weights, text = read_weights(weights_path("t5"), 10**6), tmp_path / "text"
    text.mkdir()
    shutil.copy(pretrained.FOLDER / "text" / "t5-0.json", text)
    table = {"shape": torch.zeros(31, 8), "nan": torch.full((32, 8), math.nan)}.get(spoil)
    if table is not None:
        write_weights(text / "t5-0.safetensors", weights | {"position.table.weight": table})
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    assert synthetic.misfit("t5", TRAINED) == "run"
    assert synthetic.build_method("t5", TRAINED).max_distance == 128
    write_weights(text / "t5-0.safetensors", weights)
    assert synthetic.misfit("t5", TRAINED) == ""


def test_learned_ends_and_says_so():
    long = dataclasses.replace(ALL, tokens=TEXT * 4, methods=("learned", "alibi"))
    learned, alibi = compare.study(long)
    assert (learned.known, alibi.known) == (32, 52)
    assert "position 51 has no vector" in learned.problem
    assert np.isneginf(learned.weights[32:]).all()
    assert {entry.method for entry in compare.study(ALL) if entry.parameters} == LEARNED


def test_equal_content_is_one_word():
    pictures = compare.study(
        dataclasses.replace(ALL, setting=dataclasses.replace(SETTING, content="equal"), methods=("none",))
    )
    rows = pictures[0].weights
    for i in range(len(TEXT)):
        np.testing.assert_allclose(rows[i, : i + 1], 1 / (i + 1), atol=1e-6)


def test_curves_are_the_bias_at_each_distance_and_need_no_square():
    for even in (False, True):
        curves = {c.method: c for c in compare_distance.curves(ALL, compare_distance.FARTHEST, even)}  # the far query's
        alibi = curves["alibi"]
        assert (alibi.distances[0], alibi.distances[-1]) == (1, 65_536)
        np.testing.assert_allclose(alibi.added, -(2.0**-4) * alibi.distances, rtol=1e-5, atol=1e-4)
        assert curves["learned"].distances.max() == SETTING.train_length - 1
        assert "no vector" in curves["learned"].problem
    assert np.array_equal(synthetic.sampled(5, even=False), [1, 2, 3, 4, 5])


def test_scores_that_follow_the_query_have_a_curve_as_in_training():
    setting = dataclasses.replace(SETTING, weights="trained", heads=8, head_dim=8, train_length=128)
    chosen = dataclasses.replace(ALL, setting=setting, head=3)
    far = 511
    curves = compare_distance.curves(chosen, far, False)
    twice = {curve.method for curve in curves if [other.method for other in curves].count(curve.method) > 1}
    assert twice == {"sinusoidal", "fire"}  # a learned table ends at L; all others follow the distance alone
    inside, long = (curve for curve in curves if curve.method == "fire")
    assert (inside.query, long.query, inside.distances.max() < 128) == (127, far, True)
    positions = torch.tensor([127]), 127 - torch.from_numpy(inside.distances)
    bias = synthetic.build_method("fire", setting).score_bias(*positions)[2, 0].detach().numpy()
    np.testing.assert_allclose(inside.added, bias, atol=1e-4)
    at, (lowest, _), _ = compare_distance.ends([inside, long], 64)
    assert (at, lowest) == (64, inside.added[inside.distances == 64][0])


def test_reach_holds_its_share():
    reach = {r.name: r for r in compare_distance.reach(ALL.methods, SETTING, 500)}
    assert reach["none"].tokens[0].tolist() == [249, 449, 494]
    assert reach["learned"].past == SETTING.train_length
    for head, slope in enumerate(build("alibi", heads=4, head_dim=8).slopes.tolist()):
        weights = np.exp(-slope * np.arange(500.0))
        held = np.cumsum(weights) / weights.sum()
        expected = [int(np.argmax(held >= share)) for share in synthetic.SHARES]
        assert np.abs(reach["alibi"].tokens[head] - expected).max() <= 1  # a tie may fall on either side


def test_shift_moves_absolute_methods_only():
    moved = {s.method: s for s in compare_distance.shifted(ALL, 20, 12, 8)}
    assert abs(moved["sinusoidal"].change) > 1e-3
    assert abs(moved["learned"].change) > 1e-6
    assert moved["fire"].change == pytest.approx(0, abs=1e-6)  # below its threshold FIRE sees the distance alone
    far = {s.method: s for s in compare_distance.shifted(ALL, 20, 12, 3000)}
    assert abs(far["fire"].change) > 1e-5
    assert far["learned"].after is None


def test_only_positions_tell_the_last_token_that_the_others_changed_places():
    for order in compare_distance.reordered(ALL):
        assert (order.change < 1e-5) == (order.method == "none"), order
    alone = dataclasses.replace(ALL, tokens=("word",))
    assert all(order.change == 0 for order in compare_distance.reordered(alone))


def test_facts_come_from_the_objects():
    small = {f.method: f for f in compare_facts.facts(tuple(METHODS), SETTING, 100)}
    wide = {f.method: f for f in compare_facts.facts(tuple(METHODS), dataclasses.replace(SETTING, head_dim=16), 100)}
    long = {f.method: f for f in compare_facts.facts(tuple(METHODS), SETTING, 200)}
    assert small["learned"].parameters == 100 * 32
    assert wide["learned"].parameters == 2 * small["learned"].parameters
    assert long["learned"].state == 2 * small["learned"].state == 2 * 4 * 100 * 32
    assert {name for name, fact in small.items() if fact.refusal} == {"learned"}
    assert "no vector" in small["learned"].refusal
    assert {name for name, fact in small.items() if fact.parameters} == LEARNED
    for name, fact in small.items():
        assert fact.acts_on == METHODS[name].acts_on


@pytest.mark.parametrize("n", [1, 100, 512, 2048])
def test_new_numbers_of_a_token(n):
    """By hand: a vector of D; a query and a key of H x d each; one new distance a head; FIRE's whole row beyond 512."""
    heads, dim = SETTING.heads, SETTING.head_dim
    expected = {name: heads for name, method in METHODS.items() if method.acts_on == "scores"}
    expected |= {"none": 0, "learned": heads * dim, "sinusoidal": heads * dim, "rope": 2 * heads * dim}
    expected["fire"] = heads * n if n > 512 else heads
    assert {f.method: f.new for f in compare_facts.facts(tuple(METHODS), SETTING, n)} == expected


def test_timings_are_ratios_to_no_positions():
    timed = compare_facts.timings(("alibi", "none"), SETTING, 16, rounds=1)
    assert set(timed) == {"alibi", "none"}
    assert timed["none"].ratio == 1
    assert timed["alibi"].milliseconds > 0


def test_an_empty_text_is_refused():
    with pytest.raises(ValueError, match="empty"):
        compare.study(dataclasses.replace(ALL, tokens=()))


def test_every_trained_model_reads_the_same_text():
    text = b"A list keeps its items in order; a set does not. " * 5
    models = compare.shipped(METHODS)
    assert set(models) == set(pretrained.METHODS)
    chosen = compare.Controls(SETTING, tuple(METHODS), (), 3, text, 2)
    future = ~np.tri(len(text), dtype=bool)
    for picture in compare.read(chosen):
        known = 128 if picture.method == "learned" else len(text)
        whole = trained.inputs(models[picture.method], text[:known], 2).trace()
        losses = trained.losses(models[picture.method], text[:known])
        ends = (picture.known, bool(picture.problem), picture.beyond is None)
        assert ends == (known, known < len(text), known < len(text))
        np.testing.assert_allclose(picture.scores[:known, :known], whole.masked[0, 2], atol=1e-4)
        assert np.isneginf(picture.weights[future]).all()
        assert np.isneginf(picture.weights[known:]).all()
        assert picture.weights.shape == picture.scores.shape == (len(text), len(text))
        assert picture.inside == pytest.approx(float(losses[1:129].mean()), abs=1e-4)
        assert picture.share == pytest.approx(float(whole.weights[0, 2, -1, -128:].sum()), abs=1e-4)
    assert compare.shipped(["kerple", "nobody"]).keys() == {"kerple"}
    with pytest.raises(ValueError, match="empty"):
        compare.read(dataclasses.replace(chosen, text=b""))


@pytest.mark.parametrize("heads", [1, 2, 8])
def test_identical_tokens_attract_in_every_head_and_added_vectors_are_mixed_by_each(heads):
    setting = synthetic.Setting(heads=heads, head_dim=16)
    x, same = synthetic.embed(TEXT, setting), np.equal.outer(TEXT, TEXT)
    positions = torch.arange(len(TEXT))
    trace = synthetic.attend(build("none", heads=heads, head_dim=16), setting, x, positions, x, positions)
    attracted = synthetic.ATTRACTION * (synthetic.directions(TEXT, setting) @ synthetic.directions(TEXT, setting).T)
    np.testing.assert_allclose(trace.content[0], attracted.expand_as(trace.content[0]), atol=1e-4)
    np.testing.assert_allclose(attracted[same], synthetic.ATTRACTION, rtol=1e-5)
    np.testing.assert_allclose(x.norm(dim=-1), setting.width**0.5, rtol=1e-5)
    added = torch.randn(1, 200, setting.width, generator=torch.Generator().manual_seed(0))
    lengths = {
        name: synthetic.project(y, setting, "q").norm(dim=-1) / y.norm(dim=-1)[:, None]
        for name, y in (("added", added), ("x", x))
    }
    np.testing.assert_allclose(lengths["added"].mean(-1), lengths["x"].mean(-1), rtol=0.1)
    if heads > 1:
        first, other = synthetic.project(added, setting, "q")[0, :2]
        alike = torch.nn.functional.cosine_similarity(
            first, other, dim=-1
        ).mean()  # the part among the directions of tokens
        assert float(alike) == pytest.approx(1 / heads, abs=0.1)

"""The lesson “use”: its runs, the bytes that it counts, padding, and the two sources."""

from __future__ import annotations

import dataclasses
import inspect
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.drop_in.drop_in import AlibiAttention, RopeAttention, rope_cos_sin
from alibi_viz.files import read_weights
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.evaluation import evaluate
from alibi_viz.lm.training import trained_model
from alibi_viz.positions.alibi import slopes
from alibi_viz.results import measured, pretrained
from pages.use import source
from pages.use.study import HALF, KEY_HEADS, QUERY_HEADS, WIDTH, Controls, memory, padded, step_seconds, study


@pytest.fixture(scope="module", params=[8, 4])
def result(request):
    return study(Controls("steps", request.param))


def test_the_runs_differ_in_the_positions_alone(result):
    heads = result.controls.heads
    assert [variant.key for variant in result.variants] == ["rope", "alibi", "blog"][: 2 if heads == 8 else 3]
    same = {dataclasses.replace(v.config, method="rope", options=(), steps=1) for v in result.variants}
    assert same == {TrainConfig("rope", block="llama", heads=heads, steps=1)}
    assert all(v.losses.shape[1] == len(v.curve.seeds) for v in result.variants)


def test_the_slopes_of_the_blogs_are_others_at_these_heads(result):
    heads = result.config.heads
    assert (slopes(heads, "blog") == slopes(heads)) == (heads == 8)
    assert slopes(heads, "blog") == slopes(heads, max_bias=float(heads)), (
        "the paper's rule with another largest exponent"
    )


def test_the_curve_of_the_loss_is_that_of_the_records(result):
    for variant in result.variants:
        same = {dataclasses.replace(variant.config, seed=seed) for seed in pretrained.SEEDS}
        runs = [run for run in measured.shipped("blocks") if run.config in same]
        assert variant.steps[-1] == variant.config.steps
        means = np.array([run.losses for run in runs]).reshape(len(runs), len(variant.steps), -1).mean(2).T
        np.testing.assert_allclose(variant.losses, means)


def test_the_time_of_a_step_was_measured(result):
    paces = {variant.key: variant.step_seconds for variant in result.variants}
    assert 0 < paces["rope"] < 1
    assert paces.get("blog", paces["alibi"]) == paces["alibi"] > 0


def test_what_the_lesson_says_of_these_runs(result):
    """“ALiBi did not learn faster”, “far beyond L ahead of RoPE”, and with four heads 2^-h “wins”."""
    by_key = {variant.key: variant for variant in result.variants}
    far, length = result.far, result.config.length
    for key in by_key.keys() - {"rope"}:
        assert by_key[key].final > by_key["rope"].final
        assert by_key[key].curve.at(far) < by_key[key].curve.at(length) * 1.05
        assert by_key[key].curve.at(far) < by_key["rope"].curve.at(far) / 5
    if "blog" in by_key:
        assert by_key["blog"].curve.at(length) < by_key["alibi"].curve.at(length)
    for show in ("steps", "beyond"):
        shown = study(Controls(show))
        assert shown.best() == [min(shown.variants, key=shown.score).key]


@given(st.integers(1, 1_048_576))
def test_bytes_are_those_of_the_tensors(tokens):
    rows = {row.key: row for row in memory(tokens)}
    assert rows["cache"].rope == rows["cache"].alibi == 2 * tokens * KEY_HEADS * WIDTH * HALF
    assert rows["square"].alibi == rows["row"].alibi * tokens
    assert rows["weights"].rope == rows["weights"].alibi == 0


def test_counted_bytes_are_those_of_the_code():
    """The same tensors, made by the blocks for a few tokens."""
    tokens, x = 3, torch.zeros(1, 3, 64, dtype=torch.bfloat16)
    block = AlibiAttention(64, QUERY_HEADS, KEY_HEADS, WIDTH).to(torch.bfloat16)
    rows = {row.key: row for row in memory(tokens)}
    _, cache = block(x, use_cache=True)
    assert sum(part.nbytes for part in cache) == rows["cache"].alibi
    assert sum(part.nbytes for part in rope_cos_sin(torch.arange(tokens), WIDTH)) == rows["angles"].rope
    names = [list(kind(64, 4).state_dict()) for kind in (RopeAttention, AlibiAttention)]
    assert names[0] == names[1]
    assert len(names[0]) == 4, "no weights of the position method"


def test_a_mask_is_all_that_left_padding_needs():
    ways = {way.key: way for way in padded()}
    for method in ("rope", "alibi"):
        assert ways["counted"].differences[method] < 1e-5
        assert ways["from_first"].differences[method] < 1e-5
        assert ways["no_mask"].differences[method] > 1e-3


def test_changed_lines_give_both_sources_back():
    first, second = inspect.getsource(RopeAttention), inspect.getsource(AlibiAttention)
    rows = list(source.changed_lines(first, second))
    assert "\n".join(left for left, _, _ in rows if left is not None) == first.rstrip("\n")
    assert "\n".join(right for _, right, _ in rows if right is not None) == second.rstrip("\n")
    assert all((left == right) != changed for left, right, changed in rows)
    changed = [row for row in rows if row[2]]
    assert 0 < len(changed) < len(rows) / 2, "most lines are the same"


def test_a_source_is_never_html():
    html = source.side_by_side("a <b>\nsame", 'x = "<script>&"\nsame', ("<i>", "B"))
    assert "<b>" not in html
    assert "<script>" not in html
    assert "<i>" not in html
    assert "&lt;script&gt;&amp;" in html
    assert html.count('class="first changed"') == html.count('class="second changed"') == 1


def test_a_llama_block_takes_rope_and_alibi_alone():
    with pytest.raises(ValueError, match="rope, alibi"):
        TrainConfig("t5", block="llama")
    with pytest.raises(ValueError, match="block must be one of"):
        TrainConfig(block="bert")


def test_a_study_of_runs_that_are_missing_says_so(monkeypatch):
    monkeypatch.setattr(measured, "shipped", lambda kind: ())
    with pytest.raises(ValueError, match="missing"):
        study(Controls("steps"))


def test_no_number_is_made_up_where_no_time_was_measured(monkeypatch):
    monkeypatch.setattr(pretrained, "load_costs", lambda file: [])
    assert math.isnan(step_seconds(TrainConfig(block="llama", heads=4)))


@pytest.mark.parametrize("method", ["rope", "alibi"])
def test_the_shipped_weights_give_the_shipped_numbers(method):
    """Float16 weights against the float32 run they come from, where this Python has the same text."""
    first = next(v for v in study(Controls("steps")).variants if v.key == method)
    assert python_text().sha256 == first.curve.corpus
    weights = read_weights(pretrained.weights_path(method, "blocks", first.config.heads), first.config.largest_file)
    measured_now = evaluate(trained_model(first.config, weights), python_text().held_out, first.config.length)
    then = first.curve.per_seed[first.curve.lengths == first.config.length, 0].item()
    assert measured_now.perplexity == pytest.approx(then, rel=2e-3)

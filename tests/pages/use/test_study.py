"""The lesson “use”: the code for each place, what its runs say, the bytes that it counts, and the two sources."""

from __future__ import annotations

import importlib
import inspect
import sys
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz import library
from alibi_viz.drop_in import drop_in
from alibi_viz.drop_in.drop_in import AlibiAttention, RopeAttention, alibi_bias, alibi_slopes, with_key_features
from alibi_viz.files import read_weights
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.evaluation import evaluate
from alibi_viz.lm.training import trained_model
from alibi_viz.results import pretrained
from pages.use import two_sources
from pages.use.study import HEAD_DIM, PLACES, SMOOTH, sizes, snippet, variants


@pytest.mark.parametrize("heads", [4, 6])
@pytest.mark.parametrize("place", ["sdpa", "flex_attention"])
def test_the_code_of_a_kernel_runs_as_it_is_copied(place, heads):
    shared = 1 if heads == 4 else 6
    q, k, v = torch.randn(3, 1, heads, 9, 16, generator=torch.Generator().manual_seed(0)).unbind(0)
    names = {"q": q[:, :, 5:], "k": k[:, :shared], "v": v[:, :shared]}
    expected = library.trace(*names.values()).output
    exec(snippet(place, heads).code, names)
    torch.testing.assert_close(names["output"], expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("place", PLACES)
def test_every_code_can_be_compiled_and_its_file_too(place):
    taken = snippet(place, 12)
    for text in (taken.code, taken.text):
        compile(text, taken.file, "exec")
    assert "12" in taken.code


def test_the_code_of_the_block_runs_beside_its_file(monkeypatch):
    monkeypatch.setitem(sys.modules, "drop_in", drop_in)
    names = {"x": torch.randn(1, 5, 12 * HEAD_DIM), "cache": None}
    exec(snippet("block", 12).code, names)
    assert names["output"].shape == (1, 5, 12 * HEAD_DIM)
    assert names["cache"][0].shape == (1, 3, 5, HEAD_DIM)


def test_the_code_for_transformers_makes_a_config_with_alibi(monkeypatch):
    ours = importlib.import_module("alibi_viz.drop_in.drop_in_transformers")
    monkeypatch.setitem(sys.modules, "drop_in_transformers", ours)
    names: dict[str, Any] = {}
    exec(snippet("transformers", 12).code.partition("model =")[0], names)  # the model would be a large one
    config = names["config"]
    assert (config.num_attention_heads, config.num_key_value_heads, config.alibi_bias_max) == (12, 3, 8)
    assert config.rope_parameters["rope_type"] == "alibi"


def test_the_runs_differ_in_the_positions_alone_and_are_those_of_the_records():
    rope, alibi = variants()
    assert [rope.config, alibi.config] == [
        TrainConfig(method, block="llama", steps=rope.config.steps, length=128, batch=16)
        for method in ("rope", "alibi")
    ]
    records = {record["config"]["method"]: record for record in pretrained.load_all("blocks")}
    for variant, record in ((rope, records["rope"]), (alibi, records["alibi"])):
        assert variant.config == TrainConfig.from_dict(record["config"])
        assert variant.steps[-1] == variant.config.steps
        np.testing.assert_allclose(variant.losses, np.reshape(record["losses"], (-1, SMOOTH)).mean(1))


def test_what_the_lesson_says_of_these_runs():
    """“ALiBi did not learn faster”, and “far beyond L ahead of RoPE”."""
    (rope, alibi), far = variants(), int(variants()[0].windows[-1])
    assert alibi.losses[-1] > rope.losses[-1]
    assert alibi.at(alibi.config.length) > rope.at(rope.config.length)
    assert alibi.at(far) < rope.at(far) / 5


@given(st.integers(1, 12), st.integers(1, 64))
def test_bytes_are_those_of_the_tensors(heads, tokens):
    q = torch.zeros(1, heads, tokens, HEAD_DIM)
    slopes, counted = torch.tensor(alibi_slopes(heads)), sizes(heads, tokens)
    assert counted["tensor"] == alibi_bias(q, q, slopes).nbytes
    assert counted["row"] == alibi_bias(q[:, :, :1], q, slopes).nbytes
    assert counted["closed"] == slopes.nbytes
    assert counted["cache"] == 2 * q.nbytes
    assert counted["features"] == sum(wide.nbytes for wide in with_key_features(q, q, q, slopes)) - 3 * q.nbytes


def test_changed_lines_give_both_sources_back_and_fold_what_is_the_same():
    first, second = inspect.getsource(RopeAttention), inspect.getsource(AlibiAttention)
    rows = list(two_sources.changed_lines(first, second, around=1000))
    assert "\n".join(left for left, _, _ in rows if left is not None) == first.rstrip("\n")
    assert "\n".join(right for _, right, _ in rows if right is not None) == second.rstrip("\n")
    assert all((left == right) == (kind == "equal") for left, right, kind in rows)
    folded = list(two_sources.changed_lines(first, second))
    changed = [row for row in rows if row[2] == "changed"]
    assert [row for row in folded if row[2] == "changed"] == changed
    assert len(folded) < len(rows) * 0.8
    assert folded.count(("⋮", "⋮", "gap")) >= 3


def test_a_source_is_never_html():
    html = two_sources.side_by_side("a <b>\nsame", 'x = "<script>&"\nsame', ("<i>", "B"), '"><u>')
    for tag in ("<b>", "<script>", "<i>", "<u>"):
        assert tag not in html
    assert "&lt;script&gt;&amp;" in html
    assert html.count('class="first changed"') == html.count('class="second changed"') == 1


def test_a_llama_block_takes_rope_and_alibi_alone():
    with pytest.raises(ValueError, match="rope, alibi"):
        TrainConfig("t5", block="llama")
    with pytest.raises(ValueError, match="block must be one of"):
        TrainConfig(block="bert")


@pytest.mark.parametrize("method", ["rope", "alibi"])
def test_the_shipped_weights_give_the_shipped_numbers(method):
    """Float16 weights against the float32 run they come from, where this Python has the same text."""
    variant = next(v for v in variants() if v.config.method == method)
    weights = read_weights(pretrained.weights_path(method, "blocks", 8), variant.config.largest_file)
    now = evaluate(trained_model(variant.config, weights), python_text().held_out, variant.config.length)
    assert now.perplexity == pytest.approx(variant.at(variant.config.length), rel=2e-3)

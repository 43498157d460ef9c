"""The Attention page as a reader opens it; and what it shows against the whole attention."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from alibi_viz.attention.pictures import every_head, row
from alibi_viz.content.synthetic import ATTRACTION, CONTENTS, Setting
from alibi_viz.lessons import load
from pages.attention import study as attention
from pages.compare import study as compare
from tests.pages.apptest import address, hands, open_page, picture, release, said, says, seen, shown


@pytest.mark.parametrize("causal", ["true", "false"])
def test_what_is_said_of_cache_and_formula_is_of_the_pass_that_ran(causal):
    text = said(open_page("attention", content="random", attention_open="cache", causal=causal))
    assert says(text, "attention", "cache_causal", steps=16) == (causal == "true")
    if causal == "false":
        assert says(text, "attention", "cache_unmasked")
        assert float(re.search(r"by up to \*\*([\d.]+)\*\*", text)[1]) > 0.1
    formulas = re.findall(r"\$\$.*?\$\$", text)
    assert len(formulas) == 2
    assert all({"true": "(i - j)", "false": "|i - j|"}[causal] in formula for formula in formulas)


def test_a_preset_keeps_the_text_and_one_with_its_own_sets_it():
    at = open_page("attention", text="a b c d")
    presets = dict(zip(load("attention").entries("try"), hands(at)["presets"], strict=True))
    for name in ("encoder", "long"):
        release(at, **presets[name]["values"])
        assert (shown(at, "text") == "a b c d") == (name == "encoder"), "a text that was set stays"


def test_what_cannot_be_shown_is_explained_and_nothing_is_lost():
    assert "cannot share" in picture(open_page("attention", kv_heads="3"))["problem"]
    at = release(open_page("attention", heads="200", strength="2"), text=" ", is_step=False)
    (line,) = (hand for hand in hands(at)["hands"] if hand["key"] == "text")
    assert ("empty" in line["refusal"], line["least"], line["shown"]) == (True, 1, 2048)
    assert picture(at)["views"][0]["rows"]["count"] == 16, "the example's words"
    release(at, text="x " * 5_000, is_step=False)
    assert picture(at)["views"][0]["rows"] | {"step": 16, "count": 128} == picture(at)["views"][0]["rows"]
    assert (shown(at, "strength"), shown(at, "heads"), address(at)["heads"]) == (2, 128, "200")


TEXT = tuple("the cat sat on the mat and the dog sat on the rug".split())
ATTENTION = attention.Controls(Setting(heads=8, head_dim=16, content="random"), TEXT, 8, 3)


def changed(**settings):
    """ATTENTION with another setting."""
    return replace(ATTENTION, setting=replace(ATTENTION.setting, **settings))


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("kv_heads", [1, 4, 8])
@pytest.mark.parametrize("causal", [True, False])
def test_the_chosen_head_is_the_head_of_the_whole_attention(content, kv_heads, causal):
    controls = replace(changed(content=content), kv_heads=kv_heads, causal=causal)
    whole = attention.inputs(controls).trace()
    result, (step, thumbs) = attention.compute(controls), every_head(attention.inputs(controls))
    assert step == 1
    scores = whole.masked[0, 2]
    plain = (scores - whole.bias[2]).softmax(-1)
    distance = torch.arange(len(TEXT))[:, None] - torch.arange(len(TEXT))
    seen(result.stages.bias, -distance.abs() / 8, scores)  # head 3 of 8
    seen(result.stages.weights, whole.weights[0, 2], scores)
    seen(result.stages.scores, scores, scores)
    seen(thumbs[5], whole.weights[0, 5], scores)
    np.testing.assert_allclose(result.stages.content, whole.content[0, 2], atol=1e-6)
    of_query = row(result, 4)
    np.testing.assert_allclose(of_query.weights, whole.weights[0, 2, 4], atol=1e-6)
    np.testing.assert_allclose(of_query.weights_without_bias, plain[4], atol=1e-6)


def test_content_is_what_it_says_and_the_same_on_the_compare_page():
    ours, pairs = attention.compute(changed(content="same words attract")).stages, np.tril_indices(len(TEXT))
    same = np.array(TEXT)[:, None] == np.array(TEXT)
    assert np.array_equal(np.isclose(ours.content, ATTRACTION, atol=1e-5), same)
    assert ours.content.max() <= ATTRACTION + 1e-5
    other = compare.compute(compare.Controls(TEXT, ("alibi",), "same words attract", 3))
    np.testing.assert_allclose(other.content, ours.content[pairs], atol=1e-5)
    np.testing.assert_allclose(other.content + other.added[0].cells, ours.scores[pairs], atol=1e-5)
    assert np.abs(attention.compute(changed(content="equal")).stages.content).max() == 0


def test_long_texts_are_pooled():
    controls = replace(ATTENTION, tokens=tuple(f"w{i % 37}" for i in range(1000)))
    result = attention.compute(controls)
    assert result.step == 8
    whole = attention.inputs(controls, controls.head - 1).trace()
    scores = whole.masked[0, 0, ::8].unflatten(-1, (125, 8)).amax(-1)
    seen(result.stages.weights, whole.weights[0, 0][::8].unflatten(-1, (125, 8)).amax(-1), scores)


@pytest.mark.parametrize("kv_heads", [2, 8])
def test_cache_and_fused_path_are_compared_with_the_pass_that_is_shown(kv_heads):
    for count in (1, 13, 300):
        causal = replace(ATTENTION, tokens=(TEXT * 30)[:count], kv_heads=kv_heads)
        assert max(attention.other_ways(causal, -(-count // 2))[:2]) < 1e-5
    by_cache, fused, _ = attention.other_ways(replace(ATTENTION, kv_heads=kv_heads, causal=False), len(TEXT))
    assert fused < 1e-5 < 0.1 < by_cache, "a cache has no later keys"

"""Attention on the reader's text, against the whole attention at once."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch

from alibi_viz.content.synthetic import ATTRACTION, CONTENTS, Setting
from pages.attention import study as attention
from pages.compare import study as compare

TEXT = tuple("the cat sat on the mat and the dog sat on the rug".split())
ATTENTION = attention.MadeUp(Setting(heads=8, head_dim=16, content="random"), TEXT, 8, 3)


def changed(**settings: object) -> attention.MadeUp:
    """ATTENTION with another setting."""
    return dataclasses.replace(ATTENTION, setting=dataclasses.replace(ATTENTION.setting, **settings))


def seen(picture: np.ndarray, whole: torch.Tensor, scores: torch.Tensor) -> None:
    """The picture is the whole matrix where the mask lets a query look, and -inf elsewhere."""
    hidden = scores.isneginf().numpy()
    np.testing.assert_allclose(picture[~hidden], whole.numpy()[~hidden], atol=1e-6)
    assert np.isneginf(picture[hidden]).all()


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("kv_heads", [1, 4, 8])
@pytest.mark.parametrize("causal", [True, False])
def test_the_chosen_head_is_the_head_of_the_whole_attention(content, kv_heads, causal):
    controls = dataclasses.replace(changed(content=content), kv_heads=kv_heads, causal=causal)
    whole = attention.inputs(controls).trace()
    result, (step, thumbs) = attention.study(controls), attention.every_head(controls, len(TEXT))
    assert step == 1
    scores = whole.masked[0, 2]
    seen(result.stages.weights, whole.weights[0, 2], scores)
    seen(result.stages.scores, scores, scores)
    seen(result.stages.bias, whole.bias[2], scores)
    seen(thumbs[5], whole.weights[0, 5], scores)
    np.testing.assert_allclose(result.stages.content, whole.content[0, 2], atol=1e-6)
    np.testing.assert_allclose(result.logsum, scores.double().logsumexp(-1), atol=1e-6)
    row = attention.row(result, 4)
    np.testing.assert_allclose(row.weights, whole.weights[0, 2, 4], atol=1e-6)
    plain = (whole.masked[0, 2, 4] - whole.bias[2, 4]).softmax(-1)
    np.testing.assert_allclose(row.weights_without_bias, plain, atol=1e-6)


def test_content_is_what_it_says():
    same = attention.study(changed(content="same words attract"))
    for i, a in enumerate(TEXT):
        for j, b in enumerate(TEXT):
            assert (same.stages.content[i, j] == pytest.approx(ATTRACTION, abs=1e-5)) == (a == b)
    assert same.stages.content.max() <= ATTRACTION + 1e-5
    assert np.abs(attention.study(changed(content="equal")).stages.content).max() == 0


def test_content_means_the_same_on_the_compare_page():
    other = compare.study(compare.Controls(TEXT, ("alibi",), "same words attract", 3))
    ours, pairs = attention.study(changed(content="same words attract")).stages, np.tril_indices(len(TEXT))
    np.testing.assert_allclose(other.content, ours.content[pairs], atol=1e-5)
    np.testing.assert_allclose(other.content + other.added[0].cells, ours.scores[pairs], atol=1e-5)


def test_long_texts_are_pooled_and_still_exact():
    long = tuple(f"w{i % 37}" for i in range(1000))
    controls = dataclasses.replace(ATTENTION, tokens=long)
    result = attention.study(controls)
    assert result.step == 8
    assert result.stages.weights.shape == (125, 125)
    whole = attention.one_head(controls).trace()
    scores = whole.masked[0, 0, ::8].unflatten(-1, (125, 8)).amax(-1)
    weights = whole.weights[0, 0]
    seen(result.stages.weights, weights[::8].unflatten(-1, (125, 8)).amax(-1), scores)
    q, k, scale = result.content
    i, j = 700, 650
    score = (q @ k.T * scale)[i, j] - result.slope * (i - j)
    assert math.exp(score - result.logsum[i]) == pytest.approx(float(weights[i, j]), rel=1e-4)


@pytest.mark.parametrize("tokens_", [1, 2, 13, 300])
def test_cache_and_fused_path_agree(tokens_):
    controls = dataclasses.replace(ATTENTION, tokens=(TEXT * 30)[:tokens_], kv_heads=2)
    assert attention.fused_difference(controls) < 1e-5
    for count in {1, max(tokens_ // 2, 1), tokens_}:
        assert attention.cached_difference(controls, count) < 1e-5


@pytest.mark.parametrize("kv_heads", [2, 8])
def test_without_the_mask_the_cache_is_compared_with_the_pass_that_is_shown(kv_heads):
    shown = dataclasses.replace(ATTENTION, kv_heads=kv_heads, causal=False)
    x, count = attention.inputs(shown), len(TEXT)
    # Decoding by hand: each query meets the keys up to its own, and the symmetric bias.
    outputs = [
        torch.nn.functional.scaled_dot_product_attention(
            x.q[:, :, t : t + 1],
            x.k[:, :, : t + 1].repeat_interleave(8 // kv_heads, 1),
            x.v[:, :, : t + 1].repeat_interleave(8 // kv_heads, 1),
            attn_mask=x.method.score_bias(x.positions[t : t + 1], x.positions[: t + 1])[None],
        )
        for t in range(count)
    ]
    expected = float((torch.cat(outputs, 2) - x.trace().output).abs().max())
    assert expected > 0.1
    assert attention.cached_difference(shown, count) == pytest.approx(expected, abs=1e-5)
    assert attention.fused_difference(shown) < 1e-5


def test_heads_that_cannot_share_are_named():
    with pytest.raises(ValueError, match="Choose one of 1, 2, 3, 4, 6, 12"):
        attention.study(dataclasses.replace(changed(heads=12), kv_heads=5))
    with pytest.raises(ValueError, match="empty"):
        attention.study(dataclasses.replace(ATTENTION, tokens=()))

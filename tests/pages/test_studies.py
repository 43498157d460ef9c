"""What the pages compute, against a second way to compute it."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.attention.attention import trace_attention
from alibi_viz.content import characters, orthogonal, tokens, vectors, words
from pages.attention import study as attention
from pages.bias import study as bias
from pages.slopes import study as slopes
from pages.start import study as order

BIAS = bias.Controls(64, 8, 2, "distance", True, False, "float32", 32, 0, 0, 0)
TEXT = tuple("the cat sat on the mat and the dog sat on the rug".split())
ATTENTION = attention.Controls(TEXT, "random", 0, 8, 8, 16, 3, 1.0, True)


def test_slopes_of_the_paper():
    result = slopes.study(slopes.Controls(8, "paper", 8.0))
    assert result.slopes == [2.0**-h for h in range(1, 9)]
    assert result.half[0] == pytest.approx(math.log(2) / 0.5)
    weights = np.exp(-result.slopes[3] * np.arange(10_000))
    held = np.cumsum(weights) / weights.sum()
    assert result.reach[3] == int(np.argmax(held >= 0.9))


def test_own_slopes():
    result = slopes.study(slopes.Controls(8, "own list", 8.0, (0.5, 2**-0.5, 0.3, 0.0)))
    assert [str(e) for e in result.exponents] == ["1", "1/2", "None", "None"]
    assert result.half[3] == math.inf
    with pytest.raises(ValueError, match="at least one"):
        slopes.study(slopes.Controls(8, "own list", 8.0))


@given(st.integers(1, 2**20), st.integers(-5, 2**20), st.integers(-5, 2**20), st.integers(0, 2**20))
def test_windows_stay_inside(n, row, col, span):
    here = bias.window(n, row, col, span)
    assert 1 <= here.count <= bias.SCREEN
    assert here.row >= 0
    assert here.rows()[-1] < n
    assert here.cols()[-1] < n
    wanted = min(span or n, n)
    assert here.count * here.step >= wanted


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 700), st.sampled_from(list(bias.FORMS)), st.booleans(), st.integers(1, 8))
def test_weights_in_closed_form_are_the_softmax(n, form, causal, head):
    controls = dataclasses.replace(BIAS, n=n, form=form, causal=causal, after=True)
    slope, positions = 2.0**-head, torch.arange(n)
    zero = torch.zeros(1, 1, n, 1)
    real = trace_attention(zero, zero, zero, bias.method(slope, form), positions, positions, causal=causal).weights[
        0, 0
    ]
    ours = bias.weights(slope, positions, positions, controls)
    torch.testing.assert_close(ours, real, atol=2e-6, rtol=1e-4)


def test_a_window_is_a_part_of_the_matrix():
    whole = bias.study(dataclasses.replace(BIAS, n=300))
    part = bias.study(dataclasses.replace(BIAS, n=300, row=100, col=50, span=64))
    assert whole.window.step == 1
    np.testing.assert_array_equal(part.values, whole.values[100:164, 50:114])


def test_number_formats_lose_what_we_say():
    # Counted by a plain set of values, not by the changes of a sorted row.
    exact = (-0.5 * torch.arange(2048)).to(torch.bfloat16)
    assert bias.precision(0.5, 2048, "bfloat16") == (len(set(exact.tolist())), 2.0)
    assert bias.precision(0.5, 4096, "float16")[1] == 0.5
    assert bias.precision(0.5, 1_000_000, "float16")[1] == math.inf
    assert bias.precision(0.5, 2048, "float32") == (2048, 0.0)


def test_forms_agree_under_the_mask_and_only_there():
    for m in (0.5, 2**-0.5, 0.01):
        assert max(bias.forms_compared(m, 200, causal=True).values()) < 1e-5
        free = bias.forms_compared(m, 200, causal=False)
        assert free["key only"] < 1e-5
        assert free["symmetric"] > 1e-3


def test_order_is_invisible_without_positions():
    result = order.study("the cat chases the mouse", "the mouse chases the cat")
    assert result.plain.difference < 1e-6
    assert result.alibi.difference > 1e-2
    assert result.masked.difference > 1e-2
    assert order.partners(["a", "b", "a"], ["a", "a", "b"]) == [0, 2, 1]


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_any_order_of_any_words(sentence, random):
    other = sentence.copy()
    random.shuffle(other)
    assert order.study(" ".join(sentence), " ".join(other)).plain.difference < 1e-5


def test_sentences_must_hold_the_same_words():
    with pytest.raises(order.NotSameWords) as caught:
        order.study("a b", "a c")
    assert caught.value.extra == ["b", "c"]
    with pytest.raises(ValueError, match="at least one"):
        order.study("", "a")
    with pytest.raises(ValueError, match="at most"):
        order.study("a " * 30, "a " * 30)


def test_tokens_of_any_language():
    assert words("the cat's 日本語, end!") == ["the", "cat's", "日本語", ",", "end", "!"]
    assert words("👨\u200d👩\u200d👧 hi") == ["👨\u200d👩\u200d👧", "hi"]
    assert characters("a  b\n") == ["a", "␣", "b"]
    assert tokens("e\u0301a", "characters") == ["e\u0301", "a"]
    with pytest.raises(ValueError, match="unit"):
        tokens("a", "bytes")


def test_equal_words_have_equal_vectors():
    one = vectors(["a", "b", "a"], 8)
    assert np.array_equal(one[0], one[2])
    assert not np.array_equal(one[0], one[1])
    assert np.array_equal(one[1], vectors(["b"], 8)[0])
    directions, exact = orthogonal(["a", "b", "c", "a"], 4)
    assert exact
    np.testing.assert_allclose(
        directions @ directions.T, [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1]], atol=1e-6
    )
    assert not orthogonal([str(i) for i in range(9)], 4)[1]


@pytest.mark.parametrize("content", attention.CONTENTS)
@pytest.mark.parametrize("kv_heads", [1, 4, 8])
@pytest.mark.parametrize("causal", [True, False])
def test_the_chosen_head_is_the_head_of_the_whole_attention(content, kv_heads, causal):
    controls = dataclasses.replace(ATTENTION, content=content, kv_heads=kv_heads, causal=causal)
    whole = attention.traced(attention.inputs(controls))
    result = attention.study(controls)
    np.testing.assert_allclose(result.stages.weights, whole.weights[0, 2], atol=1e-6)
    np.testing.assert_allclose(result.stages.content, whole.content[0, 2], atol=1e-6)
    np.testing.assert_allclose(result.thumbs[5], whole.weights[0, 5], atol=1e-6)
    scores = whole.masked[0, 2].double().logsumexp(-1)
    np.testing.assert_allclose(result.logsum, scores, atol=1e-6)
    row = attention.row(controls, 4)
    np.testing.assert_allclose(row.weights, whole.weights[0, 2, 4], atol=1e-6)


def test_content_is_what_it_says():
    same = attention.study(dataclasses.replace(ATTENTION, content="same words attract")).stages.content
    for i, a in enumerate(TEXT):
        for j, b in enumerate(TEXT):
            assert same[i, j] == pytest.approx(attention.ATTRACTION if a == b else 0, abs=1e-5)
    assert np.abs(attention.study(dataclasses.replace(ATTENTION, content="equal")).stages.content).max() == 0


def test_long_texts_are_pooled_and_still_exact():
    long = tuple(f"w{i % 37}" for i in range(1000))
    controls = dataclasses.replace(ATTENTION, tokens=long)
    result = attention.study(controls)
    assert result.step == 8
    assert result.stages.weights.shape == (125, 125)
    whole = attention.traced(attention.inputs(controls).one_head(2)).weights[0, 0]
    np.testing.assert_allclose(result.stages.weights, whole[::8].unflatten(-1, (125, 8)).amax(-1), atol=1e-6)
    content = result.q @ result.k.T / math.sqrt(16)
    i, j = 700, 650
    score = content[i, j] - result.slopes[2] * (i - j)
    assert math.exp(score - result.logsum[i]) == pytest.approx(float(whole[i, j]), rel=1e-4)


@pytest.mark.parametrize("tokens_", [1, 2, 13, 300])
def test_cache_and_fused_path_agree(tokens_):
    controls = dataclasses.replace(ATTENTION, tokens=(TEXT * 30)[:tokens_], kv_heads=2)
    assert attention.fused_difference(controls) < 1e-5
    for count in {1, max(tokens_ // 2, 1), tokens_}:
        assert attention.cached_difference(controls, count) < 1e-5


def test_heads_that_cannot_share_are_named():
    with pytest.raises(ValueError, match="Choose one of 1, 2, 3, 4, 6, 12"):
        attention.study(dataclasses.replace(ATTENTION, heads=12, kv_heads=5))
    with pytest.raises(ValueError, match="empty"):
        attention.study(dataclasses.replace(ATTENTION, tokens=()))

"""The bias, its window and its weights, against the real attention and against a second way to count."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.attention.attention import trace_attention
from pages.bias import study as bias

BIAS = bias.Controls(64, 8, 2, "distance", True, False, 32, 0, 0, 0)


@given(st.integers(1, 2**20), st.integers(-5, 2**20), st.integers(-5, 2**20), st.integers(0, 2**20))
def test_windows_stay_inside(n, row, col, span):
    here = bias.window(n, row, col, span)
    assert 1 <= here.count <= bias.SCREEN
    assert here.row >= 0
    assert here.rows()[-1] < n
    assert here.cols()[-1] < n
    wanted = min(span or n, n)
    assert here.count * here.step >= wanted


@settings(deadline=None, max_examples=80)
@given(
    st.integers(1, 3000),
    st.sampled_from(list(bias.FORMS)),
    st.booleans(),
    st.floats(0.003, 1.0),
)
def test_weights_are_the_softmax_of_the_bias(n, form, causal, slope):
    controls = dataclasses.replace(BIAS, n=n, form=form, causal=causal, after=True)
    q, k = torch.linspace(0, n - 1, 7).long(), torch.arange(n)
    stored = bias.method(slope, form).score_bias(q, k)[0].double()
    real = stored.masked_fill((k > q[:, None]) if causal else torch.tensor(False), -math.inf).softmax(-1)
    torch.testing.assert_close(bias.weights(slope, q, k, controls).double(), real, atol=1e-8, rtol=1e-5)


@pytest.mark.parametrize("form", bias.FORMS)
@pytest.mark.parametrize("causal", [True, False])
def test_weights_in_float32_are_those_of_the_real_attention(form, causal):
    at, zero = torch.arange(300), torch.zeros(1, 1, 300, 1)
    real = trace_attention(zero, zero, zero, bias.method(0.1, form), at, at, causal=causal).weights[0, 0]
    controls = dataclasses.replace(BIAS, n=300, form=form, causal=causal, after=True)
    torch.testing.assert_close(bias.weights(0.1, at, at, controls), real, atol=2e-6, rtol=1e-4)


@pytest.mark.parametrize("form", bias.FORMS)
def test_weights_of_a_row_sum_to_one_also_at_a_million_tokens(form):
    n = 1_000_000
    controls = dataclasses.replace(BIAS, n=n, form=form, after=True)
    total = bias.weights(0.5, torch.tensor([n - 1]), torch.arange(n), controls).double().sum()
    assert float(total) == pytest.approx(1.0, abs=1e-6)


def test_a_window_is_a_part_of_the_matrix():
    whole = bias.study(dataclasses.replace(BIAS, n=300))
    part = bias.study(dataclasses.replace(BIAS, n=300, row=100, col=50, span=64))
    assert whole.window.step == 1
    np.testing.assert_array_equal(part.values, whole.values[100:164, 50:114])


@pytest.mark.parametrize("heads", [8, 40, 128])
def test_every_head_shows_the_window_of_the_chosen_one(heads):
    """The samples of the small matrices are cells of the large one."""
    controls = dataclasses.replace(BIAS, n=5000, heads=heads, head=2, row=1000, col=900, span=512)
    result, (here, small) = bias.study(controls), bias.every_head(controls)
    assert len(small) == heads
    assert (here.row, here.col) == (result.window.row, result.window.col)
    assert here.count * here.step >= result.window.count * result.window.step == 512
    np.testing.assert_array_equal(
        small[1][: len(result.values[:: here.step]), :], result.values[:: here.step, :: here.step]
    )


def test_forms_agree_under_the_mask_and_only_there():
    for m in (0.5, 2**-0.5, 0.01):
        assert max(bias.forms_compared(m, 200, causal=True).values()) < 1e-5
        free = bias.forms_compared(m, 200, causal=False)
        assert free["key only"] < 1e-5
        assert free["symmetric"] > 1e-3


def test_the_encoder_sees_both_sides_and_the_image_two_directions():
    slope, side = 0.25, bias.GRID
    encoder, image = bias.encoder(slope, side**2), bias.image(slope)
    assert encoder[3, 10] == encoder[10, 3] == -slope * 7
    patches = [(row, col) for row in range(side) for col in range(side)]
    by_hand = [[-slope * math.dist(one, other) for other in patches] for one in patches]
    np.testing.assert_allclose(image, by_hand, rtol=1e-6)
    assert image[0, side] == image[0, 1], "the patch below is as near as the one beside"

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

BIAS = bias.Controls(64, 8, 2, "distance", True, False, "float32", 32, 0, 0, 0)


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
    st.sampled_from(list(bias.DTYPES)),
)
def test_weights_are_the_softmax_of_the_bias_as_it_is_stored(n, form, causal, slope, dtype):
    controls = dataclasses.replace(BIAS, n=n, form=form, causal=causal, after=True, dtype=dtype)
    q, k = torch.linspace(0, n - 1, 7).long(), torch.arange(n)
    stored = bias.method(slope, form).score_bias(q, k)[0].to(bias.DTYPES[dtype]).double()
    real = stored.masked_fill((k > q[:, None]) if causal else torch.tensor(False), -math.inf).softmax(-1)
    torch.testing.assert_close(bias.weights(slope, q, k, controls).double(), real, atol=1e-8, rtol=1e-5)


@pytest.mark.parametrize("form", bias.FORMS)
@pytest.mark.parametrize("causal", [True, False])
def test_weights_in_float32_are_those_of_the_real_attention(form, causal):
    at, zero = torch.arange(300), torch.zeros(1, 1, 300, 1)
    real = trace_attention(zero, zero, zero, bias.method(0.1, form), at, at, causal=causal).weights[0, 0]
    controls = dataclasses.replace(BIAS, n=300, form=form, causal=causal, after=True)
    torch.testing.assert_close(bias.weights(0.1, at, at, controls), real, atol=2e-6, rtol=1e-4)


@pytest.mark.parametrize("dtype", bias.DTYPES)
@pytest.mark.parametrize("form", bias.FORMS)
def test_weights_of_a_row_sum_to_one_also_at_a_million_tokens(form, dtype):
    n = 100_000 if dtype == "float16" and form == "key only" else 1_000_000  # beyond, float16 overflows
    controls = dataclasses.replace(BIAS, n=n, form=form, after=True, dtype=dtype)
    total = bias.weights(0.5, torch.tensor([n - 1]), torch.arange(n), controls).double().sum()
    assert float(total) == pytest.approx(1.0, abs=1e-6)


def test_a_row_that_overflows_has_no_weights():
    controls = dataclasses.replace(BIAS, heads=8, head=1, n=200_000, form="key only", after=True, dtype="float16")
    result = bias.study(dataclasses.replace(controls, row=131_000, col=131_000, span=64))
    whole = np.isfinite(result.values).any(axis=1)
    overflows = torch.tensor(0.5 * result.window.rows()).half().isinf().numpy()
    assert overflows.any()
    assert not overflows.all()
    np.testing.assert_array_equal(whole, ~overflows)


@pytest.mark.parametrize(("slope", "far", "near"), [(0.5, 1e-50, 0.15), (2**-0.5, 0.00022, 0.31)])
def test_rounding_hits_the_nearest_keys_of_the_key_only_form(slope, far, near):
    at = torch.arange(2048)
    exact = torch.softmax(-slope * (2047 - at).double(), -1)
    by_hand = torch.softmax((torch.tensor(slope) * at).bfloat16().double(), -1)
    by_distance, by_key = bias.weight_errors(slope, 2048, "bfloat16")
    assert by_distance <= far
    assert by_key == pytest.approx(float((by_hand - exact).abs().max())) == pytest.approx(near, abs=0.005)
    assert bias.weight_errors(0.5, 2048, "float32") == (0.0, 0.0)
    assert math.isnan(bias.weight_errors(0.5, 200_000, "float16")[1])


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
    assert here.count * here.step == result.window.count * result.window.step == 512
    np.testing.assert_array_equal(small[1], result.values[:: here.step, :: here.step])


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


def test_the_encoder_sees_both_sides_and_the_image_two_directions():
    slope, side = 0.25, bias.GRID
    encoder, image = bias.encoder(slope, side**2), bias.image(slope)
    assert encoder[3, 10] == encoder[10, 3] == -slope * 7
    patches = [(row, col) for row in range(side) for col in range(side)]
    by_hand = [[-slope * math.dist(one, other) for other in patches] for one in patches]
    np.testing.assert_allclose(image, by_hand, rtol=1e-6)
    assert image[0, side] == image[0, 1], "the patch below is as near as the one beside"

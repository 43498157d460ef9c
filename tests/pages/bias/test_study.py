"""The bias, its window and its weights, against the real attention and against a second way to count."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
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

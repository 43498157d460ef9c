"""The Bias page as a reader opens it; and its numbers against the real attention and against a second way to count."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.attention.attention import trace_attention
from alibi_viz.lessons import load
from pages.bias import study as bias
from tests.pages.apptest import asks, note, open_page, said, says


@pytest.mark.parametrize(
    ("url", "sentence", "right"),
    [
        ({}, "bias", load("bias").label("alike")),
        ({"form": "key only"}, "key_only", "Query 127, key 111"),
        ({"after": "true"}, "after", "Query 0, key 0"),
        ({"after": "true", "causal": "false"}, "reward", "Query 64, key 64"),
        ({"after": "true", "causal": "false", "form": "symmetric"}, "after", "Query 0, key 0"),
    ],
)
def test_sentences_and_question_are_those_of_the_matrix_that_is_shown(url, sentence, right):
    at = open_page("bias", predict="true", **url)
    assert note(at) == load("bias").entries("note")[sentence], "the browser puts in its numbers"
    options = {button.label: button for button in at.button if str(button.key).startswith("question_bias_")}
    options[right].click().run()
    assert says(said(at), "shared", "predict.right", chosen=right)
    assert says(said(at), "bias", f"seen_{sentence}")


def test_the_slope_of_the_future_is_said_to_be_an_example():
    two_sided = said(open_page("bias", form="two-sided", causal="false"))
    assert says(two_sided, "bias", "two_sided", share=bias.FUTURE_SHARE)
    assert not says(said(open_page("bias", form="symmetric", causal="false")), "bias", "two_sided")


@pytest.mark.parametrize("url", [{"n": "4"}, {"n": "100", "col": "60", "span": "20"}])
def test_nothing_is_asked_of_cells_that_are_not_there(url):
    assert not asks(open_page("bias", predict="true", **url))


BIAS = bias.Controls(64, 8, 2, "distance", True, False, 32, 0, 0, 0)


@given(st.integers(1, 2**20), st.integers(-5, 2**20), st.integers(-5, 2**20), st.integers(0, 2**20))
def test_windows_stay_inside(n, row, col, span):
    here = bias.window(n, row, col, span)
    assert 1 <= here.count <= bias.SCREEN
    assert here.row >= 0
    assert here.rows()[-1] < n
    assert here.cols()[-1] < n
    assert here.count * here.step >= min(span or n, n)


@settings(max_examples=40)
@given(st.integers(1, 300), st.sampled_from(list(bias.FORMS)), st.booleans(), st.floats(0.003, 1.0))
def test_weights_are_those_of_the_real_attention(n, form, causal, slope):
    at, zero = torch.arange(n), torch.zeros(1, 1, n, 1)
    real = trace_attention(zero, zero, zero, bias.method([slope], form), at, at, causal=causal).weights[0, 0]
    controls = dataclasses.replace(BIAS, n=n, form=form, causal=causal, after=True)
    torch.testing.assert_close(bias.weights([slope], at, at, controls)[0], real, atol=2e-6, rtol=1e-4)


@pytest.mark.parametrize("form", bias.FORMS)
def test_weights_of_a_row_sum_to_one_also_at_a_million_tokens(form):
    n = 1_000_000
    controls = dataclasses.replace(BIAS, n=n, form=form, after=True)
    total = bias.weights([0.5], torch.tensor([n - 1]), torch.arange(n), controls).double().sum()
    assert float(total) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("heads", [8, 128])
def test_a_window_and_its_small_pictures_are_parts_of_the_matrix(heads):
    controls = dataclasses.replace(BIAS, n=300, heads=heads, row=100, col=50, span=64)
    whole, part = bias.compute(dataclasses.replace(controls, row=0, col=0, span=0)), bias.compute(controls)
    np.testing.assert_array_equal(part.values, whole.values[100:164, 50:114])
    here, small = bias.every_head(controls)
    assert len(small) == heads
    assert (here.row, here.col) == (100, 50)
    np.testing.assert_array_equal(small[1][: -(-64 // here.step), :], part.values[:: here.step, :: here.step])


def test_forms_agree_under_the_mask_and_only_there():
    for m in (0.5, 2**-0.5, 0.01):
        assert max(bias.forms_compared(m, 200, causal=True).values()) < 1e-5
        free = bias.forms_compared(m, 200, causal=False)
        assert free["key only"] < 1e-5 < 1e-3 < free["symmetric"]


def test_the_encoder_sees_both_sides_and_the_image_two_directions():
    slope, side = 0.25, bias.GRID
    encoder, image = bias.encoder(slope, side**2), bias.image(slope)
    assert encoder[3, 10] == encoder[10, 3] == -slope * 7
    patches = [(row, col) for row in range(side) for col in range(side)]
    by_hand = [[-slope * math.dist(one, other) for other in patches] for one in patches]
    np.testing.assert_allclose(image, by_hand, rtol=1e-6)

"""What the scenes compute."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.positions.alibi import slopes
from alibi_viz.results.table import PROTOCOLS
from pages.story import study

SENTENCE = ("dogs", "chase", "cats", "quickly")
MOVED = (2, 1, 0, 3)


def test_without_positions_weights_move_with_their_words_and_with_alibi_they_change():
    result = study.orders(SENTENCE, MOVED, causal=False)
    plain, alibi = result.changes
    assert plain < 1e-6 < 0.02 < alibi
    assert np.abs(result.before[0] - result.weights[0]).max() > 0.02, "each stands in its own order"
    assert study.orders(SENTENCE, (0, 1, 2, 3), causal=False).changes == (0, 0)


def test_a_mask_tells_the_orders_apart_too():
    plain, _ = study.orders(SENTENCE, MOVED, causal=True).changes
    assert plain > 0.02


@pytest.mark.parametrize(
    ("asked", "order"), [("1,0,2", (1, 0, 2)), ("", (0, 1, 2)), ("0,0,1", (0, 1, 2)), ("a,b,c", (0, 1, 2))]
)
def test_an_order_of_other_words_is_the_sentence_s_own(asked, order):
    assert study.read_order(asked, 3) == order


@pytest.mark.parametrize("sentence", ["", "one", "a b c d e f g h i"])
def test_a_sentence_has_two_to_eight_words(sentence):
    with pytest.raises(ValueError, match="2 to 8"):
        study.split(sentence)


def test_a_penalty_is_the_bias_and_its_softmax():
    result, m, n = study.equal_content(0.25, 8), 0.25, 8
    i, j = np.mgrid[:n, :n]
    below = j <= i
    assert result.bias[below] == pytest.approx((-m * (i - j))[below])
    assert np.isneginf(result.bias[~below]).all()
    expected = np.where(below, np.exp(-m * (i - j)), 0)
    expected /= expected.sum(1, keepdims=True)
    assert result.weights[below] == pytest.approx(expected[below], abs=1e-6)


@pytest.mark.parametrize("tokens", [200, 2048])
def test_a_sampled_matrix_is_the_whole_one_at_its_tokens(tokens):
    step = -(-tokens // study.TRAINED)
    whole, sampled = study.equal_content(1 / 16, tokens), study.equal_content(1 / 16, tokens, step)
    assert np.array_equal(sampled.bias, whole.bias[::step, ::step])
    assert np.array_equal(sampled.weights, whole.weights[::step, ::step])


def test_steep_heads_leave_nothing_beyond_l_and_gentle_ones_spread():
    """The sentence of the scene, against the sum in closed form."""
    m, length, tokens = 1 / 256, study.TRAINED, study.FAR * study.TRAINED
    weights = np.exp(-m * np.arange(tokens))
    assert study.share_beyond(m, tokens) == pytest.approx(weights[length:].sum() / weights.sum(), abs=0.004)
    assert study.share_beyond(max(slopes(8)), tokens) < 1e-6


def test_rope_is_mended_by_hiding_far_keys_and_sinusoidal_positions_are_not():
    """The sentences of the scene, from the shipped runs."""
    by_method = study.hidden_keys()
    rope, alibi, sinusoidal = (by_method[method] for method in ("rope", "alibi", "sinusoidal"))
    assert rope.hidden < rope.at_length < 0.5 * rope.longer
    assert abs(alibi.hidden - alibi.longer) < 0.05
    assert sinusoidal.hidden > 3 * sinusoidal.at_length


def test_sliding_windows_gain_next_to_nothing_and_nonoverlapping_ones_do():
    lines = study.by_windows({protocol: protocol for protocol in PROTOCOLS})
    apart, sliding = lines["nonoverlapping"], lines["sliding"]
    assert apart.y[0] - apart.y[-1] > 0.1 > 0.02 > abs(sliding.y[0] - sliding.y[-1])
    assert study.first_to_break() == ["sinusoidal"]

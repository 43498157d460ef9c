"""The Slopes page as a reader opens it; and its numbers against the rules and a sum of the weights."""

import math
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.checkpoints.presets import PRESETS
from alibi_viz.rules import slopes
from pages.slopes.study import DISTANCES, LAYERS, SHARE, compute, reach_by_layers, train
from tests.pages.apptest import hands, open_page, picture, said, says


@pytest.mark.parametrize(
    ("text", "words"), [("", "at least one"), ("1, two", "two"), ("0.5 " * 200, "at most 128"), ("nan", "finite")]
)
def test_a_list_that_cannot_be_read_keeps_its_field_and_says_why(text, words):
    message = picture(open_page("slopes", rule="own list", own=text))
    assert words in message["problem"]
    assert message["hands"]["values"]["own"].strip() == text.strip()


@pytest.mark.parametrize(
    ("url", "section", "facts"),
    [
        ({"heads": "12"}, "seen_rules", {"heads": 12, "power": 8, "double": 16, "head": 9, "ratio": 45.25}),
        ({"heads": "12", "rule": "sentence"}, "seen_rules", {"code": "0.7071", "sentence": "1/64"}),
        ({"heads": "12", "rule": "plain"}, "seen_rules", {"head": 9}),  # as links of earlier versions call it
        ({"rule": "own list", "own": "-0.5, 0"}, "seen_none", {}),
        ({"rule": "2^-h", "heads": "9"}, "seen_blog", {"drop": "98.2"}),
        ({}, "seen", {"worth_one": "256"}),
        ({"heads": "1"}, "seen_one", {"worth_one": "256"}),
        ({"slopes_open": "trained", "target": "256"}, "training", {"target": 256, "learned": "0.003899"}),
    ],
)
def test_what_is_said_is_of_the_slopes_that_are_shown(url, section, facts):
    assert says(said(open_page("slopes", **url)), "slopes", section, **facts)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
def test_a_model_without_alibi_is_called_so(preset):
    picked = next(hand for hand in hands(open_page("slopes"))["hands"] if hand["key"] == "model")
    set_by_it = picked["sets"][preset.title]
    assert set_by_it["heads"] == preset.heads
    at = open_page("slopes", model=preset.title, **{key: f"{value}" for key, value in set_by_it.items()})
    assert (f"**{preset.title} does not use ALiBi.**" in said(at)) == (preset.method == "rope")
    moved = open_page("slopes", model=preset.title, heads="3")
    assert not says(said(moved), "slopes", "other_method"), "its heads have been changed"


def test_a_locked_head_opens_in_the_lessons_that_draw_it():
    for url, is_there in (({}, False), ({"cell": "2,16"}, True), ({"cell": "2,16", "max_bias": "16"}, False)):
        links = [link.proto.query_string for link in open_page("slopes", heads="12", **url).get("page_link")]
        assert links.count("heads=12&head=3") == 2 * is_there, "the others have the slopes of the authors' code"


@given(st.lists(st.floats(0.004, 4.0), min_size=1, max_size=3))
def test_curves_and_reach_are_those_of_a_softmax_over_equal_content(own):
    result = compute(8, "own list", 8.0, tuple(own))
    expected = np.exp(-np.outer(own, DISTANCES.astype(np.float64)))
    np.testing.assert_allclose(result.weights, expected, atol=1e-6)
    for slope, half, reach in zip(result.slopes, result.half, result.reach, strict=True):
        assert exp(-slope * half) == pytest.approx(0.5)
        scores = -slope * np.arange(10_000)  # the last of many equal keys, the nearest first
        held, count = np.cumsum(np.exp(scores) / np.exp(scores).sum()), int(reach)
        assert held[count - 1] >= 0.9 - 1e-12
        assert count == 1 or held[count - 2] < 0.9 + 1e-12


@given(st.integers(1, 128), st.sampled_from([4.0, 8.0, 16.0]))
def test_the_two_published_rules_differ_where_the_heads_are_no_power_of_two(heads, top):
    code, sentence = compute(heads, "code", top), compute(heads, "sentence", top)
    if heads & (heads - 1) == 0:
        assert code.slopes == sentence.slopes
        assert code.other is sentence.other is None
    else:
        assert (code.other, sentence.other) == (sentence.slopes, code.slopes)
        ratios = [max(a / b, b / a) for a, b in zip(code.slopes, sentence.slopes, strict=True)]
        assert ratios[code.most_different] == pytest.approx(max(ratios))


def test_words_in_links_of_earlier_versions_still_choose_the_same_rule():
    for rule, now in (("paper", "code"), ("plain", "sentence")):
        assert hands(open_page("slopes", rule=rule))["values"]["rule"] == now
    at = open_page("train", train_slopes="paper")
    assert not at.exception
    assert not any("paper" in box.value for box in at.info)


def test_curves_of_slopes_of_any_size_are_numbers():
    weights = compute(8, "own list", 8.0, (0.0, -3.0, -1e300, 1e300, 5e-324)).weights
    assert np.isfinite(weights).all()
    np.testing.assert_array_equal(weights[0], 1)
    assert (weights[1:3] > 1.03).all(), "they leave the picture at its top"
    np.testing.assert_array_equal(weights[3], 0)


def test_what_layers_reach_is_a_sum_of_distances():
    """By convolution: with one head after the other, each as likely, and with the gentlest head in every layer."""
    own, distances = (0.5, 1 / 16), np.arange(2000)
    single = [-np.expm1(-slope) * np.exp(-slope * distances) for slope in own]
    for chances, reach in zip((np.mean(single, axis=0), single[1]), reach_by_layers(own), strict=True):
        total = np.ones(1)
        for layers in range(1, LAYERS[-1] + 1):
            total = np.convolve(total, chances)[:2000]
            if layers in LAYERS:
                tokens = reach[LAYERS.index(layers)]
                assert total[:tokens].sum() >= SHARE > total[: tokens - 1].sum()
    assert reach_by_layers((0.5, 0.0)) is None, "without an end"


@pytest.mark.parametrize("heads", [1, 7, 16])
@pytest.mark.parametrize("distance", [1, 9, 64, 256])
def test_trained_slopes_find_the_best_one(heads, distance):
    """The weight of the wanted distance, by a plain softmax over many slopes."""
    training = train(tuple(slopes(heads)), distance)
    np.testing.assert_allclose(training.path[-1], training.best, rtol=1e-3)
    tried = np.geomspace(0.5, 2, 2001) * training.best
    weights = np.exp(-tried[:, None] * np.arange(16 * max(distance, 16)))
    weights = weights[:, distance] / weights.sum(axis=1)
    assert tried[weights.argmax()] == pytest.approx(math.log1p(1 / distance), rel=2e-3)
    assert weights.max() == pytest.approx(training.held, rel=1e-3)

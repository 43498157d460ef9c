"""The playground's numbers: against the softmax written out, and what its sentences claim of the shipped models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.attention.pictures import near_share
from alibi_viz.content import words as content
from alibi_viz.content.synthetic import Setting
from alibi_viz.content.words import words
from alibi_viz.pictures.playground.message import MOST_WORDS
from pages.attention import study as attention
from pages.playground import study
from pages.playground.study import Controls

TEXTS = (
    "the cat sat on the mat and the dog sat on the rug near the cat",
    "one",
    "a b",
    "to be or not to be 🙂",
    "w " * 90,
)


@st.composite
def choices(draw):
    text = tuple(words(draw(st.sampled_from(TEXTS))))
    heads = draw(st.sampled_from(study.COUNTS))
    own = draw(st.dictionaries(st.integers(1, heads), st.floats(study.GENTLEST, study.STEEPEST), max_size=3))
    strength, ratio = draw(st.floats(0, 4)), draw(st.floats(1, 16))
    return Controls(
        text, heads, draw(st.integers(1, heads)), strength, tuple(own.items()), draw(st.integers(0, 20)), ratio
    )


@settings(max_examples=40, deadline=None)
@given(choices())
def test_the_traced_attention_is_the_softmax_of_content_minus_slope_times_distance(chosen):
    result = study.study(chosen)
    length, count, query = len(chosen.words), chosen.count, chosen.query
    vectors = result.vectors.astype(np.float64)
    at = [result.ids[length - 1 - (count - 1 - i) % length] for i in range(query + 1)]
    content = vectors[at] @ vectors[at[-1]] / np.sqrt(study.HEAD_DIM)
    for head, slope in enumerate(chosen.slopes):
        scores = content - slope * chosen.strength * np.arange(query, -1, -1)
        weights = np.exp(scores - scores.max())
        np.testing.assert_allclose(result.rows[head], weights / weights.sum(), atol=1e-5)
    flat = np.exp(content - content.max())
    np.testing.assert_allclose(result.plain, flat / flat.sum(), atol=1e-5)
    if result.matrix is not None:
        np.testing.assert_allclose(result.matrix[query, : query + 1], result.rows[chosen.head - 1], atol=1e-6)


def test_a_word_matches_itself_best():
    ids, vectors = study.content(tuple(words("the cat sat on The mat near a Cat")))
    assert ids[0] == ids[4]
    assert ids[1] == ids[8]
    scores = vectors @ vectors.T / np.sqrt(study.HEAD_DIM)
    np.testing.assert_allclose(np.diag(scores), study.ATTRACTION, rtol=1e-5)
    assert (scores - 10 * np.eye(len(scores)) < study.ATTRACTION - 1e-3).all()


def test_a_longer_text_keeps_its_end():
    short = Controls(tuple("abcde"), 8, 2, 1.0, (), 0, 1.0)
    longer = Controls(tuple("abcde"), 8, 2, 1.0, (), 0, 3.4)
    assert (short.count, longer.count) == (5, 17)
    ratios = [study.study(one).rows[:, -5:] for one in (short, longer)]
    np.testing.assert_allclose(*(row / row[:, -1:] for row in ratios), rtol=1e-5)


def test_a_text_is_never_longer_than_there_is_room():
    assert Controls(("w",) * 900, 8, 2, 1.0, (), 0, 16.0).count == MOST_WORDS


def test_the_measured_lines_have_the_lengths_of_the_ruler():
    assert all({1.0, 2.0, 4.0, 8.0, 16.0} <= set(times) for times, _ in study.lines("sliding").values())


@pytest.mark.parametrize("text", [TEXTS[0], "猫追老鼠，老鼠怕猫。", "One one two three ONE"])
@pytest.mark.parametrize(("head", "strength"), [(2, 1.0), (5, 2.5), (1, 0.0)])
def test_the_attention_page_says_the_same_of_the_same_text(text, head, strength):
    used = tuple(words(text))
    other = attention.study(attention.MadeUp(Setting(), used, 8, head, strength))
    query = other.query
    row = study.study(Controls(used, 8, head, strength, (), len(used) - 1 - query, 1.0)).rows[head - 1]
    weights = attention.row(other, query).weights[: query + 1]
    np.testing.assert_allclose(weights, row, atol=1e-6)
    assert near_share(weights, query) == pytest.approx(near_share(row, query), abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_the_first_sentence_is_no_exception(seed, monkeypatch):
    """Near words get more of the weight with other vectors too."""
    study.content.cache_clear()
    study.study.cache_clear()
    monkeypatch.setattr(content, "FIRST", seed)
    first = Controls(tuple(words(TEXTS[0])), 8, 2, 1.0, (), 0, 1.0)
    with_bias, without = (near_share(study.study(one).rows[1], 15) for one in (first, replace(first, strength=0.0)))
    study.content.cache_clear()
    study.study.cache_clear()
    assert with_bias > 0.4 > 0.2 > without

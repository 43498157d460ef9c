"""What attention sees of the order of words."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.content.words import vectors
from pages.start.study import WIDTH, Controls, Result, attention, partners, study


def compared(first: str, second: str) -> Result:
    return study(Controls(first, second))


def test_order_is_invisible_without_positions():
    result = compared("the cat chases the mouse", "the mouse chases the cat")
    assert result.cases["plain"].difference < 1e-6
    assert result.cases["alibi"].difference > 1e-2
    assert result.cases["plain_masked"].difference > 1e-2
    assert result.cases["plain"].largest_change < 1e-6
    assert result.cases["alibi"].largest_change > 1e-2
    assert partners(["a", "b", "a"], ["a", "a", "b"]) == [0, 2, 1]


def test_changes_of_weights_are_those_of_the_layer_word_by_word():
    first, second = "dog bites man".split(), "man bites dog".split()
    result, layer = compared(" ".join(first), " ".join(second)), attention("alibi", causal=False)
    weights = [
        layer.trace(torch.from_numpy(vectors(text, WIDTH))[None])[0].weights[0].mean(0).detach()
        for text in (first, second)
    ]
    for i, query in enumerate(first):
        for j, key in enumerate(first):
            expected = float(weights[1][second.index(query), second.index(key)] - weights[0][i, j])
            assert result.cases["alibi"].change[i, j] == pytest.approx(expected, abs=1e-6)
    query, key = result.most_changed
    assert abs(result.cases["alibi"].change[query, key]) == result.cases["alibi"].largest_change
    assert layer.position.form == "symmetric", "the causal form would reward later keys"


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_any_order_of_any_words(sentence, random):
    other = sentence.copy()
    random.shuffle(other)
    plain = compared(" ".join(sentence), " ".join(other)).cases["plain"]
    assert plain.difference < 1e-5
    assert plain.largest_change < 1e-5


def test_sentences_must_hold_the_same_words():
    with pytest.raises(ValueError, match=r"the same words. Without a partner: b, c\."):
        compared("a b", "a c")
    with pytest.raises(ValueError, match="at least one"):
        compared("", "a")
    with pytest.raises(ValueError, match="at most"):
        compared("a " * 30, "a " * 30)

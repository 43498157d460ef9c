"""What attention sees of the order of words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.start.study import Controls, Result, partners, study


def compared(first: str, second: str) -> Result:
    return study(Controls(first, second))


def test_order_is_invisible_without_positions():
    result = compared("the cat chases the mouse", "the mouse chases the cat")
    assert result.cases["plain"].difference < 1e-6
    assert result.cases["alibi"].difference > 1e-2
    assert result.cases["masked"].difference > 1e-2
    assert partners(["a", "b", "a"], ["a", "a", "b"]) == [0, 2, 1]


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_any_order_of_any_words(sentence, random):
    other = sentence.copy()
    random.shuffle(other)
    assert compared(" ".join(sentence), " ".join(other)).cases["plain"].difference < 1e-5


def test_sentences_must_hold_the_same_words():
    with pytest.raises(ValueError, match=r"the same words. Without a partner: b, c\."):
        compared("a b", "a c")
    with pytest.raises(ValueError, match="at least one"):
        compared("", "a")
    with pytest.raises(ValueError, match="at most"):
        compared("a " * 30, "a " * 30)

"""The n-gram model: against a plain recursion, and its probabilities sum to one."""

import math
from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.lm.ngram import ngram_loss

texts = st.binary(min_size=9, max_size=60).map(lambda data: bytes(byte % 3 + 97 for byte in data))


def counted(train: bytes, order: int) -> dict[bytes, Counter[int]]:
    """context -> how often each byte follows it, of all contexts of up to `order` - 1 bytes."""
    after: dict[bytes, Counter[int]] = defaultdict(Counter)
    for n in range(order):
        for end in range(n, len(train)):
            after[train[end - n : end]][train[end]] += 1
    return after


def probability(after: dict[bytes, Counter[int]], context: bytes, byte: int) -> float:
    """The recursion as it is written in the formula."""
    lower = probability(after, context[1:], byte) if context else 1 / 256
    followers = after.get(context)
    if not followers:
        return lower
    return (followers[byte] + len(followers) * lower) / (followers.total() + len(followers))


@given(texts, texts, st.integers(1, 4))
def test_as_the_formula_says(train: bytes, text: bytes, order: int) -> None:
    after = counted(train, order)
    losses = [-math.log(probability(after, text[max(0, i - order + 1) : i], text[i])) for i in range(1, len(text))]
    assert ngram_loss(train, text, order) == pytest.approx(sum(losses) / len(losses), rel=1e-9)

"""Tokens of any text, and their vectors."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.content.words import characters, orthogonal, tokens, vectors, words


def test_tokens_of_any_language():
    assert words("the cat's 日本語, end!") == ["the", "cat's", "日本語", ",", "end", "!"]
    assert words("👨\u200d👩\u200d👧 hi") == ["👨\u200d👩\u200d👧", "hi"]
    assert characters("a  b\n") == ["a", "␣", "b"]
    assert tokens("e\u0301a", "characters") == ["e\u0301", "a"]
    with pytest.raises(ValueError, match="unit"):
        tokens("a", "bytes")


def test_equal_words_have_equal_vectors():
    rows = vectors(["a", "b", "a"], 8)
    assert np.array_equal(rows[0], rows[2])
    assert not np.array_equal(rows[0], rows[1])
    assert np.array_equal(rows[1], vectors(["b"], 8)[0])
    directions, exact = orthogonal(["a", "b", "c", "a"], 4)
    assert exact
    np.testing.assert_allclose(
        directions @ directions.T, [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1]], atol=1e-6
    )
    assert not orthogonal([str(i) for i in range(9)], 4)[1]

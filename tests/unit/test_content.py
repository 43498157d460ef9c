"""Tokens of any text, and their vectors."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.content.words import characters, directions, joined, last_word, tokens, vectors, words

#: The languages of most seeds, what stands between their words, marks, joiners and signs of no width.
MIXED = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "猫追老鼠学々〇がネズミーﾊ。，！？「」、  aé’-7한국שלםعالم\u05b8\u0301\u200c\u200d\u200f\u2068️🙂👧"
        ),
        st.characters(min_codepoint=0x0E01, max_codepoint=0x0E4E),
    ),
    max_size=30,
)
UNSEEN = "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("猫追老鼠", "猫 追 老 鼠"),
        ("GPT学习很快，对吗？", "GPT 学 习 很 快 ， 对 吗 ？"),
        ("猫がネズミを追う。", "猫 が ネ ズ ミ を 追 う 。"),
        ("「東京」、2024年", "「 東 京 」 、 2024 年"),
        ("แมวไล่หนู น้ำ", "แ ม ว ไ ล่ ห นู น้ำ"),
        ("고양이가 쥐를", "고양이가 쥐를"),
        ("שָׁלוֹם עולם\u200f!", "שָׁלוֹם עולם !"),
        ("हिन्दी में", "हिन्दी में"),
        ("the cat's end!", "the cat's end !"),
    ],
)
def test_a_script_without_spaces_is_cut_into_characters_and_others_into_words(text, cut):
    assert words(text) == cut.split()


@given(MIXED)
def test_no_letter_is_lost(text):
    assert "".join(words(text)) == "".join(c for c in text if not c.isspace() and c not in UNSEEN)


@given(MIXED)
def test_a_han_or_kana_character_is_a_token_of_its_own(text):
    for word in words(text):
        letters = [c for c in word if unicodedata.category(c)[0] in "LN" and c not in "ำ\u0eb3ﾞﾟ"]
        if any(unicodedata.name(c, "").startswith(("CJK UNIFIED", "HIRAGANA", "KATAKANA")) for c in letters):
            assert len(letters) == 1


@given(st.text(st.characters(min_codepoint=0x0E01, max_codepoint=0x0E4E), max_size=20))
def test_no_sign_of_thai_loses_its_letter(text):
    belongs = [unicodedata.category(c) == "Mn" or c == "ำ" for c in text]
    whole = "".join(c if mark else f" {c}" for c, mark in zip(text, belongs, strict=True)).split()
    assert words(text) == characters(text) == whole


@given(st.permutations(words("GPT学习很快 the cat, แมวไล่หนู 고양이가")))
def test_words_in_another_order_are_the_same_words(order):
    assert words(joined(order)) == order


def test_the_first_query_is_a_word():
    for text, query in (("so, it ends.", "ends"), ("猫追老鼠。」", "鼠"), ("one two", "two"), ("?!", "!")):
        cut = words(text)
        assert cut[last_word(cut)] == query


def test_tokens_of_either_unit():
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


def test_a_direction_matches_itself_best():
    cosines = np.triu(directions(["a", "b", "c", "A"], 32) @ directions(["a", "b", "c", "A"], 32).T)
    np.testing.assert_allclose(np.diag(cosines), 1, atol=1e-6)
    assert cosines[0, 3] == pytest.approx(1)
    assert cosines[0, 1:3].max() < 0.99

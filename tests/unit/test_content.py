"""Tokens of any text, and their vectors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.content.words import words

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

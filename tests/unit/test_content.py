"""Tokens of any text, their vectors, and one attention over them, with the parameters of the shipped models."""

import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open

from alibi_viz.content import synthetic
from alibi_viz.content.words import UNSEEN, characters, tokens, words
from alibi_viz.results.pretrained import weights_path
from alibi_viz.ui.controls.content import LONGEST

#: The languages of most seeds, what stands between their words, marks, joiners, signs of no width, lone surrogates.
MIXED = st.text(
    st.one_of(
        st.characters(codec=None),
        st.sampled_from(
            "猫追老鼠学々〇がネズミーﾊ。，！？「」、  aé’-7한국שלםعالم\u05b8\u0301\u200c\u200d\u200f\u2068️🙂👧\ud800\udc00"
        ),
        st.characters(min_codepoint=0x0E01, max_codepoint=0x0E4E),
    ),
    max_size=30,
)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("猫追老鼠", "猫 追 老鼠"),
        ("老鼠追猫", "老鼠 追 猫"),
        ("GPT学习很快，对吗？", "GPT 学习 很快 ， 对 吗 ？"),
        ("ネズミを猫が追う。", "ネズミ を 猫 が 追う 。"),
        ("「東京」、2024年", "「 東京 」 、 2024 年"),
        ("แมวไล่หนูในบ้าน", "แมว ไล่ หนู ใน บ้าน"),
        ("고양이가 쥐를", "고양이가 쥐를"),
        ("שָׁלוֹם עולם\u200f!", "שָׁלוֹם עולם !"),
        ("हिन्दी में", "हिन्दी में"),
        ("the cat's end, don’t!", "the cat's end , don’t !"),
        ("the U.S.A. had 3.14 well-known", "the U . S . A . had 3.14 well - known"),
    ],
)
def test_a_text_is_cut_into_words_by_the_dictionary_of_its_script(text, cut):
    assert words(text) == cut.split()


@given(MIXED)
def test_no_letter_is_lost(text):
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    seen = "".join(c for c in whole if not c.isspace() and c not in UNSEEN)
    for unit in ("words", "characters"):
        assert "".join(tokens(text, unit)).replace("␣", "") == seen.replace("␣", "")
        assert all(token.split() == [token] for token in tokens(text, unit))


@pytest.mark.parametrize("piece", ["猫追老鼠", "ネズミを猫が追う", "ก", "a", "\u0301", "👩\u200d", "\ud800"])
def test_a_text_of_any_size_is_cut(piece):
    text = piece * (5 * LONGEST // len(piece))
    assert 1 <= len(words(text)) <= len(characters(text)) <= len(text)


TRAINED = synthetic.Setting(heads=8, head_dim=16, train_length=128, weights="trained", embedding_width=64)


def stored(name, parameter):
    """A parameter of a shipped model, read without the code under test."""
    with safe_open(str(weights_path(name)), "numpy") as file:
        return np.asarray(file.get_tensor(f"position.{parameter}"), np.float32)


def test_trained_parameters_are_those_of_the_shipped_models():
    np.testing.assert_array_equal(synthetic.build_method("kerple", TRAINED).p.numpy(), stored("kerple", "p"))
    t5 = synthetic.build_method("t5", TRAINED)
    far = t5.bias_by_distance(torch.tensor([0, 15, 31, 500]))
    np.testing.assert_allclose(far.T, stored("t5", "table.weight")[[0, 15, 31, 31]])
    table = synthetic.build_method("learned", TRAINED).table.weight.numpy()
    np.testing.assert_array_equal(table, stored("learned", "table.weight") * np.float32(8))  # as the model adds it
    short = synthetic.build_method("learned", dataclasses.replace(TRAINED, train_length=10)).table.weight.numpy()
    np.testing.assert_array_equal(short, table[:10])

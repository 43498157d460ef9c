"""The Attention page with content that is made: what its sentences say about the pass that ran."""

from __future__ import annotations

import re

import pytest

from alibi_viz.presets import REPLIT
from tests.pages.apptest import open_page, said


def sentences(**url: str) -> str:
    return " ".join(said(open_page("attention", content="random", **url)).split())


def test_under_the_mask_the_cache_agrees_and_alibi_needs_a_row_of_keys():
    text = sentences()
    assert "the last 16 one by one" in text
    assert "a row of keys" in text
    assert "feature" not in text
    assert "causal by nature" not in text


def test_without_the_mask_the_cache_differs_and_the_page_says_so():
    text = sentences(causal="false")
    assert "step-by-step decoding is causal by nature" in text
    assert float(re.search(r"by up to \*\*([\d.]+)\*\*", text)[1]) > 0.1
    assert "a row of keys" not in text


def test_a_long_text_goes_in_one_piece_but_for_its_last_tokens():
    text = sentences(text="one two three four " * 150)
    assert "600 tokens, the last 256 one by one" in text
    assert "Head 3 is compared" in text


@pytest.mark.parametrize(("causal", "penalty"), [("true", "(i - j)"), ("false", "|i - j|")])
def test_the_formula_is_that_of_the_pass(causal, penalty):
    formulas = [element.value for element in open_page("attention", causal=causal).latex]
    assert len(formulas) == 2
    assert all(penalty in formula for formula in formulas)


def test_a_real_model_has_alibi_and_grouped_queries():
    """`Config::replit_code_v1_5_3b` in candle: n_heads 24, kv_n_heads 8, attn_alibi, attn_alibi_bias_max 8."""
    assert (REPLIT.heads, REPLIT.kv_heads, REPLIT.max_bias) == (24, 8, 8)
    at = open_page("attention")
    (control,) = (element for element in at.number_input if element.key == "kv_heads")
    assert "replit-code-v1.5-3b" in control.help
    assert "No known model" not in control.help
    assert "24 heads and 8 key/value heads" in said(at)

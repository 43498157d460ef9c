"""The Attention page with content that is made: what its sentences say about the pass that ran."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from alibi_viz.checkpoints.presets import REPLIT
from alibi_viz.content.synthetic import Setting
from alibi_viz.lessons import load
from pages.attention.study import Synthetic, inputs, study
from tests.pages.apptest import asks, open_page, said, says


def sentences(**url: str) -> str:
    return " ".join(said(open_page("attention", content="random", attention_open="cache", **url)).split())


def test_under_the_mask_the_cache_agrees_and_alibi_needs_a_row_of_keys():
    text = sentences()
    assert says(text, "attention", "seen.checks.causal", steps=16)
    assert not says(text, "attention", "seen.checks.unmasked")


def test_without_the_mask_the_cache_differs_and_the_page_says_so():
    text = sentences(causal="false")
    assert says(text, "attention", "seen.checks.unmasked")
    assert float(re.search(r"by up to \*\*([\d.]+)\*\*", text)[1]) > 0.1
    assert not says(text, "attention", "seen.checks.causal")


def test_a_long_text_goes_in_one_piece_but_for_its_last_tokens():
    text = sentences(text="one two three four " * 150)
    compared = load("attention").label("checked_one", head=2)
    assert says(text, "attention", "seen.checks.causal", count=600, steps=256, checked=compared)


@pytest.mark.parametrize("opened", ["row", "heads"])
def test_every_section_opens(opened):
    at = open_page("attention", attention_open=opened, text="a b a " * 60)
    views = [part for part in at.get("bidi_component") if part.proto.component_name == "alibi_viz_matrix_view"]
    assert len(views) == 1 + (opened != "row")
    if opened == "row":
        assert "The largest, " in at.get("plotly_chart")[0].proto.alt


def test_the_picture_compares_the_same_head_without_the_bias_and_with_it():
    controls = Synthetic(Setting(8, 32, content="random", seed=0), ("a", "b", "a", "c"), 8, 3, strength=2.0)
    stages, x = study(controls).stages, inputs(controls)
    hidden = torch.ones(4, 4).triu(1).bool()
    content = (x.q[0, 2] @ x.k[0, 2].T / 32**0.5).masked_fill(hidden, -torch.inf)
    np.testing.assert_array_equal(np.isneginf(stages.without_bias), hidden.numpy())
    np.testing.assert_allclose(np.tril(stages.without_bias), content.softmax(-1).numpy(), atol=1e-6)
    off = study(replace(controls, strength=0.0)).stages
    np.testing.assert_allclose(np.tril(off.weights), np.tril(stages.without_bias), atol=1e-6)


def test_a_setting_that_comes_from_another_page_is_said():
    at = open_page("slopes", heads="32")
    at.switch_page("pages/attention/page.py").run()
    assert not at.exception
    assert "32 heads, from Slopes" in said(at)
    at.number_input(key="heads").set_value(16).run()
    at.run()
    assert "from Slopes" not in said(at)
    assert "from Slopes" not in said(open_page("attention", heads="32")), "a link is this page's own"


@pytest.mark.parametrize(("strength", "moves"), [("1", True), ("0", False)])
def test_what_the_bias_does_is_said_where_there_is_one(strength, moves):
    text = " ".join(said(open_page("attention", content="equal", strength=strength)).split())
    assert says(text, "attention", "seen.base") == moves
    assert says(text, "attention", "seen.off") == (not moves)


@pytest.mark.parametrize(("causal", "penalty"), [("true", "(i - j)"), ("false", "|i - j|")])
def test_the_formula_is_that_of_the_pass(causal, penalty):
    formulas = [element.value for element in open_page("attention", causal=causal).latex]
    assert len(formulas) == 2
    assert all(penalty in formula for formula in formulas)


def test_a_real_model_has_alibi_and_grouped_queries():
    """`Config::replit_code_v1_5_3b` in candle: n_heads 24, kv_n_heads 8, attn_alibi, attn_alibi_bias_max 8."""
    assert (REPLIT.heads, REPLIT.kv_heads, REPLIT.max_bias) == (24, 8, 8)
    at = open_page("attention")
    assert "replit-code-v1.5-3b, 24 heads and 8 key/value heads" in said(at)


@pytest.mark.parametrize(("text", "few"), [("one", True), ("one two.", True), ("one two three.", False)])
def test_no_share_is_claimed_where_no_token_is_far(text, few):
    shown = said(open_page("attention", text=text))
    assert "nan" not in shown
    assert says(shown, "attention", "note.few") == says(shown, "attention", "seen.few") == few
    assert says(shown, "attention", "note", query="three", window=1) == (not few)


def test_a_preset_keeps_the_text_and_one_with_its_own_gives_it_back():
    at = open_page("attention", text="a b c d", predict="false")
    for preset in ("equal", "long", "long", "same"):
        at.button(key=f"try_attention_{preset}").click().run()
        assert (at.session_state["text"] == "a b c d") == (preset != "long")


@pytest.mark.parametrize("url", [{"strength": "0"}, {"text": "a b c"}, {"content": "trained model", "model": "rope"}])
def test_nothing_is_asked_where_no_bias_changes_a_far_weight(url):
    assert not asks(open_page("attention", predict="true", **url))

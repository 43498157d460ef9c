"""The Attention page with content that is made up: what its sentences say about the pass that ran."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from alibi_viz.checkpoints.presets import REPLIT
from alibi_viz.content.synthetic import Setting
from alibi_viz.lessons import load
from pages.attention.study import MadeUp, inputs, study
from tests.pages.apptest import address, hands, note, open_page, picture_problem, release, said, says, shown


def sentences(**url: str) -> str:
    return " ".join(said(open_page("attention", content="random", attention_open="cache", **url)).split())


def test_under_the_mask_the_cache_agrees():
    text = sentences()
    assert says(text, "attention", "cache_causal", steps=16)
    assert not says(text, "attention", "cache_unmasked")


def test_without_the_mask_the_cache_differs_and_the_page_says_so():
    text = sentences(causal="false")
    assert says(text, "attention", "cache_unmasked")
    assert float(re.search(r"by up to \*\*([\d.]+)\*\*", text)[1]) > 0.1
    assert not says(text, "attention", "cache_causal")


def test_a_long_text_goes_in_one_piece_but_for_its_last_tokens():
    text = sentences(text="one two three four " * 150)
    compared = load("attention").label("checked_one", head=2)
    assert says(text, "attention", "cache_causal", count=600, steps=256, checked=compared)


@pytest.mark.parametrize("opened", ["row", "heads"])
def test_every_section_opens(opened):
    at = open_page("attention", attention_open=opened, text="a b a " * 60)
    small = [part for part in at.get("bidi_component") if part.proto.component_name == "alibi_viz_matrix_view"]
    assert len(small) == (opened == "heads")
    if opened == "row":
        assert "The largest, " in at.get("plotly_chart")[0].proto.alt


def test_the_picture_compares_the_same_head_without_the_bias_and_with_it():
    chosen = MadeUp(Setting(8, 32, content="random", seed=0), ("a", "b", "a", "c"), 8, 3, strength=2.0)
    stages, x = study(chosen).stages, inputs(chosen)
    hidden = torch.ones(4, 4).triu(1).bool()
    content = (x.q[0, 2] @ x.k[0, 2].T / 32**0.5).masked_fill(hidden, -torch.inf)
    np.testing.assert_array_equal(np.isneginf(stages.without_bias), hidden.numpy())
    np.testing.assert_allclose(np.tril(stages.without_bias), content.softmax(-1).numpy(), atol=1e-6)
    off = study(replace(chosen, strength=0.0)).stages
    np.testing.assert_allclose(np.tril(off.weights), np.tril(stages.without_bias), atol=1e-6)


@pytest.mark.parametrize(("strength", "section"), [("1", "seen"), ("0", "seen_off")])
def test_what_the_bias_does_is_said_where_there_is_one(strength, section):
    text = " ".join(said(open_page("attention", content="equal", strength=strength)).split())
    assert says(text, "attention", section)


@pytest.mark.parametrize(("causal", "penalty"), [("true", "(i - j)"), ("false", "|i - j|")])
def test_the_formula_is_that_of_the_pass(causal, penalty):
    formulas = re.findall(r"\$\$.*?\$\$", said(open_page("attention", causal=causal)))
    assert len(formulas) == 2
    assert all(penalty in formula for formula in formulas)


def test_a_real_model_has_alibi_and_grouped_queries():
    """`Config::replit_code_v1_5_3b` in candle: n_heads 24, kv_n_heads 8, attn_alibi, attn_alibi_bias_max 8."""
    assert (REPLIT.heads, REPLIT.kv_heads, REPLIT.max_bias) == (24, 8, 8)
    at = open_page("attention")
    assert "replit-code-v1.5-3b, 24 heads and 8 key/value heads" in said(at)


@pytest.mark.parametrize(("text", "kind"), [("one", "few"), ("one two.", "few"), ("one two three.", "bias")])
def test_no_share_is_claimed_where_no_token_is_far(text, kind):
    at = open_page("attention", text=text)
    assert "nan" not in said(at)
    assert note(at) == load("attention").entries("note")[kind]


def test_a_preset_keeps_the_text_and_one_with_its_own_sets_it():
    at = open_page("attention", text="a b c d")
    presets = dict(zip(load("attention").entries("try"), hands(at)["presets"], strict=True))
    for name in ("encoder", "long", "same"):
        release(at, **presets[name]["values"])
        assert (shown(at, "text") == "a b c d") == (name == "encoder"), "a text that was set stays"
    assert "packed" in address(at)


def test_what_cannot_be_shown_is_explained_and_nothing_is_lost():
    assert "cannot share" in picture_problem(open_page("attention", kv_heads="3"))
    assert "empty" in picture_problem(open_page("attention", text="   "))
    at = release(open_page("attention", strength="2"), text="x" * 20_000, is_step=False)
    assert shown(at, "text") == "x" * 20_000
    assert "20,000 is" not in said(at)
    release(at, text="x " * 5_000, is_step=False)
    assert says(said(at), "attention", "cut", used=2048)
    assert shown(at, "strength") == 2


def test_what_a_picture_cannot_show_stays_in_the_address():
    at = release(open_page("attention", heads="200", kv_heads="0"), strength=2.0)
    assert (address(at)["heads"], shown(at, "heads")) == ("200", 128)
    assert address(at)["strength"] == "2"
    release(at, heads=12.0)
    assert address(at)["heads"] == "12"

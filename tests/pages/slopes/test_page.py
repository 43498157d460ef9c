"""The Slopes page as a reader opens it."""

from __future__ import annotations

import itertools

import pytest

from alibi_viz.checkpoints.presets import PRESETS
from alibi_viz.lessons import load
from tests.pages.apptest import open_page, said, says


@pytest.mark.parametrize(("heads", "rule"), itertools.product(("1", "3", "128"), ("paper", "plain", "2^-h")))
def test_slopes_at_the_extremes(heads, rule):
    at = open_page("slopes", heads=heads, rule=rule, max_bias="32", slopes_open="table")
    assert len(at.dataframe[0].value) == int(heads)


def test_own_slopes_and_their_mistakes():
    at = open_page("slopes", rule="own list", own="1/2, 0.3", slopes_open="table")
    assert len(at.dataframe[0].value) == 2
    for text, words in (("", "at least one"), ("1, two", "two"), ("0.5 " * 200, "at most 128"), ("nan", "finite")):
        at.text_input(key="own").set_value(text).run()
        assert not at.exception
        assert words in at.warning[0].value.replace("\\", "")
    at.text_input(key="own").set_value("-0.5, 0").run()
    assert not at.exception
    assert says(said(at), "slopes", "seen_none")


def test_the_extra_family_is_told():
    at = open_page("slopes")
    at.button(key="try_slopes_twelve").click().run()
    assert at.session_state["heads"] == 12
    assert says(said(at), "slopes", "seen_families")


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
def test_a_model_without_alibi_is_called_so(preset):
    at = open_page("slopes")
    at.selectbox(key="preset").set_value(preset.title).run()
    assert at.session_state["heads"] == preset.heads
    about = f"**{preset.title} does not use ALiBi.** Its positions are RoPE"
    assert (about in said(at)) == (preset.method == "rope")
    title = {"rope": "RoPE", "alibi": "ALiBi"}[preset.method]
    assert f"{preset.title} ({title})" in at.selectbox(key="preset").options
    assert not says(said(at.button(key="try_slopes_eight").click().run()), "slopes", "other_method")


@pytest.mark.parametrize(("heads", "drop"), [("9", "**98.2%** smaller"), ("32", "**4.8 × 10⁻⁵%** smaller")])
def test_the_blog_rule_is_judged_by_a_number(heads, drop):
    text = said(open_page("slopes", rule="2^-h", heads=heads))
    assert drop in text
    assert "no position" not in text


def test_how_far_a_head_looks_is_for_equal_content():
    at = open_page("slopes", slopes_open="table")
    text = said(at)
    assert says(text, "slopes", "seen", worth_one=256)
    assert "how far the layer can look" not in text
    assert "equal content" in load("slopes").entries("chart")["tokens"]
    table = at.dataframe[0].value
    assert table["Nearest keys that hold 90%"][0] == 5


def test_the_largest_exponent_is_not_the_last_head_s():
    help_text = open_page("slopes", heads="12").number_input(key="max_bias").help
    assert "exponent of the last head" not in help_text
    assert "gentlest slope" in help_text


def test_a_locked_head_opens_in_the_lessons_that_draw_it():
    def links(**url):
        return {link.proto.query_string for link in open_page("slopes", **url).get("page_link")}

    assert "heads=12&head=3" in links(heads="12", cell="2,16")
    assert "heads=12&head=3" not in links(heads="12")
    assert "heads=12&head=3" not in links(heads="12", cell="2,16", max_bias="16"), "they have the paper's slopes"

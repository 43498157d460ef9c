"""The Slopes page as a reader opens it."""

from __future__ import annotations

import itertools

import pytest

from alibi_viz.checkpoints.presets import PRESETS
from alibi_viz.lessons import load
from tests.pages.apptest import hands, header, open_page, said, says


@pytest.mark.parametrize(("heads", "rule"), itertools.product(("1", "3", "128"), ("paper", "plain", "2^-h")))
def test_slopes_at_the_extremes(heads, rule):
    at = open_page("slopes", heads=heads, rule=rule, max_bias="32", slopes_open="heads,trained,table")
    assert len(at.dataframe[0].value) == int(heads)


@pytest.mark.parametrize(
    ("text", "words"), [("", "at least one"), ("1, two", "two"), ("0.5 " * 200, "at most 128"), ("nan", "finite")]
)
def test_a_list_that_cannot_be_read_keeps_its_field_and_says_why(text, words):
    at = open_page("slopes", rule="own list", own=text)
    (message,) = (header(part.proto.bytes) for part in at.get("bidi_component") if b'"hands"' in part.proto.bytes)
    assert words in message["problem"]
    assert message["hands"]["values"]["own"].strip() == text.strip()


def test_own_slopes_may_be_zero_or_negative():
    at = open_page("slopes", rule="own list", own="-0.5, 0", slopes_open="heads,trained,table")
    assert says(said(at), "slopes", "seen_none")
    assert said(at).count(load("slopes").text("too_gentle")) == 2
    assert len(at.dataframe[0].value) == 2


def test_the_extra_family_is_told():
    assert says(said(open_page("slopes", heads="12")), "slopes", "seen_families", heads=12, power=8, double=16)
    assert not says(said(open_page("slopes")), "slopes", "seen_families")


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
def test_a_model_without_alibi_is_called_so(preset):
    picked = next(hand for hand in hands(open_page("slopes"))["hands"] if hand["key"] == "model")
    set_by_it = picked["sets"][preset.title]
    assert set_by_it["heads"] == preset.heads
    at = open_page("slopes", model=preset.title, **{key: f"{value}" for key, value in set_by_it.items()})
    about = f"**{preset.title} does not use ALiBi.** Its positions are RoPE"
    assert (about in said(at)) == (preset.method == "rope")
    title = {"rope": "RoPE", "alibi": "ALiBi"}[preset.method]
    assert [preset.title, f"{preset.title} ({title})"] in picked["options"]
    moved = open_page("slopes", model=preset.title, heads="3")
    assert not says(said(moved), "slopes", "other_method"), "its heads have been changed"


@pytest.mark.parametrize(("heads", "drop"), [("9", "**98.2%** smaller"), ("32", "**4.8 × 10⁻⁵%** smaller")])
def test_the_blog_rule_is_judged_by_a_number(heads, drop):
    assert drop in said(open_page("slopes", rule="2^-h", heads=heads))


def test_how_far_a_head_looks_is_for_equal_content():
    at = open_page("slopes", slopes_open="table")
    assert says(said(at), "slopes", "seen", worth_one="256")
    assert at.dataframe[0].value["Nearest keys that hold 90%"][0] == 5


def test_a_locked_head_opens_in_the_lessons_that_draw_it():
    def links(**url):
        return {link.proto.query_string for link in open_page("slopes", **url).get("page_link")}

    assert "heads=12&head=3" in links(heads="12", cell="2,16")
    assert "heads=12&head=3" not in links(heads="12")
    assert "heads=12&head=3" not in links(heads="12", cell="2,16", max_bias="16"), "they have the paper's slopes"


def test_slopes_are_trained_only_when_it_is_asked_and_it_says_what_they_reached():
    assert not open_page("slopes").get("plotly_chart")
    at = open_page("slopes", slopes_open="trained", target="256")
    assert len(at.get("plotly_chart")) == 1
    assert says(said(at), "slopes", "training", target=256, learned="0.003899")


def test_what_was_asked_stays_for_the_pages_next_door():
    at = open_page("slopes", heads="112")
    at.switch_page("pages/playground/page.py").run()
    assert hands(at)["values"]["heads"] == "16"
    at.switch_page("pages/slopes/page.py").run()
    assert hands(at)["values"]["heads"] == 112

"""The ALiBi lab as a reader opens it."""

from __future__ import annotations

import math
import re

import pytest

from tests.pages.apptest import open_page, said


def test_an_empty_text_gets_a_sentence():
    assert "empty" in open_page("lab_alibi", text="   ", lab_alibi_open="shapes").warning[0].value


def test_a_long_text_is_cut():
    assert "first 256" in said(open_page("lab_alibi", text="word " * 300, lab_alibi_open="shapes"))


def test_one_head_stands_alone():
    at = open_page("lab_alibi", lab_heads="1", lab_head="2", lab_alibi_open="shapes")
    assert "Head 1, slope 1/4" in said(at)


def test_the_slope_beside_the_picture_is_that_of_the_selected_head():
    at = open_page("lab_alibi", lab_head="3")
    beside = [box.key for box in at.number_input][:2]
    assert beside == ["m3", "target"]
    assert {box.key for box in at.number_input} >= {"m1", "m2", "m3", "m4"}
    at.number_input(key="m3").set_value(1.0).run()
    assert "Slopes by hand: 1/4, 1/16, 1/2, 1/256" in said(at)


def test_the_penalties_are_drawn_and_the_training_only_when_it_is_opened():
    at = open_page("lab_alibi", target="200")
    (view,) = (one.proto for one in at.get("bidi_component") if one.proto.component_name == "alibi_viz_curve_view")
    assert b"every head learns the slope 0.00498" in view.bytes
    assert not at.get("plotly_chart")
    assert len(open_page("lab_alibi", lab_alibi_open="training").get("plotly_chart")) == 1


def test_training_says_what_it_reached():
    text = said(open_page("lab_alibi", target="256", lab_alibi_open="training"))
    reached = re.search(r"learned slopes, \*\*(.*?)\*\*", text)[1].split(", ")
    assert [float(slope) for slope in reached] == pytest.approx([math.log1p(1 / 256)] * 4, rel=1e-3)
    assert 0 <= float(re.search(r"best one by at most ([\d.]+)%", text)[1]) < 0.1

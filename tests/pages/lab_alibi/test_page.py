"""The ALiBi lab as a reader opens it."""

from __future__ import annotations

import math
import re

import pytest

from tests.pages.apptest import open_page, said


def test_an_empty_text_gets_a_sentence():
    assert "empty" in open_page("lab_alibi", text="   ").warning[0].value


def test_a_long_text_is_cut():
    assert "first 256" in said(open_page("lab_alibi", text="word " * 300))


def test_one_head_stands_alone():
    at = open_page("lab_alibi", lab_heads="1", lab_head="2")
    assert "Head 1, slope 1/4" in said(at)


def test_training_says_what_it_reached():
    text = said(open_page("lab_alibi", target="256"))
    reached = re.search(r"They\s+reached \*\*(.*?)\*\*", text)[1].split(", ")
    assert [float(slope) for slope in reached] == pytest.approx([math.log1p(1 / 256)] * 4, rel=1e-3)
    assert 0 <= float(re.search(r"differ from it by at\s+most ([\d.]+)%", text)[1]) < 0.1

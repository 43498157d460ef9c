"""The Slopes page as a reader opens it."""

from __future__ import annotations

import itertools

import pytest

from tests.pages.apptest import open_page, said


@pytest.mark.parametrize(("heads", "rule"), itertools.product(("1", "3", "128"), ("paper", "plain", "2^-h")))
def test_slopes_at_the_extremes(heads, rule):
    at = open_page("slopes", heads=heads, rule=rule, max_bias="32")
    assert len(at.dataframe[0].value) == int(heads)


def test_own_slopes_and_their_mistakes():
    at = open_page("slopes", rule="own list", own="1/2, 0.3")
    assert len(at.dataframe[0].value) == 2
    for text, words in (("", "at least one"), ("1, two", "two"), ("0.5 " * 200, "at most 128"), ("nan", "finite")):
        at.text_input(key="own").set_value(text).run()
        assert not at.exception
        assert words in at.warning[0].value.replace("\\", "")
    at.text_input(key="own").set_value("-0.5, 0").run()
    assert not at.exception
    assert "never halves" in said(at)


def test_the_extra_family_is_told():
    at = open_page("slopes")
    at.button(key="try_slopes_twelve").click().run()
    assert at.session_state["heads"] == 12
    assert "not a power of two" in said(at)

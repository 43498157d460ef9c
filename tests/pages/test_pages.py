"""From page to page: values that are corrected, and values that go along."""

from __future__ import annotations

import pytest

from tests.pages.apptest import address, open_page, shown


@pytest.mark.parametrize("content", ["equal", "same words attract", "random"])
def test_attention_at_the_extremes(content):
    for text, heads, strength in (("a", "1", "0"), ("word " * 3000, "32", "4"), ("é 日 🙂 <b> $x$", "12", "1")):
        at = open_page(
            "attention", text=text, heads=heads, strength=strength, content=content, head_dim="1", seed="9999"
        )
        assert not at.warning


def test_a_corrected_value_is_the_nearest_and_is_named():
    at = open_page("slopes", heads="1000000000", max_bias="16", slopes_open="table")
    assert (shown(at, "heads"), shown(at, "max_bias")) == (128, 16)
    assert "too large" in at.info[0].value
    assert address(at)["heads"] == "1000000000", "the page next door may show it"
    at = open_page("slopes", heads="12", slopes_open="table")
    assert not at.info
    assert len(at.dataframe[0].value) == 12


def test_a_value_that_does_not_fit_the_next_page_is_corrected_there():
    at = open_page("attention", head="8")
    at.switch_page("pages/compare/page.py").run()
    assert shown(at, "head") == 8
    at = open_page("attention", heads="112", head="100")
    at.switch_page("pages/compare/page.py").run()
    assert not at.exception
    assert shown(at, "head") == 8
    assert "too large" in at.info[0].value
    at.switch_page("pages/attention/page.py").run()
    assert (shown(at, "heads"), shown(at, "head")) == (112, 100)

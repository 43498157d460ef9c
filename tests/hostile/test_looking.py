"""The campaigns look for the right thing: what would be taken for markup is found, what is escaped is not."""

from __future__ import annotations

import random

import pytest

from alibi_viz.ui.format import escape_markdown
from tests.hostile import nonsense
from tests.hostile.looking import LIVE, campaign


@pytest.mark.parametrize("text", [text for text in nonsense.MARKUP if nonsense.HOST in text and "$$" not in text])
def test_markup_is_found_and_escaped_markup_is_not(text):
    assert LIVE.search(text)
    assert not LIVE.search(escape_markdown(text))


def test_a_campaign_tells_every_case_that_failed():
    def fails(rng: random.Random) -> None:
        if rng.random() < 0.5:
            raise ValueError("too small")

    with pytest.raises(AssertionError, match=r"demo \[.+\]: ValueError: too small"):
        campaign("demo", 20, fails)

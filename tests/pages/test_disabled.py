"""What is grey says why, on every page and in every state that greys something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.apptest import LESSONS, open_page

STATES = [pytest.param(lesson, {}, id=lesson) for lesson in LESSONS]
STATES += [
    pytest.param("story", {"scene": "10"}, id="story, end"),
    pytest.param("train", {"train_open": "runs"}, id="train, runs"),
    pytest.param("train", {"train_text": "own text"}, id="train, own text"),
]


def grey(at: AppTest) -> Iterator[tuple[str, str]]:
    """Name and help of every disabled control."""
    for node in nodes(at._tree):
        proto = getattr(node, "proto", None)
        for part in (proto, getattr(proto, "popover", None)):
            if getattr(part, "disabled", False):
                yield getattr(part, "label", "") or type(node).__name__, getattr(part, "help", "")


def nodes(tree: Any) -> Iterator[Any]:
    """Every element and block of a page."""
    for node in getattr(tree, "children", {}).values():
        yield node
        yield from nodes(node)


@pytest.mark.parametrize(("lesson", "url"), STATES)
def test_every_grey_control_says_why(lesson, url):
    assert [name for name, why in grey(open_page(lesson, **url)) if not why] == []


def test_the_walk_finds_what_is_grey():
    names = [name for name, _ in grey(open_page("train"))]
    assert {"Pause", "Reset"} <= set(names)

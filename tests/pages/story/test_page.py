"""The story as a reader goes through it."""

from __future__ import annotations

import pytest

from alibi_viz.lessons import load
from pages.story.controls import SCENES
from tests.pages.apptest import address, open_page, said


@pytest.mark.parametrize(("number", "name"), enumerate(SCENES, start=1))
def test_every_scene_opens_by_its_address(number, name):
    at = open_page("story", scene=str(number))
    assert not at.exception
    assert load("story").text(f"{name}.question") in [element.value for element in at.header]
    assert f"{number} of {len(SCENES)}" in said(at)
    assert at.button(key="story_back").disabled == (number == 1)
    assert at.button(key="story_next").disabled == (number == len(SCENES))


def test_next_and_back_and_the_address():
    at = open_page("story")
    at.button(key="story_next").click().run()
    at.button(key="story_next").click().run()
    assert address(at) == {"scene": "3"}
    at.button(key="story_back").click().run()
    assert address(at) == {"scene": "2"}


def test_the_prediction_is_judged_by_the_shipped_runs():
    at = open_page("story", scene="7")
    at.button(key="predict_story.predict_3").click().run()
    assert "You chose **ALiBi**. The answer is **Sinusoidal**." in said(at)
    assert "Never, up to 2,048 bytes: ALiBi" in said(open_page("story", scene="8"))


def test_the_bad_news_stays_in_the_story():
    text = said(open_page("story", scene="9"))
    assert "This does not show it" in text
    assert "early token curse" in text

"""The story as a reader goes through it."""

from __future__ import annotations

import json
import re

import pytest

from alibi_viz.lessons import load
from pages.story.controls import SCENES
from tests.pages.apptest import address, open_page, said, says
from tests.ui.unpacking import unpack


@pytest.mark.parametrize(("number", "name"), enumerate(SCENES, start=1))
def test_every_scene_opens_by_its_address(number, name):
    at = open_page("story", scene=str(number))
    assert not at.exception
    assert load("story").text(f"{name}.question") in [element.value for element in at.header]
    assert f"{number} of {len(SCENES)}" in said(at)
    assert at.button(key="story_back").disabled == (number == 1)
    assert at.button(key="story_next").disabled == (number == len(SCENES))


@pytest.mark.parametrize("scene", ["1", "2"])
def test_a_script_without_spaces_has_an_order_too(scene):
    (view,) = (
        part for part in open_page("story", scene=scene, story_sentence="cat").get("bidi_component") if part.bytes
    )
    assert [one["words"] for one in unpack(view.bytes)[0]["sentences"]] == [list("猫追老鼠"), list("老鼠追猫")]


def test_a_curve_says_what_its_numbers_are():
    (chart,) = open_page("story", scene="4").get("plotly_chart")
    hovers = [trace["hovertemplate"] for trace in json.loads(chart.proto.spec)["data"]]
    assert all(re.search(r"distance %\{x.*\}: %\{y.*\} of the weight", hover) for hover in hovers)


def test_next_and_back_and_the_address():
    at = open_page("story")
    at.button(key="story_next").click().run()
    at.button(key="story_next").click().run()
    assert address(at) == {"scene": "3"}
    at.button(key="story_back").click().run()
    assert address(at) == {"scene": "2"}


def test_who_breaks_first_is_judged_by_the_shipped_runs():
    at = open_page("story", predict="true", scene="7")
    at.button(key="question_story.result_3").click().run()
    assert says(said(at), "words", "predict.wrong", chosen="ALiBi", right="Sinusoidal")
    assert says(said(at), "story", "result.note", never="ALiBi, KERPLE log, KERPLE power", unread="Learned")


@pytest.mark.parametrize("sentence", ["dogs", "cat"])
def test_whether_order_is_seen_is_judged_by_the_weights(sentence):
    at = open_page("story", predict="true", scene="1", story_sentence=sentence)
    at.button(key="question_story.order_0").click().run()
    book = load("story")
    chosen, right = book.label("answer_changes"), book.label("answer_moves")
    assert says(said(at), "words", "predict.wrong", chosen=chosen, right=right)


def test_the_bad_news_stays_in_the_story():
    assert "This does not show it" in said(open_page("story", scene="8"))
    assert "does not prove" in said(open_page("story", scene="9"))

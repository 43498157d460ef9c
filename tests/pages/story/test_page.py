"""The story as a reader goes through it."""

from __future__ import annotations

import pytest

from alibi_viz.lessons import load
from pages.story.page import SCENES
from tests.pages.apptest import address, open_page, said, says
from tests.ui.unpacking import unpack

NAMES = tuple(SCENES)


@pytest.mark.parametrize(("number", "name"), enumerate(NAMES, start=1))
def test_every_scene_has_its_question_its_picture_and_its_words(number, name):
    at = open_page("story", scene=str(number))
    text = load("story")
    assert text.text(f"{name}.question") in [element.value for element in at.header]
    assert says(said(at), "story", f"{name}.note")
    assert any(part.proto.bytes for part in at.get("bidi_component")) or at.get("plotly_chart")
    assert at.button(key="story_back").disabled == (number == 1)
    assert at.button(key="story_next").disabled == (number == len(NAMES))


def orders_of(at):
    (view,) = (part for part in at.get("bidi_component") if part.proto.bytes)
    return unpack(view.proto.bytes)[0]


def test_a_script_without_spaces_has_an_order_too():
    header = orders_of(open_page("story", story_text="猫追老鼠", story_order="2,3,1,0"))
    assert (header["sentence"], header["order"]) == (list("猫追老鼠"), [2, 3, 1, 0])


def test_a_sentence_that_is_too_long_is_said_and_stays():
    long = "one two three four five six seven eight nine"
    header = orders_of(open_page("story", story_text=long))
    assert "2 to 8" in header["problem"]
    assert header["hands"]["values"]["story_text"] == long


def test_next_and_back_and_the_address():
    at = open_page("story")
    at.button(key="story_next").click().run()
    at.button(key="story_next").click().run()
    assert address(at) == {"scene": "3"}
    at.button(key="story_back").click().run()
    assert address(at) == {"scene": "2"}


def test_who_breaks_first_is_judged_by_the_shipped_runs():
    at = open_page("story", predict="true", scene=str(1 + NAMES.index("beyond")))
    at.button(key="question_story.beyond_3").click().run()
    assert says(said(at), "words", "predict.wrong", chosen="ALiBi", right="Sinusoidal")


def test_whether_order_is_seen_is_judged_by_the_weights():
    at = open_page("story", predict="true")
    at.button(key="question_story.order_0").click().run()
    labels = load("story").entries("labels")
    assert says(said(at), "words", "predict.wrong", chosen=labels["answer_changes"], right=labels["answer_moves"])

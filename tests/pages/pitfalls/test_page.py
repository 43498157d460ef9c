"""The lesson of pitfalls as a reader opens it."""

from __future__ import annotations

import inspect
import io
import re

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.pitfalls import PITFALLS
from alibi_viz.pitfalls.findings import Finding
from alibi_viz.pitfalls.sentences import sentence
from alibi_viz.positions.alibi import slopes
from pages.pitfalls.study import Controls, difference, neighbour, study
from tests.pages.apptest import address, asks, open_page, said, says, visible

LESSON = load("pitfalls")


def buttons(at):
    return {button.key: button.label for button in at.button}


def codes(at):
    return " ".join(block.value for block in at.code)


def test_the_answer_is_not_in_sight_before_it_is_given():
    at = open_page("pitfalls")
    assert {"A", "B"} <= set(buttons(at).values())
    assert "def wrong" not in codes(at)
    assert "Where it happened" not in said(at)
    assert not at.get("plotly_chart"), "the damage would tell"
    wrong = 0 if study(Controls("slopes_power", 0)).wrong_first else 1
    at.button(
        key=next(key for key in buttons(at) if str(key).endswith(f"_{wrong}") and "question_pit" in key)
    ).click().run()
    assert says(said(at), "words", "predict.right")
    assert "def wrong" in codes(at)
    assert "mlx/issues/343" in said(at)
    assert at.get("plotly_chart")


def test_an_answer_holds_for_its_pitfall_alone():
    at = open_page("pitfalls")
    at.button(key="question_skip").click().run()
    assert not asks(at)
    at.button(key="pitfalls_next").click().run()
    assert at.session_state["pitfall"] == "slopes_blog"
    assert asks(at)
    at.button(key="pitfalls_previous").click().run()
    assert not asks(at)


def test_the_seed_decides_the_sides_and_is_in_the_address():
    sides = {study(Controls("sign", seed)).wrong_first for seed in range(20)}
    assert sides == {True, False}
    at = open_page("pitfalls", pitfall="sign", pitfall_seed="5")
    assert address(at) == {"pitfall": "sign", "pitfall_seed": "5"}


def test_previous_and_next_lead_through_all_and_round():
    name, seen = "slopes_power", []
    for _ in PITFALLS:
        seen.append(name)
        name = neighbour(name, 1)
    assert seen == list(PITFALLS)
    assert name == "slopes_power"


@pytest.mark.parametrize("name", PITFALLS)
def test_every_pitfall_is_told_whole(name):
    at = open_page("pitfalls", pitfall=name, pitfalls_open="test")
    assert "def check" not in codes(at), "the question is the page: it is asked of every reader"
    at.button(key="question_skip").click().run()
    assert not at.warning
    text = visible(at)
    assert "{{" not in text
    assert "None" not in text, "a sentence says a setting that the pitfall does not have"
    assert "Where it happened" in text
    assert "def check" in codes(at)
    assert f"test_pitfalls.py -k {name}" in text
    lines = difference(name).splitlines()
    assert any(line.startswith("-") for line in lines[1:])
    assert any(line.startswith("+") for line in lines[1:])


def test_every_pitfall_links_to_where_it_happened():
    linked = {name for name in PITFALLS if "https://github.com/" in LESSON.text(f"happened.{name}")}
    assert linked == set(PITFALLS)


def test_no_measured_number_is_typed_into_a_sentence():
    for name in PITFALLS:
        text = re.sub(r"\{\{.*?\}\}|b?float16", "", LESSON.sections[f"cost.{name}"])
        assert not re.search(r"\d[.,]\d|\d%|\d{2,}", text), name


def test_own_slopes_are_recognised_and_lead_to_the_pitfall():
    at = open_page("pitfalls", pitfalls_open="mine")
    assert "those of the authors’ code for 8 heads" in said(at)
    at.text_area(key="mine").set_value(", ".join(map(str, slopes(12, "plain")))).run()
    assert "one formula" in said(at)
    at.button(key="pitfalls_open_slopes_power").click().run()
    assert at.session_state["pitfall"] == "slopes_power"
    at.text_area(key="mine").set_value("1/2, zwei").run()
    assert "zwei" in at.warning[0].value
    at.text_area(key="mine").set_value("").run()
    assert "1 to 256" in at.warning[0].value.replace("\\", "")


def test_a_matrix_is_uploaded():
    file = io.BytesIO()
    np.save(file, np.array(slopes(4, "paper"))[:, None, None] * -np.arange(6.0)[:, None] / 8)
    at = open_page("pitfalls", pitfalls_open="mine")
    at.file_uploader(key="pitfalls_upload").set_value(("bias.npy", file.getvalue(), "application/octet-stream")).run()
    assert not at.exception
    at.file_uploader(key="pitfalls_upload").set_value(("bias.npy", b"\x80\x04K\x01.", "application/octet-stream")).run()
    assert "not a .npy file" in at.warning[0].value.replace("\\", "")


def test_every_finding_has_its_sentence():
    """Each kind that the code can name stands in the lesson, with the numbers that it brings."""
    from alibi_viz.pitfalls import identify_bias, identify_slopes

    sources = inspect.getsource(identify_bias) + inspect.getsource(identify_slopes)
    named = set(re.findall(r'Finding\("(\w+)"', sources))
    assert named <= set(LESSON.entries("found"))
    assert "8" in sentence(LESSON, Finding("paper", {"heads": 8}))


def test_questions_are_answered():
    at = open_page("pitfalls", pitfalls_open="questions")
    assert not at.exception
    assert says(said(at), "pitfalls", "questions")
    assert "llm-foundry/issues/186" in said(at)


def test_a_list_as_python_prints_it_is_judged():
    at = open_page("pitfalls", pitfalls_open="mine", mine=str(slopes(12)))
    assert at.success[0].value
    at.text_area(key="mine").set_value("2^-1, 2^-2, 2^-3, 2^-4, 2^-5, 2^-6, 2^-7, 2^-8").run()
    assert at.success[0].value

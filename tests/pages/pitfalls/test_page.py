"""The lesson of pitfalls as a reader opens it."""

from __future__ import annotations

import inspect
import io
import re

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.pitfalls import PITFALLS, identify
from alibi_viz.positions.alibi import slopes
from pages.pitfalls import page, study
from tests.pages.apptest import address, asks, hands, note, open_page, picture_problem, release, said, says, visible

LESSON = load("pitfalls")


def buttons(at):
    return {button.key: button.label for button in at.button}


def codes(at):
    return " ".join(block.value for block in at.code)


def test_the_answer_is_not_in_sight_before_it_is_given():
    at = open_page("pitfalls")
    assert {"A", "B"} <= set(buttons(at).values())
    assert not note(at), "it would tell"
    assert "def slopes_power" not in codes(at)
    assert "Where it happened" not in said(at)
    at.button(key=f"question_pitfalls.slopes_power_{study.wrong_side('slopes_power')}").click().run()
    assert says(said(at), "words", "predict.right")
    facts = page.facts_of("slopes_power", study.study("slopes_power"))
    assert note(at) == LESSON.entry("cost", "slopes_power", facts)
    assert "def slopes_power" in codes(at)
    assert "mlx/issues/343" in said(at)


def test_an_answer_holds_for_its_pitfall_alone():
    at = open_page("pitfalls")
    at.button(key="question_skip").click().run()
    assert not asks(at)
    previous, following = (preset["values"] for preset in hands(at)["presets"])
    assert following["pitfall"] == "slopes_blog"
    assert previous["pitfall"] == study.NAMES[-1]
    release(at, **following)
    assert address(at) == {"pitfall": "slopes_blog"}
    assert asks(at)
    release(at, pitfall="slopes_power")
    assert not asks(at)


def test_the_mistake_is_not_always_on_one_side():
    assert 4 <= sum(map(study.wrong_side, study.NAMES)) <= 10


def test_previous_and_next_lead_through_all_and_round():
    name, seen = study.NAMES[0], []
    for _ in PITFALLS:
        seen.append(name)
        name = study.neighbour(name, 1)
    assert (seen, name) == (list(PITFALLS), seen[0])


@pytest.mark.parametrize("name", PITFALLS)
def test_every_pitfall_is_told_whole(name):
    at = open_page("pitfalls", pitfall=name, pitfalls_open="test")
    assert "def " not in codes(at), "the question is the page: it is asked of every reader"
    at.button(key="question_skip").click().run()
    assert not at.warning
    text = visible(at)
    assert not re.search(r"\{\w|None", text), "a sentence says a setting that the pitfall does not have"
    assert "Where it happened" in text
    assert "https://github.com/" in LESSON.entry("happened_in", name)
    assert "_check(version" in codes(at)
    lines = study.difference(name).splitlines()
    assert lines[0].startswith(f" def {name}(")
    assert {line[0] for line in lines[1:]} >= {"-", "+"}


def test_no_measured_number_is_typed_into_a_sentence():
    for name, sentence in LESSON.entries("cost").items():
        assert not re.search(r"\d[.,]\d|\d%|\d{2,}", re.sub(r"\{.*?\}|b?float16", "", sentence)), name


def test_a_missing_model_is_said_and_another_pitfall_can_be_chosen(monkeypatch):
    def broken(name):
        raise ValueError("The trained model “learned” is not there.")

    monkeypatch.setattr(study, "measure", broken)
    study.study.cache_clear()
    at = open_page("pitfalls", pitfall="short_table")
    assert "not there" in picture_problem(at)
    assert hands(at)["values"]["pitfall"] == "short_table"


def test_own_slopes_are_recognised_and_lead_to_the_pitfall():
    at = open_page("pitfalls", pitfalls_open="mine")
    assert says(said(at), "pitfalls", "found.paper", heads=8)
    own = ", ".join(map(str, slopes(12, "plain")))
    at.text_area(key="widget_mine").set_value(own).run()
    assert "one formula" in said(at)
    at.button(key="pitfalls_open_slopes_power").click().run()
    assert address(at)["mine"] == own, "a link has it"
    assert hands(at)["values"]["pitfall"] == "slopes_power"
    at.text_area(key="widget_mine").set_value("1/2, zwei").run()
    assert "zwei" in at.warning[0].value
    at.text_area(key="widget_mine").set_value("").run()
    assert "1 to 256" in at.warning[0].value.replace("\\", "")
    for right in (str(slopes(12)), "2^-1, 2^-2, 2^-3, 2^-4, 2^-5, 2^-6, 2^-7, 2^-8"):
        at.text_area(key="widget_mine").set_value(right).run()
        assert at.success[0].value


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
    named = set(re.findall(r'Finding\("(\w+)"', inspect.getsource(identify)))
    assert named <= set(LESSON.entries("found"))
    assert identify.identify(slopes(8)).sentences[0] == LESSON.entry("found", "paper", heads=8, top=8.0)


def test_a_cell_is_locked_and_stays_in_the_address():
    at = open_page("pitfalls", pitfall="key_bfloat16", cell="2020,2016")
    assert hands(at)["values"]["cell"] == "2020,2016"
    at = open_page("pitfalls", pitfall="sign", cell="2020,2016")
    assert "outside the picture" in at.info[0].value


def test_every_setting_of_a_sentence_is_one_of_the_pitfall():
    for name in PITFALLS:
        facts = page.facts_of(name, study.study(name))
        for table in ("drawn", "cost"):
            LESSON.entry(table, name, facts)

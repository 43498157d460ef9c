"""The lesson of pitfalls as a reader opens it."""

import io
import re

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.pitfalls.table import PITFALLS
from alibi_viz.rules import slopes
from pages.pitfalls import page, study
from tests.pages.apptest import address, asks, hands, note, open_page, release, said, says, visible

LESSON = load("pitfalls")


def codes(at):
    return " ".join(block.value for block in at.code)


@pytest.mark.parametrize("name", PITFALLS)
def test_every_pitfall_asks_first_and_is_then_told_whole(name):
    at = open_page("pitfalls", pitfall=name, pitfalls_open="test")
    assert not note(at), "it would tell"
    assert "def " not in codes(at)
    assert "Where it happened" not in said(at)
    at.button(key=f"question_pitfalls.{name}_{study.wrong_side(name)}").click().run()
    assert says(said(at), "shared", "predict.right")
    assert note(at) == LESSON.entry("cost", name, page.facts_of(name, study.compute(name)))
    assert not re.search(r"\{\w|None", visible(at)), "a sentence says a setting that the pitfall does not have"
    assert "Where it happened" in said(at)
    assert "_check(version" in codes(at)
    lines = at.code[0].value.splitlines()
    assert lines[0].strip().startswith(f"def {name}(")
    assert {line[0] for line in lines[1:]} >= {"-", "+"}
    assert 4 <= sum(map(study.wrong_side, study.NAMES)) <= 10, "the mistake is not always on one side"


def test_an_answer_holds_for_its_pitfall_alone_and_previous_and_next_lead_round():
    at = open_page("pitfalls")
    at.button(key="question_skip").click().run()
    previous, following = (preset["values"]["pitfall"] for preset in hands(at)["presets"])
    assert (previous, following) == (study.NAMES[-1], study.NAMES[1])
    release(at, pitfall=following)
    assert address(at) == {"pitfall": following}
    assert asks(at)
    release(at, pitfall=study.NAMES[0])
    assert not asks(at)


def test_own_slopes_or_a_file_of_them_are_recognised_and_lead_to_the_pitfall():
    at = open_page("pitfalls", pitfalls_open="mine")
    own = ", ".join(map(str, slopes(12, "sentence")))
    at.text_area(key="widget_mine").set_value(own).run()
    at.button(key="pitfalls_open_slopes_power").click().run()
    assert (address(at)["mine"], hands(at)["values"]["pitfall"]) == (own, "slopes_power"), "a link has it"
    for wrong, words in (("1/2, zwei", "zwei"), ("", "1 to 256")):
        at.text_area(key="widget_mine").set_value(wrong).run()
        assert words in at.warning[0].value.replace("\\", "")
    at.text_area(key="widget_mine").set_value(str(slopes(12))).run()
    assert at.success[0].value
    file = io.BytesIO()
    np.save(file, np.array(slopes(4, "code"))[:, None, None] * -np.arange(6.0)[:, None] / 8)
    for data in (file.getvalue(), b"\x80\x04K\x01."):
        at.file_uploader(key="pitfalls_upload").set_value(("bias.npy", data, "application/octet-stream")).run()
        assert not at.exception
    assert "not a .npy file" in at.warning[0].value.replace("\\", "")

"""Buttons that are pressed when what they act on is gone: the page stays, and says what is wrong."""

import pytest
from streamlit import config
from streamlit.proto.WidgetStates_pb2 import WidgetState

from alibi_viz.jobs.queue import Jobs
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.ui import classroom
from tests.cases import some
from tests.pages.apptest import LESSONS, open_page, report, send
from tests.pages.test_room import DRAWN, again, toasts, with_a_room

GONE = str(Problem("rooms.unknown"))
TRAINED = TrainConfig(method="alibi", steps=400)


def press(at, *keys):
    """Press these buttons, or all, of the page as it stands in the browser, at once."""
    pressed = [button.proto.id for button in at.button if button.key in keys or not keys]
    assert pressed
    send(at, *(WidgetState(id=button, trigger_value=True) for button in pressed))
    assert not at.exception, at.exception[0].value
    assert at.title, "the page is whole"
    return at


@pytest.mark.parametrize("role", ["teacher", "member"])
@pytest.mark.parametrize("lesson", some([*LESSONS, "lesson", "glossary"], "lesson", "slopes", "story", "train"))
def test_every_button_of_every_page_can_be_pressed_after_its_room_has_ended(lesson, role):
    code, teacher = with_a_room("slopes")
    at = again(teacher, lesson) if role == "teacher" else open_page(lesson, room=code, predict="true")
    classroom.ROOMS._rooms.clear()
    press(at)


def test_a_line_that_is_drawn_for_a_room_that_has_ended():
    code, teacher = with_a_room("extrapolation")
    at = open_page("bias", room=code)
    again(teacher, "extrapolation").button(key="room_close").click().run()
    assert toasts(report(at, "story", "drawn", DRAWN)) == [GONE]
    assert at.title


@pytest.fixture
def store(data):
    """A store with a paused run."""
    store = RunStore(data)
    store.save(Run(TRAINED, "text", step=40, status="paused"))
    return store


def test_every_button_of_training_after_its_run_is_gone(store):
    at = open_page("train", train="alibi", train_open="runs")
    store.delete(TRAINED.hash)
    press(at)


def test_what_nobody_foresaw_is_one_sentence_for_the_reader_and_stands_in_the_log(store, monkeypatch, caplog):
    at = open_page("train", train="alibi")
    config.set_option("client.showErrorDetails", "none")  # as readers have it
    monkeypatch.setattr(Jobs, "submit", lambda *_, **__: 1 / 0)
    assert toasts(press(at, "train_play")) == [str(Problem("pages.failed"))]
    assert "ZeroDivisionError" in caplog.text

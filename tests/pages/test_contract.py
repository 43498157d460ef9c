"""What every lesson keeps, from the controls that its page reads: nothing here names one."""

from __future__ import annotations

import json
import re

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.charts.palette import ink
from alibi_viz.lessons import load
from alibi_viz.ui.controls import state
from alibi_viz.ui.controls.params import Param, clean
from alibi_viz.ui.controls.state import written
from tests.cases import some
from tests.pages.apptest import (
    LESSONS,
    NONSENSE,
    TRAINED,
    address,
    hands,
    has_hands,
    open_page,
    params,
    params_of,
    presets,
    said,
    shown,
    visible,
)

#: Lessons, and the second face of one of them: with a trained model it shows other controls and other pictures.
FACES = [pytest.param(lesson, {}, id=lesson) for lesson in LESSONS]
FACES += [pytest.param("attention", TRAINED, id="attention, trained")]
LEFTOVERS = re.compile(r"\{\{|\bNone\b|\bnan\b|<bound method|<generator")  # a sentence without its number


def lesson_files(lesson: str) -> list:
    return [load(lesson), load("words")]  # words of controls that several lessons have


def is_allowed(param: Param, value: object) -> bool:
    cleaned = clean(param, value)
    return cleaned.problem is None and cleaned.value == value


def check(at: AppTest, lesson: str) -> None:
    """What holds for a page in any state."""
    assert at.title[0].value == load(lesson).text("title")
    assert not re.search(r"\{\w+.{0,8}\}", re.sub(r"\$\$.*?\$\$", "", said(at))), "a name without its number"
    for param in params_of(at, lesson):
        if (param.key in at.session_state or param.key in at.session_state[state.READ]) and param.kind != "text":
            assert is_allowed(param, shown(at, param.key)), param.key


def values_of(at: AppTest, lesson: str) -> dict[str, object]:
    """What the page shows for each of its controls that it has drawn or read."""
    keys = (param.key for param in params(lesson))
    return {key: shown(at, key) for key in keys if key in at.session_state[state.READ] or key in at.session_state}


def layouts(at: AppTest) -> list[dict]:
    """The layouts of the Plotly charts of a page."""
    return [json.loads(chart.proto.spec)["layout"] for chart in at.get("plotly_chart")]


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_control_and_every_button_has_its_words(lesson):
    files = lesson_files(lesson)
    labels = {key for file in files for key in file.entries("labels")}
    assert [param.key for param in params(lesson) if param.key not in labels] == []
    table = {param.key: param for param in params(lesson)}
    assert len(table) == len(params(lesson)), "a key stands twice"
    if presets(lesson) or "try" in files[0]:
        assert list(presets(lesson)) == list(files[0].entries("try"))
    for name, values in presets(lesson).items():
        for key, value in values.items():
            assert is_allowed(table[key], value), (name, key)
    helps = [text for file in files if "help" in file for text in file.entries("help").values()]
    assert not LEFTOVERS.search(" ".join(helps)), "help has no numbers to be put in"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("lesson", "face"), FACES)
def test_a_lesson_opens_at_its_defaults(lesson, face, theme):
    at = open_page(lesson, theme, **face)
    check(at, lesson)
    assert not at.info
    assert not at.warning
    assert not LEFTOVERS.search(visible(at))
    assert address(at) == face, "defaults are left out of the address"
    drawn = [*at.get("plotly_chart"), *at.get("bidi_component")]
    assert drawn, "a lesson shows a picture"
    for chart in at.get("plotly_chart"):
        assert chart.proto.alt, "a picture has words for those who do not see it"
        assert go.Figure(json.loads(chart.proto.spec)).data, "a chart is valid, and has something in it"
    text = ink(theme == "dark").text
    assert all(text in json.dumps(layout) for layout in layouts(at)), "charts follow the theme"


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_control_takes_nonsense(lesson):
    for param in params(lesson):
        assert all(is_allowed(param, clean(param, value).value) for value in NONSENSE), param.key


@pytest.mark.parametrize("turn", some(range(4), 0, 1))
@pytest.mark.parametrize(("lesson", "face"), FACES)
def test_an_address_can_say_anything(lesson, face, turn):
    """Another kind of nonsense for each control, and for the same control in each turn."""
    url = {param.key: NONSENSE[(place + 4 * turn) % len(NONSENSE)] for place, param in enumerate(params(lesson))} | face
    at = open_page(lesson, **url)
    check(at, lesson)
    corrected = [param for param in params(lesson) if param.key not in face and clean(param, url[param.key]).problem]
    assert bool(at.info) >= bool(corrected), "what was corrected is said"


@pytest.mark.parametrize("end", ["low", "high"])
@pytest.mark.parametrize(("lesson", "face"), FACES)
def test_every_range_can_be_used_to_its_end(lesson, face, end):
    url = {
        param.key: str(getattr(param, end))
        if param.kind in ("int", "float")
        else (param.choices or (str(end == "low"),))[0 if end == "low" else -1]
        for param in params(lesson)
        if param.kind != "text"
    }
    check(open_page(lesson, **(url | face)), lesson)


@pytest.mark.parametrize("lesson", LESSONS)
def test_try_this_sets_its_controls_and_makes_a_link(lesson):
    if has_hands(lesson):
        pytest.skip("its presets are buttons of its picture: tests/browser")
    at = open_page(lesson)
    for turn, (name, values) in enumerate(presets(lesson).items()):
        at.button(key=f"try_{lesson}_{name}").click().run()
        assert not at.exception, name
        check(at, lesson)
        assert not at.info, name
        assert not LEFTOVERS.search(visible(at)), name
        now = values_of(at, lesson)
        assert now.items() >= values.items(), name
        if turn > 1:
            continue  # two links are enough
        assert values_of(open_page(lesson, **address(at)), lesson).items() >= now.items(), name


@pytest.mark.parametrize("lesson", filter(has_hands, LESSONS))
def test_the_presets_of_a_picture_can_be_opened_and_are_told_apart(lesson):
    for name, values in presets(lesson).items():
        at = open_page(lesson, **{key: written(value) for key, value in values.items()})
        check(at, lesson)
        assert not at.info, name
        assert not LEFTOVERS.search(visible(at)), name
        given = hands(at)
        same = [one["values"] for one in given["presets"] if one["values"].items() <= given["values"].items()]
        assert same == [values], name


@pytest.mark.parametrize(("lesson", "face"), FACES)
def test_a_text_may_be_empty(lesson, face):
    at = open_page(lesson, **face)
    for text in ("", " \u200b", "x"):
        # A wrong code of a room is answered slowly, to everybody: tests/unit/test_rooms.py.
        boxes = {box.key: box for box in (*at.text_area, *at.text_input) if box.key != "room_code"}
        filled = [param for param in params(lesson) if param.key in boxes and param.default]
        for box in boxes.values():
            box.set_value(text)
        at.run()
        assert not at.exception, at.exception[0].value
        check(at, lesson)
        if filled and not text:
            assert at.warning, "what is missing is told"

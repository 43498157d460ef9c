"""What every lesson keeps, from the controls that its page reads: nothing here names one."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.charts.palette import ink
from alibi_viz.lessons import load, path
from alibi_viz.ui.address import STATE, to_text
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.params import Param, clean
from tests.cases import some
from tests.pages.apptest import (
    LESSONS,
    NONSENSE,
    address,
    hands,
    open_page,
    params,
    params_of,
    presets,
    said,
    shown,
    visible,
)

#: Elements and containers of a closed page with what stands around it. Each is a message: what a run costs is mostly these.
MOST_MESSAGES = 55
#: In place of a number: nothing, or an object of Python's.
LEFTOVERS = re.compile(r"\bNone\b|\bnan\b|<bound method|<built-in|<generator| object at 0x|\{'\w+': |\['\w+'[,\]]")


def check(at: AppTest, lesson: str, language: str = "en") -> None:
    """What holds for a page in any state."""
    assert at.title[0].value == load(lesson, language).text("title")
    assert not re.search(r"\{\w+.{0,8}\}", re.sub(r"\$\$?.*?\$\$?", "", said(at))), "a name without its number"
    for param in params_of(at, lesson):
        if param.key in at.session_state[STATE].reads and param.kind != "text":
            assert clean(param, shown(at, param.key)).problem is None, param.key
    assert [name for name, why in grey(at._tree) if not why] == [], "what is grey says why"


def grey(tree: Any) -> Iterator[tuple[str, str]]:
    """Name and help of every disabled control."""
    for node in getattr(tree, "children", {}).values():
        proto = getattr(node, "proto", None)
        for part in (proto, getattr(proto, "popover", None)):
            if getattr(part, "disabled", False):
                yield getattr(part, "label", "") or type(node).__name__, getattr(part, "help", "")
        yield from grey(node)


def messages(tree: Any) -> int:
    """The elements and containers below this one."""
    return sum(1 + messages(node) for node in getattr(tree, "children", {}).values())


def values_of(at: AppTest, lesson: str) -> dict[str, object]:
    """What the page shows for each of its controls that it has drawn or read."""
    keys = (param.key for param in params(lesson))
    return {key: shown(at, key) for key in keys if key in at.session_state[STATE].reads}


def check_opened(at: AppTest, lesson: str, url: dict[str, str], theme: str, language: str = "en") -> None:
    """What holds for a page that is opened at an allowed address."""
    check(at, lesson, language)
    assert not at.info
    assert not at.warning
    assert not LEFTOVERS.search(visible(at))
    assert address(at) == url, "defaults are left out of the address"
    assert at.get("plotly_chart") or at.get("bidi_component"), "a lesson shows a picture"
    assert len(hands(at)["presets"]) <= 5, "a stage has at most five presets"
    for link in (link.proto for link in at.get("page_link")):
        table = {param.key: param for param in (*params(link.page), *page_options.PARAMS)}
        assert all(clean(table[key], value).problem is None for key, value in parse_qsl(link.query_string)), link
    for hand in hands(at)["hands"]:
        for value, title in hand.get("options", ()):
            assert load(lesson, language).choice(value) in (value, title), "a choice is called as the lesson calls it"
    for chart in at.get("plotly_chart"):
        assert chart.proto.alt, "a picture has words for those who do not see it"
        assert go.Figure(json.loads(chart.proto.spec)).data, "a chart is valid, and has something in it"
        assert ink(theme == "dark").text in chart.proto.spec, "charts follow the theme"


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_opens_closed_and_a_text_may_be_empty(lesson):
    at = open_page(lesson)
    check_opened(at, lesson, {}, "light")
    assert messages(at._tree) <= MOST_MESSAGES
    for text in ("", " \u200b", "x"):
        # A wrong code of a room is answered slowly, to everybody: tests/unit/test_rooms.py.
        boxes = {box.key: box for box in (*at.text_area, *at.text_input) if box.key != "room_code"}
        if not boxes:
            break
        filled = [param for param in params(lesson) if param.key in boxes and param.default]
        for box in boxes.values():
            box.set_value(text)
        at.run()
        assert not at.exception, at.exception[0].value
        check(at, lesson)
        if filled and not text:
            assert at.warning, "what is missing is told"


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_opens_with_every_section_on_a_dark_page_in_another_language(lesson):
    sections = [param for param in params(lesson) if param.key == f"{lesson}_open"]
    url = {param.key: ",".join(param.choices) for param in sections} | {"lang": "zh"}
    check_opened(open_page(lesson, "dark", **url), lesson, url, "dark", "zh")


@pytest.mark.parametrize("turn", some(range(4), 0, 1))
@pytest.mark.parametrize("lesson", LESSONS)
def test_an_address_can_say_anything(lesson, turn):
    """Another kind of nonsense for each control, and for the same control in each turn."""
    url = {param.key: NONSENSE[(place + 4 * turn) % len(NONSENSE)] for place, param in enumerate(params(lesson))}
    at = open_page(lesson, **url)
    check(at, lesson)
    corrected = [param for param in params(lesson) if clean(param, url[param.key]).problem]
    assert bool(at.info) >= bool(corrected), "what was corrected is said"


def end_of(param: Param, end: str) -> str:
    """The first or the last value that a control takes."""
    if param.kind in ("int", "float"):
        return str(getattr(param, end))
    return (param.choices or ("true", "false"))[0 if end == "low" else -1]


@pytest.mark.parametrize(("end", "language"), [("low", "ja"), ("high", "en")])
@pytest.mark.parametrize("lesson", LESSONS)
def test_every_range_can_be_used_to_its_end(lesson, end, language):
    url = {param.key: end_of(param, end) for param in params(lesson) if param.kind != "text"}
    check(open_page(lesson, **url, lang=language), lesson, language)


@pytest.mark.parametrize("lesson", LESSONS)
def test_presets_set_their_controls_and_make_a_link(lesson):
    """Those on top of a picture, and those beside a chart."""
    at = open_page(lesson)
    opened = [{key: to_text(value) for key, value in preset["values"].items()} for preset in hands(at)["presets"]]
    for turn, (name, values) in enumerate(() if opened else presets(lesson).items()):
        at.button(key=f"try_{lesson}_{name}").click().run()
        check_preset(at, lesson)
        now = values_of(at, lesson)
        assert now.items() >= values.items(), name
        if turn < 2:  # two links are enough
            assert values_of(open_page(lesson, **address(at)), lesson).items() >= now.items(), name
    for number, url in enumerate(opened if presets(lesson) else ()):  # of pitfalls: the one before, and the next
        check_preset(at := open_page(lesson, **url), lesson)
        given = hands(at)
        told = [place for place, one in enumerate(given["presets"]) if one["values"].items() <= given["values"].items()]
        assert told == [number], "they are told apart"


def check_preset(at: AppTest, lesson: str) -> None:
    assert not at.exception
    check(at, lesson)
    assert not at.info
    assert not LEFTOVERS.search(visible(at))


@pytest.mark.parametrize("name", ["extrapolation", "why", "train", "early_token_curse", "recall", "today"])
def test_no_result_is_typed_by_hand(name: str) -> None:
    """Outside placeholders, formulas, citations and sources a lesson has no decimal, percentage or number above 100."""
    allowed = {"103", "128", "512", "2017", "2025", "1.1", "1.3"}  # WikiText-103; T5; years; 1.1 times; 1.3 billion
    parts = re.split(r"^## (.+)\n", path(name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    quiet = ("sources", "latex", "chart", "choices", "help", "labels")
    for section, body in zip(parts[1::2], parts[2::2], strict=True):
        if section.split(".")[0] not in quiet:
            text = re.sub(r"\{.*?\}|\$.*?\$|`.*?`|and others \d{4}|\[[\d.]+\]\(\S+?\)|\]\(\S+?\)", "", body)
            typed = set(re.findall(r"\d+\.\d+|\d+ ?%|(?<![\w,])\d{3,}(?!\w)", text)) - allowed
            assert not typed, (section, typed)

"""Random walks over the controls of a page, by a reader whose browser sends anything in the name of a component."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from alibi_viz.ui.shell import navigation
from tests.hostile import nonsense
from tests.hostile.looking import NIGHTLY, campaign, check
from tests.pages.apptest import LESSONS, open_page, send

STEPS = 6  # of a walk
WIDGETS = ("button", "number_input", "selectbox", "text_area", "text_input", "toggle", "button_group", "file_uploader")


def step(at: AppTest, rng: random.Random) -> str:
    """One thing that the reader does; says what."""
    components = at.get("bidi_component")
    widgets: list[Any] = [widget for kind in WIDGETS for widget in at.get(kind) if not widget.disabled]
    doing = rng.random()
    if doing < 0.05 or not widgets:
        lesson = rng.choice(LESSONS)
        at.switch_page(navigation.script(lesson)).run()
        return f"to {lesson}"
    if doing < 0.3 and components:
        proto, sent = rng.choice(components).proto, nonsense.report(rng)
        send(at, WidgetState(id=proto.id, json_value=sent))
        return f"{proto.component_name} {sent}"
    widget = rng.choice(widgets)
    return f"{widget.type} {widget.key} {use(at, widget, rng)}"


def use(at: AppTest, widget: Any, rng: random.Random) -> str:
    """Use a widget in an allowed or a hostile way. Returns what was sent."""
    kind, odd, sent = widget.type, rng.random() < 0.2, ""
    if kind == "button":
        widget.click().run()
    elif kind == "number_input":
        ends = [widget.min, widget.max, widget.value, 0, 3]
        endless = [math.inf, math.nan] if isinstance(widget.value, float) else []  # no int: Streamlit itself refuses
        number = rng.choice([-1, 10**9, 2**53, 0.5, 1e300, *endless] if odd else ends) or 0
        sent = repr(number)
        send(at, WidgetState(id=widget.id, double_value=float(number)))
    elif kind in ("selectbox", "button_group"):
        options = list(widget.options) or [""]
        words = [
            _valid(nonsense.text(rng, 60)) if odd else rng.choice(options) for _ in range(rng.choice([1, 1, 0, 3]))
        ]
        sent = repr(words)
        state = {"string_value": words[0]} if kind == "selectbox" and words else {"string_array_value": {"data": words}}
        send(at, WidgetState(id=widget.id) if kind == "selectbox" and not words else WidgetState(id=widget.id, **state))
    elif kind == "file_uploader":
        name = rng.choice(["a", "../a", "x" * 300, "<b>"]) + rng.choice(list(widget.allowed_type) or [".txt", ""])
        widget.set_value((name, made := nonsense.data(rng), "text/plain")).run()
        sent = f"{name[-20:]} {made[:60]!r}"
    else:
        value = not widget.value if kind == "toggle" else _valid(nonsense.text(rng, 3000))
        widget.set_value(value).run()
        sent = repr(value)[:200]
    return sent


def _valid(text: str) -> str:
    """What a message of the protocol can hold: no lone surrogates."""
    return text.encode(errors="replace").decode()


def case(rng: random.Random) -> None:
    lesson, url = nonsense.link(rng)
    url = {} if rng.random() < 0.5 else url
    at, way = open_page(lesson, **url), [f"/{lesson} {url}"]
    for _ in range(STEPS):
        try:
            way.append(step(at, rng))
            check(at, allowed_values=False)
        except Exception as error:
            raise AssertionError(" > ".join(way) + f": {type(error).__name__}: {error}") from error


def test_a_few_random_walks():
    campaign("walk", 4, case)


@pytest.mark.slow
def test_random_walks():
    campaign("walk", NIGHTLY // 10, case)

"""Addresses that nobody meant to be opened, and random walks from them over the controls of a page, by a reader whose
browser sends anything in the name of a component."""

from __future__ import annotations

import json
import math
import random
from typing import Any
from unittest.mock import Mock

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.shell import navigation
from tests.hostile import nonsense
from tests.hostile.looking import LIVE, NIGHTLY, campaign, check
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
        hands = json.dumps([{"event": "hands", "value": json.loads(sent)}])
        events = WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{proto.id}__events", json_trigger_value=hands)
        send(at, rng.choice([WidgetState(id=proto.id, json_value=sent), events]))
        return f"{proto.component_name} {sent}"
    widget = rng.choice(widgets)
    return f"{widget.type} {widget.key} {use(at, widget, rng)}"


def use(at: AppTest, widget: Any, rng: random.Random) -> str:
    """Use a widget in an allowed or a hostile way. Returns what was sent."""
    kind, odd = widget.type, rng.random() < 0.2
    sent: Any = ""
    if kind == "button":
        widget.click().run()
    elif kind == "number_input":
        endless = [math.inf, math.nan] if isinstance(widget.value, float) else []  # no int: Streamlit itself refuses
        allowed = [widget.min, widget.max, widget.value, 0, 3]
        sent = float(rng.choice([-1, 10**9, 2**53, 0.5, 1e300, *endless] if odd else allowed) or 0)
        send(at, WidgetState(id=widget.id, double_value=sent))
    elif kind == "selectbox":
        sent = nonsense.sent(nonsense.text(rng, 60)) if odd else rng.choice(widget.options or [""])
        send(at, WidgetState(id=widget.id, string_value=sent))
    elif kind == "button_group":
        sent = [nonsense.sent(nonsense.text(rng, 60))] if odd else rng.choices(widget.options, k=rng.randint(0, 3))
        send(at, WidgetState(id=widget.id, string_array_value={"data": sent}))
    elif kind == "file_uploader":
        name = rng.choice(["a", "../a", "x" * 300, "<b>"]) + rng.choice([*widget.allowed_type, ".txt", ""])
        sent = (name, nonsense.data(rng), "text/plain")
        widget.set_value(sent).run()
    else:
        sent = not widget.value if kind == "toggle" else nonsense.sent(nonsense.text(rng, 3000))
        widget.set_value(sent).run()
    return repr(sent)[:200]


def walk(rng: random.Random, steps: int = STEPS) -> None:
    lesson, url = nonsense.link(rng)
    way = [f"/{lesson} {url}"]
    try:
        at = open_page(lesson, **url)
        check(at)
        for _ in range(steps):
            way.append(step(at, rng))
            check(at, allowed_values=False)
    except Exception as error:
        raise AssertionError(" > ".join(way) + f": {type(error).__name__}: {error}") from error


@pytest.mark.parametrize("share", [1, pytest.param(NIGHTLY // 40, marks=pytest.mark.slow)])
def test_hostile_addresses_and_walks(share: int) -> None:
    campaign("address", 40 * share, lambda rng: walk(rng, steps=0))
    campaign("walk", 4 * share, walk)


def test_the_campaigns_find_markup_that_is_not_escaped_and_tell_the_number_of_its_case() -> None:
    live = [text for text in nonsense.MARKUP if nonsense.HOST in text and "$$" not in text]
    assert all(map(LIVE.search, live))
    assert not any(LIVE.search(escape_markdown(text)) for text in live)
    fails = Mock(side_effect=ValueError("too small"))
    with pytest.raises(AssertionError, match=r"demo \[0, 1, 2\]: ValueError: too small"):
        campaign("demo", 3, fails)

"""Pictures with their own hands: what such a picture reports goes into the address, and the page runs.

Each function draws a message of its picture, and raises ValueError with a sentence when it cannot be shown.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.pictures.hands.message import Hands, Value
from alibi_viz.pictures.matrices import message as of_matrices
from alibi_viz.pictures.message import pack
from alibi_viz.ui import address
from alibi_viz.ui.components.modules import mount

LONGEST = 20_000  # characters of a reported text
LONGEST_NAME = 40  # of a report
_ACKNOWLEDGED = "_heard"  # in the session: key -> the name of the last report
_STYLES = ("picture.css", "hands/hands.css")


def _mount(
    name: str,
    *css: str,
    pack: Callable[[Any], bytes] = pack,
    moved: Sequence[str] = (),
    reports: Sequence[str] = (),
) -> Callable[..., Any]:
    """What draws a message of such a picture. moved: keys of what is moved in the picture itself. reports: what it tells
    beside its hands; the page runs, and finds it in what drawing returns, or gives it to a function of its own.
    """
    component = mount(name, f"{name}/view.js", *css, f"{name}/view.css")

    def draw(message: Any, **takes: Callable[[object], None]) -> Any:
        hands = message.hands
        for key in (*hands.shown(), *moved):
            address.mark_on_stage(key)
        acknowledged = st.session_state.get(_ACKNOWLEDGED, {}).get(message.key, "")
        words = load("shared").entries("picture")
        hands_now = replace(hands, acknowledged=acknowledged, words=words, answered=message.answered)
        data = pack(replace(message, hands=hands_now))
        callbacks: dict[str, Callable[[], None]] = {
            f"on_{report}_change": partial(_tell, message.key, report, takes.get(report)) for report in reports
        }
        callbacks["on_hands_change"] = partial(_take, message.key, dict(hands.values), address.query())
        return component(key=message.key, data=data, **callbacks)

    return draw


def _tell(key: str, report: str, take: Callable[[object], None] | None) -> None:
    """Callback: give what the picture tells to a function, if it wants that."""
    if take:
        take((st.session_state.get(key) or {}).get(report))


def _take(key: str, sent: Mapping[str, Value], query: Mapping[str, str]) -> None:
    """Callback: what the reader has moved of the values that were sent, as far as it can be in an address.

    query: the address of that time. A value that only stands in place of the one that is asked for there is not written
    over it. Bounds are checked where a value is read.
    """
    report = (st.session_state.get(key) or {}).get("hands")
    if not isinstance(report, dict) or not isinstance(values := report.get("values"), dict):
        return
    name = report.get("name")
    if isinstance(name, str) and name.isascii():
        st.session_state.setdefault(_ACKNOWLEDGED, {})[key] = name[:LONGEST_NAME]
    now = address.query()
    moved: dict[str, Value] = {
        name: values[name]
        for name, value in sent.items()
        if _is_plain(values.get(name)) and (values[name] != value or now.get(name) != query.get(name))
    }
    address.write(moved, is_step=report.get("is_step") is True)


def _is_plain(value: object) -> bool:
    return isinstance(value, int | float | bool) or (isinstance(value, str) and len(value) <= LONGEST)


slopes_view = _mount("slopes", *_STYLES)
clocks = _mount("clocks", *_STYLES)
row = _mount("hands", "hands/hands.css")
heirs_view = _mount("heirs", *_STYLES, moved=("layer", "head", "fox_steps"))
story = _mount(
    "story",
    *_STYLES[1:],
    moved=(
        "step",
        "scene",
        "story_order",
        "story_query",
        "story_slope",
        "story_head",
        "story_times",
        "story_shown",
        "story_guess",
        "write_seed",
        "story_seen",
    ),
    reports=("drawn",),
)
matrices = _mount("matrices", *_STYLES, pack=of_matrices.pack)
playground = _mount("playground", "hands/hands.css", moved=("head", "slopes", "query", "ratio"))
write_view = _mount("write", *_STYLES, reports=("written",))
train_view = _mount("train", *_STYLES, "write/view.css")
#: `open`: the method whose name was chosen.
compare_view = _mount("compare", *_STYLES, moved=("methods",), reports=("open",))


def matrix_view(key: str, view: of_matrices.View, values: Mapping[str, Value] | None = None) -> None:
    """Matrices in a section, without hands on top. values: `head`, where the panels are heads to choose from."""
    matrices(of_matrices.Message(key, Hands((), values or {}), [view], of_matrices.Sentence("", {}), size="section"))

"""Pictures with their own hands: what such a picture reports goes into the address, and the page runs.

`slopes_view`, `matrices`, `matrix_view`, `clocks`, `orders`, `playground`, `write_view` and `compare_view` draw them. Each
raises ValueError with a sentence when it cannot be shown.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import streamlit as st

from alibi_viz.pictures.clocks import message as of_clocks
from alibi_viz.pictures.compare import message as of_compare
from alibi_viz.pictures.hands.message import Hands, Value
from alibi_viz.pictures.matrices import message as of_matrices
from alibi_viz.pictures.matrix_view import message as of_matrix
from alibi_viz.pictures.matrix_view.message import Options, Panel
from alibi_viz.pictures.orders import message as of_orders
from alibi_viz.pictures.playground import message as of_playground
from alibi_viz.pictures.slopes import message as of_slopes
from alibi_viz.pictures.write import message as of_write
from alibi_viz.ui import address
from alibi_viz.ui.components import mount as components
from alibi_viz.ui.controls import state

_MATRICES = ("picture.css", "matrix_view/view.css", "hands/hands.css", "matrices/view.css")
LONGEST = 20_000  # characters of a reported text
LONGEST_NAME = 40  # of a report
_HEARD = "_heard"  # in the session: key -> the name of the last report


def _mount(name: str, module: str | Path, *css: str | Path) -> Callable[..., Any]:
    """The component of a picture with hands: `draw(key, hands, pack)`. pack: makes the picture's message for its hands."""
    component = components.mount(name, module, *css)

    def draw(key: str, hands: Hands, pack: Callable[[Hands], bytes], **reports: Callable[[], None]) -> Any:
        for hand in hands.hands:
            state.use_key(hand.key)
        take = partial(_take, key, dict(hands.values), address.query())
        heard = st.session_state.get(_HEARD, {}).get(key, "")
        return component(key=key, data=pack(replace(hands, heard=heard)), on_hands_change=take, **reports)

    return draw


def _packer(pack: Callable[[Any], bytes], message: Any) -> Callable[[Hands], bytes]:
    """For messages that hold their hands."""
    return lambda hands: pack(replace(message, hands=hands))


def _take(key: str, sent: Mapping[str, Value], asked: Mapping[str, str]) -> None:
    """Callback: what the reader has moved of the values that were sent, as far as it can be in an address.

    asked: the address of that time. A value that only stands in place of the one that is asked for there is not written
    over it. Bounds are checked where a value is read.
    """
    report = (st.session_state.get(key) or {}).get("hands")
    if not isinstance(report, dict) or not isinstance(values := report.get("values"), dict):
        return
    st.session_state.setdefault(_HEARD, {})[key] = str(report.get("name"))[:LONGEST_NAME]
    now = address.query()
    moved: dict[str, Value] = {
        name: values[name]
        for name, value in sent.items()
        if _is_plain(values.get(name)) and (values[name] != value or now.get(name) != asked.get(name))
    }
    address.write(moved, is_step=report.get("is_step") is True)


def _is_plain(value: object) -> bool:
    return isinstance(value, int | float | bool) or (isinstance(value, str) and len(value) <= LONGEST)


_draw_slopes = _mount("slopes", "slopes/view.js", "picture.css", "hands/hands.css", "slopes/view.css")
_draw_write = _mount("write", "write/view.js", "picture.css", "hands/hands.css", "write/view.css")
_draw_clocks = _mount("clocks", "clocks/view.js", "picture.css", "hands/hands.css", "clocks/view.css")
_draw_orders = _mount("orders", "orders/view.js", "picture.css", "hands/hands.css", "orders/view.css")
_draw_compare = _mount("compare", "compare/view.js", "picture.css", "hands/hands.css", "compare/view.css")
_draw_matrices = _mount("matrices", "matrices/view.js", *_MATRICES)
_draw_playground = _mount("playground", "playground/view.js", "hands/hands.css", "playground/view.css")


def slopes_view(message: of_slopes.Message) -> None:
    """Curves that a hand bends, and the ladder of their slopes."""
    _draw_slopes(message.key, message.hands, _packer(of_slopes.pack, message))


def matrices(message: of_matrices.Message) -> None:
    """One matrix view under hands, or a large one with thumbnails beside it."""
    _draw_matrices(message.key, message.hands, _packer(of_matrices.pack, message))


def matrix_view(
    panels: Sequence[Panel], *, key: str, values: Mapping[str, Value] | None = None, **options: Unpack[Options]
) -> None:
    """Matrices in a section, without hands on top. values: `head`, where the panels are heads to choose from."""
    view, note = of_matrix.pack(panels, key=key, **options), of_matrices.Sentence("", {})
    matrices(of_matrices.Message(key, Hands((), values or {}), [view], note, size="section"))


def clocks(message: of_clocks.Message) -> None:
    """RoPE's clocks, one a pair of dimensions."""
    _draw_clocks(message.key, message.hands, _packer(of_clocks.pack, message))


def orders(message: of_orders.Message) -> None:
    """A sentence whose words a hand moves, and two attentions over it."""
    state.use_key("story_order")
    _draw_orders(message.key, message.hands, _packer(of_orders.pack, message))


def playground(message: of_playground.Message) -> None:
    """Words and arcs, curves, heads, matrices and lines that one hand moves together."""
    for key in message.hands.values:
        state.use_key(key)
    _draw_playground(message.key, message.hands, _packer(of_playground.pack, message))


def write_view(message: of_write.Message) -> None:
    """Models that write on. While one of them does, the picture asks for the page again and again."""
    _draw_write(message.key, message.hands, _packer(of_write.pack, message), on_poll_change=lambda: None)


def compare_view(message: of_compare.Message) -> str:
    """Position methods side by side. Returns the method whose name was chosen, to be opened; else an empty text."""
    state.use_key("methods")
    pack = _packer(of_compare.pack, message)
    reported = _draw_compare(message.key, message.hands, pack, on_open_change=lambda: None)
    return str(reported.open or "")

"""Pictures with their own hands: what such a picture reports goes into the address, and the page runs.

Each function draws a message of its picture, and raises ValueError with a sentence when it cannot be shown.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, Unpack

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
from alibi_viz.ui.components.modules import mount

Message = TypeVar("Message")

LONGEST = 20_000  # characters of a reported text
LONGEST_NAME = 40  # of a report
_HEARD = "_heard"  # in the session: key -> the name of the last report
_STYLES = ("picture.css", "hands/hands.css")


def _mount(
    name: str, pack: Callable[[Message], bytes], *css: str, moved: Sequence[str] = (), reports: Sequence[str] = ()
) -> Callable[[Message], Any]:
    """What draws a message of such a picture. moved: keys of what is moved in the picture itself. reports: what it tells
    beside its hands; the page runs, and finds it in what drawing returns.
    """
    component = mount(name, f"{name}/view.js", *css, f"{name}/view.css")

    def draw(message: Any) -> Any:
        hands = message.hands
        for key in (*(hand.key for hand in hands.hands), *moved):
            address.use(key)
        heard = st.session_state.get(_HEARD, {}).get(message.key, "")
        data = pack(replace(message, hands=replace(hands, heard=heard)))
        callbacks: dict[str, Callable[[], None]] = {f"on_{report}_change": lambda: None for report in reports}
        callbacks["on_hands_change"] = partial(_take, message.key, dict(hands.values), address.query())
        return component(key=message.key, data=data, **callbacks)

    return draw


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
        st.session_state.setdefault(_HEARD, {})[key] = name[:LONGEST_NAME]
    now = address.query()
    moved: dict[str, Value] = {
        name: values[name]
        for name, value in sent.items()
        if _is_plain(values.get(name)) and (values[name] != value or now.get(name) != query.get(name))
    }
    address.write(moved, is_step=report.get("is_step") is True)


def _is_plain(value: object) -> bool:
    return isinstance(value, int | float | bool) or (isinstance(value, str) and len(value) <= LONGEST)


slopes_view = _mount("slopes", of_slopes.pack, *_STYLES)
clocks = _mount("clocks", of_clocks.pack, *_STYLES)
orders = _mount("orders", of_orders.pack, *_STYLES, moved=("story_order",))
matrices = _mount("matrices", of_matrices.pack, "picture.css", "matrix_view/view.css", "hands/hands.css")
playground = _mount("playground", of_playground.pack, "hands/hands.css", moved=("head", "slopes", "query", "ratio"))
#: While a model writes, the picture asks for the page again and again.
write_view = _mount("write", of_write.pack, *_STYLES, reports=("poll",))
#: `open`: the method whose name was chosen.
compare_view = _mount("compare", of_compare.pack, *_STYLES, moved=("methods",), reports=("open",))


def matrix_view(
    panels: Sequence[Panel], *, key: str, values: Mapping[str, Value] | None = None, **options: Unpack[Options]
) -> None:
    """Matrices in a section, without hands on top. values: `head`, where the panels are heads to choose from."""
    view, note = of_matrix.pack(panels, key=key, **options), of_matrices.Sentence("", {})
    matrices(of_matrices.Message(key, Hands((), values or {}), [view], note, size="section"))

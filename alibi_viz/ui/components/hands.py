"""Pictures with their own hands: what such a picture reports goes into the address, and the page runs."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from alibi_viz.pictures.hands.message import Hands, Value
from alibi_viz.ui import address
from alibi_viz.ui.components import mount as components
from alibi_viz.ui.controls import state

LONGEST = 20_000  # characters of a reported text


def mount(name: str, module: str | Path, *css: str | Path) -> Callable[..., None]:
    """The component of a picture with hands: `draw(key=, data=, hands=)`."""
    component = components.mount(name, module, *css)

    def draw(*, key: str, data: bytes, hands: Hands) -> None:
        for hand in hands.hands:
            state.use_key(hand.key)
        component(key=key, data=data, on_hands_change=partial(_take, key, tuple(hands.values)))

    return draw


def _take(key: str, known: tuple[str, ...]) -> None:
    """Callback: what the browser reports, as far as it can be in an address. Its bounds are checked where it is read."""
    report = (st.session_state.get(key) or {}).get("hands")
    if not isinstance(report, dict) or not isinstance(values := report.get("values"), dict):
        return
    taken: dict[str, Value] = {name: values[name] for name in known if _is_plain(values.get(name))}
    address.write(taken, is_step=report.get("is_step") is True)


def _is_plain(value: object) -> bool:
    return isinstance(value, int | float | bool) or (isinstance(value, str) and len(value) <= LONGEST)

"""Keys of the whole page, such as Space for the next scene, where no control under the cursor wants them."""

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from alibi_viz.ui.components.mount import javascript, mount

_HERE = Path(__file__).parent
_COMPONENT = mount(_HERE, javascript(_HERE, "keys.js"))


def keys(names: Mapping[str, str], on_press: Callable[[str], None], *, key: str = "keys") -> None:
    """Call `on_press` with a key's name. names: key of the browser ("ArrowRight", "Space", "t") -> its name."""

    def follow() -> None:
        pressed = (st.session_state.get(key) or {}).get("pressed")
        if isinstance(pressed, str) and pressed in names.values():
            on_press(pressed)

    _COMPONENT(key=key, data={"names": dict(names)}, on_pressed_change=follow)

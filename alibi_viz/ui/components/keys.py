"""Keys of the whole page, such as Space for the next scene, where no control under the cursor wants them.

Presses wait in the browser while a request is in flight, and then go together: none is lost, however fast they come.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from alibi_viz.ui.components.modules import mount

_COMPONENT = mount("keys", Path(__file__).with_name("keys.js"))
_MOST = 20  # presses in one request, as in keys.js


def keys(names: Mapping[str, str], on_press: Callable[[str], None], *, key: str = "keys") -> None:
    """Call `on_press` with a key's name, once a press.

    names: key of the browser ("ArrowRight", "Space") -> its name.
    """
    counter = f"{key}_count"  # of the requests; the browser waits for it to rise

    def follow() -> None:
        pressed: Any = (st.session_state.get(key) or {}).get("pressed")
        st.session_state[counter] = st.session_state.get(counter, 0) + 1
        for name in pressed[:_MOST] if isinstance(pressed, list) else ():
            if name in names.values():
                on_press(name)

    data = {"names": dict(names), "count": st.session_state.get(counter, 0)}
    _COMPONENT(key=key, data=data, on_pressed_change=follow)

"""Keys of the whole page, where no control under the cursor wants them.

Presses wait in the browser while a request is in flight, and then go together: none is lost, however fast they come.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from alibi_viz.ui.components.modules import mount

_COMPONENT = mount("keys", Path(__file__).with_name("keys.js"))
_KEY = "present_keys"  # of the component
_COUNT = "_keys_count"  # in the session: of the requests; the browser waits for it to rise
_MOST = 20  # presses in one request, as in keys.js


def keys(acts: Mapping[str, Callable[[], None]]) -> None:
    """Call what a key stands for, once a press. acts: by the browser's names of keys, letters as capitals."""

    def follow() -> None:
        pressed: Any = (st.session_state.get(_KEY) or {}).get("pressed")
        st.session_state[_COUNT] = st.session_state.get(_COUNT, 0) + 1
        for name in pressed[:_MOST] if isinstance(pressed, list) else ():
            if isinstance(name, str) and name in acts:
                acts[name]()

    data = {"names": list(acts), "count": st.session_state.get(_COUNT, 0)}
    _COMPONENT(key=_KEY, data=data, on_pressed_change=follow)

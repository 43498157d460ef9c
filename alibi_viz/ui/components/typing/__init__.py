"""A text area that is read while one types. Streamlit's single lines can do that (`live`), its text areas cannot yet.

The browser presses Ctrl+Enter for the reader, which is what a text area waits for, when no key has come for a while.
"""

from pathlib import Path

from alibi_viz.ui.components.mount import mount

_COMPONENT = mount("typing", Path(__file__).parent / "typing.js")
PAUSE = 300  # ms after the last key


def follow_typing(key: str) -> None:
    """Read the text area of this key after every pause. Call it beside the text area."""
    _COMPONENT(key=f"{key}-typing", data={"key": key, "pause": PAUSE})

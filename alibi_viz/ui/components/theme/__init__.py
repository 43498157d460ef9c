"""The theme that the address asks for, light or dark, in place of the one that the reader's system prefers.

Why not Streamlit's own ways (all tried or read): `embed_options=dark_theme` is not followed where an app has a theme of its
own; its key in the browser's store is read once, when the app is loaded, and loading again would end the session, with the
room of a class in it.
"""

from pathlib import Path

from alibi_viz.ui.components.mount import mount

_HERE = Path(__file__).parent
_COMPONENT = mount("theme", _HERE / "theme.js")


def apply(theme: str) -> None:
    """Show the app in this theme: "light", "dark", or "auto" for what the system prefers."""
    _COMPONENT(key="theme", data={"theme": theme})

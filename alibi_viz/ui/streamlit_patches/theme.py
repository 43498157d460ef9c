"""The theme that the address asks for, light or dark, in place of the one that the reader's system prefers.

theme.js answers for the browser when Streamlit asks which scheme it prefers (`matchMedia`), and makes it ask again.

Without it: a link cannot bring the dark theme, and the T key of a presented page turns nothing.
Versions: 1.67.
Public ways tried: `embed_options=dark_theme` (#13496), its key in the browser's store and `window.__streamlit` are read
when the app is loaded alone. The message SET_CUSTOM_THEME_CONFIG of a page around the app is heard only from addresses
that `client.allowedOrigins` names, and ours are not known before a reader comes.
"""

from pathlib import Path

import streamlit as st

from alibi_viz.ui.components.modules import mount

_HERE = Path(__file__).parent
_COMPONENT = mount("theme", _HERE / "theme.js")
_APPLIED = "_theme_applied"  # in the session: an address has asked for one


def apply(theme: str) -> None:
    """Show the app in this theme: "light", "dark", or "auto" for what the system prefers."""
    if theme == "auto" and _APPLIED not in st.session_state:
        return
    st.session_state[_APPLIED] = True
    _COMPONENT(key="theme", data={"theme": theme})

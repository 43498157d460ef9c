"""The address line: the page's controls as a query string, written in place; and texts too long for it, kept by the tab.

Why not Streamlit's own binding of widgets to the URL (tried first): every step of a drag becomes an entry of the
browser's history, an infinite number in the URL ends the run with an exception, and a value out of range is replaced
without a word. This component writes with `history.replaceState`, so Back leads to the step before (ui/address.py).

Streamlit's browser does not see that: it goes on to name the address at which the page was opened. What the server must
know of a page whose session it has forgotten therefore also stands in a field (`FIELD`), out of sight: what fields hold
comes with every request.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from secrets import token_hex
from urllib.parse import urlencode

import streamlit as st

from alibi_viz.lessons import languages
from alibi_viz.ui.components.mount import mount

_HERE, _KEY = Path(__file__).parent, "address"
_SESSION = "_session"  # a name of the session, so that the tab knows a new one
_COMPONENT = mount("address", _HERE / "address.js")
FIELD = "address_now"
_LONGEST = 8_000  # characters of an address


def write(
    page: str,
    values: Mapping[str, str],
    texts: Mapping[str, str],
    restore: Callable[[Mapping[str, object]], None],
    go_back: Callable[[str], None],
    first: str = "",
) -> None:
    """Show these values in the address line of the page at `page` ("" for the first page, whose other name is `first`).

    texts: what the tab is to keep beside them, by key. restore: called with the texts that it kept over a reload of the
    same address; they come from the browser and may be anything. go_back: called with an address that the reader went back
    to while a run was on its way to another one.
    """

    def follow() -> None:
        kept = st.session_state.get(_KEY, {}).get("texts")
        if isinstance(kept, dict):
            restore(kept)

    def return_to() -> None:
        went = st.session_state.get(_KEY, {}).get("went")
        if isinstance(went, str) and len(went) <= _LONGEST:
            go_back(went)

    st.session_state[FIELD] = query = urlencode(values)
    session = st.session_state.setdefault(_SESSION, token_hex(4))
    data = {"page": page, "first": first, "query": query, "texts": dict(texts), "session": session}
    data["language"] = languages.current()
    # As text: of a dictionary Streamlit looks at every value, whether it is a table.
    _COMPONENT(key=_KEY, data=json.dumps(data), on_texts_change=follow, on_went_change=return_to)
    st.text_input(FIELD, key=FIELD)

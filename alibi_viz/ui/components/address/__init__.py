"""The address line: the page's controls as a query string, written in place.

Why not Streamlit's own binding of widgets to the URL (tried first): every step of a drag becomes an entry of the
browser's history, an infinite number in the URL ends the run with an exception, and a value out of range is replaced
without a word. This component writes with `history.replaceState`, so Back leads to the step before (ui/address.py).

Streamlit's browser does not see that: it goes on to name the address at which the page was opened. What the server must
know of a page whose session it has forgotten therefore also stands in a field (`FIELD`), out of sight: what fields hold
comes with every request. Texts that are too long for an address stand there too.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from alibi_viz.lessons import languages
from alibi_viz.ui.components.modules import mount

_HERE, _KEY = Path(__file__).parent, "address"
_COMPONENT = mount("address", _HERE / "address.js")
FIELD = "address_now"
_LONGEST = 8_000  # characters of an address


def write(page: str, values: Mapping[str, str], too_long: Mapping[str, str], go_back: Callable[[str], None]) -> None:
    """Show these values in the address line of the page at this address ("" for the first page).

    too_long: texts by key, for the field alone. go_back: called with an address that the reader went back to while a run
    was on its way to another one.
    """

    def return_to() -> None:
        search = st.session_state.get(_KEY, {}).get("went")
        if isinstance(search, str) and len(search) <= _LONGEST:
            go_back(search)

    st.session_state[FIELD] = urlencode({**values, **too_long})
    data = {"page": page, "query": urlencode(values), "language": languages.current()}
    # As text: of a dictionary Streamlit looks at every value, whether it is a table.
    _COMPONENT(key=_KEY, data=json.dumps(data), on_went_change=return_to)
    st.text_input(FIELD, key=FIELD)

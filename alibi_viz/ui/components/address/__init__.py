"""The address line: the page's controls as a query string, written in place.

Why not Streamlit's own binding of widgets to the URL (tried first): every step of a drag becomes an entry of the
browser's history, an infinite number in the URL ends the run with an exception, and a value out of range is replaced
without a word. This component writes with `history.replaceState`, so Back leads to the page before.
"""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from alibi_viz.ui.components.mount import mount

_HERE = Path(__file__).parent
_COMPONENT = mount("address", _HERE / "address.js")


def write(page: str, values: Mapping[str, str]) -> None:
    """Show these values in the address line of the page at `page` ("" for the first page)."""
    _COMPONENT(key="address", data={"page": page, "query": urlencode(values)})

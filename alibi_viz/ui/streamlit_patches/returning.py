"""Whether a connection is of a page that was in before: such a page names the session that it had.

Without it: a server that is nearly full could not tell who is new, and would turn away who comes back (shell/capacity.py).
Versions: 1.67, where the name is the third subprotocol of the connection, after "streamlit" and a token.
Public ways tried: a cookie knows the browser and not the tab; in a second tab everyone would be one who comes back.
"""

from starlette.datastructures import Headers


def comes_back(headers: Headers) -> bool:
    """headers: of the request for a connection."""
    return len(headers.get("sec-websocket-protocol", "").split(",")) > 2

"""Whether the server may be opened under a name: Streamlit's own answer, `is_host_allowed`, for pages as for connections.

Without it: under a name that `server.allowedHosts` does not hold, Streamlit refuses the connection and still hands out
the page, which then waits for ever, without a word.
Versions: 1.67.
Public ways tried: `server.allowedHosts` is one, and it decides. `TrustedHostMiddleware` of Starlette has rules of its own
(it knows no address in brackets), so a page and its connection could disagree.
"""

from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

__all__ = ["is_host_allowed"]

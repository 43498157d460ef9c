"""What this server tells browsers with every answer, and what it does not answer.

Notable choices:
- A browser takes no file for another kind than the server names (nosniff), and names the page to no other site.
- No other site may show the app in a frame: what it shows could be covered, or be given to others. ALIBI_VIZ_FRAMES names
  those that may. Exported files are no part of the app, and stand in any page.
- Streamlit's counters (`_stcore/metrics`) say how many readers there are. Nobody asks for them here, so they are closed.
"""

import os
import re

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CLOSED = "/_stcore/metrics"
FRAMES = "ALIBI_VIZ_FRAMES"
_SOURCES = re.compile(r"[\w.:/*'-]+( +[\w.:/*'-]+)*", re.ASCII)  # as Content-Security-Policy writes them


def headers() -> dict[str, str]:
    """The headers of every answer. Raises ValueError for sites that cannot stand in one."""
    sites = os.environ.get(FRAMES, "").strip() or "'self'"
    if not _SOURCES.fullmatch(sites):
        raise ValueError(f"{FRAMES} must be none, or sites with blanks between them, not {sites[:60]!r}.")
    ancestors = "'none'" if sites == "none" else sites
    return {
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "content-security-policy": f"frame-ancestors {ancestors}",
    }


class ResponseHeaders:
    """ASGI middleware that adds the headers, and closes what nobody asks for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.headers = app, headers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        is_closed = scope["type"] == "http" and scope["path"].endswith(CLOSED)
        app = PlainTextResponse("Not Found", 404) if is_closed else self.app
        await app(scope, receive, with_headers)

"""Gives every browser a key of its own, with the page: whose a run is, is known by it (ui/reader.py).

Notable choices:
- A cookie and not the browser's store: no script can read it (HttpOnly), and it comes with the connection itself, so that
  Python knows the reader before the first run. Streamlit's `st.context.cookies` reads but cannot set one.
- Lax and not Strict: after a link from elsewhere a strict cookie would be missing, and the page would bring another key.
- It is sent again with every page, and so lasts a year from the last visit.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from alibi_viz.ui.reader import COOKIE, KEY, new_key

SECONDS = 365 * 24 * 60 * 60


class BrowserKey:
    """ASGI middleware that sets the cookie with every HTML document."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self.app(scope, receive, send)
            return
        brought = HTTPConnection(scope).cookies.get(COOKIE, "")
        key = brought if KEY.fullmatch(brought) else new_key()
        cookie = f"{COOKIE}={key}; Max-Age={SECONDS}; Path=/; HttpOnly; SameSite=Lax"
        cookie += "; Secure" if scope["scheme"] == "https" else ""

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                headers = MutableHeaders(raw=list(message["headers"]))
                headers.append("set-cookie", cookie)
                headers["cache-control"] = "private, no-cache"  # no cache may give one reader's key to others
                message = {**message, "headers": headers.raw}
            await send(message)

        await self.app(scope, receive, with_cookie)

"""Gives every browser a key of its own, with the page: whose a run is, is known by it (ui/reader.py).

Notable choices:
- A cookie and not the browser's store: no script can read it (HttpOnly), and it comes with the connection itself, so that
  Python knows the reader before the first run. Streamlit's `st.context.cookies` reads but cannot set one.
- Lax and not Strict: after a link from elsewhere a strict cookie would be missing, and the page would bring another key.
- It is sent again with every page, and so lasts a year from the last visit.
"""

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import Message, Receive, Scope, Send

from alibi_viz.ui.reader import COOKIE, KEY, new_key
from alibi_viz.ui.shell.middleware import PageMiddleware

SECONDS = 365 * 24 * 60 * 60


class BrowserKey(PageMiddleware):
    """Sets the cookie with every HTML document."""

    async def page(self, scope: Scope, receive: Receive, send: Send) -> None:
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

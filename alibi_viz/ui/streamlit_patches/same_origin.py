"""Other sites' pages get no answer from this server, and the server asks nobody who it is.

Streamlit too refuses a websocket that a page of another site opens. But before it does, it asks a public service for this
machine's own address, to compare: anyone could make the server do so. What is refused here does not get that far.

Without it: a request leaves the machine, though nothing may.
Versions: 1.67.
Public ways tried: `server.allowedHosts`: under a name that it allows, Streamlit asks all the same. With `enableCORS` off
nobody is asked, but then any site's page gets an answer.
"""

from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

REFUSED = {"type": "websocket.close", "code": 1008}  # before the connection is accepted: an answer of 403
LOCAL = {"localhost", "127.0.0.1", "0.0.0.0"}  # names that Streamlit allows; nothing is opened here


class SameOrigin:
    """ASGI middleware that refuses websockets of pages from other hosts, but for those that the configuration allows."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and not is_allowed(Headers(scope=scope)):
            await send(REFUSED)
            return
        await self.app(scope, receive, send)


def is_allowed(headers: Headers) -> bool:
    """Whether the page that asks is this server's own, or one that is allowed. Who is no browser names no page."""
    origin = headers.get("origin")
    if origin is None or not st.get_option("server.enableCORS"):
        return True
    try:
        page = urlsplit(origin)
        return page.netloc == headers.get("host") or page.hostname in LOCAL | _configured()
    except ValueError:
        return False


def _configured() -> set[str | None]:
    """The hosts that the configuration names."""
    named = (st.get_option("browser.serverAddress"), *map(_host, st.get_option("server.corsAllowedOrigins")))
    return {name for name in named if name}


def _host(origin: str) -> str | None:
    return urlsplit(origin if "//" in origin else f"//{origin}").hostname

"""Other sites' pages get no answer from this server, and the server asks nobody who it is.

Streamlit too refuses a websocket that a page of another site opens. But first it asks a public service for this machine's
own address, to compare; and it lets pages of this machine in, whatever their port.

Without it: a request leaves the machine, though nothing may; a page of another program on this machine is answered.
Versions: 1.67.
Public ways tried: `server.allowedHosts`: under a name that it allows, Streamlit asks all the same. With `enableCORS` off
nobody is asked, but then any site's page gets an answer.
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.config import is_manually_set

REFUSED = {"type": "websocket.close", "code": 1008}  # before the connection is accepted: an answer of 403


class SameOrigin:
    """ASGI middleware that refuses websockets of pages from elsewhere, but for those that the configuration allows."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and not is_allowed(Headers(scope=scope)):
            await send(REFUSED)
            return
        await self.app(scope, receive, send)


def is_allowed(headers: Headers) -> bool:
    """Whether the page that asks is this server's own, or one that is allowed. Who is no browser names no page.

    A page of another port is another site's, on this machine too. Behind a published port of a container or a tunnel the
    browser names the same port in both headers.
    """
    origin = headers.get("origin")
    if origin is None or not st.get_option("server.enableCORS"):
        return True
    try:
        place = urlsplit(origin).netloc
    except ValueError:
        return False
    return bool(place) and not {origin, place}.isdisjoint({headers.get("host"), *_configured()})


def _configured() -> Iterator[str]:
    """The origins that the configuration names, or their hosts and ports."""
    yield from (origin.rstrip("/") for origin in st.get_option("server.corsAllowedOrigins"))
    if is_manually_set("browser.serverAddress"):  # else it is “localhost”, which is anybody's
        host = st.get_option("browser.serverAddress").partition("/")[0]
        yield from (host, f"{host}:{st.get_option('browser.serverPort')}")

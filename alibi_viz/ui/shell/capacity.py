"""A server that is nearly out of descriptors turns new readers away with a page that says so, and keeps those it has.

Without this the server runs into "Too many open files": pages of readers who are in fail too, and asyncio logs hundreds
of megabytes. So there is a ladder. First pages are refused to new readers, then their connections, then all to readers who
come back or load their page again; at last nobody is accepted, and who comes waits in the system's queue. What is left
below that is for the files that scripts open.
"""

import asyncio
import errno
import os
import socket
import time
from collections import Counter, deque
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from alibi_viz.classroom import full_page, open_files
from alibi_viz.ui.reader import COOKIE
from alibi_viz.ui.shell.middleware import PageMiddleware
from alibi_viz.ui.streamlit_patches.returning import comes_back
from alibi_viz.ui.streamlit_patches.same_origin import REFUSED

# So many descriptors must be free ...
FOR_A_PAGE = 56  # ... to hand out a page to a new reader
FOR_A_NEW_READER = 40  # ... to open the connection of one who has a page
FOR_A_RETURN = 32  # ... to open that of one who was in before, or to hand a page to one who is in
FOR_A_CONNECTION = 24  # ... to accept any
COMING = 15.0  # seconds from a page to its connection; after that nobody comes


class Capacity(PageMiddleware):
    """ASGI middleware that refuses pages and new readers while descriptors run out."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app)
        self._coming = deque[float]()  # when pages were handed out whose readers have not connected yet
        self._connected = Counter[str]()  # by the browser's key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._admits(scope):
            await send(REFUSED)
            return
        key = _key(scope)
        self._connected[key] += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._connected -= Counter([key])  # without those that are zero

    async def page(self, scope: Scope, receive: Receive, send: Send) -> None:
        now = time.monotonic()
        while self._coming and self._coming[0] < now - COMING:
            self._coming.popleft()
        # A browser that loads its page again closes its connection after that.
        needed = FOR_A_RETURN if self._is_in(scope) else FOR_A_PAGE + len(self._coming)
        if open_files.count_free() < needed:
            await _say_full(send)
            return
        self._coming.append(now)
        await self.app(scope, receive, send)

    def _is_in(self, scope: Scope) -> bool:
        return bool(key := _key(scope)) and key in self._connected

    def _admits(self, scope: Scope) -> bool:
        if comes_back(Headers(scope=scope)):
            return open_files.count_free() >= FOR_A_RETURN
        if self._coming:
            self._coming.popleft()
        return open_files.count_free() >= FOR_A_NEW_READER


def _key(scope: Scope) -> str:
    """The key of the browser that asks; empty for one that has none yet."""
    return HTTPConnection(scope).cookies.get(COOKIE, "")


async def _say_full(send: Send) -> None:
    body = full_page.html().encode()
    headers = {
        "content-type": "text/html; charset=utf-8",
        "content-length": str(len(body)),
        "retry-after": str(full_page.RETRY_AFTER),
        "cache-control": "no-store",
        "connection": "close",  # its descriptor is wanted
    }
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": 503, "headers": raw})
    await send({"type": "http.response.body", "body": body})


class _Listener(socket.socket):
    """A listening socket that accepts nobody while descriptors run out."""

    _has_refused = False

    def accept(self) -> tuple[socket.socket, Any]:
        if self._has_refused:
            # After a refusal asyncio waits for a second. But first it asks again, 2,047 times, logs each refusal and sets
            # a timer for each. “Nobody is waiting” ends that.
            self._has_refused = False
            raise BlockingIOError
        if open_files.count_free() < FOR_A_CONNECTION:
            self._has_refused = True
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return super().accept()


def guard_listeners(loop: asyncio.AbstractEventLoop) -> None:
    """Let the servers that this loop starts from now on accept nobody while descriptors run out."""
    create = loop.create_server

    def create_server(*arguments: Any, sock: socket.socket | None = None, **options: Any) -> Any:
        # uvicorn keeps the socket that it was given, and asks for its name: so ours is a second one of the same.
        own = None if sock is None else _Listener(fileno=os.dup(sock.fileno()))
        return create(*arguments, sock=own, **options)

    loop.create_server = create_server  # type: ignore[method-assign]

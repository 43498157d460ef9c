"""What one reader may take of the server that all share: messages a second, memory for uploads, and a place.

Notable choices:
- A session has a budget of messages. One that sends more is not cut off: its messages are read later.
- Uploads of a session count until it deletes them. Streamlit bounds a file, not how many of them it keeps.
- A reader takes file descriptors. Before the last ones are taken, further readers get a page that says so and tries again:
  without that limit a full server answers nobody.
"""

import asyncio
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from html import escape

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from alibi_viz.lessons import languages, load

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

MESSAGES, IN_STORE = 4.0, 30  # a session's messages a second, and how many it may have saved up
UPLOADS, SMALLEST = 5, 65_536  # times the largest file: what a session may hold; bytes that any file counts at least
SESSIONS = 4_096  # whose uploads are remembered
DESCRIPTORS, RESERVED, EACH = 65_536, 160, 2  # wanted; for files and workers; a reader's websocket and a request
MOST_READERS = 5_000
RETRY, QUIET = 20, 60.0  # seconds until a refused reader's browser tries again, and between two lines in the log
STREAM = "/_stcore/stream"
_UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/([^/]+)$")
_log = logging.getLogger(__name__)


def places() -> int:
    """How many readers this process can hold; it asks for as many file descriptors as it may have."""
    if resource is None:
        return MOST_READERS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # macOS has another limit beside the one it names
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    soft = DESCRIPTORS if soft == resource.RLIM_INFINITY else soft
    return min(max((soft - RESERVED) // EACH, 1), MOST_READERS)


class Budget:
    """What may be taken now: up to `most` at once, and `rate` a second comes back."""

    def __init__(self, rate: float, most: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.most, self._clock = rate, most, clock
        self._left, self._at = most, clock()

    def left(self) -> float:
        """Below 0 after more was taken than there was."""
        return min(self._left + (self._clock() - self._at) * self.rate, self.most)

    def take(self, amount: float = 1.0) -> None:
        self._left, self._at = self.left() - amount, self._clock()

    def wait(self) -> float:
        """Seconds until one may be taken."""
        return max((1 - self.left()) / self.rate, 0.0)


class Fairness:
    """ASGI middleware that sees to all of it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.places = app, places()
        self.readers = 0  # connected
        self._uploads: OrderedDict[str, dict[str, int]] = OrderedDict()  # session -> file -> bytes
        self._last_line = -QUIET

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_http = scope["type"] == "http"
        if scope["type"] == "websocket" and scope["path"].endswith(STREAM):
            await self._stream(scope, receive, send)
        elif is_http and (upload := _UPLOAD.search(scope["path"])):
            await self._upload(upload[1], upload[2], scope, receive, send)
        elif is_http and self.readers >= self.places and "text/html" in Headers(scope=scope).get("accept", ""):
            await self._full(scope)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.readers >= self.places:
            if time.monotonic() - self._last_line >= QUIET:
                self._last_line = time.monotonic()
                _log.warning("All %d places are taken; further readers are asked to wait.", self.places)
            await send({"type": "websocket.close", "code": 1013})  # try again later
            return
        budget = Budget(MESSAGES, IN_STORE)

        async def paced() -> Message:
            await asyncio.sleep(budget.wait())
            message = await receive()
            if message["type"] == "websocket.receive":
                budget.take()
            return message

        self.readers += 1
        try:
            await self.app(scope, paced, send)
        finally:
            self.readers -= 1

    async def _upload(self, session: str, file: str, scope: Scope, receive: Receive, send: Send) -> None:
        """A file counts from when it begins to arrive, until it is refused or deleted."""
        largest = int(st.get_option("server.maxUploadSize")) * 2**20
        is_put = scope["method"] == "PUT"
        held = dict(self._uploads.get(session, {}))
        before = held.pop(file, 0)
        if is_put and sum(held.values()) + largest > UPLOADS * largest:
            await PlainTextResponse("This page holds too many files already.", 413)(scope, receive, send)
            return
        if is_put:
            announced = Headers(scope=scope).get("content-length", "")
            size = min(int(announced), largest) if announced.isdecimal() else largest
            self._hold(session, file, max(size, SMALLEST))

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                is_taken = message["status"] < 400
                if is_put and not is_taken:
                    self._hold(session, file, before)
                elif scope["method"] == "DELETE" and is_taken:
                    self._hold(session, file, 0)
            await send(message)

        await self.app(scope, receive, noting)

    def _hold(self, session: str, file: str, size: int) -> None:
        """So many bytes of a session's file are here; 0: none."""
        held = {name: bytes for name, bytes in self._uploads.get(session, {}).items() if name != file}
        held |= {file: size} if size else {}
        self._uploads.pop(session, None)
        if held:
            self._uploads[session] = held
        while len(self._uploads) > SESSIONS:
            self._uploads.popitem(last=False)

    def _full(self, scope: Scope) -> HTMLResponse:
        language = languages.of_browser(Headers(scope=scope))
        words = load("shared", language)
        sentence = words.entry("server", "full", readers=self.places, seconds=RETRY)
        title, again = words.label("app"), f'<meta http-equiv="refresh" content="{RETRY}">'
        page = f"<!doctype html><html lang={language}><meta charset=utf-8><title>{escape(title)}</title>{again}"
        return HTMLResponse(f"{page}<p>{escape(sentence)}</p></html>", 503, {"retry-after": str(RETRY)})

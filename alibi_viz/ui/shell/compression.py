"""Scripts and style sheets travel compressed: of the first page's 2.8 MB of them 0.9 are left.

Streamlit sends its own files plain, since Starlette's middleware compresses a file anew for every reader. Here each is
compressed once, when it is first asked for, and kept: that costs less than to read the plain one from the disk each time.

Notable choices:
- Only what never changes at its address is kept (`immutable`), so nothing that is kept can be old.
- Readers who ask at the same moment wait for one compression.
- There are fewer such files than KEPT. An address may be made up (modules.AGAIN), so what was asked for longest ago goes.
"""

import asyncio
from collections import OrderedDict

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

KINDS = (".js", ".css")  # what the path of a file ends with
KEPT = 1_000  # files
_CONDITIONAL = {b"if-none-match", b"if-modified-since", b"range", b"if-range"}  # the answer is to be whole
_OF_PLAIN = ("content-length", "etag", "last-modified", "accept-ranges")


def accepts_gzip(headers: Headers) -> bool:
    return "gzip" in headers.get("accept-encoding", "")


class Compression:
    """ASGI middleware that answers with compressed scripts and style sheets."""

    def __init__(self, app: ASGIApp) -> None:
        self.app, self._compressing = app, GZipMiddleware(app)
        self._answers: OrderedDict[str, asyncio.Task[list[Message]]] = OrderedDict()  # by path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_file = scope["type"] == "http" and scope["method"] == "GET" and scope["path"].endswith(KINDS)
        if not is_file or not accepts_gzip(Headers(scope=scope)):
            await self.app(scope, receive, send)
            return
        path = scope["path"]
        if path not in self._answers:
            self._answers[path] = asyncio.create_task(self._answer(scope))
            if len(self._answers) > KEPT:
                self._answers.popitem(last=False)
        self._answers.move_to_end(path)
        # A reader who leaves does not end it for those who wait too.
        for message in await asyncio.shield(self._answers[path]):
            await send({**message})  # others add their headers to it

    async def _answer(self, scope: Scope) -> list[Message]:
        """The messages of an answer: its head, and the whole body."""
        is_kept = False
        sent: list[Message] = []

        async def receive() -> Message:
            """Asked whether the reader has left: never."""
            return await asyncio.get_running_loop().create_future()

        async def collect(message: Message) -> None:
            sent.append(message)

        asked = [(name, value) for name, value in scope["headers"] if name not in _CONDITIONAL]
        try:
            await self._compressing({**scope, "headers": asked}, receive, collect)
            head, *parts = sent
            body = b"".join(part.get("body", b"") for part in parts)
            headers = MutableHeaders(scope=head)
            for name in _OF_PLAIN:
                del headers[name]
            headers["content-length"] = str(len(body))
            is_kept = head["status"] == 200 and "immutable" in headers.get("cache-control", "")
            return [head, {"type": "http.response.body", "body": body}]
        finally:
            if not is_kept:
                self._answers.pop(scope["path"], None)

"""Scripts and style sheets travel compressed: of the first page's 2.8 MB of them 0.9 are left.

Streamlit sends its own files plain, since Starlette's middleware compresses a file anew for every reader. Here each is
compressed once, when it is first asked for, and kept: that costs less than to read the plain one from the disk each time.

Notable choices:
- Only what never changes at its address is kept (`immutable`), so nothing that is kept can be old.
- Readers who ask at the same moment wait for one compression.
- There are fewer such files than KEPT. An address may be made up (modules.AGAIN), so what was asked for longest ago goes.
"""

import asyncio
import gzip

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

KINDS = (".js", ".css")  # what the path of a file ends with
KEPT = 1_000  # files
#: Of a request, for an answer that is whole and plain; of an answer, what is true of Streamlit's file alone.
_CONDITIONAL = {b"accept-encoding", b"if-none-match", b"if-modified-since", b"range", b"if-range"}
_OF_FILE = ("etag", "last-modified", "accept-ranges")


def accepts_gzip(scope: Scope) -> bool:
    return "gzip" in Headers(scope=scope).get("accept-encoding", "")


async def whole_answer(app: ASGIApp, scope: Scope) -> Response:
    """What an app answers to a GET request, as one piece."""
    asked = [(name, value) for name, value in scope["headers"] if name not in _CONDITIONAL]
    never, sent = asyncio.Queue[Message](), asyncio.Queue[Message]()  # the reader does not leave
    await app({**scope, "headers": asked}, never.get, sent.put)
    head, *parts = [sent.get_nowait() for _ in range(sent.qsize())]
    body = b"".join(part.get("body", b"") for part in parts)
    return Response(body, head["status"], dict(Headers(raw=head["headers"])))


def put_body(answer: Response, body: bytes, *, is_packed: bool) -> None:
    """Give an answer another body."""
    for name in _OF_FILE:
        del answer.headers[name]
    answer.body = body
    answer.headers["content-length"] = str(len(body))
    answer.headers.add_vary_header("accept-encoding")
    if is_packed:
        answer.headers["content-encoding"] = "gzip"


class Compression:
    """ASGI middleware that answers with compressed scripts and style sheets."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._answers: dict[str, asyncio.Task[Response]] = {}  # by path, in the order in which they were asked for

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_file = scope["type"] == "http" and scope["method"] == "GET" and scope["path"].endswith(KINDS)
        if not is_file or not accepts_gzip(scope):
            await self.app(scope, receive, send)
            return
        task = self._answers.pop(scope["path"], None) or asyncio.create_task(self._answer(scope))
        self._answers[scope["path"]] = task  # the last one
        if len(self._answers) > KEPT:
            del self._answers[next(iter(self._answers))]
        answer = await asyncio.shield(task)  # a reader who leaves does not end it for those who wait too
        await answer(scope, receive, send)

    async def _answer(self, scope: Scope) -> Response:
        is_kept = False
        try:
            answer = await whole_answer(self.app, scope)
            put_body(answer, await asyncio.to_thread(gzip.compress, answer.body), is_packed=True)
            is_kept = answer.status_code == 200 and "immutable" in answer.headers.get("cache-control", "")
            return answer
        finally:
            if not is_kept:
                self._answers.pop(scope["path"], None)

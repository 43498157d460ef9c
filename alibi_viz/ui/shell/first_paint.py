"""The page's style in the document itself, so that the first thing painted already stands where it will stay.

Streamlit sends an empty document; its sidebar, and our style sheet, arrive with the first run of the page. Until then the
title and the stage stood 300 pixels too far left and too wide, and jumped. So the style is put into the document, with a
rule that keeps the sidebar's place; at the end of its body, since Streamlit's own rules, which come into its head later,
are as specific as ours. `style.show` still sends it with the page: that is all where another server runs the script.
"""

from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Receive, Scope, Send

from alibi_viz.ui.controls import frame
from alibi_viz.ui.controls.params import clean
from alibi_viz.ui.shell.middleware import PageMiddleware
from alibi_viz.ui.streamlit_patches.server_address import SCRIPT

_BODY_ENDS = b"</body>"
_CONDITIONAL = (b"accept-encoding", b"if-none-match", b"if-modified-since")  # the answer is to be whole and plain


@cache
def _style(presenting: bool) -> bytes:
    names = ("style.css", "present.css" if presenting else "first_paint.css")  # a presented page has no sidebar
    rules = "\n".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in names)
    mark = " data-presenting" if presenting else ""  # keys.js takes it away: the presentation may end
    return f"<style{mark}>{rules}</style>{SCRIPT}".encode()


class FirstPaint(PageMiddleware):
    """Puts the style, and the place of the server, into every HTML document."""

    async def page(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(name, value) for name, value in scope["headers"] if name not in _CONDITIONAL]
        given = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        presented = clean(frame.PRESENT, given.get(frame.PRESENT.key, frame.PRESENT.default)).value
        await self.app({**scope, "headers": headers}, receive, _Styled(send, _style(bool(presented))))


class _Styled:
    """Passes an answer on; one that is HTML is held back until it is whole."""

    def __init__(self, send: Send, style: bytes) -> None:
        self.send, self.style = send, style
        self.start: Message | None = None  # of an HTML document, while its body arrives
        self.body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            self.start = message
        elif self.start is None:
            await self.send(message)
        else:
            self.body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._finish(self.start)

    async def _finish(self, start: Message) -> None:
        body = self.body.replace(_BODY_ENDS, self.style + _BODY_ENDS, 1)
        headers = MutableHeaders(raw=list(start["headers"]))
        headers["content-length"] = str(len(body))
        for name in ("etag", "last-modified"):  # of Streamlit's file, not of this document
            if name in headers:
                del headers[name]
        await self.send({**start, "headers": headers.raw})
        await self.send({"type": "http.response.body", "body": body})


def _is_page(start: Message) -> bool:
    return start["status"] == 200 and Headers(raw=start["headers"]).get("content-type", "").startswith("text/html")

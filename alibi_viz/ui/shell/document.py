"""The HTML document that a browser loads first: with the style of all pages, the meanings of terms beside their links, the
place of the server, an empty frame where its picture will be, and a key of its reader.

Streamlit sends an empty document; its sidebar arrives with the first run of the page. Until then the title and the stage
would stand 300 pixels too far left and too wide, and jump. So the style is in the document itself, with a rule that keeps
the sidebar's place; at the end of its body, since Streamlit's own rules, which come into its head later, are as specific as
ours. What a presented page looks like is a sheet of its own, which address.js turns on and off. A rule for all of the page,
as `:root:has(…)`, or one whose `:has(…)` may belong to any element, would make the browser look at every element again
whenever one comes, a hundred times while Plotly draws.

A term's meaning is the title of its link (`lessons.linked`), so nothing is sent twice, and a screen reader reads it out.

The browser chooses between light and dark by itself: Python learns of a change of theme only with the next run.
"""

import gzip
from dataclasses import asdict
from functools import cache, lru_cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from alibi_viz.charts.palette import ink
from alibi_viz.ui import reader
from alibi_viz.ui.components import modules
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.params import in_query
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.shell.compression import accepts_gzip
from alibi_viz.ui.streamlit_patches import phone_menu
from alibi_viz.ui.streamlit_patches.server_address import SCRIPT

#: Variables of style.css -> the colours of charts.palette.
VARIABLES = {"page": "surface", "line": "grid", "raised": "raised", "accent": "accent", "text": "text"}
_SHELL = Path(__file__).parent
_TERMS, _FRAME = (modules.PACKAGE / f"ui/components/{name}.js" for name in ("terms", "frame"))
_RELOAD = _TERMS.with_name("reload.js")
_CONDITIONAL = (b"accept-encoding", b"if-none-match", b"if-modified-since")  # the answer is to be whole and plain
_OF_FILE = ("content-length", "etag", "last-modified")  # of Streamlit's file, not of this document


@cache
def _additions(*, presented: bool) -> bytes:
    """What stands at the end of the body."""
    light, dark = asdict(ink(dark=False)), asdict(ink(dark=True))
    colours = (f"--{name}: light-dark({light[part]}, {dark[part]});" for name, part in VARIABLES.items())
    sheets = (
        _SHELL / "style.css",
        modules.PACKAGE / "pictures/chinese.css",
        _TERMS.with_suffix(".css"),
        _FRAME.with_suffix(".css"),
    )
    files = (sheet.read_text(encoding="utf-8") for sheet in sheets)
    rules = "\n".join((f":root {{ {' '.join(colours)} }}", *files))
    terms = f'<script type="module" src="{modules.place(_TERMS)}"></script>'
    reload = f'<script type="module" src="{modules.place(_RELOAD)}"></script>'
    medium, presenting = "all" if presented else "not all", (_SHELL / "present.css").read_text(encoding="utf-8")
    sheet = f'<style id="presenting" media="{medium}">{presenting}</style>'
    return f"<style>{rules}</style>{sheet}{terms}{reload}{SCRIPT}{phone_menu.SCRIPT}".encode()


def _frame(request: Request) -> str:
    """An empty frame until the page has its picture; "" where it has none. Without it a reader looks at nothing for a
    second or more. Until Streamlit knows its theme, it is white or black: these rules go with the frame."""
    name = navigation.PATHS.get(request.url.path.strip("/"), "")
    if name not in navigation.ICONS or in_query(page_options.PRESENT, request.query_params):
        return ""
    theme = str(in_query(page_options.THEME, request.query_params))
    scheme = "light dark" if theme == "auto" else theme
    return (
        f'<div id="frame" aria-hidden="true" data-places=".st-key-stage, .st-key-{name}">'
        f"<style>body {{ color-scheme: {scheme}; }} body, .stApp {{ background: var(--page); }}</style></div>"
        f'<script type="module" src="{modules.place(_FRAME)}"></script>'
    )


@lru_cache(64)
def _packed(document: bytes) -> bytes:
    """Compressed: the same for all readers of a page in one language."""
    return gzip.compress(document)


class Document(BaseHTTPMiddleware):
    """Completes every HTML document."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Only requests for a page are looked at."""
        is_page = scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", "")
        await (super().__call__ if is_page else self.app)(scope, receive, send)

    async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        headers, is_packed = request.scope["headers"], accepts_gzip(request.headers)
        request.scope["headers"] = [(name, value) for name, value in headers if name not in _CONDITIONAL]
        answer = await call_next(request)
        if answer.status_code != 200 or not answer.headers.get("content-type", "").startswith("text/html"):
            return answer
        body = b"".join([part async for part in answer.body_iterator])  # type: ignore[attr-defined]
        presented = bool(in_query(page_options.PRESENT, request.query_params))
        ends = _additions(presented=presented) + _frame(request).encode() + b"</body>"
        whole = body.replace(b"</body>", ends, 1)
        document = HTMLResponse(
            _packed(whole) if is_packed else whole,
            headers={name: value for name, value in answer.headers.items() if name not in _OF_FILE},
        )
        document.headers.add_vary_header("accept-encoding")
        if is_packed:
            document.headers["content-encoding"] = "gzip"
        reader.give_key(request, document)
        return document

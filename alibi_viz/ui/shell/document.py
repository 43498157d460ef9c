"""The HTML document that a browser loads first: with the style of all pages, the meanings of terms beside their links, the
place of the server, an empty frame where its picture will be, and a key of its reader.

Streamlit sends an empty document; its sidebar arrives with the first run of the page. Until then the title and the stage
would stand 300 pixels too far left and too wide, and jump. So the style is in the document itself, with a rule that keeps
the sidebar's place; at the end of its body, since Streamlit's own rules, which come into its head later, are as specific as
ours. What a presented page looks like is a sheet of its own, which address.js turns on and off: a rule for all of the page,
as `:root:has(…)`, would make the browser look at every element again whenever one comes.

The browser chooses between light and dark by itself: Python learns of a change of theme only with the next run.
"""

import gzip
from dataclasses import asdict
from functools import cache, lru_cache

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from alibi_viz.charts.palette import ink
from alibi_viz.pictures import style
from alibi_viz.ui import reader
from alibi_viz.ui.components import modules
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.params import in_query
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.shell.compression import accepts_gzip, put_body, whole_answer
from alibi_viz.ui.streamlit_patches import phone_menu
from alibi_viz.ui.streamlit_patches.server_address import SCRIPT

#: Variables of style.css -> the colours of charts.palette.
VARIABLES = {"page": "surface", "line": "grid", "raised": "raised", "accent": "accent", "text": "text"}
SHEETS = ("export/common", "ui/shell/style", "pictures/chinese", "ui/components/terms", "ui/components/frame")


@cache
def _additions(*, presented: bool) -> bytes:
    """What stands at the end of the body."""
    light, dark = asdict(ink(dark=False)), asdict(ink(dark=True))
    colours = (f"--{name}: light-dark({light[part]}, {dark[part]});" for name, part in VARIABLES.items())
    rules = "\n".join((f":root {{ {' '.join(colours)} }}", *(style(f"../{sheet}.css") for sheet in SHEETS)))
    medium, presenting = "all" if presented else "not all", style("../ui/shell/present.css")
    sheet = f'<style id="presenting" media="{medium}">{presenting}</style>'
    scripts = _script("terms") + _script("reload") + SCRIPT + phone_menu.SCRIPT
    return f"<style>{rules}</style>{sheet}{scripts}".encode()


def _script(name: str) -> str:
    return f'<script type="module" src="{modules.place(f"../ui/components/{name}.js")}"></script>'


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
        f"{_script('frame')}"
    )


@lru_cache(64)
def _packed(document: bytes) -> bytes:
    """Compressed: the same for all readers of a page in one language."""
    return gzip.compress(document)


class Document:
    """ASGI middleware that completes every HTML document."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_get = scope["type"] == "http" and scope["method"] == "GET"
        if not is_get or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self.app(scope, receive, send)
            return
        answer = await whole_answer(self.app, scope)
        if answer.status_code == 200 and answer.headers.get("content-type", "").startswith("text/html"):
            request, is_packed = Request(scope), accepts_gzip(scope)
            presented = bool(in_query(page_options.PRESENT, request.query_params))
            ends = _additions(presented=presented) + _frame(request).encode() + b"</body>"
            document = bytes(answer.body).replace(b"</body>", ends, 1)
            put_body(answer, _packed(document) if is_packed else document, is_packed=is_packed)
            reader.give_key(request, answer)
        await answer(scope, receive, send)

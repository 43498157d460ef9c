"""The still of a page: what its picture looks like, in the place where that will come, before the page has run.

A browser waits a second or more for the first run of a page, longer for its first chart. Meanwhile it shows a small,
softened picture that came with the document; `still.js` keeps it where the picture will be, and takes it away when that
is drawn.

Notable choices:
- It is softened until its sentences cannot be read, so it is the same in every language, and looks like no answer.
- A page that was asked for with values of its own, or that may have a question to ask, has an empty frame instead: its
  picture would be another one, or would answer.
- `make screenshots` makes the stills, and measures their places, which depend on how long a lead is in a language.
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from alibi_viz.lessons import languages
from alibi_viz.ui import classroom, reader
from alibi_viz.ui.components import modules
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.params import in_query
from alibi_viz.ui.shell import navigation

FOLDER, PLACES = Path(__file__).parent / "stills", Path(__file__).parent / "stills.json"
SCRIPT = modules.PACKAGE / "ui/components/still.js"
SIZES, LOOKS = ("desk", "phone"), ("light", "dark")
PHONE, DARK = "(max-width: 640px)", "(prefers-color-scheme: dark)"
_SAME_PICTURE = {
    page_options.LANGUAGE.key,
    page_options.THEME.key,
}  # of an address: the picture does not depend on them


def file(name: str, size: str, look: str) -> str:
    """What the still of a page is called."""
    return f"{name}.{size}.{look}.webp"


@cache
def places() -> dict[str, Any]:
    """Page -> its element's key, and size -> `left` and `right`, pixels to the edges of the column; `height`, pixels and a
    share of the window's; `top`, pixels, by language."""
    found: dict[str, Any] = json.loads(PLACES.read_text(encoding="utf-8"))
    return found


def routes() -> list[Mount]:
    """For `st.App(routes=)`."""
    return [Mount(f"/{_folder()}", StaticFiles(directory=FOLDER))]


@cache
def _folder() -> str:
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(FOLDER.glob("*.webp"))))
    return f"stills-{digest.hexdigest()[:16]}"


def html(request: Request) -> str:
    """The still for a document; empty where the page has none."""
    name = navigation.PATHS.get(request.url.path.strip("/"), "")
    if name not in places() or in_query(page_options.PRESENT, request.query_params):
        return ""
    asked = (in_query(option, request.query_params) for option in (page_options.LANGUAGE, page_options.THEME))
    language, theme = map(str, asked)
    if language not in languages.LANGUAGES:
        language = languages.of_browser(request.headers)
    is_default = _SAME_PICTURE.issuperset(request.query_params) and not _is_in_class(request)
    scheme = "light dark" if theme == "auto" else theme
    return (
        f'<div id="still" aria-hidden="true" data-place=".st-key-{places()[name]["key"]}">'
        # These rules go with it. Until Streamlit knows its theme, it is white or black.
        f"<style>body {{ color-scheme: {scheme}; }} body, .stApp {{ background: var(--page); }}"
        f" {_rule(name, 'desk', language)} @media {PHONE} {{ {_rule(name, 'phone', language)} }}</style>"
        f"<div>{_picture(name, theme) if is_default else ''}</div></div>"
        f'<script type="module" src="{modules.place(SCRIPT)}"></script>'
    )


def _is_in_class(request: Request) -> bool:
    return bool(classroom.ROOMS.of(reader.known_as(request.cookies.get(reader.COOKIE, ""))))


def _rule(name: str, size: str, language: str) -> str:
    place = places()[name][size]
    pixels, share = place["height"]
    return (
        f"#still > div {{ top: {place['top'][language]}px; left: {place['left']}px; right: {place['right']}px;"
        f" height: calc({pixels}px + {100 * share:.1f}vh); }}"
    )


def _picture(name: str, theme: str) -> str:
    looks = LOOKS if theme == "auto" else (theme,)
    asks = {"phone": [PHONE], "dark": [DARK]} if theme == "auto" else {"phone": [PHONE]}
    choices = [
        (" and ".join(asks.get(size, []) + asks.get(look, [])), f"{_folder()}/{file(name, size, look)}")
        for size in reversed(SIZES)  # a browser takes the first one that fits
        for look in reversed(looks)
    ]
    sources = "".join(f'<source media="{media}" srcset="{place}">' for media, place in choices if media)
    return f'<picture>{sources}<img alt="" src="{choices[-1][1]}"></picture>'

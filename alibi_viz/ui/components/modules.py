"""Our components: registered with Streamlit, their scripts and styles at an address of their own.

Streamlit sends a component's source with every message that draws it: 80 kB for a matrix. So that source is a few lines
that import the true one, which a browser fetches once.

Notable choices:
- Modules stand at their paths below the package, so what they import of each other is found as on the disk.
- The address has a digest of all of them: a browser may keep a file for good, and never mixes two versions of the app.
- A style is a module too, of one text: all pictures of a kind share one sheet.
- A module of less than SMALL bytes is sent as it is: the theme and the address are wanted with the first paint.
- A phone may fall asleep while it fetches a module, and a browser never asks again for an import that failed. So each
  further try has an address of its own, below AGAIN, where what is imported in turn is asked for anew too.
"""

import hashlib
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from alibi_viz import pictures

PACKAGE = Path(pictures.__file__).parents[1]
SMALL = 2_000
#: While they are on their way, Streamlit may mount an element twice (the theme has changed): the last one counts.
_IMPORTING = """const last = new WeakMap(), sheet = new CSSStyleSheet(), loads = new Map();
const isThere = (address) => fetch(address).then(({ ok }) => ok, () => false);
const load = async (path) => {
  for (let tries = 0, inVain = 0; ; tries += 1) {
    const address = new URL(tries ? path.replace("/", `/AGAIN${tries}/`) : path, document.baseURI);
    try {
      return await import(address);
    } catch (error) {
      inVain += await isThere(address);
      if (inVain > 4) throw error; // the network is not to blame
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
};
const loaded = (path) => loads.get(path) ?? loads.set(path, load(path)).get(path);
export default async (component) => {
  const root = component.parentElement;
  last.set(root, component);
  const [module, style] = await Promise.all(["SCRIPT", "STYLE"].filter(Boolean).map(loaded));
  if (last.get(root) !== component) return undefined;
  if (style && root.adoptedStyleSheets[0] !== sheet) {
    sheet.replaceSync(style.default);
    root.adoptedStyleSheets = [sheet];
  }
  return module.default(component);
};
"""
AGAIN = "again-"
_TRY = re.compile(rf"^{AGAIN}\d+/")
KEEP = {"cache-control": "public, max-age=31536000, immutable"}
PREFIX = "alibi_viz_"  # of what Streamlit calls our components
SOURCES: dict[str, tuple[str | Path, tuple[str | Path, ...]]] = {}  # component -> its module and its style sheets


def mount(name: str, module: str | Path, *css: str | Path) -> Callable[..., Any]:
    """The component of a JavaScript module and its style sheets (Streamlit's version 2).

    module, css: files, or their paths below alibi_viz/pictures.
    """
    SOURCES[name] = (module, css)
    component: Callable[..., Any] = st.components.v2.component(PREFIX + name, js=source(module, *css))
    return component


def source(module: str | Path, *css: str | Path) -> str:
    """What Streamlit sends for a module and its style sheets: the module itself if it is small and needs no other file,
    else lines that import them."""
    text = pictures.squeezed(pictures.module_text(pictures.HERE / module))
    if not css and len(text) < SMALL and "import" not in text:
        return text
    style = f"{_folder()}/{_names(css)}.js" if css else ""
    return _IMPORTING.replace("AGAIN", AGAIN).replace("SCRIPT", place(module)).replace("STYLE", style)


def routes() -> list[Route]:
    """For `st.App(routes=)`."""
    return [Route(f"/{_folder()}/{{path:path}}", _answer)]


async def _answer(request: Request) -> Response:
    path = _TRY.sub("", request.path_params["path"])
    text = _files().get(path) if not path.endswith(".css.js") else _styles().get(path)
    if text is None:
        return PlainTextResponse("Not Found", 404)
    return Response(text, media_type="text/javascript", headers=KEEP)


def _styles() -> dict[str, str]:
    """Path -> a module with the style sheets of a component that was mounted. Any other list that an address names would
    keep all readers waiting."""
    return {f"{_names(css)}.js": _style(css) for _, css in list(SOURCES.values()) if css}


@cache
def _style(css: tuple[str | Path, ...]) -> str:
    return f"export default {json.dumps(''.join(map(pictures.style, (pictures.SHARED, *css))))};"


def _names(css: tuple[str | Path, ...]) -> str:
    return "+".join(map(_name, css))


def place(file: str | Path) -> str:
    """Where a browser finds a module, from the address of any page."""
    return f"{_folder()}/{_name(file)}"


def _name(file: str | Path) -> str:
    """Its path below the package."""
    return (pictures.HERE / file).resolve().relative_to(PACKAGE).as_posix()


@cache
def _files() -> dict[str, str]:
    """Path below the package -> the script or the style sheet there: those of pictures and of components."""
    folders = (PACKAGE / "pictures", PACKAGE / "ui/components")
    found = sorted(path for folder in folders for kind in ("js", "css") for path in folder.rglob(f"*.{kind}"))
    return {path.relative_to(PACKAGE).as_posix(): pictures.module_text(path) for path in found}


@cache
def _folder() -> str:
    digest = hashlib.sha256("\0".join(f"{path}\0{text}" for path, text in _files().items()).encode())
    return f"modules-{digest.hexdigest()[:16]}"

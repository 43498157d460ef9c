"""The JavaScript of our components as modules at an address of their own, so that a browser fetches each of them once.

Streamlit sends a component's source with every message that draws it: 75 kB for a matrix. So that source is a line that
imports the true one.

Notable choices:
- Modules stand at their paths below the package, so what they import of each other is found as on the disk.
- The address has a digest of all of them: a browser may keep a file for good, and never mixes two versions of the app.
- A module of less than SMALL bytes is sent as it is: the theme and the address are wanted with the first paint.
"""

import hashlib
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from alibi_viz import pictures

PACKAGE = Path(pictures.__file__).parents[1]
SMALL = 2_000
#: While the module is on its way, Streamlit may mount an element twice (the theme has changed): the last one counts.
_IMPORTING = """const last = new WeakMap();
export default async (component) => {
  last.set(component.parentElement, component);
  const module = await import(new URL("ADDRESS", document.baseURI));
  return last.get(component.parentElement) === component ? module.default(component) : undefined;
};
"""
KEEP = {"cache-control": "public, max-age=31536000, immutable"}


def source(module: str | Path) -> str:
    """What Streamlit sends for a module: itself if it is small, else a line that imports it.

    module: a file, or its path below alibi_viz/pictures.
    """
    path = pictures.HERE / module
    if len(text := pictures.javascript(path)) < SMALL:
        return text
    address = f"{_folder()}/{path.resolve().relative_to(PACKAGE).as_posix()}"
    return _IMPORTING.replace("ADDRESS", address)


def routes() -> list[Route]:
    """For `st.App(routes=)`."""
    return [Route(f"/{_folder()}/{{path:path}}", _answer)]


async def _answer(request: Request) -> Response:
    text = _files().get(request.path_params["path"])
    if text is None:
        return PlainTextResponse("Not Found", 404)
    return Response(text, media_type="text/javascript", headers=KEEP)


@cache
def _files() -> dict[str, str]:
    """Path below the package -> the module there: those of pictures and of components."""
    folders = (PACKAGE / "pictures", PACKAGE / "ui")
    found = sorted(path for folder in folders for path in folder.rglob("*.js"))
    return {path.relative_to(PACKAGE).as_posix(): pictures.module_text(path) for path in found}


@cache
def _folder() -> str:
    digest = hashlib.sha256("\0".join(f"{path}\0{text}" for path, text in _files().items()).encode())
    return f"modules-{digest.hexdigest()[:16]}"

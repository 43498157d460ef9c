"""What tiny language models need in a browser, where they write: their weights, and the words that they have learned.

Notable choices:
- A page that may show a model gives its address. That of a reader's run holds a token that nobody can guess, so the route
  asks no further whose it is. That of a shipped file follows from what is in it: a site that is made again is the same.
- A file never changes at its address, so a browser keeps it.
"""

import asyncio
import hashlib
import hmac
import re
from functools import cache, lru_cache
from secrets import token_bytes

import torch
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from alibi_viz.lm.corpus import of_language
from alibi_viz.lm.weights import for_browsers
from alibi_viz.lm.words import vocabulary
from alibi_viz.results import pretrained, trained

WORDS = "words/"  # before the language, in the name of a file of words
#: The names of all shipped files; a reader's run has its hash.
SHIPPED = (*pretrained.MODELS, *(f"{WORDS}{language}" for language in pretrained.OF_LANGUAGE))
KEEP = {"cache-control": "private, max-age=31536000, immutable"}
_SECRET = token_bytes(32)
_ADDRESS = re.compile(r'"(weights/[0-9a-f]{32}/([a-z0-9_/]+))"')


def address_of(name: str) -> str:
    """Where a browser finds the weights of a model, from the address of any page; "": it is not there.

    name: as in `results.trained`. Only for pages whose reader may see the model.
    """
    token = _token(name)
    return f"weights/{token}/{name}" if token else ""


def address_of_words(language: str) -> str:
    """Where a browser finds the words that models of a language have learned: UTF-8, one a line."""
    return address_of(f"{WORDS}{language}")


def content(name: str) -> bytes:
    """A shipped file, or a model that is there, as large as its configuration allows: `trained.load` sees to it."""
    if name in SHIPPED:
        return _shipped(name)
    loaded = trained.load(name)
    assert loaded is not None
    return _own(loaded)


def used(header: str) -> dict[str, bytes]:
    """The files that a picture's message names, by their addresses. header: of the message, or a part of it; JSON."""
    return {found[1]: content(found[2]) for found in _ADDRESS.finditer(header)}


def routes() -> list[Route]:
    """For `st.App(routes=)`."""
    return [Route("/weights/{token}/{name:path}", _answer)]


async def _answer(request: Request) -> Response:
    token, name = (request.path_params[part] for part in ("token", "name"))
    known = await asyncio.to_thread(_token, name)
    if not known or not hmac.compare_digest(token.encode(), known.encode()):
        return PlainTextResponse("Not Found", 404)
    file = await asyncio.to_thread(content, name)
    return Response(file, media_type="application/octet-stream", headers=KEEP)


def _token(name: str) -> str:
    """What the address of a file has before its name; "": there is no such file."""
    if name in SHIPPED:
        return _token_of_shipped(name)
    loaded = trained.load(name)
    told = f"{name} {loaded.changed}" if loaded else ""
    return hmac.new(_SECRET, told.encode(), hashlib.sha256).hexdigest()[:32] if told else ""


@cache  # a page names forty of them
def _token_of_shipped(name: str) -> str:
    return hashlib.sha256(_shipped(name)).hexdigest()[:32]


@cache
def _shipped(name: str) -> bytes:
    if name.startswith(WORDS):
        return b"\n".join(sorted(vocabulary(of_language(name.removeprefix(WORDS))).known))
    loaded = trained.load(name)
    assert loaded is not None
    return for_browsers(loaded.config, loaded.model, torch.float16)  # as on the disk


@lru_cache(maxsize=8)
def _own(loaded: trained.Loaded) -> bytes:
    return for_browsers(loaded.config, loaded.model)

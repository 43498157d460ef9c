"""Who reads: a random key in a cookie, which no script can read. Whose a training run is, is told by its hash.

Notable choices:
- The server sets the cookie with every page, so Python knows the reader before the first run, and after a reload, in a
  second tab and after a restart. Where it does not come back, the session has a key of its own.
- Lax and not Strict: after a link from elsewhere a strict cookie would be missing, and the page would bring another key.
- A reader is alone, and may do everything, if the server listens on loopback alone, is no class (ALIBI_VIZ_CLASS), and no
  proxy stands before it.
"""

import hashlib
import re
import secrets

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response

from alibi_viz.checks import setting
from alibi_viz.classroom.network import is_loopback
from alibi_viz.lm.runs import Run

COOKIE, SECONDS = "alibi_viz_reader", 365 * 24 * 60 * 60
KEY = re.compile("[A-Za-z0-9_-]{43}")  # of 256 random bits
_OWNER = "_reader_owner"  # in the session
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via")


def owner() -> str:
    """As what this reader is known: the hash of the browser's key, which a session keeps."""
    if _OWNER not in st.session_state:
        key = st.context.cookies.get(COOKIE)
        if not (isinstance(key, str) and KEY.fullmatch(key)):
            key = secrets.token_urlsafe(32)
        st.session_state[_OWNER] = known_as(key)
    return str(st.session_state[_OWNER])


def known_as(key: str) -> str:
    """As what the reader with this key is known."""
    return hashlib.sha256(key.encode()).hexdigest()


def unless_alone() -> str:
    """`owner`, or "" for one who is alone with the server."""
    headers = st.context.headers  # made anew whenever they are asked for
    is_local = is_loopback(st.get_option("server.address")) and not any(name in headers for name in FORWARDED)
    return "" if is_local and not is_class() else owner()


def is_class() -> bool:
    """Whether readers see their own runs alone."""
    return bool(setting("ALIBI_VIZ_CLASS", 0, 0, 1))


def is_own(run: Run) -> bool:
    """Whether lessons offer a run as this reader's own: it is, or everybody's."""
    return run.is_own(unless_alone())


def give_key(request: Request, document: Response) -> None:
    """Set the cookie with an HTML document; it lasts a year from the last visit."""
    brought = request.cookies.get(COOKIE, "")
    key = brought if KEY.fullmatch(brought) else secrets.token_urlsafe(32)
    is_secure = request.url.scheme == "https"
    document.set_cookie(COOKIE, key, max_age=SECONDS, httponly=True, samesite="lax", secure=is_secure)
    document.headers["cache-control"] = "private, no-cache"  # no cache may give one reader's key to others

"""Who reads: the key of the reader's browser, and what runs of this server that reader may see and change.

Notable choices:
- The key is a cookie that the server sets with the page and no script can read (shell/browser_key.py). It is on no screen
  and in no address, and outlives a reload, a second tab and a restart of the server. A browser that takes no cookie, or a
  host that serves the page without our middleware, has a key for the session alone.
- Only the hash of the key is used anywhere else (lm/owners.py).
- A reader is alone if the server listens on loopback alone, is no class, and the reader came to it by a loopback address
  and through no proxy. Then nothing is kept from the reader. A proxy that rewrites all of that and tells nothing would
  look the same: such a server sets ALIBI_VIZ_CLASS.
"""

import re
import secrets
from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

import streamlit as st

from alibi_viz.checks import setting
from alibi_viz.classroom.network import is_loopback
from alibi_viz.lm.owners import Owners, Reader, owner_of
from alibi_viz.lm.records import Run
from alibi_viz.lm.runs import RunStore

COOKIE = "alibi_viz_reader"
KEY = re.compile("[A-Za-z0-9_-]{43}")  # of 256 random bits
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via")
_KEY = "_reader_key"  # of this session, where the browser brought none


def new_key() -> str:
    return secrets.token_urlsafe(32)


def current() -> Reader:
    """The reader of this session."""
    class_ = bool(setting("ALIBI_VIZ_CLASS", 0, 0, 1))
    return Reader(owner(), alone=not class_ and _came_by_loopback(), class_=class_)


def owner() -> str:
    """As whom this reader is known: the hash of the browser's key."""
    return owner_of(_key())


def in_sight() -> Callable[[Run], bool]:
    """Which runs lessons offer as this reader's own: those, and everybody's."""
    return partial(Owners(RunStore()).is_own, current())


def _key() -> str:
    brought = st.context.cookies.get(COOKIE)
    if isinstance(brought, str) and KEY.fullmatch(brought):
        return brought
    return str(st.session_state.setdefault(_KEY, new_key()))


def _came_by_loopback() -> bool:
    headers = st.context.headers
    came_by = (f"//{headers.get('Host', '')}", headers.get("Origin", ""))
    hosts = (st.get_option("server.address"), *(_host(address) for address in came_by if address.strip("/")))
    return all(map(is_loopback, hosts)) and not any(name in headers for name in FORWARDED)


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:  # brackets without an address in them
        return None

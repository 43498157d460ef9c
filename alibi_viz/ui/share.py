"""“Share”: a link that opens the page as it is now, with its QR code. The code is drawn here: no other host is asked."""

import io
import os
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import SplitResult, urlencode, urlsplit, urlunsplit

import segno
import streamlit as st

from alibi_viz.classroom import network
from alibi_viz.lessons import joined, languages, load
from alibi_viz.ui import address
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.streamlit_patches import sessions

SITE = "ALIBI_VIZ_SITE"
LONGEST = 1_200  # characters of a link that a phone still reads as a QR code


@sessions.ask_when_reconnected
def panel() -> None:
    """The button, and what it opens. Made when it is opened: a QR code takes 20 ms."""
    words = load("shared").entries("share")
    with st.popover(
        words["title"], icon=":material/share:", type="tertiary", key="share_open", on_change="rerun"
    ) as popover:
        if not popover.open:
            return
        shown = st.container()  # first what is shared, then how it opens
        present = st.toggle(words["present"], key="share_present")
        predict = st.toggle(words["predict"], address.value(page_options.PREDICT), key="share_predict")
        options = ((page_options.PRESENT, present), (page_options.PREDICT, predict))
        framed = {param.key: "true" for param, on in options if on}
        with shown:
            show_link(link(**framed))
            if texts := address.left_out():
                st.warning(words["left_out"])
                file, name = "\n\n".join([link(**framed), *texts.values()]), address.current_state().page
                st.download_button(words["save_text"], file, f"{name}.txt", key="share_text", on_click="ignore")


def show_link(url: str) -> None:
    """A link to copy, and its QR code."""
    st.code(url, language=None, wrap_lines=True)
    if len(url) > LONGEST:
        st.caption(load("shared").entry("share", "long"))
        return
    st.image(qr_code(url), width=240)
    if note := warning():
        st.caption(note)


@lru_cache(maxsize=32)
def qr_code(link: str) -> str:
    """A link as an SVG picture, dark on white, with the quiet zone that readers need."""
    out = io.BytesIO()
    segno.make(link, error="m").save(out, kind="svg", scale=5, border=4, light="white", xmldecl=False, omitsize=True)
    return out.getvalue().decode()


def link(**framed: str) -> str:
    """The address of the page as it is now, framed so (presented, in a room), with a host that phones can reach."""
    framing = {param.key for param in page_options.PARAMS} - {page_options.THEME.key}
    if page_options.ROOM.key not in framed:  # who joins a room reads it in the language of the own browser
        framing.discard(page_options.LANGUAGE.key)
    values = {key: text for key, text in address.link_query().items() if key not in framing}
    return address_of(None, values | framed)


def address_of(page: str | None, query: Mapping[str, str]) -> str:
    """The whole address of a page, with a host that phones can reach. page: None for the one that is open."""
    parts = urlsplit(st.context.url or "")
    host = next(iter(_hosts(parts)), parts.hostname or "")
    place = parts.netloc if host == parts.hostname else f"{host}:{parts.port}" if parts.port else host
    path = parts.path if page is None else parts.path.rpartition("/")[0] + f"/{page}"
    return urlunsplit((parts.scheme, place, path, urlencode(query), ""))


def lasting(page: str, query: Mapping[str, str]) -> str:
    """The whole address of a page where it opens when this server is gone: on the site that ALIBI_VIZ_SITE names, if it
    names one."""
    site = os.environ.get(SITE, "")
    if urlsplit(site).scheme not in ("http", "https"):
        return address_of(page, query)
    return f"{site.rstrip('/')}/{navigation.folder_of(languages.current(), page)}?{urlencode(query)}"


def warning() -> str:
    """What is to be said beside a link: that no phone reaches it, or by which other hosts one may. Empty: nothing."""
    hosts, words = _hosts(urlsplit(st.context.url or "")), load("shared")
    if not hosts:
        return words.entry("share", "loopback")
    return words.entry("share", "others", hosts=joined(hosts[1:])) if len(hosts) > 1 else ""


def _hosts(parts: SplitResult) -> list[str]:
    return network.reachable(parts.hostname or "", st.get_option("server.address"))

"""“Share”: a link that opens the page as it is now, for a lecture or a class if wanted, with its QR code."""

from collections.abc import Mapping
from urllib.parse import SplitResult, urlencode, urlsplit, urlunsplit

import streamlit as st

from alibi_viz.classroom import network
from alibi_viz.lessons import load
from alibi_viz.ui import qr
from alibi_viz.ui.controls import frame, locked, state

LONGEST = 1_200  # characters of a link that a phone still reads as a QR code


def button() -> None:
    """The button, and the dialog that it opens."""
    words = load("words")
    if st.button(words.entry("share", "title"), icon=":material/share:", key="share_view", type="tertiary"):
        st.dialog(words.entry("share", "title"))(_dialog)()


def _dialog() -> None:
    words = load("words").entries("share")
    present = st.toggle(words["present"], key="share_present")
    hide = st.toggle(words["hide"], key="share_hide")
    lock = st.toggle(words["lock"], key="share_lock")
    predict = st.toggle(words["predict"], state.read(frame.PREDICT), key="share_predict")
    link = link_to(present=present, hide=hide, lock=lock, predict=predict)
    st.code(link, language=None, wrap_lines=True)
    if len(link) <= LONGEST:
        st.image(qr.svg(link), width=240)
        if note := warning():
            st.caption(note)
    else:
        st.caption(words["long"])
    if texts := state.left_out():
        st.warning(words["left_out"])
        file = "\n\n".join([link, *texts.values()])
        st.download_button(
            words["save_text"], file, f"{state.open_page_name()}.txt", key="share_text", on_click="ignore"
        )


def link_to(*, present: bool, hide: bool, lock: bool, predict: bool) -> str:
    """The address of this page as it is now, framed: presented, its text hidden, its controls locked, with questions."""
    framed, kept = {param.key for param in frame.PARAMS}, (frame.ROOM.key, frame.THEME.key)
    values = {key: text for key, text in state.query().items() if key not in framed or key in kept}
    values |= {frame.PRESENT.key: "true"} if present else {}
    values |= {frame.HIDE.key: frame.TEXT} if hide else {}
    values |= (
        {frame.LOCK.key: ",".join(p.key for p in state.open_params() if p.key not in framed and p != locked.CELL)}
        if lock
        else {}
    )
    values |= {frame.PREDICT.key: "true"} if predict else {}
    return here(values)


def here(values: Mapping[str, str]) -> str:
    """The address of the page that is open, with these values, and with a host that phones can reach if there is one."""
    parts = urlsplit(st.context.url or "")
    host = next(iter(_hosts(parts)), parts.hostname or "")
    place = parts.netloc if host == parts.hostname else f"{host}:{parts.port}" if parts.port else host
    return urlunsplit((parts.scheme, place, parts.path, urlencode(values), ""))


def warning() -> str:
    """What is to be said beside a link: that no phone reaches it, or by which other hosts one may. Empty: nothing."""
    hosts, words = _hosts(urlsplit(st.context.url or "")), load("words")
    if not hosts:
        return words.entry("share", "loopback")
    return words.entry("share", "others", hosts=", ".join(hosts[1:])) if len(hosts) > 1 else ""


def is_reachable() -> bool:
    """Whether a phone can open this page's link."""
    return bool(_hosts(urlsplit(st.context.url or "")))


def _hosts(parts: SplitResult) -> list[str]:
    return network.reachable(parts.hostname or "", st.get_option("server.address"))

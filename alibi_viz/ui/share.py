"""“Share”: a link that opens the page as it is now, for a lecture or a class if wanted, with its QR code."""

from collections.abc import Mapping, Sequence
from urllib.parse import SplitResult, urlencode, urlsplit, urlunsplit

import streamlit as st

from alibi_viz.classroom import network
from alibi_viz.lessons import load
from alibi_viz.ui import qr
from alibi_viz.ui.controls import frame, locked, state
from alibi_viz.ui.shell import navigation

LONGEST = 1_200  # characters of a link that a phone still reads as a QR code


def button() -> None:
    """The button, and the dialog that it opens."""
    words = load("words")
    if st.button(words.entry("share", "title"), icon=":material/share:", key="share_view", type="tertiary"):
        st.dialog(words.entry("share", "title"))(_dialog)()


def _dialog() -> None:
    words = load("words").entries("share")
    present = st.toggle(words["present"], key="share_present")
    names = _names()
    hide = _choose("hide", {frame.PROSE: words["prose"], **names})
    lock = _choose("lock", names)
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


def _names() -> dict[str, str]:
    """The controls that the page shows now, by key, as it calls them."""
    framed = {param.key for param in frame.PARAMS} | {locked.CELL.key}
    lesson, shared = load(state.open_page_name() or navigation.FIRST), load("words").entries("labels")
    labels = shared | lesson.entries("labels")
    return {param.key: labels[param.key] for param in state.in_use() if param.key not in framed}


def _choose(what: str, names: Mapping[str, str]) -> list[str]:
    """The keys of those that the reader ticks."""
    label = load("words").entry("share", what)
    return list(st.multiselect(label, list(names), format_func=lambda key: names[key], key=f"share_{what}"))


def link_to(*, present: bool = False, hide: Sequence[str] = (), lock: Sequence[str] = (), predict: bool = False) -> str:
    """The address of this page as it is now, framed: presented, with these keys hidden or locked, with questions."""
    framed, kept = {param.key for param in frame.PARAMS}, (frame.ROOM.key, frame.THEME.key)
    values = {key: text for key, text in state.query().items() if key not in framed or key in kept}
    values |= {param.key: "true" for param, on in ((frame.PRESENT, present), (frame.PREDICT, predict)) if on}
    values |= {param.key: ",".join(keys) for param, keys in ((frame.HIDE, hide), (frame.LOCK, lock)) if keys}
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

"""The address is the state: what a page shows stands in its query, under short keys that pages share.

    heads = address.number("heads", 8, low=1, high=128)     # read where it is used, bounded there
    address.write({"heads": 12, "rule": "code"})           # in a callback: one entry of the browser's history

Notable choices:
- A value that a page cannot show is answered with the nearest one that it can, and one sentence (`problems`). The address
  keeps what was asked for, so the page next door shows it.
- A page that is opened without a key takes the value that the reader gave on another page. Later runs of the same page
  read the address alone: a missing key is then the default, which is what Back needs.
- How a page is framed (ui/controls/page_options.py) stands there too. Back does not change it on a page that stays open.
- Long texts are packed into one key; what does not fit there stays on the page until it is loaded again, and that is said.
- `write` tells the browser all keys at once. The run that follows takes those at their defaults out of the address line
  again, and adds what came from other pages: in place (components/address.js), so that Back leads to the step before. The
  browser later echoes our write: the echo is ignored, lest it undo a newer callback.
- Streamlit's browser does not see what is written in place: it goes on to name the address at which the page was opened.
  What the server must know of a page whose session it has forgotten therefore also stands in a field (`FIELD`), out of
  sight, with the texts that are too long: what fields hold comes with every request.
- Streamlit's own binding of widgets is not used: every step of a drag becomes an entry of the browser's history, an
  infinite number in the address ends the run with an exception, a value out of range is replaced without a word, and it
  refuses to have its keys written together with others.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote_plus, urlencode

import streamlit as st

from alibi_viz.lessons import Lesson, languages, load
from alibi_viz.pictures.message import pack
from alibi_viz.ui.components.modules import PACKAGE, mount
from alibi_viz.ui.controls import packing
from alibi_viz.ui.controls.params import Cleaned, Param, Value, clean, in_query
from alibi_viz.user_input import printable

URL_LONGEST = 1_500  # characters in the address; a text that takes more is packed
LONGEST = 8_000  # characters of an address that the browser reports
STATE, FIELD = "_address", "address_now"  # in the session
#: Words in links of earlier versions, by key, and what is called so now.
RENAMED = {
    "rule": {"paper": "code", "plain": "sentence"},
    "train_slopes": {"paper": "code"},
    "train_open": {"writes": ""},  # it stands on the stage: train_show
}
_OF_THREAD = threading.local()
_LINE = mount("address", PACKAGE / "ui/components/address.js")


class Read(NamedTuple):
    """A key that the open page has read: how it is bounded, what the address says, what the page takes it for, whether what
    the page shows now depends on it, and whether Python alone shows its other values."""

    param: Param
    given: Value
    cleaned: Cleaned
    is_used: bool = True
    is_pythons: bool = False


@dataclass
class State:
    """What a session knows of its address. Values are texts by key, as the reader gave them."""

    page: str = ""  # the lesson that is open
    path: str = ""  # its address
    is_entered: bool = False  # whether this run opens it
    browser_query: dict[str, str] = field(default_factory=dict)  # as the browser has named it last
    line_query: dict[str, str] = field(default_factory=dict)  # as the address line shows it since the last run
    texts: dict[str, str] = field(default_factory=dict)  # the values of the open page
    reads: dict[str, Read] = field(default_factory=dict)  # what this run has read of them
    reads_before: dict[str, Read] = field(default_factory=dict)  # and, until it ends, the runs of the page before it
    carried: dict[str, str] = field(default_factory=dict)  # values that were given on any page, for the next one
    framing: frozenset[str] = frozenset()  # the keys of how a page is framed
    is_cut: bool = False  # whether the address has long texts that cannot be read
    on_stage: set[str] = field(default_factory=set)  # keys of controls that stand on the stage
    is_below: bool = False  # whether the run has come to the sections


def current_state() -> State:
    """That of the reader of this run. A run asks for it some seventy times, and Streamlit's store takes its time; a thread
    of Streamlit's runs pages for one session alone."""
    if not hasattr(_OF_THREAD, "state"):
        _OF_THREAD.state = st.session_state.setdefault(STATE, State())
    state: State = _OF_THREAD.state
    return state


def open_page(name: str, framing: Sequence[Param]) -> None:
    """Begin a run of this lesson's page. framing: how it is presented, which all pages share."""
    state, query = current_state(), st.query_params.to_dict()
    state.framing, state.is_entered = frozenset(param.key for param in framing), state.page != name
    if state.is_entered:
        state.page = name
        _load_query(query, {})
    elif query not in (state.browser_query, state.line_query):  # else the reader went nowhere
        _reload_query(query)
    # A run that was broken off has not read all keys; a callback after it must not take the others for gone.
    state.reads_before = {} if state.is_entered else state.reads_before | state.reads
    state.browser_query, state.reads, state.on_stage, state.is_below = query, {}, set(), False
    for param in framing:
        read(param)


def close_page(*, presented: bool) -> None:
    """End a run: show the values in the address line, and tell the document whether it is presented. The entry point calls
    it last."""
    state = current_state()
    state.reads_before = {}
    state.line_query, too_long = _query_and_left_out()
    st.session_state[FIELD] = urlencode({**state.line_query, **too_long})
    data: dict[str, Any] = {"page": state.path, "query": urlencode(state.line_query), "presented": presented}
    data |= {"language": languages.tag()}
    data |= {"skip": load("shared").label("skip_main"), "upload": load("shared").label("upload")}
    # As bytes: of anything else Streamlit asks whether it is a table, and imports pandas for it.
    _LINE(key="address", data=pack(data), on_went_change=_go_back)
    st.text_input(FIELD, key=FIELD)


def _load_query(query: Mapping[str, str], too_long: Mapping[str, str]) -> None:
    """What this address says counts from now on, and these texts that none can hold."""
    state = current_state()
    try:
        packed, state.is_cut = packing.unpack(query[packing.KEY]) if packing.KEY in query else {}, False
    except ValueError:
        packed, state.is_cut = {}, True
    plain = {key: RENAMED.get(key, {}).get(text, text) for key, text in query.items() if key != packing.KEY}
    state.texts = {**too_long, **packed, **plain}


def _reload_query(query: Mapping[str, str]) -> None:
    """The same, on a page that is open already: it stays framed as it is."""
    state = current_state()
    framing = {key: state.texts[key] for key in state.framing if key in state.texts}
    _load_query(query, left_out())
    state.texts |= framing


def _go_back() -> None:
    """Callback: the reader went back to an address while a run was on its way to another one."""
    search = st.session_state.get("address", {}).get("went")
    if isinstance(search, str) and len(search) <= LONGEST:
        _reload_query(dict(parse_qsl(search.removeprefix("?"), keep_blank_values=True)))


def number(key: str, default: float, *, low: float, high: float) -> Any:
    """A number from `low` to `high`; a whole one where the default is whole."""
    return read(Param(key, "int" if isinstance(default, int) else "float", default, low=low, high=high))


def choice(key: str, default: str, choices: Iterable[str]) -> str:
    """One of these words."""
    return str(read(Param(key, "choice", default, choices=tuple(choices))))


def choices(key: str, default: str, among: Iterable[str]) -> tuple[str, ...]:
    """Any of these words, in their own order."""
    return tuple(filter(None, str(read(Param(key, "choices", default, choices=tuple(among)))).split(",")))


def flag(key: str, default: bool = False) -> bool:
    """On or off."""
    return bool(read(Param(key, "flag", default)))


def text(key: str, default: str, longest: int) -> str:
    """A text of the reader, without control characters."""
    return str(read(Param(key, "text", default, longest=longest)))


def cell(first: range, second: range) -> tuple[int, int] | None:
    """The cell that the reader has locked in the picture, if the picture has it. No other page takes it over."""
    param = Param("cell", "cell", "")
    text = str(read(param))
    if not text:
        return None
    row, column = map(int, text.split(","))
    if row in first and column in second:
        return row, column
    current_state().reads[param.key] = Read(param, text, Cleaned("", "outside"))
    return None


def read(param: Param) -> Any:
    """The value of a key, bounded."""
    state, is_shared = current_state(), param.kind != "cell"
    if state.is_entered and is_shared and param.key in state.carried:
        state.texts.setdefault(param.key, state.carried[param.key])
    given = state.texts.get(param.key, param.default)
    cleaned = clean(param, given)
    state.reads[param.key] = Read(param, given, cleaned)
    # A number that is out of this page's range alone is not lost: the next page may be able to show it.
    carried = to_text(given if cleaned.problem in ("too_small", "too_large") else cleaned.value)
    if is_shared and (param.key in state.carried or carried != to_text(param.default)):
        state.carried[param.key] = carried
    return cleaned.value


def value(param: Param) -> Any:
    """The value of a key by now, also where the page has not read it; before any page has, as the browser names it."""
    state = current_state()
    return in_query(param, state.texts if state.page else st.query_params)


def holds(values: Mapping[str, Value]) -> bool:
    """Whether the page shows all of these values; it has read them before."""
    reads = current_state().reads
    return all(key in reads and reads[key].cleaned.value == value for key, value in values.items())


def query() -> dict[str, str]:
    """The texts of the address, by key."""
    return dict(current_state().texts)


def write(values: Mapping[str, Value], *, is_step: bool = True) -> None:
    """Callback: set these keys. is_step: so that Back undoes it; what is typed is none."""
    state = current_state()
    state.texts |= {key: to_text(value) for key, value in values.items()}
    if is_step:
        st.query_params.from_dict(link_query())
        state.browser_query = st.query_params.to_dict()


def link_query() -> dict[str, str]:
    """The open page's values as a link has them: those that are not at their defaults, long texts packed."""
    return _query_and_left_out()[0]


def shown() -> dict[str, str]:
    """All values that the page has read by now, those at their defaults too: as the query of a link they open the same
    picture for every reader, whatever the reader has set on other pages."""
    return {key: to_text(read.cleaned.value) for key, read in _own_reads().items()}


def is_at(query: Mapping[str, str]) -> bool:
    """Whether the page shows what this query opens. What it has not read yet, or does not use now, is no difference."""
    return all(to_text(read.cleaned.value) == query.get(key) for key, read in _own_reads().items() if read.is_used)


def _own_reads() -> dict[str, Read]:
    state = current_state()
    return {key: read for key, read in state.reads.items() if key not in state.framing and read.param.kind != "cell"}


def mark_unused(key: str) -> None:
    """Note that what the page shows now does not depend on this key."""
    reads = current_state().reads
    if key in reads:
        reads[key] = reads[key]._replace(is_used=False)


def mark_pythons(key: str) -> None:
    """Note that the site has no other values of this key."""
    reads = current_state().reads
    reads[key] = reads[key]._replace(is_pythons=True)


def left_out() -> dict[str, str]:
    """The open page's texts, by key, that are too long for any address."""
    return _query_and_left_out()[1]


def _query_and_left_out() -> tuple[dict[str, str], dict[str, str]]:
    state = current_state()
    defaults = {
        key: to_text(read.param.default)
        for key, read in (state.reads_before | state.reads).items()
        if not (read.param.kind == "cell" and read.cleaned.problem)  # a cell that the picture does not have is let go
    }
    texts = {key: text for key, text in state.texts.items() if key in defaults and text != defaults[key]}
    long = {key: text for key, text in texts.items() if len(quote_plus(text)) > URL_LONGEST}
    packed, too_long = packing.pack(tuple(long.items()))
    query = {key: text for key, text in texts.items() if key not in long}
    if packed:
        query[packing.KEY] = packed
    return query, {key: long[key] for key in too_long}


def to_text(value: Value) -> str:
    """A value as it stands in the address line: 12 and not 12.0, true and not True."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def mark_on_stage(key: str) -> None:
    """Note that the stage shows this control: a caption of the picture names no others."""
    state = current_state()
    if not state.is_below:
        state.on_stage.add(key)


def problems(lesson: Lesson) -> list[str]:
    """A sentence for each value that the page shows another one for. It calls the control as the lesson does."""
    state, words, labels = current_state(), load("shared"), lesson.entries("labels")
    sentences = []
    for param, given, cleaned, *_ in state.reads.values():
        if cleaned.problem:
            used = f"{cleaned.value:,.12g}" if param.kind in ("int", "float") else to_text(cleaned.value)
            used = "" if param.kind == "text" else lesson.choice(used) if param.kind == "choice" else used
            name = (lesson if param.key in labels else words).label(param.key)
            problem = "ignored" if cleaned.problem == "unknown" and not used else cleaned.problem
            facts = {"name": name, "given": printable(given), "used": used, "longest": param.longest}
            sentences.append(words.entry("problems", problem, facts))
    about_texts = {"cut": state.is_cut, "no_link": bool(left_out())}
    return [*sentences, *(words.entry("problems", problem) for problem, holds in about_texts.items() if holds)]

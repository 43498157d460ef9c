"""The address is the state: what a page shows stands in its query, under short keys that pages share.

    heads = address.number("heads", 8, low=1, high=128)     # read where it is used, bounded there
    address.write({"heads": 12, "rule": "code"})           # in a callback: one entry of the browser's history

Notable choices:
- A value that a page cannot show is answered with the nearest one that it can, and one sentence (`problems`). The address
  keeps what was asked for, so the page next door shows it.
- A page that is opened without a key takes the value that the reader gave on another page. Where Back leads to an address
  of the same page, a key that is missing there is at its default.
- How a page is framed (ui/controls/page_options.py) stands there too. Back does not change it on a page that stays open.
- Long texts are packed into one key; what does not fit there stays on the page until it is loaded again, and that is said.
- `write` tells the browser all keys at once. The run that follows takes those at their defaults out of the address line
  again, in place (components/address.js), so that Back leads to the step before. The browser later echoes our write: the
  echo is ignored, lest it undo a newer callback.
- Streamlit's browser does not see what is written in place. What the server must know of a page whose session it has
  forgotten therefore also stands in a field (`FIELD`), out of sight: what fields hold comes with every request.
- Streamlit's own binding of widgets is not used: every step of a drag becomes an entry of the browser's history, and a
  value that is infinite or out of range ends the run or is replaced without a word.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, quote_plus, urlencode

import streamlit as st

from alibi_viz.lessons import Lesson, joined, languages, load
from alibi_viz.pictures.message import pack
from alibi_viz.positions import METHODS, title_of
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


@dataclass(frozen=True)
class Read:
    """A key that the open page has read: how it is bounded, what the address says, what the page takes it for.

    is_used: what the page shows now depends on it. is_pythons: Python alone shows its other values. is_framing: it says how
    the page is framed. is_on_stage: its control stands on the stage: a caption of the picture names no others. is_gone: the
    last run has not read it. titles: what readers see of its choices, where its control has said so.
    """

    param: Param
    given: Value
    cleaned: Cleaned
    is_used: bool = True
    is_pythons: bool = False
    is_framing: bool = False
    is_on_stage: bool = False
    is_gone: bool = False
    titles: Mapping[str, str] = field(default_factory=dict)


@dataclass
class State:
    """What a session knows of its address. Values are texts by key, as the reader gave them."""

    page: str = ""  # the lesson that is open
    path: str = ""  # its address
    query: dict[str, str] = field(default_factory=dict)  # what the browser has named, or was told, last
    line: dict[str, str] = field(default_factory=dict)  # what the address line shows since the last run
    values: dict[str, str] = field(default_factory=dict)  # of the open page, and those that were given on others
    reads: dict[str, Read] = field(default_factory=dict)  # what this run has read of them
    reads_before: dict[str, Read] = field(default_factory=dict)  # and the runs of this page before it
    is_below: bool = False  # whether the run has come to the sections

    @property
    def all_reads(self) -> dict[str, Read]:
        """Of a run that was broken off too: a callback after it must not take for gone what it has not read."""
        return self.reads_before | self.reads


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
    if state.page != name:
        state.values = {**state.values, **_carried(), **_texts_of(query)}
        state.page, state.reads, state.reads_before = name, {}, {}
    elif query not in (state.query, state.line):  # else the reader went nowhere
        _reload(query)
    state.query, state.reads_before, state.reads, state.is_below = query, state.all_reads, {}, False
    for param in framing:
        read(param)
        mark(param.key, is_framing=True)


def _carried() -> dict[str, str]:
    """What the next page takes over of this one. A number that is out of its range alone is not lost: the next page may be
    able to show it."""
    state = current_state()
    for key in ("cell", packing.KEY):
        state.values.pop(key, None)
    return {
        key: to_text(read.given if read.cleaned.problem in ("too_small", "too_large") else read.cleaned.value)
        for key, read in state.all_reads.items()
        if key in state.values
    }


def close_page(*, presented: bool) -> None:
    """End a run: show the values in the address line, and tell the document whether it is presented. The entry point calls
    it last."""
    state = current_state()
    state.reads_before = {key: replace(read, is_gone=True) for key, read in state.reads_before.items()}
    state.line, too_long = _query_and_left_out()
    st.session_state[FIELD] = urlencode({**state.line, **too_long})
    data: dict[str, Any] = {"page": state.path, "query": urlencode(state.line), "presented": presented}
    data |= {"language": languages.tag()}
    data |= {"skip": load("shared").label("skip_main"), "upload": load("shared").label("upload")}
    # Bytes: of anything else Streamlit asks whether it is a table, and imports pandas for it.
    _LINE(key="address", data=pack(data), on_went_change=_go_back)
    st.text_input(FIELD, key=FIELD)


def _texts_of(query: Mapping[str, str]) -> dict[str, str]:
    """What an address says, by key; long texts that cannot be read as they stand there."""
    texts = dict(query)
    with suppress(ValueError, KeyError):
        texts = packing.unpack(query[packing.KEY]) | texts
        del texts[packing.KEY]
    return {key: RENAMED.get(key, {}).get(text, text) for key, text in texts.items()}


def _reload(query: Mapping[str, str]) -> None:
    """On a page that is open: what this address says counts from now on. It stays framed as it is."""
    state = current_state()
    own = [packing.KEY, *(key for key, read in state.all_reads.items() if not read.is_framing)]
    values = {key: text for key, text in state.values.items() if key not in own}
    framing = {key: text for key, text in values.items() if key in state.all_reads}
    state.values = values | left_out() | _texts_of(query) | framing


def _go_back() -> None:
    """Callback: the reader went back to an address while a run was on its way to another one."""
    search = st.session_state.get("address", {}).get("went")
    if isinstance(search, str) and len(search) <= LONGEST:
        _reload(dict(parse_qsl(search.removeprefix("?"), keep_blank_values=True)))


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
    return bool(read(Param(key, "flag", default, choices=("false", "true"))))


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
    state = current_state()
    given = state.values.get(param.key, param.default)
    now = Read(param, given, clean(param, given))
    before = state.reads.get(param.key, now)  # its marks hold
    state.reads[param.key] = replace(before, param=param, given=given, cleaned=now.cleaned)
    return now.cleaned.value


def value(param: Param) -> Any:
    """The value of a key by now, also where the page has not read it; before any page has, as the browser names it."""
    state = current_state()
    return in_query(param, state.values if state.page else st.query_params)


def query() -> dict[str, str]:
    """The texts of the address, by key."""
    return dict(current_state().values)


def write(values: Mapping[str, Value], *, is_step: bool = True) -> None:
    """Callback: set these keys. is_step: so that Back undoes it; what is typed is none."""
    state = current_state()
    defaults = {key: to_text(read.param.default) for key, read in state.all_reads.items()}
    texts = {key: to_text(value) for key, value in values.items()}
    state.values |= {key: text for key, text in texts.items() if key in state.values or text != defaults.get(key)}
    if is_step:
        st.query_params.from_dict(link_query())
        state.query = st.query_params.to_dict()


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
    reads = current_state().reads.items()
    return {key: read for key, read in reads if not read.is_framing and read.param.kind != "cell"}


def mark(key: str, **marks: Any) -> None:
    """Note something of a key that has been read (`Read`)."""
    reads = current_state().reads
    if key in reads:
        reads[key] = replace(reads[key], **marks)


def left_out() -> dict[str, str]:
    """The open page's texts, by key, that are too long for any address."""
    return _query_and_left_out()[1]


def _query_and_left_out() -> tuple[dict[str, str], dict[str, str]]:
    state = current_state()
    defaults = {
        key: to_text(read.param.default)
        for key, read in state.all_reads.items()
        if not (read.is_gone or read.cleaned.problem in ("not_a_cell", "outside"))  # such a cell is let go
    }
    texts = {key: text for key, text in state.values.items() if key in defaults and text != defaults[key]}
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


def worded(lesson: Lesson, read: Read, value: Value) -> str:
    """A value as its control shows it: choices by their titles."""
    kind, text = read.param.kind, to_text(value)
    if kind == "flag":
        return load("shared", lesson.language).label(text)
    if kind not in ("text", "choice", "choices"):
        return text
    names = text.split(",")
    if set(names) <= read.titles.keys():
        return joined(map(read.titles.__getitem__, names), language=lesson.language)
    if kind in ("text", "choices") and set(names) <= METHODS.keys():
        return joined((title_of(name, lesson.language) for name in names), language=lesson.language)
    return lesson.choice(text) if kind == "choice" else text


def mark_on_stage(key: str) -> None:
    """Note that the stage shows this control."""
    if not current_state().is_below:
        mark(key, is_on_stage=True)


def problems(lesson: Lesson) -> list[str]:
    """A sentence for each value that the page shows another one for. It calls the control as the lesson does."""
    state, words, labels = current_state(), load("shared"), lesson.entries("labels")
    sentences = []
    for read in state.reads.values():
        param, cleaned = read.param, read.cleaned
        if cleaned.problem:
            used = f"{cleaned.value:,.12g}" if param.kind in ("int", "float") else worded(lesson, read, cleaned.value)
            used = "" if param.kind == "text" else used
            name = (lesson if param.key in labels else words).label(param.key)
            problem = "ignored" if cleaned.problem == "unknown" and not used else cleaned.problem
            facts = {"name": name, "given": printable(read.given), "used": used, "longest": param.longest}
            sentences.append(words.entry("problems", problem, facts))
    about_texts = {"cut": packing.KEY in state.values, "no_link": bool(left_out())}
    return [*sentences, *(words.entry("problems", problem) for problem, holds in about_texts.items() if holds)]

"""The state of a page beside its address (ui/address.py): what all pages share, and what the page next door takes over.

Notable choices:
- How a page is framed (ui/controls/frame.py) stays from page to page: its truth is the session while a page is open. The
  address line is read when a page is entered, and written after every run.
- A number that is out of this page's range alone is not lost (`_ASKED`): it stays in the address line, and the next page
  that can show it does.
- Values are kept here too: two pages with the same parameter share it, and it is checked again against the range of the
  page that is entered.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, quote_plus

import streamlit as st

from alibi_viz.lessons import Lesson, load
from alibi_viz.typed import printable
from alibi_viz.ui.components import address
from alibi_viz.ui.controls import packing
from alibi_viz.ui.controls.params import Cleaned, Param, Value, clean

URL_LONGEST = 1_500  # characters in the address; a text that takes more is packed
_PAGE = "_page"  # the page that is open, and its parameters
READ = "_read"  # what a page whose state is the address (ui/address.py) has read of it: key -> address.Read
QUERY = "_query"  # key -> text: the address of such a page
CUT = "_cut"  # whether the address has long texts that cannot be read
SHOWN = "_shown"  # the query that the address line shows when a run has ended
_VALUES = "_values"  # key -> value, of all pages
_ASKED = "_asked"  # key -> (the value that stands in its place, the number that was asked for)
_SET_BY = "_set_by"  # key -> (value, the page that set it last)
_ON_STAGE = "_on_stage"  # those of them that stand on the stage, and not in a section below it
_BELOW = "_below"  # whether the run has come to the sections
_NOTES = "_notes"  # key -> (corrected value, sentence)


def open_page(name: str, params: Sequence[Param], lessons: Sequence[Lesson]) -> None:
    """Begin a run of a page. When it is entered, take the values of these parameters from the address line, or from
    earlier pages.

    lessons: whose labels name the parameters, in sentences about corrected values.
    """
    st.session_state.update({_ON_STAGE: set(), _BELOW: False, READ: {}})
    if st.session_state.get(_PAGE, (None, ()))[0] == name:
        return
    notes: dict[str, tuple[Value, str]] = st.session_state.setdefault(_NOTES, {})
    given, values = {key: st.query_params.get_all(key)[-1] for key in st.query_params}, _values()
    for param in params:
        raw: object = given.get(param.key, wanted(param.key, values.get(param.key, param.default)))
        cleaned = clean(param, raw)
        notes.pop(param.key, None)
        if cleaned.problem:
            lesson = next(lesson for lesson in lessons if param.key in lesson.entries("labels"))
            notes[param.key] = (cleaned.value, sentence(lesson, param, raw, cleaned))
        values[param.key] = st.session_state[param.key] = cleaned.value
    st.session_state[_PAGE] = (name, tuple(params))


def brought_from_elsewhere(param: Param) -> Value:
    """What the reader asked of this key on another page, whose own default is none; else this page's default."""
    was_set = param.key in st.session_state.get(_SET_BY, {})
    return wanted(param.key, _values().get(param.key, param.default)) if was_set else param.default


def remember(param: Param, raw: object, cleaned: Cleaned) -> None:
    """Keep what a page has read of the address, for the pages next door."""
    _values()[param.key] = cleaned.value
    _remember_number(param, raw, cleaned)


def _remember_number(param: Param, raw: object, cleaned: Cleaned) -> None:
    """Keep a number that is out of this page's range for the address line and the pages next door."""
    asked = st.session_state.setdefault(_ASKED, {})
    asked.pop(param.key, None)
    if cleaned.problem in ("too_small", "too_large") and math.isfinite(number := float(raw)):  # type: ignore[arg-type]
        asked[param.key] = (cleaned.value, param.cast(number))


def wanted(key: str, value: Value) -> Value:
    """What the reader asked for, where this value only stands in its place; else the value."""
    shown, asked = st.session_state.get(_ASKED, {}).get(key, (None, value))
    return asked if shown == value else value


def follow(named: Mapping[str, str], kept: Mapping[str, str]) -> None:
    """What this address says counts from now on, and these texts that none can hold."""
    try:
        texts = packing.unpack(named[packing.KEY]) if packing.KEY in named else {}
        st.session_state[CUT] = False
    except ValueError:
        texts, st.session_state[CUT] = {}, True
    short = {key: text for key, text in named.items() if key != packing.KEY}
    st.session_state[QUERY] = {**kept, **texts, **short}


def _go_back(search: str) -> None:
    follow(dict(parse_qsl(search.removeprefix("?"), keep_blank_values=True)), left_out())


def close_page(first: str = "") -> None:
    """End a run: keep the values, and show them in the address line. The entry point calls it last.

    first: the name that is a second address of the first page.
    """
    name, params, values = open_page_name(), open_params(), _values()
    read_here = st.session_state.get(READ, {})
    values.update({param.key: read(param) for param in params if param.key not in read_here})
    origins: dict[str, tuple[Value, str]] = st.session_state.setdefault(_SET_BY, {})
    for param in params:
        if param.key in values:
            value = wanted(param.key, values[param.key])
            if origins.get(param.key, (param.default, ""))[0] != value:
                origins[param.key] = (value, name)
    texts = [param for param in params if param.kind == "text"]  # that the tab has kept over a reload
    st.session_state[SHOWN] = shown = query()
    address.write(name, shown, left_out(), partial(_restore, texts), _go_back, first)


def _restore(params: Iterable[Param], reported: Mapping[str, object]) -> None:
    """Take those of these texts that the browser has kept."""
    texts = {param.key: str(clean(param, reported[param.key]).value) for param in params if param.key in reported}
    st.session_state[QUERY] = st.session_state.get(QUERY, {}) | texts


def open_page_name() -> str:
    """The address of the open page."""
    return str(st.session_state.get(_PAGE, ("", ()))[0])


def open_params() -> tuple[Param, ...]:
    """The open page's parameters."""
    read_here = (read.param for read in st.session_state.get(READ, {}).values())
    return (*read_here, *st.session_state.get(_PAGE, ("", ()))[1])


def use(param: Param) -> None:
    """Note that the stage shows this control."""
    if not st.session_state.get(_BELOW):
        st.session_state.setdefault(_ON_STAGE, set()).add(param.key)


def use_key(key: str) -> None:
    """The same, for a hand of the picture."""
    st.session_state.setdefault(_ON_STAGE, set()).add(key)


def end_of_stage() -> None:
    """The controls that follow belong to sections."""
    st.session_state[_BELOW] = True


def on_stage() -> list[Param]:
    """The open page's parameters that stand on its stage: a caption of the picture names no others."""
    return [param for param in open_params() if param.key in st.session_state.get(_ON_STAGE, ())]


def text(param: Param) -> str:
    """The value of a parameter as it stands in the address line."""
    return written(read(param))


def query() -> dict[str, str]:
    """The open page's values as the address line has them: those that are not at their defaults, long texts packed."""
    texts = _texts()
    long = _long(texts)
    packed, _ = packing.pack(long.items())
    return {key: text for key, text in texts.items() if key not in long} | ({packing.KEY: packed} if packed else {})


def _of_address() -> dict[str, str]:
    """What the address has to say of a page whose state it is: all that is not at its default. A cell that the picture
    does not have is let go."""
    now: dict[str, str] = st.session_state.get(QUERY, {})
    read_here = st.session_state.get(READ, {})
    defaults = {key: written(read.param.default) for key, read in read_here.items()}
    gone = {key for key, read in read_here.items() if read.param.kind == "cell" and read.cleaned.problem}
    return {key: text for key, text in now.items() if text != defaults.get(key, text) and key not in gone}


def left_out() -> dict[str, str]:
    """The open page's texts, by key, that are too long for any address."""
    long = _long(_texts())
    _, keys = packing.pack(long.items())
    return {key: long[key] for key in keys}


def _texts() -> dict[str, str]:
    """What an address has to say of the open page, by key."""
    params = st.session_state.get(_PAGE, ("", ()))[1]
    values = {param.key: wanted(param.key, _values().get(param.key, param.default)) for param in params}
    return {p.key: written(values[p.key]) for p in params if values[p.key] != p.default} | _of_address()


def _long(texts: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in texts.items() if len(quote_plus(text)) > URL_LONGEST}


def _values() -> dict[str, Value]:
    return st.session_state.setdefault(_VALUES, {})


def written(value: Value) -> str:
    """A value as it stands in the address line: 12 and not 12.0, true and not True."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def sentence(lesson: Lesson, param: Param, raw: object, cleaned: Cleaned) -> str:
    """What was changed, in one sentence that calls the control as the lesson does."""
    given = printable(raw[-1] if isinstance(raw, list) and raw else raw)
    used = "" if param.kind == "text" else written(cleaned.value)
    if param.kind in ("int", "float"):
        used = f"{cleaned.value:,.12g}"
    values: dict[str, object] = {"name": lesson.label(param.key), "longest": param.longest}
    problem = "ignored" if cleaned.problem == "unknown" and not used else cleaned.problem or "unknown"
    return load("words").entry("problems", problem, given=given, used=used, **values)


def notes(params: Sequence[Param]) -> list[str]:
    """The sentences that still hold: of controls whose value is still the corrected one."""
    corrected: dict[str, tuple[Value, str]] = st.session_state.get(_NOTES, {})
    keys = {param.key for param in params}
    return [text for key, (value, text) in corrected.items() if key in keys and st.session_state.get(key) == value]


def read(param: Param) -> Any:
    """The value of a parameter as it is now, checked: an int, float, str or bool, by the parameter's kind."""
    return clean(param, st.session_state.get(param.key, _values().get(param.key, param.default))).value


def assign(values: Mapping[str, Value]) -> None:
    """Callback: set how the page is framed."""
    _values().update(values)
    st.session_state.update(values)

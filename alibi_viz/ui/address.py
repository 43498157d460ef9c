"""The address is the state: what a page shows stands in its query, under short keys that pages share.

    heads = address.number("heads", 8, low=1, high=128)     # read where it is used, bounded there
    address.write({"heads": 12, "rule": "paper"})           # in a callback: one entry of the browser's history

Notable choices:
- A value that a page cannot show is answered with the nearest one that it can, and one sentence (`problems`). The address
  keeps what was asked for, so the page next door shows it.
- A page that is opened without a key takes the value that the reader gave on another page. Later runs of the same page
  read the address alone: a missing key is then the default, which is what Back needs.
- Long texts are packed into one key; what does not fit there is kept by the tab, and said.
- What was written in place (by components/address) comes back with the next change: it is no news, and a callback that
  has written since is not undone by it.
- `write` tells the browser all keys at once. The run that follows takes those at their defaults out of the address again,
  in place (components/address), and adds what came from other pages.
- Streamlit's own binding of widgets is not used beside it: it refuses to have its keys written together with others.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from alibi_viz.lessons import Lesson, load
from alibi_viz.ui.controls import state
from alibi_viz.ui.controls.params import Cleaned, Param, Value, clean

_NAMED = "_named"  # in the session: the query that the browser has named last
_ENTERED = "_entered"  # whether this run opens the page


class Read(NamedTuple):
    """A key that the open page has read: how it is bounded, what the address says, and what is shown."""

    param: Param
    asked: object
    cleaned: Cleaned


def open_page(name: str, lesson: Lesson, framing: Iterable[Param]) -> None:
    """Begin a run of the page at this address. framing: how it is presented, which all pages share."""
    session, named = st.session_state, st.query_params.to_dict()
    entered = state.open_page_name() != name or state.QUERY not in session
    ours = (
        session.get(_NAMED),
        session.get(state.SHOWN),
    )  # the address as the browser has named it last, or as we left it
    if entered or named not in ours:
        state.follow(named, {} if entered else state.left_out())
    session[_NAMED], session[_ENTERED] = named, entered
    state.open_page(name, tuple(framing), [load("words"), lesson])
    session[state.READ] = {}


def number(key: str, default: float, *, low: float, high: float, step: float = 1) -> Any:
    """A number from `low` to `high`; a whole one where the default is whole."""
    return read(Param(key, "int" if isinstance(default, int) else "float", default, low=low, high=high, step=step))


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


def cell(first: range, second: range, key: str = "cell") -> tuple[int, int] | None:
    """The cell that the reader has locked in the picture, if the picture has it. No other page takes it over."""
    param = Param(key, "cell", "")
    shown = str(read(param))
    if not shown:
        return None
    row, column = map(int, shown.split(","))
    if row in first and column in second:
        return row, column
    st.session_state[state.READ][key] = Read(param, shown, Cleaned("", "outside"))
    return None


def read(param: Param) -> Any:
    """The value of a key, bounded."""
    query: dict[str, str] = st.session_state[state.QUERY]
    if param.key not in query and st.session_state[_ENTERED] and param.kind != "cell":
        brought = state.brought_from_elsewhere(param)
        if brought != param.default:
            query[param.key] = state.written(brought)
    asked = query.get(param.key, param.default)
    cleaned = clean(param, asked)
    st.session_state[state.READ][param.key] = Read(param, asked, cleaned)
    state.remember(param, asked, cleaned)
    return cleaned.value


def holds(values: Mapping[str, Value]) -> bool:
    """Whether the page shows all of these values; it has read them before."""
    known: dict[str, Read] = st.session_state[state.READ]
    return all(key in known and known[key].cleaned.value == value for key, value in values.items())


def query() -> dict[str, str]:
    """The texts of the address, by key."""
    return dict(st.session_state.get(state.QUERY, {}))


def write(values: Mapping[str, Value], *, is_step: bool = True) -> None:
    """Callback: set these keys. is_step: so that Back undoes it; what is typed is none."""
    texts = {key: state.written(value) for key, value in values.items()}
    st.session_state[state.QUERY] = st.session_state.get(state.QUERY, {}) | texts
    if is_step:
        st.query_params.from_dict(state.query())
        st.session_state[_NAMED] = st.query_params.to_dict()


def problems(lesson: Lesson) -> list[str]:
    """A sentence for each value of the address that the page shows another one for."""
    known: dict[str, Read] = st.session_state.get(state.READ, {})
    words = load("words")
    sentences = [
        state.sentence(lesson if param.key in lesson.entries("labels") else words, param, asked, cleaned)
        for param, asked, cleaned in known.values()
        if cleaned.problem
    ]
    about_texts = {"cut": bool(st.session_state.get(state.CUT)), "no_link": bool(state.left_out())}
    return [*sentences, *(words.entry("problems", problem) for problem, holds in about_texts.items() if holds)]

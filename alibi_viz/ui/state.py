"""The state of a page: its parameters in the session, in the URL, and as a checked value.

Notable choices:
- Streamlit's own URL binding (`bind="query-params"`) keeps URL and widget in step. It answers a value that is out of
  range with the default, without a word; so `open_page` looks at the URL first, puts the nearest allowed value in, and
  keeps a sentence about it until the reader changes that control.
- Streamlit writes a value that code has set to the URL only for a widget that it has met before, so a corrected value is
  set once more in a second run (`settle`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.ui.params import Cleaned, Param, Value, clean, shown

_NOTES = "_notes"  # key -> (corrected value, sentence)
_AGAIN = "_set_again"  # corrected values that the URL does not hold yet


def open_page(params: Sequence[Param]) -> None:
    """Check what the URL, or another page, says of these parameters; correct it and remember a sentence."""
    again: dict[str, Value] = st.session_state.pop(_AGAIN, {})
    for key, value in again.items():
        st.session_state[key] = value
    for param in params:
        _check(param, already=param.key in again)


def _check(param: Param, already: bool) -> None:
    if param.key in st.session_state:
        raw: object = st.session_state[param.key]
    elif param.key in st.query_params:
        raw = st.query_params[param.key]
    else:
        return
    cleaned = clean(param, raw)
    if cleaned.problem and not already and param.kind != "text":
        st.session_state[param.key] = cleaned.value
        st.session_state.setdefault(_NOTES, {})[param.key] = (cleaned.value, sentence(param, raw, cleaned))
        st.session_state.setdefault(_AGAIN, {})[param.key] = cleaned.value


def sentence(param: Param, raw: object, cleaned: Cleaned) -> str:
    """What was changed, in one sentence."""
    words = load("words")
    return words.entry(
        "problems",
        cleaned.problem or "unknown",
        name=words.entry("names", param.key),
        given=shown(raw),
        used=shown(cleaned.value) if param.kind != "text" else "",
        longest=f"{param.longest:,}",
    )


def settle() -> None:
    """Run once more when a corrected value has not reached the URL yet. The entry point calls it last."""
    if st.session_state.get(_AGAIN):
        st.rerun()


def notes(params: Sequence[Param]) -> list[str]:
    """The sentences that still hold: of controls whose value is still the corrected one."""
    kept: dict[str, tuple[Value, str]] = st.session_state.get(_NOTES, {})
    keys = {param.key for param in params}
    return [text for key, (value, text) in kept.items() if key in keys and st.session_state.get(key) == value]


def read(param: Param) -> Value:
    """The checked value of a parameter as it is now."""
    return clean(param, st.session_state.get(param.key, param.default)).value


def fit(param: Param) -> None:
    """Bring a value that no longer fits, since its range follows another control, to the nearest end of the range."""
    if param.key in st.session_state:
        cleaned = clean(param, st.session_state[param.key])
        if cleaned.problem:
            st.session_state[param.key] = cleaned.value


def assign(values: Mapping[str, Value]) -> None:
    """Set controls; for the callbacks of “try this” buttons."""
    for key, value in values.items():
        st.session_state[key] = value

"""The cell that the reader has locked in the stage's picture: a parameter of every page, so that a link opens with it.

Notable choices:
- It is two whole numbers: query and key of a matrix; of curves, the number of the curve and x.
- It stays through a change of the controls as long as the picture still has it. No other page takes it over.
"""

from collections.abc import Sequence

import streamlit as st

from alibi_viz.ui.controls import rerun, state
from alibi_viz.ui.controls.params import Param

CELL = Param("cell", "cell", "")
_SEEN = "_cell_seen"  # the last one that a picture has had: only of another one is it news that it is outside


def within(first: range, second: range) -> tuple[int, int] | None:
    """The locked cell, if its numbers lie in these ranges. One that does not is let go, and the page says so."""
    text = str(state.read(CELL))
    if not text:
        return None
    one, two = map(int, text.split(","))
    if one in first and two in second:
        st.session_state[_SEEN] = text
        return one, two
    state.assign({CELL.key: ""})
    if st.session_state.get(_SEEN) != text:
        state.refuse(CELL, "outside", text)
    rerun.request()
    return None


def keep(numbers: Sequence[float] | None) -> None:
    """Callback of a picture: lock this cell; None for no cell any more."""
    state.assign({CELL.key: ",".join(str(int(number)) for number in numbers) if numbers else ""})
    rerun.request()

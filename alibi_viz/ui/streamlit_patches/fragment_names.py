"""Fragments of two pages are two, though both are called `stage`.

Without it: Streamlit tells fragments apart by module, name and place, and a page runs as the module `__main__`. What a
control of the page before still sends would run the next page's `stage` a second time.
Versions: 1.67.
Public ways tried: `st.fragment(key=)`. The key is a name for `st.rerun("name")` and does not tell fragments apart. A
function name for each page would do, but who adds a lesson would have to know that.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

Draw = TypeVar("Draw", bound=Callable[..., Any])


def fragment(draw: Draw) -> Draw:
    """A part of a page that can run alone, told apart by the file that it stands in."""
    draw.__module__ = draw.__code__.co_filename
    return st.fragment(draw)

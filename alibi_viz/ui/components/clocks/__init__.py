"""RoPE's clocks: one dial a pair of dimensions. The hands follow the drag slider inside the browser.

Notable choices:
- Python sends radians a token, not angles, so that the browser can turn the hands at once while a slider of the same
  channel moves; Python's own angles replace them when they arrive.
- The hidden sentence and the title of every dial say what a picture alone would hide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent
NAME = "alibi_viz_clocks"


def _mount() -> Callable[..., Any]:
    component: Callable[..., Any] = st.components.v2.component(
        NAME,
        js=(_HERE / "clocks.js").read_text(encoding="utf-8"),
        css=(_HERE / "clocks.css").read_text(encoding="utf-8"),
    )
    return component


_COMPONENT = _mount()


def clocks(
    turns: Sequence[float],
    *,
    key: str,
    position: int,
    full: Sequence[bool],
    names: Sequence[str],
    label: str,
    colour: str,
    channel: str | None = None,
) -> None:
    """Draw the dials.

    Args:
        turns: turns a token, one a pair.
        position: where the hands stand now.
        full: whether the pair makes a full turn within the training length; others are drawn faint.
        names: what a dial is called under the pointer; same length.
        label: the picture in a sentence, for screen readers.
        colour: of the hands.
        channel: of the drag slider that turns them.
    """
    _COMPONENT(
        key=key,
        data={
            "turns": [float(turn) for turn in turns],
            "position": int(position),
            "full": [bool(one) for one in full],
            "names": list(names),
            "label": label,
            "colour": colour,
            "channel": channel,
        },
    )

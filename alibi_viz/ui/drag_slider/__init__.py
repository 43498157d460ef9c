"""A slider that reports while it is dragged, with a bound number beside it.

Notable choices:

- The number input is the truth: bound to the URL under `key`, typed or stepped by keyboard. The slider is a component
  under f"{key}-drag" whose callback writes that number, clamped and put on the grid of steps in Python.
- While dragged, every move goes to the matrix views of the same `channel` inside the browser at once, and to Python with
  one request in flight, the newest value next. The sequence number in `data` is the echo; a lost one is freed in time.
- The component's state is called "report": under the name "value" Streamlit looks into the record, and calls back only when
  the "value" in it has changed; letting go after a rest then went unheard.
- A logarithmic slider moves evenly in log2; its values stand on the same grid of steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import streamlit as st

__all__ = ["clamp", "drag_slider"]

_HERE = Path(__file__).parent
NAME = "alibi_viz_drag_slider"


def _mount() -> Callable[..., Any]:
    component: Callable[..., Any] = st.components.v2.component(
        NAME,
        js=(_HERE / "slider.js").read_text(encoding="utf-8"),
        css=(_HERE / "slider.css").read_text(encoding="utf-8"),
    )
    return component


_COMPONENT = _mount()


def decimals(step: float) -> int:
    """Decimal places of a step: 0.05 has 2, 1 has none."""
    exponent = Decimal(repr(step)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def clamp(value: object, low: float, high: float, step: float) -> float | None:
    """The allowed value nearest to what the browser said, or None when that is no finite number.

    Allowed are low, low + step, low + 2·step … and high. slider.js does the same arithmetic, so that the value the
    browser previews is the value Python computes with.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    if value >= high:
        return high
    on_grid = low + math.floor((value - low) / step + 0.5) * step
    return min(high, max(low, round(on_grid, max(decimals(step), decimals(low)))))


def _check(low: float, high: float, step: float, default: float, scale: str) -> None:
    if not all(math.isfinite(number) for number in (low, high, step, default)):
        raise ValueError("low, high, step and default must be finite")
    if low >= high or step <= 0:
        raise ValueError(f"a slider needs low < high and a positive step, not {low}, {high}, {step}")
    if not low <= default <= high:
        raise ValueError(f"the default {default} is not between {low} and {high}")
    if scale not in ("linear", "log2"):
        raise ValueError(f"unknown scale {scale!r}")
    if scale == "log2" and low <= 0:
        raise ValueError(f"a logarithmic slider needs a positive low, not {low}")


def drag_slider(
    label: str,
    *,
    key: str,
    low: float,
    high: float,
    step: float,
    default: float,
    scale: Literal["linear", "log2"] = "linear",
    channel: str | None = None,
    help: str | None = None,
    integer: bool = False,
    format: str | None = None,
    ticks: Sequence[float] | None = None,
    words: Mapping[str, str] | None = None,
    bind: Literal["query-params"] | None = "query-params",
    on_release: Callable[[], None] | None = None,
) -> float | int:
    """Draw the slider and its number; returns the value, always finite and between `low` and `high`.

    `ticks` are values marked under the track, `bind` None keeps the value out of the URL, and `words` may translate
    "help" (the name of the help button).
    """
    _check(low, high, step, default, scale)
    cast: type[int] | type[float] = int if integer else float
    if key in st.session_state:  # a page may have changed the range since the value was set
        current = clamp(st.session_state[key], low, high, step)
        allowed = default if current is None else st.session_state[key]
        st.session_state[key] = cast(min(high, max(low, allowed)))

    component_key = f"{key}-drag"

    def follow() -> None:
        told = st.session_state.get(component_key, {}).get("report")
        value = clamp(told.get("value"), low, high, step) if isinstance(told, dict) else None
        if value is not None:
            st.session_state[key] = cast(value)
        if on_release and isinstance(told, dict) and told.get("released") is True:
            on_release()

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        slider = st.container(width="stretch")
        with st.container(width=136):
            value = st.number_input(
                label,
                min_value=cast(low),
                max_value=cast(high),
                step=cast(step),
                value=cast(default),
                format=format,
                key=key,
                bind=bind,
                on_change=on_release,
                label_visibility="collapsed",
            )
    told = st.session_state.get(component_key, {}).get("report")
    sequence = told.get("sequence") if isinstance(told, dict) else None
    with slider:
        _COMPONENT(
            key=component_key,
            data={
                "label": label,
                "value": value,
                "low": low,
                "high": high,
                "step": step,
                "places": max(decimals(step), decimals(low)),
                "scale": scale,
                "channel": channel,
                "help": help,
                "helpWord": (words or {}).get("help", "Help"),
                "ticks": [tick for tick in ticks or () if low <= tick <= high],
                "sequence": sequence if isinstance(sequence, int) else 0,
            },
            on_report_change=follow,
        )
    return cast(value)

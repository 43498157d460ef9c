"""A slider that reports while it is dragged, with an exact number beside it.

Notable choices:
- The number input under the parameter's key is the truth: typed or stepped by keyboard. The slider is a component under
  f"{key}-drag" whose callback writes that number, clamped and put on the grid of steps in Python.
- While dragged, every move goes to the pictures of the same `channel` inside the browser at once. Python hears it when the
  hand rests or lets go, with one request in flight, the newest value next. Requests are counted: the number of the last
  one comes back to the slider, and in the message of each picture that follows it. One that is lost is freed in time.
- A report that no session has echoed (the connection was lost) is sent again when the page has a new session. By itself
  Streamlit would not tell: a new session takes what the browser holds for what has long been reported.
- The component's state is called "report": under the name "value" Streamlit looks into the record, and calls back only
  when the "value" in it has changed; letting go after a rest then fired no callback.
- A logarithmic slider moves evenly in log2; its values stand on the same grid of steps.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.pictures.message import Follow
from alibi_viz.ui.components.mount import mount
from alibi_viz.ui.controls.params import Param

_HERE = Path(__file__).parent
_COMPONENT = mount("drag_slider", _HERE / "slider.js", _HERE / "slider.css")
NUMBER = 128  # pixels: wide enough for 1,048,576 and its two buttons
_SESSION = "_drag_session"  # a name by which the browser knows a new session from the one before

F = TypeVar("F", bound=Follow)


def answered(follows: Sequence[F]) -> list[F]:
    """The sliders that a picture follows, each with the number of its last report."""
    return [replace(follow, sequence=_sequence(follow.channel)) for follow in follows]


def _sequence(channel: str) -> int:
    return int(st.session_state.get(f"{channel}-sequence", 0))


def _decimals(*numbers: float) -> int:
    """Decimal places that these numbers need: 0.05 needs 2, 1 none."""
    exponents = (Decimal(repr(number)).normalize().as_tuple().exponent for number in numbers)
    return max(0, *(-exponent for exponent in exponents if isinstance(exponent, int)))


def clamp(value: object, low: float, high: float, step: float) -> float | None:
    """The allowed value nearest to what the browser sent, or None when that is no finite number.

    Allowed are low, low + step, low + 2·step … and high. slider.js does the same arithmetic, so that the value the
    browser previews is the value Python computes with.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    if value >= high:
        return high
    on_grid = low + math.floor((value - low) / step + 0.5) * step
    return min(high, max(low, round(on_grid, _decimals(low, step))))


def drag_slider(
    param: Param,
    *,
    label: str,
    help: str | None = None,
    key: str | None = None,
    channel: str | None = None,
    disabled: bool = False,
    on_release: Callable[[], None] | None = None,
) -> Any:
    """Draw the slider and its number; returns the value, always finite and between the parameter's ends.

    The ends must be finite, the lower one of a logarithmic slider positive (else ValueError). Matrix views of the same
    `channel` preview the value while it is dragged. on_release: called when the hand lets go, and when a number is typed.
    """
    key, log = key or param.key, param.widget == "log_drag"
    low, high, step = map(param.cast, (param.low, param.high, param.step))
    if log and low <= 0:
        raise ValueError(f"A logarithmic slider needs a positive low, not {low}.")
    component_key, counted = f"{key}-drag", channel or key

    def report() -> dict[str, Any]:
        state = st.session_state.get(component_key, {}).get("report")
        return state if isinstance(state, dict) else {}

    def follow() -> None:
        value, sequence = clamp(report().get("value"), low, high, step), report().get("sequence")
        if isinstance(sequence, int):
            st.session_state[f"{counted}-sequence"] = sequence
        if value is not None and not disabled:
            st.session_state[key] = param.cast(value)
        if on_release and report().get("released") is True:
            on_release()

    with st.container(key=f"{key}-slider", gap=None):  # style.css puts the number beside the label
        slider = st.container()
        look: dict[str, Any] = {"label_visibility": "collapsed", "disabled": disabled, "help": help, "width": NUMBER}
        typed = st.number_input(label, key=key, on_change=on_release, **look, **param.field(param.default))
    value, help_title = param.cast(typed), load("words").entry("drag_slider", "help", name=label)
    data = {"label": label, "value": value, "low": low, "high": high, "step": step, "log": log, "channel": channel}
    data |= {"places": _decimals(low, step), "sequence": _sequence(counted)}
    data |= {"help": help, "helpTitle": help_title, "disabled": disabled}
    data["session"] = st.session_state.setdefault(_SESSION, token_hex(4))
    with slider:
        _COMPONENT(key=component_key, data=data, on_report_change=follow)
    return value

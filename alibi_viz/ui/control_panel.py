"""The controls of a lesson. Each is declared once, where the page reads its value.

    text, controls = lesson.begin("bias")
    n = controls.slider("n", 128, low=1, high=1024, log=True)
    after = controls.switch("after")
    matrices(Message("bias", controls.hands(PRESETS), parts, sentence))  # the row of hands on top of a picture
    controls.row(PRESETS)                                                # or on top of a chart

Notable choices:
- A control is a call and not a field of a class: of thirteen lessons nine have a bound that another control sets, titles in
  the reader's language, or a default that is a sentence. The typed value of a lesson is the dataclass that its study takes.
- What a control is called stands in the lesson's table `labels`, its help in `help`, and its options in `choices`.
- A preset sets everything back to the defaults but what it names, and texts of the reader. Where a page clears `defaults`,
  its presets leave what they do not name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

import streamlit as st

from alibi_viz.content.words import words
from alibi_viz.lessons import Lesson, load, problems
from alibi_viz.lessons.problems import Problem
from alibi_viz.pictures.hands.message import Choice, Hands, Line, Preset, Row, Slider, Switch, Value
from alibi_viz.ui import address
from alibi_viz.ui.components import hands as pictures

Control = Slider | Choice | Switch | Line
Presets = dict[str, dict[str, Value]]  # names of the lesson's table `try` -> what each changes of the defaults
Uses = Mapping[str, Sequence[Value]]  # keys of other controls -> their values
Option = TypeVar("Option", str, int)
Number = TypeVar("Number", int, float)


class ControlPanel:
    """Reads controls from the address. `look` is what else their dataclasses take (pictures/hands/message.py),
    and `python`: the site has no other values of it, since they are not shipped or are the reader's own.

    values: what the controls say, by key; also what is moved in the picture itself. defaults: of what presets set back.
    """

    def __init__(self, text: Lesson) -> None:
        self.text = text
        self.values: dict[str, Value] = {}
        self.defaults: dict[str, Value] = {}
        self._controls: dict[str, Control] = {}
        self._texts: dict[str, list[str]] = {}  # by key: what a line may say, the example first
        self._uses: dict[str, Uses] = {}  # by key: with which values of other controls what is shown depends on it

    # Declare a control, and read it.

    def slider(
        self, key: str, default: Number, *, low: Number, high: Number, step: float = 1, within: str = "", **look: Any
    ) -> Number:
        """A number; a whole one where the default is whole. within: the key of the control whose value is the end."""
        end = self.values[within] if within else high
        value: Number = self.moved(key, default, low=low, high=float(end))
        self.add(Slider(key, low=low, high=high, step=step, within=within, **self._look(key, look)), value)
        return value

    def moved(self, key: str, default: Any, *, low: float, high: float, used_when: Uses | None = None) -> Any:
        """A number that is moved in the picture itself. used_when: the values of others with which the picture uses it."""
        self.defaults[key] = default
        self.values[key] = value = address.number(key, min(default, type(default)(high)), low=low, high=high)
        self._note_use(key, used_when)
        return value

    def switch(self, key: str, default: bool = False, **look: Any) -> bool:
        self.defaults[key] = default
        value = address.flag(key, default)
        self.add(Switch(key, **self._look(key, look)), value)
        return value

    def choice(
        self, key: str, options: Iterable[Option] | Mapping[Option, str], default: Option, **look: Any
    ) -> Option:
        """One of a few. options: where what the reader sees does not stand in `choices`, it stands with them."""
        by_text = {str(option): option for option in options}
        self.defaults[key] = str(default)
        chosen = address.choice(key, str(default), by_text)
        self.add(Choice(key, options=self._titles(options), **self._look(key, look)), chosen)
        return by_text[chosen]

    def multi_choice(self, key: str, titles: Mapping[str, str], default: Iterable[str], **look: Any) -> tuple[str, ...]:
        """Any of a few words; where none is chosen, those of the default. titles: what the reader sees."""
        self.defaults[key] = ",".join(default)
        chosen = address.choices(key, ",".join(default), titles) or tuple(default)
        options = list(titles.items())
        self.add(Choice(key, options=options, kind="multi_choice", **self._look(key, look)), ",".join(chosen))
        return chosen

    def line(self, key: str, default: str, *, longest: int, **look: Any) -> str:
        """A text of the reader. With at least one word and no `refusal` of its own, an empty one is refused."""
        if "least" in look:
            look = {"refusal": problems.say(Problem("texts.empty")), **look}
        value = address.text(key, default, longest)
        self._texts[key] = [default, value]
        self.add(Line(key, longest=longest, **self._look(key, look)), value)
        return value

    def add(self, control: Control, value: Value) -> None:
        """Any other control, with what it says."""
        self._controls[control.key] = control
        self.values[control.key] = value
        address.mark(control.key, titles=dict(getattr(control, "options", ())))
        if not isinstance(control, Line):  # a text is shown where it cannot be typed
            self._note_use(control.key, control.visible_when)

    def cell(self, rows: range, cols: range) -> tuple[int, int] | None:
        """The locked cell of the picture."""
        cell = address.cell(rows, cols)
        self.values["cell"] = ",".join(map(str, cell or ()))
        return cell

    def _titles(self, options: Iterable[Any]) -> list[tuple[str, str]]:
        if isinstance(options, Mapping):
            return [(str(option), title) for option, title in options.items()]
        return [(str(option), self.text.choice(str(option))) for option in options]

    def _look(self, key: str, look: dict[str, Any]) -> dict[str, Any]:
        helps = self.text.entries("help") if "help" in self.text else {}
        if look.pop("python", False):
            address.mark(key, is_pythons=True)
        return {"label": self.text.label(key), "help": helps.get(key, ""), **look}

    # Draw them.

    def hands(
        self, presets: Presets | None = None, only: Iterable[str] = (), states: Sequence[str] | None = None
    ) -> Hands:
        """The row on top of a picture. only: the keys of the controls in sight, in their order; none: all of them. states:
        those of which the site has other values."""
        buttons = [
            Preset(self.text.entry("try", name), {**self.defaults, **values})
            for name, values in (presets or {}).items()
        ]
        shown = [self._controls[key] for key in only or self._controls]
        cuts = {
            text: cut(text)
            for hand in shown
            if isinstance(hand, Line) and hand.least
            for text in (*self._texts[hand.key], *(str(button.values.get(hand.key, "")) for button in buttons))
        }
        more = load("shared").label("more")
        return Hands(shown, self.values, buttons, more, states=states, cuts=cuts)

    def row(self, presets: Presets | None = None) -> None:
        """The row on top of a chart, which Python alone draws: the site has other values of what is chosen."""
        hands = self.hands(presets, [key for key, control in self._controls.items() if not _is_fixed(control)])
        states = [hand.key for hand in hands.hands if not isinstance(hand, Slider | Line)]
        pictures.row(Row(f"row_{next(iter(self._controls))}", replace(hands, states=states)))

    def _note_use(self, key: str, used_when: Uses | None) -> None:
        """Tell the address which controls have no effect now, as far as the others are known."""
        self._uses[key] = used_when or {}
        for key, uses in self._uses.items():
            if any(self.values.get(other, *values[:1]) not in values for other, values in uses.items()):
                address.mark(key, is_used=False)


@lru_cache(maxsize=64)
def cut(text: str) -> tuple[str, ...]:
    """Its words."""
    return tuple(words(text))


def _is_fixed(control: Control) -> bool:
    """Whether there is one value alone."""
    return isinstance(control, Slider) and control.low == control.high


def long_text(text: Lesson, key: str, default: str, *, longest: int) -> str:
    """A text of several lines, in a field of Streamlit's."""
    value, widget = address.text(key, default, longest), f"widget_{key}"
    address.mark_on_stage(key)
    st.session_state[widget] = value  # the address is the truth
    st.text_area(text.label(key), key=widget, height=110, on_change=_set, args=(key, widget))
    return value


def _set(key: str, widget: str) -> None:
    """Callback. Back does not undo what is typed."""
    address.write({key: st.session_state[widget]}, is_step=False)

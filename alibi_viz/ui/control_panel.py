"""The controls of a lesson. Each is declared once, where the page reads its value.

    controls = ControlPanel(text)
    n = controls.slider("n", 128, low=1, high=1024, log=True)
    after = controls.switch("after")
    matrices(Message("bias", controls.hands(PRESETS), parts, sentence))       # the row of hands on top of a picture
    controls.widgets()                                                       # or Streamlit's widgets beside a chart

Notable choices:
- A control is a call and not a field of a class: of thirteen lessons nine have a bound that another control sets, titles in
  the reader's language, or a default that is a sentence. The typed value of a lesson is the dataclass that its study takes.
- What a control is called stands in the lesson's table `labels`, its help in `help`, and its options in `choices`.
- A preset sets everything back to the defaults but what it names, and texts of the reader.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, log2
from typing import Any, TypeVar, overload

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.pictures.hands.message import Choice, Hands, Line, MultiChoice, Pick, Preset, Slider, Switch, Value
from alibi_viz.ui import address
from alibi_viz.ui.controls import page_options

Control = Slider | Choice | Switch | Pick | MultiChoice | Line
Presets = Mapping[str, Mapping[str, Value]]  # names of the lesson's table `try` -> what each changes of the defaults
Uses = Mapping[str, Sequence[Value]]  # keys of other controls -> their values
Option = TypeVar("Option", str, int)
PRESETS = "_presets"  # in the session: the buttons of the page with widgets, by key -> what each sets
STOPS = 4  # of a logarithmic slider, from a number to its double
FEW = 4  # choices that stand side by side


@dataclass(frozen=True)
class Area(Line):
    """A text of several lines; a picture has none."""


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
        self._uses: dict[str, Uses] = {}  # by key: with which values of other controls what is shown depends on it

    # Declare a control, and read it.

    @overload
    def slider(
        self, key: str, default: int, *, low: int, high: int, step: int = 1, within: str = "", **look: Any
    ) -> int: ...

    @overload
    def slider(
        self, key: str, default: float, *, low: float, high: float, step: float = 1, within: str = "", **look: Any
    ) -> float: ...

    def slider(
        self, key: str, default: float, *, low: float, high: float, step: float = 1, within: str = "", **look: Any
    ) -> float:
        """A number; a whole one where the default is whole. within: the key of the control whose value is the end."""
        end = self.values[within] if within else high
        value: float = self.moved(key, default, low=low, high=float(end))
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
        self,
        key: str,
        options: Iterable[Option] | Mapping[Option, str],
        default: Option,
        kind: type[Choice | Pick] = Choice,
        **look: Any,
    ) -> Option:
        """One of a few. options: where what the reader sees does not stand in `choices`, it stands with them."""
        by_text = {str(option): option for option in options}
        self.defaults[key] = str(default)
        chosen = address.choice(key, str(default), by_text)
        self.add(kind(key, options=self._titles(options), **self._look(key, look)), chosen)
        return by_text[chosen]

    def multi_choice(self, key: str, titles: Mapping[str, str], default: Iterable[str], **look: Any) -> tuple[str, ...]:
        """Any of a few words; where none is chosen, those of the default. titles: what the reader sees."""
        self.defaults[key] = ",".join(default)
        chosen = address.choices(key, ",".join(default), titles) or tuple(default)
        self.add(MultiChoice(key, options=list(titles.items()), **self._look(key, look)), ",".join(chosen))
        return chosen

    def line(self, key: str, default: str, *, longest: int, kind: type[Line] = Line, **look: Any) -> str:
        """A text of the reader."""
        value = address.text(key, default, longest)
        self.add(kind(key, longest=longest, **self._look(key, look)), value)
        return value

    def add(self, control: Control, value: Value) -> None:
        """Any other control, with what it says."""
        self._controls[control.key] = control
        self.values[control.key] = value
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
            address.mark_pythons(key)
        return {"label": self.text.label(key), "help": helps.get(key, ""), **look}

    # Draw them.

    def hands(
        self, presets: Presets | None = None, only: Iterable[str] = (), states: Sequence[str] | None = None
    ) -> Hands:
        """The row on top of a picture. only: the keys of the controls in sight, in their order; none: all of them. states:
        those of which the site has other values."""
        buttons = [Preset(self.text.entry("try", name), values) for name, values in self._presets(presets).items()]
        more = self.text.entries("labels").get("more", "")
        return Hands([self._controls[key] for key in only or self._controls], self.values, buttons, more, states=states)

    def widgets(self, *, shown: bool = True) -> None:
        """Streamlit's widgets, of all controls that have been declared and not yet drawn. shown: whether their place is
        open; what is closed is not built."""
        for key, control in self._controls.items():
            if shown:
                _draw(control, self.values[key])
            else:
                address.mark_on_stage(key)
        self._controls = {}

    def _note_use(self, key: str, used_when: Uses | None) -> None:
        """Tell the address which controls have no effect now, as far as the others are known."""
        self._uses[key] = used_when or {}
        for key, uses in self._uses.items():
            if any(self.values.get(other, *values[:1]) not in values for other, values in uses.items()):
                address.mark_unused(key)

    def presets(self, presets: Presets) -> None:
        """Buttons for the widgets; the one whose values are shown is marked."""
        buttons = {f"try_{self.text.name}_{name}": values for name, values in self._presets(presets).items()}
        st.session_state[PRESETS] = buttons
        with st.container(key="stage_presets", horizontal=True):
            for number, (name, (key, values)) in enumerate(zip(presets, buttons.items(), strict=True), start=1):
                look: dict[str, Any] = {"type": "primary" if address.holds(values) else "secondary"}
                look["shortcut"] = str(number) if page_options.presenting() else None  # presented, a number is its key
                st.button(self.text.entry("try", name), key=key, on_click=address.write, args=(values,), **look)

    def _presets(self, presets: Presets | None) -> dict[str, dict[str, Value]]:
        return {name: {**self.defaults, **values} for name, values in (presets or {}).items()}


def _draw(control: Control, value: Value) -> None:
    """A widget of Streamlit's whose value is that of the address; none where there is one value alone."""
    shown: Value | list[str] = value
    options: dict[str, Any] = {}
    draw: Callable[..., object]
    match control:
        case Slider(low=low, high=high) if low == high:
            return
        case Slider(typed=True):
            # All are floats: of “1e6” Streamlit's field for whole numbers reads the 1 alone.
            draw, shown = st.number_input, float(value)
            options = {"min_value": float(control.low), "max_value": float(control.high)}
            options |= {"step": float(control.step), "format": "%.0f"}
        case Slider(log=True):
            stops = range(floor(STOPS * log2(control.high / control.low)) + 1)
            numbers = {round(control.low * 2 ** (stop / STOPS)) for stop in stops} | {int(control.high), int(value)}
            draw, options = st.select_slider, {"options": sorted(numbers), "format_func": "{:,}".format}
        case Slider():
            draw, options = st.slider, {"min_value": control.low, "max_value": control.high, "step": control.step}
        case Choice() | Pick():
            titles = dict(control.options)
            options = {"options": list(titles), "format_func": lambda name: titles.get(name, name)}
            if isinstance(control, Pick) or len(titles) > FEW:
                draw = st.selectbox
            else:
                draw, options = st.segmented_control, options | {"required": True}
        case MultiChoice():
            titles = dict(control.options)
            draw, shown = st.pills, str(value).split(",")
            options = {"options": titles, "format_func": titles.__getitem__, "selection_mode": "multi"}
        case Area():
            draw, options = st.text_area, {"height": 110}
        case Line():
            draw = st.text_input
        case Switch():
            draw = st.toggle
    address.mark_on_stage(control.key)
    widget, is_typed = f"widget_{control.key}", isinstance(control, Line)
    st.session_state[widget] = shown
    about = control.help or None
    draw(control.label, key=widget, help=about, on_change=_set, args=(control.key, widget, is_typed), **options)


def _set(key: str, widget: str, is_typed: bool) -> None:
    """Callback. Back does not undo what is typed. What is moved while a run takes its control away has no value."""
    if widget not in st.session_state:
        return
    value = st.session_state[widget]
    address.write({key: ",".join(value) if isinstance(value, list) else value}, is_step=not is_typed)

"""The row of hands on top of a picture: each is written once, where a page reads its value.

    row = Row(text)
    n = row.slider("n", 128, low=1, high=1024, log=True)
    after = row.switch("after")
    matrices(Message("bias", row.hands(PRESET_VALUES), parts, sentence))

What a hand is called stands in the lesson's table `labels`, its help in `help`, what its options are called in `choices`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from alibi_viz.lessons import Lesson
from alibi_viz.pictures.hands.message import Choice, Hands, Line, MultiChoice, Pick, Preset, Slider, Switch, Value
from alibi_viz.ui import address


class PictureControls:
    """Reads hands from the address. `look` is what else their dataclasses take (pictures/hands/message.py).

    values: what they say, by key; also what is moved in the picture itself. defaults: of those that presets set back.
    """

    def __init__(self, text: Lesson) -> None:
        self.text = text
        self.values: dict[str, Value] = {}
        self.defaults: dict[str, Value] = {}
        self._hands: dict[str, Slider | Choice | Switch | Pick | MultiChoice | Line] = {}

    def slider(self, key: str, default: float, *, low: float, high: float, step: float = 1, **look: Any) -> Any:
        """A number; a whole one where the default is whole."""
        end = self.values[look["within"]] if "within" in look else high
        value = self.number(key, default, low=low, high=end)
        return self.add(Slider(key, low=low, high=high, step=step, **self._look(key, look)), value)

    def number(self, key: str, default: float, *, low: float, high: Any) -> Any:
        """A number without a hand."""
        self.defaults[key] = default
        self.values[key] = value = address.number(key, min(default, high), low=low, high=high)
        return value

    def switch(self, key: str, default: bool = False, **look: Any) -> Any:
        self.defaults[key] = default
        return self.add(Switch(key, **self._look(key, look)), address.flag(key, default))

    def choice(
        self, key: str, options: Iterable[str], default: str, kind: type[Choice | Pick] = Choice, **look: Any
    ) -> Any:
        """One of a few words. options: where what the reader sees does not stand in `choices`, it stands with them."""
        self.defaults[key] = default
        titles = options if isinstance(options, Mapping) else {name: self.text.choice(name) for name in options}
        value = address.choice(key, default, titles)
        return self.add(kind(key, options=list(titles.items()), **self._look(key, look)), value)

    def line(self, key: str, default: str, *, longest: int, **look: Any) -> Any:
        """A text of the reader. A preset that names none leaves it as it is."""
        value = address.text(key, default, longest)
        return self.add(Line(key, longest=longest, **self._look(key, look)), value)

    def multi_choice(self, key: str, titles: Mapping[str, str], default: Iterable[str], **look: Any) -> tuple[str, ...]:
        """Any of a few words; where none is asked for, those of the default. titles: what the reader sees."""
        self.defaults[key] = ",".join(default)
        chosen = address.choices(key, ",".join(default), titles) or tuple(default)
        self.add(MultiChoice(key, options=list(titles.items()), **self._look(key, look)), ",".join(chosen))
        return chosen

    def add(self, hand: Slider | Choice | Switch | Pick | MultiChoice | Line, value: Value) -> Any:
        """Any other hand, with what it says."""
        self._hands[hand.key] = hand
        self.values[hand.key] = value
        return value

    def cell(self, rows: range, cols: range) -> tuple[int, int] | None:
        """The locked cell of the picture."""
        cell = address.cell(rows, cols)
        self.values["cell"] = ",".join(map(str, cell or ()))
        return cell

    def hands(self, presets: Mapping[str, Mapping[str, Value]] | None = None, only: Iterable[str] = ()) -> Hands:
        """The row. presets: what each of the lesson's table `try` sets beside the defaults. only: the keys of the hands
        that are in sight, in their order; none: all of them."""
        buttons = [
            Preset(self.text.entry("try", name), {**self.defaults, **values})
            for name, values in (presets or {}).items()
        ]
        more = self.text.entries("labels").get("more", "")
        return Hands([self._hands[key] for key in only or self._hands], self.values, buttons, more)

    def _look(self, key: str, look: Mapping[str, Any]) -> dict[str, Any]:
        helps = self.text.entries("help") if "help" in self.text else {}
        return {"label": self.text.label(key), "help": helps.get(key, ""), **look}

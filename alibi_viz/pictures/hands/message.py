"""The hands of a picture or a chart: the controls in the row on top of it, and the presets under them.

Notable choices:
- A picture draws by itself what its hands say. It reports when a hand lets go, and Python answers with numbers of PyTorch
  and the values that they belong to. An answer names the last report that Python acknowledged. Until that is the
  newest report, the answer is not drawn, and a lost report is sent again (hands.js).
- Values are numbers and texts by the key that they have in the address.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Value = float | str | bool


@dataclass(frozen=True)
class Hand:
    """What all hands have.

    where: other hands' keys, and the values of theirs for which this one is shown. further: it stands behind “More”.
    """

    key: str
    label: str
    help: str = ""
    visible_when: Mapping[str, Sequence[Value]] | None = None
    advanced: bool = False


@dataclass(frozen=True)
class Slider(Hand):
    """A number that is dragged, or typed beside the slider.

    log: equal ways are equal ratios. within: the key of another hand, whose value is the end of this one's range.
    """

    low: float = 0.0
    high: float = 1.0
    step: float = 1.0
    log: bool = False
    within: str = ""
    typed: bool = False  # the field alone
    kind: Literal["slider"] = "slider"


@dataclass(frozen=True)
class Choice(Hand):
    """One of a few words, side by side, or of many, in a list ("pick"); or any of them, at least one, their values with
    commas between. sets: what a choice from a list sets beside itself, by its value.
    """

    options: Sequence[tuple[str, str]] = ()  # the value, and what the reader sees
    sets: Mapping[str, Mapping[str, Value]] | None = None
    kind: Literal["choice", "pick", "multi_choice"] = "choice"


@dataclass(frozen=True)
class Switch(Hand):
    """On or off."""

    kind: Literal["switch"] = "switch"


@dataclass(frozen=True)
class Line(Hand):
    """One line of text.

    least, most: a text with fewer or more words is refused, with a sentence; of one with more than `shown` the first are.
    """

    longest: int = 20_000
    least: int = 0
    most: int = 20_000
    shown: int = 20_000
    refusal: str = ""
    kind: Literal["line"] = "line"


@dataclass(frozen=True)
class Preset:
    """A button that sets several hands at once."""

    label: str
    values: Mapping[str, Value]


@dataclass(frozen=True)
class Hands:
    """The row: its hands, what they say now, and the presets under it.

    answered: the keys of values that a browser answers without a server, as the picture's message says. states: hands that
    it does not, whose other values the site has of Python, with the presets; None: the site has none of this picture.
    cuts: texts, and their words as Python cuts them; an example comes first.
    """

    hands: Sequence[Slider | Choice | Switch | Line]
    values: Mapping[str, Value]  # of the hands, and of what is moved in the picture itself
    presets: Sequence[Preset] = ()
    more: str = ""  # what the button is called that shows the further hands
    acknowledged: str = ""  # the name of the report that this answers
    words: Mapping[str, str] = field(default_factory=dict)  # of the tools beside the presets
    answered: Sequence[str] = ()
    states: Sequence[str] | None = None
    cuts: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def shown(self) -> list[str]:
        """The keys of the hands that are in sight now."""
        where = {hand.key: hand.visible_when or {} for hand in self.hands}
        return [key for key, uses in where.items() if all(self.values.get(one) in uses[one] for one in uses)]

    def without(self, *keys: str) -> list[str]:
        """The keys of all values but these."""
        return [key for key in self.values if key not in keys]


@dataclass(frozen=True, kw_only=True)
class Picture:
    """What the messages of pictures have. words: what a picture says, `label` to screen readers; alt: what it shows."""

    key: str
    hands: Hands
    words: Mapping[str, str]
    alt: str
    filename: str
    size: Literal["stage"] = "stage"

    @property
    def answered(self) -> list[str]:
        """The keys of values that the browser answers without Python."""
        return self.hands.without()


@dataclass(frozen=True)
class Row:
    """The row alone, on top of a chart: Python answers all of it."""

    key: str
    hands: Hands
    size: Literal["row"] = "row"

    @property
    def answered(self) -> list[str]:
        return []

"""The story: one sentence on one canvas, a mystery and nine steps, and the measured lines and texts of the later ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from alibi_viz.pictures.hands.message import Picture
from alibi_viz.pictures.message import Array

MOST_WORDS = 11  # of three letters they stand side by side on a phone


@dataclass(frozen=True)
class Step:
    """One step: its question, its text (Markdown: bold, and links), what its gesture is called for a screen reader, and the
    text with the answer, where that waits for the gesture.
    """

    question: str
    text: str
    gesture: str
    after: str = ""


@dataclass(frozen=True)
class Line:
    """What was measured of one shipped method, and its name. Perplexities per byte, means of the seeds."""

    method: str
    name: str
    colours: tuple[str, str]  # on a light page, and on a dark one
    times: Sequence[float]  # training lengths
    values: Sequence[float]
    contexts: Sequence[int] = ()  # bytes in sight; none where step 9 does not show the method
    context_values: Sequence[float] = ()
    is_strong: bool = False  # a thicker line in the playground


@dataclass(frozen=True)
class Written:
    """What one model wrote with one seed after the shipped prompt, with all keys and with the near ones.

    text, near: uint8 [T], the prompt included. words, near_words: float32 [W, 3], first byte, byte after, known.
    all, hidden: perplexity per byte of held-out text in long windows, with all keys and with those farther than L hidden.
    clamped: in the second half of such windows, with distances clamped.
    """

    method: str
    text: Array
    words: Array
    near: Array
    near_words: Array
    all: float
    hidden: float
    clamped: float


@dataclass(frozen=True)
class Drawing:
    """Where a class draws in step 6: as numbers, ALiBi's line before RoPE's, from after L to 16 L in equal ratios.

    is_open: nothing measured is shown yet. of_class: float32 [M, 16], of all members; empty before it is shown.
    """

    is_open: bool
    mine: Sequence[float]
    of_class: Array


@dataclass(frozen=True)
class Message(Picture):
    """All steps, from 0 on. The browser computes what a hand changes; `weights` is PyTorch's answer for what the hands say.

    hands: their values have the step, and what is moved in the picture. swap: the two places whose words the first
    button exchanges. weights: float32 [T, T], a row and a column a word of the sentence, in whatever order the words stand.
    thetas: angles a word of three dials of RoPE. seeds: shipped texts.
    texts: none where step 6 stands alone, beside a question. is_han: they are of Han characters and kana.
    """

    steps: Sequence[Step]
    weights: Array
    lines: Sequence[Line]
    learned: tuple[str, str]  # the colours of learned positions
    trained: int  # L, in bytes
    swap: tuple[int, int] = (0, 0)
    slopes: Sequence[float] = ()
    thetas: Sequence[float] = ()
    texts: Sequence[Written] = ()
    prompt: Array | None = None  # uint8 [T]
    example: str = ""  # the sentence that is no reader's own
    language: str = "en"  # of the texts
    models: Mapping[str, str] = field(default_factory=dict)  # method -> where a browser finds it, to write on
    known: str = ""  # where it finds the words that they have learned
    seeds: int = 0
    temperature: float = 0.0  # at which they are written
    longest: int = 0  # bytes of one, with its prompt
    predictions: str = ""  # behind each number of the curtain
    control: float = 0.0  # perplexity of sinusoidal positions with the far keys hidden
    end: Sequence[str] = ()  # what remains, in sentences with links; after the last gesture
    links: Sequence[tuple[str, str]] = ()  # lessons that lead on: title, address
    rivals: Mapping[str, str] = field(default_factory=dict)  # method -> its caption in step 5, with links
    is_han: bool = False
    drawing: Drawing | None = None
    key: str = field(default="story", kw_only=True)
    filename: str = field(default="alibi-story", kw_only=True)

"""Models that write on: what readers have asked for, what is written by now, and what was measured of it.

Notable choices:
- The server's writing desk writes for all readers (alibi_viz.lm.desk). A page asks for its texts and takes what is there.
- Before a text stands the reader's own beginning, or held-out text that no model has learned.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.desk import Order, Progress
from alibi_viz.lm.words import Count, Word, known_words, stretches, whole_words
from alibi_viz.lm.writing import LONGEST_PROMPT, logits_along
from alibi_viz.results import trained, writing

COMPARED = 512  # bytes over which reading with and without a cache is compared


@dataclass(frozen=True)
class Text:
    """What one model has written by now. words: the whole words after the beginning."""

    method: str
    progress: Progress
    words: tuple[Word, ...]

    @property
    def table(self) -> np.ndarray:
        """First byte, byte after it, and whether the word is known: float32 [W, 3]."""
        return np.array([(w.start, w.end, w.known) for w in self.words], dtype=np.float32).reshape(-1, 3)

    def counts(self, train_length: int) -> tuple[Count, ...]:
        """Known words to L, 2 L, 4 L and beyond."""
        return stretches(self.words, train_length)


def beginning(own: str, held_out: int) -> bytes:
    """The reader's own text, or so many bytes of held-out text: those that end where the shipped long beginning does."""
    if not held_out:
        return own.encode()[:LONGEST_PROMPT]
    shipped = writing.shipped()
    end = shipped.long_span[1] if shipped else LONGEST_PROMPT
    return python_text().held_out[max(end - held_out, 0) : end]


def texts(reader: str, methods: Sequence[str], prompt: bytes, temperature: float, seed: int, length: int) -> list[Text]:
    """What these models have written by now, and from now on are asked for. Raises ValueError for a choice out of range."""
    orders = [Order(method, prompt, temperature, seed, length) for method in methods]
    known = known_words(python_text().train)
    return [
        Text(method, progress, whole_words(progress.text, len(progress.order.prompt), known))
        for method, progress in zip(methods, writing.desk().ask(reader, orders), strict=True)
    ]


def largest_difference(text: Text) -> tuple[float, int]:
    """Between logits read at once and byte by byte with a cache, and over how many bytes.

    Raises ValueError where the model is not here.
    """
    loaded = trained.load(text.method)
    if loaded is None:
        raise ValueError("This model is not here.")
    part = text.progress.text[:COMPARED]
    whole, cached = (logits_along(loaded.model, part, cached=cached) for cached in (False, True))
    return float((whole - cached).abs().max()), len(part)

"""What the shipped models write (made by `tools.writing`, compared by `tools.verify`), and the server's writing desk.

Notable choices:
- Texts are bytes and need be no UTF-8: in the file a character stands for each, by its number (Latin-1).
- Every share stands with the number of words behind it.
- The desk knows the shipped texts, so the default prompt is there at once, and goes on from them where more is wanted.
- A file that is missing or damaged counts as not there: then the desk writes everything itself.
"""

import atexit
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, PlainValidator, TypeAdapter

from alibi_viz.files import read_file
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.desk import Desk, Order
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.words import Count
from alibi_viz.lm.writing import LONGEST, LONGEST_PROMPT
from alibi_viz.results import pretrained, trained

LARGEST_FILE = 1_000_000  # bytes


def _latin1(value: Any) -> bytes:
    if not isinstance(value, str) or len(value) > max(LONGEST, LONGEST_PROMPT):
        raise ValueError("A text is a string of bounded length.")
    return value.encode("latin-1")


_Bytes = Annotated[bytes, PlainValidator(_latin1)]
_Number = Annotated[int, Field(ge=0, le=10**6)]


@dataclass(frozen=True)
class Writing:
    """What the shipped models wrote; the fields of the file. Mappings are by method."""

    made_with: Mapping[str, str]
    corpus: str  # SHA-256 of the text that the models learned
    prompt: _Bytes
    temperature: float
    seeds: tuple[_Number, ...]
    texts: Mapping[str, tuple[_Bytes, ...]]  # new bytes, one text a seed
    ends: Mapping[str, str]  # why a method's texts end early
    stretches: Mapping[str, tuple[Count, Count, Count, Count]]  # all seeds together; see `words.stretches`
    contexts: tuple[_Number, ...]  # bytes of held-out text
    places: tuple[_Number, ...]  # bytes of the held-out text that each of these contexts ends before
    new_bytes: _Number  # that are written after them
    after: Mapping[
        str, tuple[Count | None, ...]
    ]  # of these, all places together, one a context; None: no position left
    long_span: tuple[_Number, _Number]  # of the held-out text

    @property
    def long_prompt(self) -> bytes:
        """Held-out text as a prompt far beyond L."""
        return python_text().held_out[slice(*self.long_span)]

    def order(self, method: str, seed: int = 1) -> Order:
        """The order whose text is shipped, in its full length: a method that ends early would write as much."""
        length = max(len(text) for texts in self.texts.values() for text in texts)
        return Order(method, self.prompt, self.temperature, seed, length)


_FILE = TypeAdapter(Writing)


def shipped() -> Writing | None:
    """The shipped file, or None if it is missing or damaged."""
    try:
        return _read(pretrained.WRITING, pretrained.WRITING.stat().st_mtime_ns)
    except (OSError, ValueError):
        return None


@lru_cache(maxsize=1)
def _read(path: Path, changed: int) -> Writing:
    """Raises OSError or ValueError for a damaged file; an error is not cached."""
    writing = _FILE.validate_json(read_file(path, LARGEST_FILE), strict=True)
    counts = [count for row in (*writing.stretches.values(), *writing.after.values()) for count in row if count]
    fits = (
        writing.texts.keys() == writing.stretches.keys() == writing.after.keys() == set(pretrained.METHODS),
        all(len(texts) == len(writing.seeds) > 0 for texts in writing.texts.values()),
        all(len(row) == len(writing.contexts) for row in writing.after.values()),
        all(0 <= count.known <= count.words for count in counts),
        0 < writing.long_span[1] - writing.long_span[0] <= LONGEST_PROMPT,
    )
    if not all(fits):
        raise ValueError(f"{path} does not fit together.")
    return writing


@cache
def desk() -> Desk:
    """The writing desk of this server. It writes for whoever asks: which models a reader may see, the caller checks."""
    desk = Desk(_model, _shipped_text)
    atexit.register(desk.close)  # a thread that is still in PyTorch when Python ends would end it with an error
    return desk


def _model(ref: str) -> DecoderLM:
    loaded = trained.load(ref)
    if loaded is None:
        raise ValueError("This model is not here, or its training has not finished.")
    return loaded.model


def _shipped_text(order: Order) -> tuple[bytes, str]:
    """What is shipped for an order, and why it ends; nothing for most."""
    writing = shipped()
    if writing is None or order.model not in writing.texts or order.seed not in writing.seeds:
        return b"", ""
    if (order.prompt, order.temperature) != (writing.prompt, writing.temperature):
        return b"", ""
    return writing.texts[order.model][writing.seeds.index(order.seed)], writing.ends.get(order.model, "")

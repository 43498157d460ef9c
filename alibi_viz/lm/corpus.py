"""Text for the tiny language model: bytes to learn from, and bytes it must not have seen.

Notable choices:
- A token is a byte of UTF-8: 256 tokens, no tokenizer to explain, and perplexity is per byte.
- The built-in text is Python's own documentation (`pydoc_data.topics`), which every Python carries: nothing is
  downloaded. It changes a little between Python versions, so a corpus knows its SHA-256 and results record it; which
  document is held out depends on its name alone and never changes.
- Nothing held out was trained on. The documents repeat each other (22% of the long lines stand in more than one), so
  every paragraph is kept once, and a training paragraph that also stands in a held-out document is dropped. Two
  paragraphs are the same if they differ in white space or capitals only.
- A reader's own text is held out in contiguous blocks, a tenth of it, spread over the text; the same rule against
  leaks. A random choice of lines would leak their neighbours.
"""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

BUILT_IN = "python-docs"
MIN_BYTES, MAX_BYTES = 20_000, 5_000_000  # of a reader's own text
MIN_TRAIN, MIN_HELD_OUT = 10_000, 1_000  # bytes that must be left after repetitions are dropped
BLOCKS = 10  # contiguous blocks of a reader's text; one is held out. Long texts: as many as make blocks of BLOCK_BYTES
BLOCK_BYTES = 16_384
LONGEST_PARAGRAPH = 2_000  # bytes; longer ones are cut, so that a text without blank lines can be split at all


@dataclass(frozen=True)
class Corpus:
    """Bytes to train on and bytes to measure on. `key` names the corpus in a run's configuration."""

    key: str
    title: str
    train: bytes
    held_out: bytes

    @functools.cached_property
    def sha256(self) -> str:
        """Fingerprint of both parts: two results can be compared only if theirs are equal."""
        parts = b"%d\n%d\n" % (len(self.train), len(self.held_out)) + self.train + self.held_out
        return hashlib.sha256(parts).hexdigest()


def normalise(text: str) -> str:
    """One form for equal text: Unicode NFC, line ends as \\n, no byte-order mark, no blanks before a line end."""
    text = unicodedata.normalize("NFC", text.removeprefix("\ufeff")).replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[^\S\n]+\n", "\n", text)


def paragraphs(text: str) -> list[str]:
    """The pieces of a normalised text between blank lines; pieces that are too long are cut."""
    pieces = [piece.strip("\n") for piece in re.split(r"\n{2,}", text)]
    return [part for piece in pieces if piece.strip() for part in _cut(piece)]


def _cut(piece: str) -> Iterable[str]:
    """A long paragraph in parts of at most LONGEST_PARAGRAPH bytes: at line ends, at blanks, else anywhere."""
    while len(piece.encode()) > LONGEST_PARAGRAPH:
        head = piece.encode()[:LONGEST_PARAGRAPH].decode(errors="ignore")
        end = max(head.rfind("\n"), 0) or max(head.rfind(" "), 0) or len(head)
        yield piece[:end]
        piece = piece[end:].strip("\n")
    yield piece


def same(paragraph: str) -> str:
    """Equal for paragraphs that count as the same."""
    return " ".join(paragraph.split()).casefold()


def split(documents: Iterable[tuple[list[str], bool]]) -> tuple[bytes, bytes]:
    """Training and held-out bytes of documents, each a list of paragraphs and whether it is held out.

    Every paragraph is kept once, at its first place; a training paragraph that is also held out is dropped.
    """
    documents = list(documents)
    held_out = _once(paragraph for document, held in documents if held for paragraph in document)
    train = _once(paragraph for document, held in documents if not held for paragraph in document)
    for key in held_out:
        train.pop(key, None)
    first, second = ("\n\n".join(part.values()).encode() for part in (train, held_out))
    return first, second


def _once(pieces: Iterable[str]) -> dict[str, str]:
    kept: dict[str, str] = {}
    for piece in pieces:
        kept.setdefault(same(piece), piece)
    return kept


def is_held_out(name: str) -> bool:
    """Whether the built-in document of this name is held out: one in ten, by its name alone."""
    return zlib.crc32(name.encode()) % 10 == 2


@functools.cache
def python_docs() -> Corpus:
    """Python's own documentation, split by document."""
    from pydoc_data.topics import topics  # large, and needed only here

    documents = [(paragraphs(normalise(text)), is_held_out(name)) for name, text in sorted(topics.items())]
    return Corpus(BUILT_IN, "Python's own documentation", *split(documents))


def own_text(data: str | bytes) -> Corpus:
    """A reader's own text.

    Raises:
        ValueError: in one clear sentence, if it is no UTF-8, too short, too long, or repeats itself too much.
    """
    text = _decoded(data)
    size = len(text.encode())
    if size < MIN_BYTES:
        raise ValueError(
            f"The text must have at least {MIN_BYTES:,} bytes, not {size:,}: the model needs more to learn."
        )
    pieces = paragraphs(text)
    blocks = max(BLOCKS, size // BLOCK_BYTES)
    train, held_out = split(_in_blocks(pieces, blocks))
    if len(train) < MIN_TRAIN or len(held_out) < MIN_HELD_OUT:
        raise ValueError(
            f"The text repeats itself: without repetitions {len(train):,} bytes are left to train on and "
            f"{len(held_out):,} to measure on; at least {MIN_TRAIN:,} and {MIN_HELD_OUT:,} are needed."
        )
    return Corpus(own_key(train, held_out), f"Your text, {size:,} bytes", train, held_out)


def own_key(train: bytes, held_out: bytes) -> str:
    """What names a reader's own text in a configuration."""
    return f"text:{hashlib.sha256(train + held_out).hexdigest()[:16]}"


def _decoded(data: str | bytes) -> str:
    size = len(data) if isinstance(data, bytes) else len(data.encode(errors="replace"))
    if size > MAX_BYTES:
        raise ValueError(f"The text must have at most {MAX_BYTES:,} bytes, not {size:,}.")
    try:
        text = data.decode() if isinstance(data, bytes) else data.encode().decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"The text must be UTF-8; byte {error.start:,} is not.") from None
    except UnicodeEncodeError as error:
        raise ValueError(f"The text must be UTF-8; character {error.start:,} cannot be written so.") from None
    if "\0" in text:
        raise ValueError("The text holds zero bytes: it seems to be a binary file, not a text.")
    return normalise(text)


def _in_blocks(pieces: list[str], blocks: int) -> Iterable[tuple[list[str], bool]]:
    """`blocks` contiguous blocks of about equal size; the sixth of every ten is held out."""
    total, seen = sum(map(len, pieces)), 0
    grouped: list[list[str]] = [[] for _ in range(blocks)]
    for piece in pieces:
        grouped[min(seen * blocks // total, blocks - 1)].append(piece)
        seen += len(piece)
    return [(block, index % BLOCKS == 5) for index, block in enumerate(grouped)]

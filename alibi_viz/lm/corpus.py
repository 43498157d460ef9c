"""Text for the tiny language model: bytes to train on, and held-out bytes to measure on.

Notable choices:
- A token is a byte of UTF-8: 256 tokens, no tokenizer to explain, and perplexity is per byte.
- The built-in text is what Python's standard library says in words (documentation, docstrings, comments, the licence), and
  some of its code: collected once (`tools.collect`) and shipped, under the PSF licence. No string of
  SHARED_BYTES of its validation and held-out parts stands in its training part.
- No held-out paragraph is trained on. The documents repeat each other (22% of the long lines are in more than one), so
  every paragraph is kept once, and a training paragraph that is also in a held-out document is dropped. Two paragraphs
  are the same if they differ in white space or capitals only.
- Of a reader's own text a tenth is held out by the same rule, in contiguous blocks: random lines would leak their
  neighbours. So is the help of LibreOffice (`tools.help_text`; MPL 2.0), in Chinese and Japanese.
"""

import functools
import hashlib
import lzma
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from icu4py.breakers import WordBreaker

from alibi_viz.checks import unicode_text
from alibi_viz.lessons.problems import Problem

BUILT_IN = "python-text"
HELP_TEXTS = {"zh": "help-text-zh", "ja": "help-text-ja"}  # by language
PYTHON_TEXT_FILE = Path(__file__).with_name("python_text.xz")
TEXT_PREFIX = "text:"  # of the name of a reader's own text
MIN_BYTES, MAX_BYTES = 20_000, 5_000_000  # of a reader's own text
MIN_TRAIN, MIN_HELD_OUT = 10_000, 1_000  # bytes that must be left after repetitions are dropped
BLOCKS = 10  # contiguous blocks of a reader's text, of which one is held out; a long text has more, of BLOCK_BYTES each
BLOCK_BYTES = 16_384
SHARED_BYTES = 32  # a string this long in both texts counts as recited
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff]")  # Thai to Han characters
LONGEST_PARAGRAPH = 2_000  # bytes; longer ones are cut, so that a text without blank lines can be split at all


@dataclass(frozen=True)
class Corpus:
    """Bytes to train on and bytes to measure on. `key` names the corpus in a run's configuration."""

    key: str
    train: bytes
    held_out: bytes
    validation: bytes = b""  # for choices that are made before anything is measured, where there is such a part

    @functools.cached_property
    def bytes_per_word(self) -> float:
        """Of the held-out text; words as WikiText counts them: every punctuation mark is one too. Where no blanks stand
        between words, ICU's dictionaries find them."""
        tokens = re.findall(r"\w+|[^\w\s]", self.held_out.decode())
        return len(self.held_out) / max(1, sum(map(_words_in, tokens)))

    @functools.cached_property
    def sha256(self) -> str:
        """Hash of all parts: two results can be compared only if theirs are equal."""
        parts = (self.train, self.held_out, *([self.validation] if self.validation else []))
        sizes = b"".join(b"%d\n" % len(part) for part in parts)
        return hashlib.sha256(sizes + b"".join(parts)).hexdigest()


def _words_in(token: str) -> int:
    """Words of a run of letters or of one mark."""
    return sum(1 for _ in WordBreaker(token, "und")) if _UNSPACED.search(token) else 1


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


def normal_form(paragraph: str) -> str:
    """Equal for two paragraphs that count as the same."""
    return " ".join(paragraph.split()).casefold()


def split(documents: Iterable[tuple[list[str], bool]]) -> tuple[bytes, bytes]:
    """Training and held-out bytes, without repetitions, of documents: paragraphs, and whether they are held out."""
    parts: dict[bool, dict[str, str]] = {False: {}, True: {}}  # is held out -> normal form -> its first paragraph
    for document, held in documents:
        for paragraph in document:
            parts[held].setdefault(normal_form(paragraph), paragraph)
    train = [paragraph for key, paragraph in parts[False].items() if key not in parts[True]]
    return "\n\n".join(train).encode(), "\n\n".join(parts[True].values()).encode()


@functools.cache
def python_text() -> Corpus:
    """What Python's standard library says in words, and a part of its code, as `tools.collect` wrote it."""
    texts = lzma.decompress(PYTHON_TEXT_FILE.read_bytes()).split(b"\0")  # prose and code of each part
    train, validation, held_out = (b"\n\n".join(texts[at : at + 2]) for at in (0, 2, 4))
    return Corpus(BUILT_IN, train, held_out, validation)


def help_text_file(language: str) -> Path:
    """Where `tools.help_text` writes it."""
    return Path(__file__).with_name(f"help_text_{language}.xz")


@functools.cache
def help_text(language: str) -> Corpus:
    """The help of LibreOffice in a language of HELP_TEXTS."""
    train, held_out = lzma.decompress(help_text_file(language).read_bytes()).split(b"\0")
    return Corpus(HELP_TEXTS[language], train, held_out)


def of_language(language: str) -> Corpus:
    """The shipped text in a language of HELP_TEXTS, or that in English."""
    return help_text(language) if language in HELP_TEXTS else python_text()


def built_in(key: str) -> Corpus | None:
    """The shipped text of this name; None: there is none."""
    if key == BUILT_IN:
        return python_text()
    return next((help_text(language) for language, name in HELP_TEXTS.items() if name == key), None)


def own_text(data: str | bytes) -> Corpus:
    """A reader's own text. Raises ValueError if it is not UTF-8, too short, too long, or repeats itself too much."""
    text = _decoded(data)
    if (size := len(text.encode())) < MIN_BYTES:
        raise Problem("texts.too_short", least=MIN_BYTES, bytes=size)
    train, held_out = split(_in_blocks(paragraphs(text), max(BLOCKS, size // BLOCK_BYTES)))
    if len(train) < MIN_TRAIN or len(held_out) < MIN_HELD_OUT:
        raise Problem(
            "texts.repeats",
            train=len(train),
            held_out=len(held_out),
            least_train=MIN_TRAIN,
            least_held_out=MIN_HELD_OUT,
        )
    return Corpus(own_key(train, held_out), train, held_out)


def own_key(train: bytes, held_out: bytes) -> str:
    """The name of a reader's own text in a configuration."""
    return f"{TEXT_PREFIX}{hashlib.sha256(train + held_out).hexdigest()[:16]}"


def _decoded(data: str | bytes) -> str:
    """The text, normalised. Raises ValueError if it is too long, not UTF-8, or binary."""
    size = len(data) if isinstance(data, bytes) else len(data.encode(errors="replace"))
    if size > MAX_BYTES:
        raise Problem("texts.too_large", most=MAX_BYTES, bytes=size)
    try:
        text = data.decode() if isinstance(data, bytes) else unicode_text(data, "The text")
    except UnicodeDecodeError as error:
        raise Problem("texts.not_utf8", byte=error.start) from None
    if "\0" in text:
        raise Problem("texts.zero_bytes")
    return normalise(text)


def _in_blocks(pieces: list[str], blocks: int) -> Iterable[tuple[list[str], bool]]:
    """`blocks` contiguous blocks of about equal size; the sixth of every ten is held out."""
    total, seen = sum(map(len, pieces)), 0
    grouped: list[list[str]] = [[] for _ in range(blocks)]
    for piece in pieces:
        grouped[min(seen * blocks // total, blocks - 1)].append(piece)
        seen += len(piece)
    return [(block, index % BLOCKS == 5) for index, block in enumerate(grouped)]

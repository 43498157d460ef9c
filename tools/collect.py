"""`python -m tools.collect`: make the text that the shipped models learn, from what this Python carries.

The standard library's documentation, written out as plain paragraphs: topics of `pydoc`, docstrings (also those of C
code), comments and the licence. That is the prose. The code of one module in CODE_FROM follows. All of it is the work of
the Python Software Foundation and its contributors, under the PSF licence.

Notable choices:
- The exact bytes differ between Python versions, so the result is shipped (`lm.corpus.python_text`) and made here only to
  be changed.
- A document is a module or a topic. Its name alone decides whether it is trained on, kept for choices (validation),
  or held out for the measurements.
- Every paragraph is kept once. A held-out paragraph that shares SHARED_BYTES in a row with the training text is dropped.
- No tables, tests, or comments that are code: they are neither prose nor typical code.
"""

import ast
import hashlib
import importlib
import importlib.util
import inspect
import lzma
import re
import sys
import sysconfig
import tokenize
import warnings
import zlib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from alibi_viz.files import write_atomically
from alibi_viz.lm.corpus import PYTHON_TEXT_FILE, SHARED_BYTES, normal_form, normalise, paragraphs

LIBRARY = Path(sysconfig.get_path("stdlib"))
# Folders: tests, tables of characters, the topics (they are read as texts), and what is not of the library.
LEFT_OUT = {"test", "tests", "idle_test", "encodings", "pydoc_data", "site-packages", "__pycache__", "turtledemo"}
LEFT_OUT |= {"ensurepip"}
TEXTS = ("LICENSE.txt", "idlelib/NEWS.txt", "idlelib/HISTORY.txt", "idlelib/README.txt")
SHORTEST = 40  # bytes of a paragraph: shorter ones are mostly names
CODE_FROM = 4  # the code of one module in so many
LARGEST_MODULE = 200_000  # bytes; larger ones are tables
TRAIN, VALIDATION, HELD_OUT = range(3)


def part(name: str) -> int:
    """What a document is for, by its name alone: one in 32 is held out, one in 64 is for validation."""
    return {2: HELD_OUT, 34: HELD_OUT, 5: VALIDATION}.get(zlib.crc32(name.encode()) % 64, TRAIN)


def documents() -> Iterator[tuple[str, list[str], list[str]]]:
    """Every document: its name, its prose and its code, as paragraphs."""
    from pydoc_data.topics import topics  # large, and needed only here

    for name, text in sorted(topics.items()):
        yield f"topic {name}", _clean(text), []
    for name in TEXTS:
        if (path := LIBRARY / name).is_file():
            yield name, _clean(path.read_text(encoding="utf-8", errors="replace")), []
    for path in sorted(LIBRARY.rglob("*.py")):
        name = str(path.relative_to(LIBRARY))
        if not LEFT_OUT & set(path.parts) and not name.startswith("config-") and path.stat().st_size < LARGEST_MODULE:
            prose, code = _module(path)
            yield name, prose, code if zlib.crc32(name.encode()) // 64 % CODE_FROM == 0 else []
    for name in sorted(sys.stdlib_module_names | set(sys.builtin_module_names)):
        if (module := _compiled(name)) is not None:
            yield name, [p for text in dict.fromkeys(_docs_in(module)) for p in _clean(text)], []


def _clean(text: str) -> list[str]:
    """The paragraphs of a text that are long enough, and text."""
    pieces = paragraphs(normalise(text.replace("\0", "")))
    return [p for p in pieces if len(p) >= SHORTEST and _is_text(p)]


def _is_text(paragraph: str) -> bool:
    """Words, no table, and nobody's address."""
    letters = sum(c.isascii() and c.isalpha() for c in paragraph)
    has_words = letters >= 0.4 * len(re.sub(r"\s", "", paragraph)) and sum(not c.isascii() for c in paragraph) <= 5
    return has_words and not re.search(r"\w@\w+\.\w", paragraph)


def _module(path: Path) -> tuple[list[str], list[str]]:
    """Prose (docstrings, comments) and code of a module; nothing of one that cannot be read."""
    try:
        with tokenize.open(path) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            source = file.read()
            tree = ast.parse(source)
    except (SyntaxError, UnicodeDecodeError):
        return [], []
    lines, documented = source.splitlines(), ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    prose, taken = list[str](), set[int]()  # indices of lines that are prose
    for node in ast.walk(tree):
        if isinstance(node, documented) and (text := ast.get_docstring(node)):
            first = node.body[0]
            prose += _clean(text)
            taken |= set(range(first.lineno - 1, first.end_lineno or first.lineno))
    commented = [index for index, line in enumerate(lines) if line.lstrip().startswith("#") and index not in taken]
    for _, group in groupby(enumerate(commented), key=lambda pair: pair[1] - pair[0]):
        block = "\n".join(lines[index].strip().lstrip("#! ").rstrip("# ") for _, index in group)
        if not _is_code(block):
            prose += _clean(block)
    code = "\n".join(line for index, line in enumerate(lines) if index not in taken | set(commented))
    return prose, _clean(code)


def _is_code(text: str) -> bool:
    try:
        ast.parse(inspect.cleandoc(text))
    except (SyntaxError, ValueError):
        return False
    return True


def _compiled(name: str) -> ModuleType | None:
    """A module of the library that is written in C."""
    if name.startswith("_test") or name in ("antigravity", "this", "idlelib"):
        return None
    spec = importlib.util.find_spec(name)
    if spec is None or (spec.origin or "").endswith((".py", "__init__.pyc")):
        return None
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _docs_in(module: ModuleType) -> Iterator[str]:
    """The docstrings of a compiled module, its classes and functions, and the members of its classes."""
    objects: list[object] = [module]
    for _, value in sorted(vars(module).items()):
        if isinstance(value, type):
            objects += [value, *(member for _, member in sorted(vars(value).items()) if not isinstance(member, str))]
        elif callable(value):
            objects.append(value)
    for thing in objects:
        if isinstance(doc := getattr(thing, "__doc__", None), str):
            yield inspect.cleandoc(doc)


def without_shared(held_out: bytes, train: bytes) -> bytes:
    """The held-out paragraphs that share no string of SHARED_BYTES with the training text."""
    shared = np.isin(string_hashes(held_out), string_hashes(train))  # by the string's first byte
    kept, begin = [], 0
    for part in held_out.split(b"\n\n"):
        if not shared[begin : max(begin, begin + len(part) - SHARED_BYTES + 1)].any():
            kept.append(part)
        begin += len(part) + 2
    return b"\n\n".join(kept)


def string_hashes(text: bytes) -> NDArray[np.uint64]:
    """A number for the SHARED_BYTES from every byte on, the same for the same string: [bytes - SHARED_BYTES + 1]."""
    codes = np.frombuffer(text, dtype=np.uint8).astype(np.uint64)
    hashes = np.zeros(max(0, len(codes) - SHARED_BYTES + 1), dtype=np.uint64)
    for k in range(SHARED_BYTES):
        hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + codes[k : k + len(hashes)]  # modulo 2^64
    return hashes


def collect() -> list[tuple[str, str]]:
    """Prose and code of the three parts: TRAIN, VALIDATION, HELD_OUT."""
    first: dict[str, tuple[int, int, str]] = {}  # normal form -> part, kind, paragraph
    everything = [(part(name), kinds) for name, *kinds in documents()]
    for number, kinds in sorted(everything, key=lambda pair: -pair[0]):  # held out wins, then validation
        for kind, pieces in enumerate(kinds):
            for paragraph in pieces:
                first.setdefault(normal_form(paragraph), (number, kind, paragraph))
    texts = [
        ["\n\n".join(p for n, k, p in first.values() if (n, k) == (number, kind)) for kind in range(2)]
        for number in range(3)
    ]
    train = "\n\n".join(texts[TRAIN]).encode()
    for number in (VALIDATION, HELD_OUT):
        before = sum(map(len, texts[number]))
        texts[number] = [without_shared(text.encode(), train).decode() for text in texts[number]]
        print(
            f"{1 - sum(map(len, texts[number])) / before:.1%} of part {number} shared a string with the training text."
        )
    return [(prose, code) for prose, code in texts]


def main() -> None:
    """Write the file, and print what it holds."""
    parts = collect()
    plain = "\0".join(text for pair in parts for text in pair).encode()
    data = lzma.compress(plain, preset=9 | lzma.PRESET_EXTREME)
    write_atomically(PYTHON_TEXT_FILE, data)
    for name, (prose, code) in zip(("train", "validation", "held_out"), parts, strict=True):
        size = len((prose + code).encode())
        print(f"{name}: {size:,} bytes, {len(code.encode()) / size:.1%} code")
    print(f"{len(data):,} bytes compressed; SHA-256 of the text: {hashlib.sha256(plain).hexdigest()}")


if __name__ == "__main__":
    main()

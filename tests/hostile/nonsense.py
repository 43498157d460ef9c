"""What a hostile reader can send: values in an address, texts, files, and reports of a component. Seeded, so that a case
can be made again by its number.

Notable choices:
- Half of an address is allowed, else most cases would end at the first correction and never reach what is behind it.
- Sizes stay small enough for thousands of cases; what is only large has tests of its own beside the code that reads it.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import pickle
import random
import re
import string
from typing import Any

import numpy as np

from alibi_viz.checkpoints.examples import EXAMPLES
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.params import Param
from tests.pages.apptest import LESSONS, NONSENSE, params

HOST = "evil.invalid"  # stands in every text that would make a browser ask it, if it were taken for markup
MARKUP = (
    f"![x](https://{HOST}/x.png)",
    f'<img src="https://{HOST}/x.png" onerror="fetch(`https://{HOST}`)">',
    f"<script src='https://{HOST}/x.js'></script>",
    f"[x](javascript:fetch('https://{HOST}'))",
    f"<style>@import url(https://{HOST}/x.css);</style>",
    f"$$\\href{{https://{HOST}}}{{x}} \\def\\x{{\\x\\x}}\\x$$",
    f"\n\n[a]: https://{HOST}/x.png\n![a]\n\n| a | b |\n|--|--|\n| <iframe src=//{HOST}> | `x` |",
    ":material/bug_report: :red[x] :streamlit: :rainbow-background[x] ```\n# x",
    "{{steps}} {steps} %(steps)s ${steps} {0.__class__}",
)
ODD = (
    *"\x00 \ufeff \u202e \u200b \ud800 \U0010ffff \x1b[31m \x7f".split(" "),
    *"Z\u0335\u0321\u0335\u0321 👩‍👩‍👧‍👦 مرحبا 日本語 ﷺ İıſK ＡＢ".split(" "),
    *("\r", "\u2028", "\x85"),
)
NUMBERS = (
    *"0 -0 1e308 -1e308 5e-324 0x10 1_000 ٣ １２ ½ 1,5 1/0 1/3 inf -infinity NaN + . 1e 2147483648 1.0000001".split(),
    "9" * 400,
)
DTYPES: tuple[Any, ...] = ("f4", ">f8", "f2", "i8", "?", "c8", "U3", "M8[s]", [("a", "f4")], "O")


def value(rng: random.Random, param: Param) -> str:
    """A value of one control as an address says it: allowed, at a border, or nonsense."""
    kind = rng.random()
    if kind < 0.5:
        return allowed(rng, param)
    if kind < 0.8:
        return rng.choice(NONSENSE + NUMBERS)
    if kind < 0.9:
        return text(rng, most=200)
    word = allowed(rng, param)
    at = rng.randrange(len(word) + 1)
    return rng.choice([word.upper(), word + word, word[:at], word[:at] + rng.choice(ODD) + word[at:], f" {word}\n"])


def allowed(rng: random.Random, param: Param) -> str:
    """A value that the control takes."""
    if param.kind in ("int", "float"):
        low, high = max(param.low, -1e9), min(param.high, 1e9)
        number = rng.choice([low, high, rng.uniform(low, high), math.copysign(math.exp(rng.uniform(0, 9)), high)])
        return str(int(number)) if param.kind == "int" else repr(number)
    if param.kind == "choice":
        return rng.choice(param.choices)
    if param.kind == "choices":
        return ",".join(rng.sample(param.choices, rng.randint(0, len(param.choices))))
    if param.kind == "flag":
        return rng.choice(["true", "false"])
    if param.kind == "cell":
        return f"{rng.randrange(600)},{rng.randrange(600)}"
    return rng.choice([str(param.default), "", "a b a b", "1/2, 1/4", "alibi,rope,t5,none", text(rng, most=400)])


def text(rng: random.Random, most: int = 20_000) -> str:
    """A text of at most `most` characters, of words, markup, odd characters and blanks."""
    length, parts = rng.choice([0, 1, 3, 12, 60, most]), list[str]()
    alphabets = (string.ascii_lowercase, string.printable, "".join(map(chr, range(0x20, 0x3000, 7))), " \n\t")
    while sum(map(len, parts)) < length:
        kind, alphabet = rng.random(), rng.choice(alphabets)
        letters = "".join(rng.choices(alphabet, k=rng.randint(1, 12)))
        parts.append(rng.choice(MARKUP) if kind < 0.1 else rng.choice(ODD) if kind < 0.2 else letters)
        parts.append(rng.choice([" ", " ", "", "\n\n"]))
    return "".join(parts)[:most]


def sent(text: str) -> str:
    """As an address or a message carries it: no lone surrogate can travel in bytes."""
    return text.encode(errors="replace").decode()


def link(rng: random.Random) -> tuple[str, dict[str, str | list[str]]]:
    """An address: a lesson, and what it says of its own controls, of the frame's, and of those of other lessons."""
    lesson = rng.choice(LESSONS)
    own, others = params(lesson), (*params(rng.choice(LESSONS)), *page_options.PARAMS)
    chosen = rng.sample(own, rng.randint(0, len(own))) + rng.sample(others, rng.randint(0, 3))
    url: dict[str, str | list[str]] = {param.key: sent(value(rng, param)) for param in chosen}
    if chosen and rng.random() < 0.2:
        url[chosen[0].key] = [sent(value(rng, chosen[0])) for _ in range(3)]
    if rng.random() < 0.1:
        url[rng.choice(["", "embed", "embed_options", "__proto__", "key", "a" * 200])] = sent(text(rng, 40))
    return lesson, url


def report(rng: random.Random) -> str:
    """What a browser could send in the name of a component. (What is no JSON ends in Streamlit, before any of our code.)"""
    values: list[Any] = [0, -1, 3, 1.5, 2**53, 10**400, 1e308, math.inf, math.nan, True, None, "x", [], {}, [[0]], ""]
    values += [["next", "theme", "previous"] * 40, rng.choices(values, k=rng.randint(0, 4))]
    values += [{key: rng.choice(values) for key in rng.sample(["value", "released", "sequence", "names", "values"], 3)}]
    names = ("report", "cell", "picked", "zoom", "pressed", "value", "theme", "done", "event")
    reported = {name: rng.choice(values) for name in rng.sample(names, rng.randint(1, 5))}
    return rng.choice([json.dumps(reported)] * 9 + ["null", "[1]", '"x"', "1e999", "{}"])


def data(rng: random.Random) -> bytes:
    """A file as some page takes it, in which some things are other ones; or damaged; or no such file."""
    array = np.zeros(rng.choice([(), (0,), (1, 1), (8, 5, 5), (1, 1, 4, 4), (3, 0, 3)]), rng.choice(DTYPES))
    if array.dtype.kind == "f" and array.size:
        array[...] = rng.choice([0, np.nan, -np.inf, -1, 6e4])
    npy = io.BytesIO()
    np.save(npy, array, allow_pickle=True)
    kind, shape = rng.choice([("F32", [1, 2, 2]), ("BF16", [8]), ("I64", [2]), ("F8_E4M3", [4, 4]), ("F32", [2**40])])
    head = _lying(rng, json.dumps({"bias": {"dtype": kind, "shape": shape, "data_offsets": [0, 16]}})).encode()
    length = rng.choice([*[len(head)] * 4, 0, 2**63, len(head) + 9])
    table = "\n".join(",".join(rng.choices(["0", "-1.5", "-inf"], k=3)) for _ in range(3))
    config = json.dumps(rng.choice(list(EXAMPLES.values())).config)
    book = "".join(f"Paragraph {n} of {n * n}: {rng.random()} {'word ' * 60}\n\n" for n in range(120))
    plain = _lying(rng, rng.choice([table, config, book])).encode(rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"]))
    others = [b"", rng.randbytes(30_000), gzip.compress(b"a" * 10**6), pickle.dumps({"a": [1, 2]}), b"[" * 20_000]
    weights = length.to_bytes(8, "little") + head + bytes(16)
    made: bytes = rng.choice([npy.getvalue(), weights, plain, plain, rng.choice(others)])
    at = rng.randrange(len(made) + 1)
    damaged = [made[:at], made[:at] + rng.randbytes(rng.randint(1, 9)) + made[at + 1 :], made + made]
    return rng.choice(damaged) if rng.random() < 0.3 else made


def _lying(rng: random.Random, plain: str) -> str:
    """A file of words and numbers, in which some of them are others."""
    others = [*'0 -1 1.5 1e999 NaN true null "12" [] {} =1+1 ٣ "'.split(), "9" * 400]
    often = rng.choice([0, 0.02, 0.2])
    return re.sub(r'-?\d+|true|"\w+"', lambda found: rng.choice(others) if rng.random() < often else found[0], plain)

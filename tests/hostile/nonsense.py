"""What a hostile reader can send, as Hypothesis makes and shrinks it: values in an address, texts, files, and reports of a
component.

Half of an address is allowed, else most cases would end at the first correction and never reach what is behind it.
"""

import gzip
import io
import json
import math
import pickle
import re
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from alibi_viz.checkpoints.examples import EXAMPLES
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.params import Param
from tests.pages.apptest import LESSONS, NONSENSE, params

HOST = "evil.invalid"  # stands in every text that would make a browser ask it, if it were taken for markup
LONE = "\ud800"  # half of a surrogate pair
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
    *"\x00 \ufeff \u202e \u200b \U0010ffff \x1b[31m \x7f".split(" "),
    *"Z\u0335\u0321\u0335\u0321 👩‍👩‍👧‍👦 مرحبا 日本語 ﷺ İıſK ＡＢ".split(" "),
    *("\r", "\u2028", "\x85", LONE),
)
NUMBERS = (
    *"0 -0 1e308 -1e308 5e-324 0x10 1_000 ٣ １２ ½ 1,5 1/0 1/3 inf -infinity NaN + . 1e 2147483648 1.0000001".split(),
    "9" * 400,
)
LIES = [
    *'0 -1 1.5 1e999 NaN true null "12" [] {} =1+1 ٣ "'.split(),
    "9" * 400,
    f'"{LONE}"',
    r'"\ud800"',
    *map(json.dumps, MARKUP[:2]),
]
NAMES = ("a", "../../etc/passwd", "x" * 300, f"<img src=//{HOST}>", "CON", "é\u202e")
BOOK = "".join(f"Paragraph {n} of {n * n}: {'word ' * 60}\n\n" for n in range(120))
#: What a hostile text is made of.
PARTS = st.one_of(*map(st.sampled_from, (MARKUP, MARKUP, ODD, [LONE], ["the cat", " ", "\n\n"])), st.text())


def texts(most: int = 20_000) -> SearchStrategy[str]:
    """A text of at most `most` characters, of words, markup and odd characters; one in some is that long."""
    joined = st.lists(PARTS, max_size=12).map(" ".join)
    return st.tuples(joined, st.sampled_from([1, 1, 1, 2_000])).map(lambda made: (made[0] * made[1])[:most])


def sent(text: str) -> str:
    """As an address or a message carries it: no lone surrogate can travel in bytes."""
    return text.encode(errors="replace").decode()


def allowed(param: Param) -> SearchStrategy[str]:
    """A value that the control takes; of a text, any."""
    if param.kind in ("int", "float"):
        low, high = max(param.low, -1e9), min(param.high, 1e9)
        if param.kind == "int":
            return st.one_of(st.sampled_from([low, high]), st.integers(math.ceil(low), math.floor(high))).map(_whole)
        return st.one_of(st.sampled_from([low, high]), st.floats(low, high)).map(repr)
    if param.kind == "choice":
        return st.sampled_from(param.choices)
    if param.kind == "choices":
        return st.lists(st.sampled_from(param.choices), unique=True).map(",".join)
    if param.kind == "flag":
        return st.sampled_from(["true", "false"])
    if param.kind == "cell":
        return st.tuples(st.integers(0, 600), st.integers(0, 600)).map(lambda cell: f"{cell[0]},{cell[1]}")
    return st.sampled_from([str(param.default), "", "a b a b", "1/2, 1/4", "alibi,rope,t5,none"]) | texts(400)


def _whole(number: float) -> str:
    return str(int(number))


def values(param: Param) -> SearchStrategy[str]:
    """A value of one control as an address says it: allowed, nonsense, a text, or a value with something in its middle."""
    inside = st.tuples(allowed(param), st.sampled_from(ODD), st.integers(0, 9))
    spoiled = inside.map(lambda made: made[0][: made[2]] + made[1] + made[0][made[2] :])
    nonsense = st.sampled_from(NONSENSE + NUMBERS)
    return st.one_of(allowed(param), allowed(param), nonsense, nonsense, texts(200), spoiled).map(sent)


@st.composite
def links(draw: st.DrawFn) -> tuple[str, dict[str, str | list[str]]]:
    """An address: a lesson, and what it says of its own controls, of the frame's, and of those of other lessons."""
    lesson = draw(st.sampled_from(LESSONS))
    own, others = params(lesson), (*params(draw(st.sampled_from(LESSONS))), *page_options.PARAMS)
    unique = {"unique_by": lambda param: param.key, "max_size": 12}
    chosen = draw(st.lists(st.sampled_from(own), **unique)) if own else []
    chosen += draw(st.lists(st.sampled_from(others), unique_by=lambda param: param.key, max_size=3))
    url: dict[str, str | list[str]] = {param.key: draw(values(param)) for param in chosen}
    if chosen and draw(st.integers(0, 4)) == 4:
        url[chosen[0].key] = [draw(values(chosen[0])) for _ in range(3)]
    if draw(st.integers(0, 9)) == 9:
        key = draw(st.sampled_from(["", "embed", "embed_options", "__proto__", "key", "a" * 200]))
        url[key] = sent(draw(texts(40)))
    return lesson, url


#: What a browser could send in the name of a component. (What is no JSON ends in Streamlit, before any of our code.)
SCALARS = st.sampled_from([0, -1, 3, 1.5, 2**53, 10**400, 1e308, math.inf, math.nan, True, None, "x", ""])
KEYS = st.sampled_from(
    "report cell picked zoom pressed value theme done event values released is_step sequence names heads text".split()
)
REPORTS = st.recursive(
    SCALARS | st.sampled_from([["next", "theme", "previous"] * 40, MARKUP[0]]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=8,
).map(json.dumps)


def lied(plain: str, places: list[int], lies: list[str]) -> str:
    """A file of words and numbers, in which some of them are others."""
    found = list(re.finditer(r'-?\d+|true|"\w+"', plain))
    for place, lie in zip(places, lies, strict=False):
        if found:
            word = found.pop(place % len(found))[0]
            plain = plain.replace(word, lie, 1)
    return plain


def headers() -> SearchStrategy[bytes]:
    """A safetensors file, whose header may be as long as it wants and speak of what is not there."""
    kinds = [("F32", [1, 2, 2]), ("BF16", [8]), ("I64", [2]), ("F8_E4M3", [4, 4]), ("F32", [2**40, 2**40])]

    def made(kind: tuple[str, list[int]], name: str, length: int | None) -> bytes:
        entry = {"dtype": kind[0], "shape": kind[1], "data_offsets": [0, 16]}
        head = json.dumps({name: entry}).encode()
        return (len(head) if length is None else length).to_bytes(8, "little") + head + bytes(16)

    lengths = st.sampled_from([None, None, None, 0, 2**63, 2**64 - 1, 999])
    return st.builds(made, st.sampled_from(kinds), st.sampled_from(["bias", LONE]), lengths)


class Trap:
    """What tells that somebody has read it out of a pickle."""

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        return sprung, ()


def sprung() -> None:
    raise RuntimeError("the code of a pickle ran")


def arrays() -> SearchStrategy[bytes]:
    """A .npy file of any shape and kind of number, a pickle among them."""
    shapes = st.sampled_from([(), (0,), (1, 1), (8, 5, 5), (1, 1, 4, 4), (3, 0, 3)])
    dtypes: list[Any] = ["f4", ">f8", "f2", "i8", "?", "c8", "U3", "M8[s]", [("a", "f4")], "O", "O"]

    def made(shape: tuple[int, ...], dtype: Any, number: float) -> bytes:
        array, file = np.zeros(shape, dtype), io.BytesIO()
        if array.dtype.kind == "f":
            array[...] = number
        if array.dtype.kind == "O" and array.size:
            array.flat[0] = Trap()
        np.save(file, array, allow_pickle=True)
        return file.getvalue()

    return st.builds(made, shapes, st.sampled_from(dtypes), st.sampled_from([0, np.nan, -np.inf, -1, 6e4]))


CONFIGS = [example.config for example in EXAMPLES.values()]
PLAIN = {
    "json": [*map(json.dumps, CONFIGS)],
    "csv": ["0,-1.5,-inf\n-1,0,2\n3,4,5", "1,-inf\n0.5", "1/2, 1/4", "0.5"],
    "txt": [BOOK, "a" * 5_000],
}
OTHERS = (b"", gzip.compress(b"a" * 10**6), pickle.dumps(Trap()), b"[" * 20_000, bytes(range(256)) * 100)


def plain(kind: str) -> SearchStrategy[str]:
    """A text as it stands in files of this kind, in which some words and numbers are others."""
    lies = st.lists(st.sampled_from(LIES), max_size=3)
    return st.builds(lied, st.sampled_from(PLAIN[kind]), st.lists(st.integers(0, 60), max_size=3), lies)


def _encoded(text: str, code: str) -> bytes:
    return text.encode(code, errors="surrogatepass")


def _damaged(data: bytes, at: int, how: int) -> bytes:
    at %= len(data) + 1
    return (data, data, data, data[:at], data[:at] + b"\xff\x00" + data[at + 1 :], data + data)[how]


def files(ending: str = "") -> SearchStrategy[bytes]:
    """A file as some page takes it, most often of this ending, in which some things are other ones; or no such file."""
    codes = st.sampled_from(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16"])
    kinds = {kind: st.builds(_encoded, plain(kind), codes) for kind in PLAIN}
    kinds |= {"npy": arrays(), "safetensors": headers(), "": st.sampled_from(OTHERS)}
    own = kinds.get(ending.lstrip("."), kinds[""])
    return st.builds(_damaged, st.one_of(own, own, own, *kinds.values()), st.integers(0, 5_000), st.integers(0, 5))

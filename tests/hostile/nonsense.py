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
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from alibi_viz.ui.controls import frame
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
    *(
        "\x00",
        "\ufeff",
        "\u202e",
        "\u200b",
        "\ud800",
        "\udfff",
        "\U0010ffff",
        "\x1b[31m",
        "\r",
        "\u2028",
        "\x85",
        "\x7f",
    ),
    *("e\u0301" * 20, "Z" + "\u0335\u0321" * 60, "👩‍👩‍👧‍👦", "مرحبا", "שלום", "日本語", "ﷺ", "🇩🇪", "İıſK", "ＡＢ"),
)
NUMBERS = (
    *("0", "-0", "1e308", "-1e308", "1e-320", "5e-324", "0x10", "1_000", "٣", "１２", "½", "1,5", "1/0", "0/0", "1/3"),
    *(
        "inf",
        "-inf",
        "infinity",
        "nan",
        "NaN",
        "+",
        "-",
        ".",
        "1e",
        "9" * 400,
        "1" + "0" * 30,
        "2147483648",
        "1.0000001",
    ),
)


def value(rng: random.Random, param: Param) -> str:
    """A value of one control as an address says it: allowed, at a border, or nonsense."""
    kind = rng.random()
    if kind < 0.5:
        return allowed(rng, param)
    if kind < 0.7:
        return rng.choice(NONSENSE)
    if kind < 0.8:
        return rng.choice(NUMBERS)
    if kind < 0.9:
        return text(rng, most=200)
    return mangled(rng, allowed(rng, param))


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
    return rng.choice(
        [str(param.default), "", "a b a b", "1/2, 1/4", "alibi,rope,t5,none", "alibi", text(rng, most=400)]
    )


def mangled(rng: random.Random, word: str) -> str:
    """A value with something of it doubled, lost, put in, or in another case."""
    at = rng.randrange(len(word) + 1)
    return rng.choice(
        [word.upper(), word + word, word[:at], word[:at] + rng.choice(ODD) + word[at:], f" {word}\n", word + "," * 50]
    )


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


def link(rng: random.Random) -> tuple[str, dict[str, str | list[str]]]:
    """An address: a lesson, and what it says of its own controls, of the frame's, and of those of other lessons."""
    lesson = rng.choice(LESSONS)
    own, foreign = list(params(lesson)), params(rng.choice(LESSONS))
    chosen = rng.sample(own, rng.randint(0, len(own)))
    chosen += rng.sample(frame.PARAMS, rng.randint(0, 2)) + rng.sample(
        list(foreign), min(len(foreign), rng.randint(0, 2))
    )
    url: dict[str, str | list[str]] = {
        param.key: [value(rng, param) for _ in range(3)] if rng.random() < 0.05 else value(rng, param)
        for param in chosen
    }
    if rng.random() < 0.1:
        url[rng.choice(["", "embed", "embed_options", "__proto__", "key", "a" * 200])] = text(rng, 40)
    return lesson, {key: _as_sent(found) for key, found in url.items()}


def _as_sent(found: str | list[str]) -> str | list[str]:
    """An address carries bytes: a lone surrogate cannot travel in it."""
    return [_as_sent(one) for one in found] if isinstance(found, list) else found.encode(errors="replace").decode()  # type: ignore[misc]


def report(rng: random.Random) -> str:
    """What a browser could send in the name of a component. (What is no JSON ends in Streamlit, before any of our code.)"""
    numbers: Sequence[Any] = (
        0,
        -1,
        3,
        1.5,
        2**53,
        10**400,
        1e308,
        math.inf,
        math.nan,
        True,
        None,
        "x",
        [],
        {},
        [[0]],
        "",
    )

    def anything() -> Any:
        return rng.choice([rng.choice(numbers), [rng.choice(numbers) for _ in range(rng.randint(0, 4))]])

    def record() -> Any:
        keys = ("value", "released", "sequence", "names")
        return {key: rng.choice([anything(), ["next", "theme", "previous"] * 40]) for key in rng.sample(keys, 3)}

    names = ("report", "cell", "picked", "zoom", "pressed", "value", "theme", "done")
    sent = {name: rng.choice([anything, record])() for name in rng.sample(names, rng.randint(1, 5))}
    return rng.choice([json.dumps(sent)] * 9 + ["null", "[1]", '"x"', "1e999", "{}"])


def data(rng: random.Random) -> bytes:
    """A file that is no matrix, no configuration and hardly a text; or almost one."""
    makers = (_npy, _safetensors, _csv, _config, _text_file, _other)
    made = rng.choice(makers)(rng)
    if made and rng.random() < 0.4:  # damaged
        at = rng.randrange(len(made))
        made = rng.choice([made[:at], made[:at] + rng.randbytes(rng.randint(1, 9)) + made[at + 1 :], made + made])
    return made


def _npy(rng: random.Random) -> bytes:
    shape = rng.choice([(), (0,), (1, 1), (2, 3), (8, 5, 5), (1, 1, 4, 4), (2, 2, 2, 2, 2, 2), (3, 0, 3)])
    dtype = rng.choice(["f4", ">f8", "f2", "i8", "?", "c8", "U3", "S2", "M8[s]", [("a", "f4")], "O"])
    made = np.zeros(shape, dtype=np.dtype(dtype))
    if made.dtype.kind == "f" and made.size:
        made[...] = rng.choice([0, np.nan, np.inf, -np.inf, -1, 6e4])
    file = io.BytesIO()
    np.save(file, made, allow_pickle=True)
    lie = rng.choice(
        [b"(2, 3)", b"(2**60, 9)", b"(10**99,)", b"(-1, 4)", b"((((1", b"(1, 2), 'x': exit()", b"(True, 1)"]
    )
    return file.getvalue().replace(b"(2, 3)", lie)


def _safetensors(rng: random.Random) -> bytes:
    dtype = rng.choice(["F32", "F16", "BF16", "I64", "F8_E4M3", "x", 3, None])
    shape: Any = rng.choice([[2, 2], [], [0, 0], [1, 2, 2], [2**40, 2**40], [-1, 2], [1.5, 2], "2", None, [True, 4]])
    ends: Any = rng.choice([[0, 16], [16, 0], [0, 2**62], [-4, 12], [0], "x", [0, 16.0], None])
    entry = {"dtype": dtype, "shape": shape, "data_offsets": ends}
    names = rng.choice([["bias"], ["a", "b"], [], ["__metadata__"], ["x" * 2000], ["\ud800"]])
    head = json.dumps(dict.fromkeys(names, entry)).encode()
    return rng.choice([len(head), 0, 2**63, 2**64 - 1, len(head) + 9]).to_bytes(8, "little") + head + bytes(16)


def _csv(rng: random.Random) -> bytes:
    rows, columns = rng.randint(0, 6), rng.randint(1, 6)
    cells = ["0", "-1.5", "-inf", "nan", "1e999", "", "=1+1", "٣", '"1', "1;2", "x", "9" * 300]
    lines = (",".join(rng.choice(cells[: rng.choice([3, 12])]) for _ in range(columns)) for _ in range(rows))
    encoding = rng.choice(["utf-8", "utf-8-sig", "utf-16", "utf-32"])
    return rng.choice(["\n", "\r", "\r\n", "\v"]).join(lines).encode(encoding)


def _config(rng: random.Random) -> bytes:
    families = [
        "bloom",
        "mpt",
        "llama",
        "t5",
        "gpt2",
        "gpt_neox",
        "falcon",
        "qwen2",
        "mistral",
        "BLOOM",
        "",
        "x",
        None,
        1,
    ]
    keys = "n_head n_heads n_layer n_layers num_attention_heads num_hidden_layers hidden_size d_model n_embd alibi d_kv"
    keys += " max_position_embeddings rope_theta rope_scaling attn_config rotary_pct head_dim num_key_value_heads"
    keys += " n_positions relative_attention_num_buckets torch_dtype architectures text_config num_heads max_seq_len"
    values: list[Any] = [
        0,
        -1,
        1,
        2,
        12,
        64,
        512,
        2**63,
        10**30,
        1.5,
        math.nan,
        math.inf,
        True,
        None,
        "12",
        [],
        [1],
        {},
    ]
    values += [
        {"alibi": True, "alibi_bias_max": 0},
        {"type": "yarn", "factor": 0},
        {"rope_type": "llama3", "factor": "x"},
    ]
    values += [{"rope_type": "longrope", "short_factor": [0] * 4}, "<b>", text(rng, 60), {"alibi": True}]
    raw: dict[str, Any] = {key: rng.choice(values) for key in rng.sample(keys.split(), rng.randint(0, 14))}
    raw["model_type"] = rng.choice(families)
    nested = "[" * 20_000 + "]" * 20_000
    plain = json.dumps(raw, ensure_ascii=rng.random() < 0.5).encode(errors="replace")
    return rng.choice([plain] * 8 + [nested.encode(), b'{"a":' * 5000, b'{"n_layer":' + b"9" * 5000 + b"}"])


def _text_file(rng: random.Random) -> bytes:
    words = text(rng) * rng.choice([1, 1, 3, 200])
    words = words[:200_000]
    return words.encode(rng.choice(["utf-8", "utf-16", "latin-1"]), errors="replace")


def _other(rng: random.Random) -> bytes:
    return rng.choice(
        [
            b"",
            b"\0" * 30_000,
            rng.randbytes(30_000),
            gzip.compress(b"a" * 1_000_000),
            pickle.dumps({"a": [1, 2]}),
            b"\x80\x04K\x01.",
            b"\x89PNG\r\n\x1a\n" + rng.randbytes(50),
            b"PK\x03\x04" + rng.randbytes(60),
            b"paragraph\n\n" * 5000,
            "".join(f"Paragraph {n} of {n * n}: {'word ' * 60}\n\n" for n in range(120)).encode(),
        ]
    )

"""Every number in the sentences about the shipped runs, derived again from the files with none of the app's own code.

The sentences of Start; and no result is typed into a lesson by hand.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from statistics import fmean
from typing import Any

import pytest

from alibi_viz import lessons
from alibi_viz.lessons import printed
from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained
from tests.pages.apptest import open_page, said

L = 128
Record = dict[str, Any]


@cache
def files(kind: str) -> list[Record]:
    return [json.loads(path.read_text()) for path in (pretrained.FOLDER / kind).glob("*.json")]


def records(kind: str, **wanted: object) -> list[Record]:
    """The files of one set whose configuration has these values, by seed."""
    found = [file for file in files(kind) if wanted.items() <= file["config"].items()]
    return sorted(found, key=lambda file: file["config"]["seed"])


def losses(method: str, length: int, protocol: str = "sliding") -> list[float]:
    """Of every seed, nats per byte; empty where it was not measured."""
    entries = [entry for run in records("text", method=method) for entry in run[protocol] if entry["length"] == length]
    return [entry["loss"] for entry in entries if "loss" in entry]


def perplexity(method: str, length: int, protocol: str = "sliding") -> float:
    return fmean(math.exp(loss) for loss in losses(method, length, protocol))


def rise(method: str, length: int, protocol: str = "sliding") -> float:
    """Nats per word above L."""
    per_word = records("text", method=method)[0]["corpus"]["bytes_per_word"]
    pairs = zip(losses(method, length, protocol), losses(method, L, protocol), strict=True)
    return per_word * fmean(there - here for there, here in pairs)


def signed(value: float, digits: int = 2) -> str:
    return printed(value, f"+.{digits}f")


def title(method: str) -> str:
    return METHODS[method].title


def sentences(lesson: str, *sections: str) -> str:
    """Of a lesson with each of these sections open in turn."""
    pages = (said(open_page(lesson, **{f"{lesson}_open": section})) for section in sections)
    return " ".join(" ".join(pages).split())


def test_start() -> None:
    page = " ".join(said(open_page("start", start_open="mask")).split())
    none, alibi = (perplexity(method, L, "nonoverlapping") for method in ("none", "alibi"))
    assert f"**{none:.2f}** without positions and of {alibi:.2f} with ALiBi, both with 2 layers" in page
    (deep,) = (
        next(e["perplexity"] for e in run["nonoverlapping"] if e["length"] == L) for run in records("depth", layers=6)
    )
    assert f"With 6 layers it is **{deep:.2f}** without positions" in page


@pytest.mark.parametrize("name", ["start", "extrapolation", "why", "train", "early_token_curse", "recall"])
def test_no_result_is_typed_by_hand(name: str) -> None:
    """Outside placeholders, formulas, citations and sources a lesson has no decimal, percentage or number above 100."""
    allowed = {"103", "128", "512", "2017", "2025", "1.1", "1.3"}  # WikiText-103; T5; years; 1.1 times; 1.3 billion
    parts = re.split(r"^## (.+)\n", lessons.path(name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    quiet = ("sources", "latex", "chart", "choices", "help", "labels")
    for section, body in zip(parts[1::2], parts[2::2], strict=True):
        if section.split(".")[0] not in quiet:
            text = re.sub(r"\{\{.*?\}\}|\{.*?\}|\$.*?\$|`.*?`|and others \d{4}|\[[\d.]+\]\(\S+?\)", "", body)
            typed = set(re.findall(r"\d+\.\d+|\d+ ?%|(?<![\w,])\d{3,}(?!\w)", text)) - allowed
            assert not typed, (section, typed)

"""Every number in the sentences about the shipped runs, derived again from the files with none of the app's own code.

The sentences of Start, Extrapolation and Early token curse; and no result is typed into a lesson by hand.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from functools import cache
from itertools import combinations
from statistics import fmean
from typing import Any

import pytest

from alibi_viz import lessons
from alibi_viz.cli import main
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


@pytest.fixture(scope="module")
def extrapolation() -> str:
    return sentences("extrapolation", "gave", "steps", "lengths", "stretched")


@pytest.fixture(scope="module")
def curse() -> str:
    return sentences("early_token_curse", "measured", "positions")


def test_extrapolation_at_the_training_length(extrapolation: str) -> None:
    order = sorted(pretrained.METHODS, key=lambda method: perplexity(method, L))
    best, place = order[0], order.index("alibi") + 1
    sentence = f"{title(best)} gives {perplexity(best, L):.2f}; ALiBi gives {perplexity('alibi', L):.2f}"
    assert f"{sentence}, rank {place} of {len(order)}" in extrapolation


def test_extrapolation_beyond_it(extrapolation: str) -> None:
    numbers = f"At 4 L its loss differs by {signed(rise('alibi', 4 * L))} nats per word from that at L; at 16 L, by"
    assert f"{numbers} {signed(rise('alibi', 16 * L))}." in extrapolation
    for times in (4, 16):
        good = [m for m in pretrained.METHODS if m != "learned" and rise(m, times * L) <= 0.1]
        assert f"at {times} L: {', '.join(title(method) for method in good)}" in extrapolation
    windows = (160, 192, 256, 512, 1024, 2048)
    broken = {}
    for method in pretrained.METHODS:
        at = [n for n in windows if losses(method, n) and rise(method, n) > 0.1]
        broken |= {method: at[0] / L} if at else {}
    listed = ", ".join(f"{title(m)} ({at:g} L)" for at, m in sorted((at, m) for m, at in broken.items()))
    assert f"(first measured window whose loss is 0.1 nats per word above that at L): {listed}" in extrapolation


def test_the_limitation(extrapolation: str) -> None:
    plain, slide = ([perplexity("alibi", n, kind) for n in (L, 16 * L)] for kind in ("nonoverlapping", "sliding"))
    assert f"ALiBi goes from {slide[0]:.2f} at L to {slide[1]:.2f} at 16 L" in extrapolation
    assert f"it goes from {plain[0]:.2f} to {plain[1]:.2f}" in extrapolation


def at_length(run: Record) -> float:
    """Perplexity of a run at its own training length, or another one."""
    return next(e["perplexity"] for e in run["sliding"] if e["length"] == run["config"]["length"])


def test_steps(extrapolation: str) -> None:
    (steps,) = {run["config"]["steps"] for run in records("text")}
    runs = {
        (method, run["config"]["steps"], run["config"]["seed"]): at_length(run)
        for method in pretrained.MAIN
        for kind in ("text", "twice")
        for run in records(kind, method=method)
    }
    better = [f"{title(m)} {runs[m, steps, 0]:.2f} → {runs[m, 2 * steps, 0]:.2f}" for m in pretrained.MAIN]
    assert f"From {steps:,} to {2 * steps:,} steps the perplexity at L goes: {', '.join(better)}." in extrapolation
    every = [(steps, seed) for seed in pretrained.SEEDS] + [(2 * steps, 0)]
    pairs = list(combinations(pretrained.MAIN, 2))
    settled = [(a, b) for a, b in pairs if len({runs[(a, *run)] < runs[(b, *run)] for run in every}) == 1]
    assert f"Of the {len(pairs)} pairs of these methods, {len(settled)} have the same order" in extrapolation
    (said,) = re.findall(r"Not settled: (.+?)\. More seeds", extrapolation)
    unsettled = [{title(a), title(b)} for a, b in pairs if (a, b) not in settled]
    assert sorted(map(sorted, unsettled)) == sorted(sorted(pair.split(" and ")) for pair in said.split(", "))


def test_short_and_long(extrapolation: str) -> None:
    runs = {}
    for method in ("alibi", "sinusoidal"):
        for n in (64, 128, 256, 512):
            (run,) = records("text" if n == L else "lengths", method=method, length=n, seed=0)
            runs[method, n] = next(e["perplexity"] for e in run["nonoverlapping"] if e["length"] == 512)
    for n in (64, 128, 256):
        assert f"L = {n}: {runs['alibi', n]:.2f}" in extrapolation
    assert f"{runs['sinusoidal', 512]:.2f}" in extrapolation
    assert f"ALiBi trained at 512 {runs['alibi', 512]:.2f}" in extrapolation


def test_stretched(extrapolation: str) -> None:
    (run,) = records("text", method="rope", seed=0)
    for times in (4, 16):
        for way in ("linear", "dynamic", "yarn"):
            wanted = {"way": way, "times": times, "length": times * L}
            (value,) = (e["perplexity"] for e in run["longer"] if wanted.items() <= e.items())
            assert f"{'YaRN' if way == 'yarn' else way} {value:.2f}" in extrapolation


def test_early_token_curse(curse: str) -> None:
    for kind in ("nonoverlapping", "sliding"):
        for length in (64, L, 2048):
            assert f"{perplexity('alibi', length, kind):.2f}" in curse
    bounds: dict[str, Callable[[float], bool]] = {
        "Better": lambda change: change < -0.01,
        "Flat": lambda change: abs(change) <= 0.01,
        "Worse": lambda change: change > 0.01,
    }
    for kind in ("nonoverlapping", "sliding"):
        changes = {m: rise(m, 16 * L, kind) for m in pretrained.METHODS if m != "learned"}
        for verdict, holds in bounds.items():
            names = ", ".join(title(method) for method, change in changes.items() if holds(change)) or "no method"
            assert f"{verdict}: {names}." in curse, (kind, verdict)


def test_cut_contexts(curse: str) -> None:
    for method in pretrained.METHODS:
        tables = [{e["context"]: e["loss"] for e in run["contexts"]} for run in records("text", method=method)]
        mean = {context: fmean(table[context] for table in tables) for context in tables[0]}
        lowest = min(loss for context, loss in mean.items() if context <= L)
        per_word = records("text", method=method)[0]["corpus"]["bytes_per_word"]
        needed = next(context for context, loss in mean.items() if loss <= lowest + 0.1 / per_word)
        assert f"{title(method)} {needed}" in curse
        if 512 in mean:
            assert f"{title(method)} {signed(mean[512] - mean[L], 3)}" in curse


@pytest.mark.parametrize("name", ["extrapolation", "why", "train", "early_token_curse", "recall"])
def test_no_result_is_typed_by_hand(name: str) -> None:
    """Outside placeholders, formulas, citations and sources a lesson has no decimal, percentage or number above 100."""
    allowed = {"103", "128", "512", "2017", "2025", "1.1", "1.3"}  # WikiText-103; T5; years; 1.1 times; 1.3 billion
    parts = re.split(r"^## (.+)\n", lessons.path(name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    quiet = ("sources", "latex", "chart", "choices", "help", "labels")
    for section, body in zip(parts[1::2], parts[2::2], strict=True):
        if section.split(".")[0] not in quiet:
            text = re.sub(r"\{\{.*?\}\}|\$.*?\$|`.*?`|and others \d{4}|\[[\d.]+\]\(\S+?\)", "", body)
            typed = set(re.findall(r"\d+\.\d+|\d+ ?%|(?<![\w,])\d{3,}(?!\w)", text)) - allowed
            assert not typed, (section, typed)


@pytest.mark.slow
def test_the_shipped_weights_give_every_shipped_number() -> None:
    assert main(["verify"]) == 0

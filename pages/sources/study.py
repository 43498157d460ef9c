"""Where each number comes from, read from docstrings, data files, run files, and the tests' own record."""

import inspect
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import pandas as pd

from alibi_viz import timing
from alibi_viz.positions import METHODS, title_of
from alibi_viz.results import pretrained, published
from alibi_viz.rules import half_weight_distance, slopes

EPSILON = 2.0**-23  # of float32: the step between 1 and the next number
SHORT, FAR = 512, 3072  # words: a training length of the paper, and its longest window
BEST_LARGE, FAR_LARGE = 1024, 2048  # tokens: the window where the paper's largest model is best, and its longest
HEADS = 8  # whose slopes are told


@dataclass(frozen=True)
class Check:
    """A comparison of the tests with a published implementation."""

    check: str
    package: str
    version: str
    bound: float  # the largest difference that the test allows
    difference: float  # the largest that it found


@cache
def checks() -> list[Check]:
    """What the tests found when they were last recorded, the largest difference first."""
    rows = json.loads((published.FOLDER / "parity.json").read_text(encoding="utf-8"))["checks"]
    return sorted((Check(**row) for row in rows), key=lambda check: -check.difference)


def method_sources() -> list[tuple[str, str]]:
    """Title of each method, and what its module names as its source."""
    return [
        (title_of(method.name), _source(inspect.getdoc(sys.modules[method.__module__]) or ""))
        for method in METHODS.values()
    ]


def _source(docstring: str) -> str:
    """The paragraph that begins with "Source:", without a last sentence that only leads to a formula."""
    text = " ".join(docstring.partition("Source:")[2].split("\n\n")[0].replace("`", "").split())
    return text.rpartition(". ")[0] + "." if text.endswith(":") else text


@cache  # it reads all run files
def runs() -> pd.DataFrame:
    """How each set of shipped runs was made: a row for each set, day and place, from what the run files recorded."""
    rows = [
        {"kind": kind, "made": record["made_at"][:10], "with": _place(record["made_with"])}
        | {"hours": record["training_seconds"] / 3600}
        for kind in pretrained.KINDS
        for record in pretrained.load_all(kind)
    ]
    groups = pd.DataFrame(rows).groupby(["kind", "made", "with"], sort=False)["hours"]
    made = groups.agg(runs="size", hours="sum").round(1).reset_index()
    return made[["kind", "runs", "hours", "made", "with"]]


def _place(made_with: Mapping[str, object]) -> str:
    """The machine and the software of a run, in a line."""
    return "{machine}, {device}, threads: {threads}, Python {python}, torch {torch}".format_map(made_with)


def papers_numbers() -> dict[str, float]:
    """The paper's numbers about what is often said of ALiBi, for models trained at SHORT words or tokens."""
    speeds = {
        f"{name}_speed": published.find("table1_speed_memory", method=method, train_length=SHORT)["train_wps"]
        for name, method in {"alibi": "ALiBi", "sinusoidal": "Sinusoidal", "rotary": "Rotary"}.items()
    }
    large = published.find("table12_1p3B_equal_updates", model=f"ALiBi, L = {SHORT}")
    sliding = published.row("table15_sliding_alibi", str(SHORT))
    lengths = {"short": SHORT, "far": FAR, "best_large": BEST_LARGE, "far_large": FAR_LARGE}
    numbers = speeds | {"large_best": large[f"ppl_{BEST_LARGE}"], "large_far": large[f"ppl_{FAR_LARGE}"]}
    return lengths | numbers | {"sliding_short": sliding[SHORT], "sliding_far": sliding[FAR]}


def own_numbers() -> dict[str, float]:
    """What this app says of it: the shipped times of attention on a CPU at its longest text, and the distances (tokens) at
    which weights of equal contents are half, for the largest and for the smallest of HEADS slopes."""
    ratios = timing.shipped()["cpu"]["forward"].ratios
    (tokens, alibi, *_), (_, rope, *_) = ratios["alibi"][-1], ratios["rope"][-1]
    near, *_, far = map(half_weight_distance, slopes(HEADS))
    return {"tokens": tokens, "alibi_time": alibi, "rope_time": rope, "near_half": near, "far_half": far}

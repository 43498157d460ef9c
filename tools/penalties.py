"""`python -m tools.penalties`: train models with other penalties on far keys: results/pretrained/penalties.json.

Each shape has two strengths, so that shape is not taken for strength. Heads have ALiBi's slopes m, L is 64:

    line    m d: ALiBi; and a quarter of it
    log     m log2(1 + d), which is the line at distance 1; and so much of it that it meets the line at L - 1
    wall    keys at distance W or more are hidden: W = L/8, W = L/2, and W = L
    none

A wall at L hides nothing in training: its model is that of "none", read otherwise. It goes on where it was interrupted.
"""

import json
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from alibi_viz import rules
from alibi_viz.files import write_atomically
from alibi_viz.lm.config import BLOCKS, TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.evaluation import evaluate
from alibi_viz.lm.model import windowed
from alibi_viz.lm.runs import environment
from alibi_viz.lm.training import start, train_chunk
from alibi_viz.positions import METHODS
from alibi_viz.positions.base import DistanceBias
from alibi_viz.results import pretrained
from tools.measures import PREDICTIONS, QUARTER

LENGTH, STEPS = 64, 1_200
TIMES = (1, 2, 8)  # training lengths of the windows
MEETS = (LENGTH - 1) / math.log2(LENGTH)  # the log that is the line at L - 1
SHAPES = {"line": (1.0, 0.25), "log": (1.0, MEETS), "wall": (LENGTH / 8, LENGTH / 2), "none": (0.0,)}


class Penalty(DistanceBias):
    """A penalty of a shape and a strength."""

    name = "penalty"
    title = "penalty"
    order = 1000

    def __init__(
        self, heads: int, head_dim: int, width: int, max_length: int = 2048, *, shape: str, strength: float
    ) -> None:
        super().__init__(heads, head_dim, width, max_length)
        self.shape, self.height = shape, strength
        self.window = int(strength) - 1 if shape == "wall" else None
        self.slopes = torch.tensor(rules.slopes(heads), dtype=torch.float32)

    def bias_by_distance(self, distance: Tensor) -> Tensor:
        far = distance.clamp(min=0).float()
        curve = {"line": far, "log": torch.log2(1 + far)}.get(self.shape, torch.zeros_like(far))
        return -self.slopes.view(-1, *[1] * far.ndim) * self.height * curve


def configs() -> Iterator[TrainConfig]:
    """Every run, seed by seed."""
    base = TrainConfig("none", length=LENGTH, batch=4, steps=STEPS, learning_rate=0.005)
    for seed in pretrained.SEEDS:
        for shape, strengths in SHAPES.items():
            for strength in strengths:
                yield replace(base, method=Penalty.name, options={"shape": shape, "strength": strength}, seed=seed)  # type: ignore[arg-type]


def rows(config: TrainConfig) -> list[dict[str, Any]]:
    """A run, measured at TIMES training lengths in sliding windows; without a penalty, behind a wall at L too."""
    corpus = python_text()
    model, text = train_chunk(start(config, corpus), config.steps, corpus).model(), corpus.held_out[: PREDICTIONS + 1]
    options = dict(config.options)
    read = {options["strength"]: model} | ({LENGTH: windowed(model, LENGTH - 1)} if options["shape"] == "none" else {})
    result = []
    for strength, of_strength in read.items():
        shape = "wall" if strength == LENGTH else options["shape"]
        for times in TIMES:
            length = times * LENGTH
            measured = evaluate(of_strength, text, length, length // QUARTER, positions=False)
            own = {"shape": shape, "strength": strength, "seed": config.seed, "length": length}
            result.append(own | {"loss": round(measured["loss"], 5)})
    return result


def main() -> int:
    torch.set_num_threads(1)
    METHODS[Penalty.name] = Penalty  # of this process alone: no reader trains it
    BLOCKS["gpt"] += (Penalty.name,)
    path = pretrained.PENALTIES
    record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"rows": []}
    names = ("length", "batch", "steps", "learning_rate", "width", "layers", "heads")
    for config in configs():
        began, options = time.process_time(), dict(config.options)
        if not any(row | options | {"seed": config.seed} == row for row in record["rows"]):
            record |= {"made_with": environment(), "recipe": {name: getattr(config, name) for name in names}}
            record["predictions"] = PREDICTIONS
            record["rows"] += (new := rows(config))
            write_atomically(path, json.dumps(record, separators=(",", ":")).encode() + b"\n")
            losses = [f"{math.exp(row['loss']):.2f}" for row in new]
            print(options, config.seed, *losses, f"{time.process_time() - began:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

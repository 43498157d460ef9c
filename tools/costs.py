"""`python -m tools.costs`: what a training step of the shipped runs costs, written where they are shipped.

Time by method and training length.

Notable choices:
- The batch shrinks as the sequences grow, so a step always reads the same number of bytes.
- All cases in turn, several rounds, medians: what else the machine does falls on all of them alike.
"""

import json
import statistics
import time
from dataclasses import replace

import torch

from alibi_viz.files import write_atomically
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import corpus_for, environment
from alibi_viz.lm.training import start, train_chunk
from alibi_viz.results.pretrained import COSTS, SEEDS
from tools.pretrained import configs

ROUNDS, STEPS = 3, 40


def main() -> None:
    """Measure what `results.pretrained.COSTS` holds, and write it: seconds a step and tokens a second, medians."""
    torch.set_num_threads(1)
    first = [(config, kind) for config, kind in configs().items() if config.seed == SEEDS[0] and not config.options]
    trained = {c.length: c for c, kind in first if kind in ("text", "lengths") and c.method == "alibi"}
    measured = [replace(c, method=method) for _, c in sorted(trained.items()) for method in ("alibi", "sinusoidal")]
    corpus = corpus_for(measured[0])
    states = {
        config: train_chunk(start(config, corpus), 2, corpus) for config in measured
    }  # the first steps take longer
    seconds: dict[TrainConfig, list[float]] = {config: [] for config in measured}
    for _ in range(ROUNDS):
        for config, state in states.items():
            began = time.perf_counter()
            train_chunk(state, STEPS, corpus)
            seconds[config].append((time.perf_counter() - began) / STEPS)
    entries = []
    for config, rounds in seconds.items():
        median = statistics.median(rounds)
        facts = {"method": config.method, "length": config.length, "batch": config.batch, "seconds": round(median, 5)}
        entries.append(facts | {"tokens_per_second": round(config.batch * config.length / median)})
    result = {"made_with": environment(), "costs": entries}
    write_atomically(COSTS, json.dumps(result, allow_nan=False, separators=(",", ":")).encode() + b"\n")


if __name__ == "__main__":
    main()

"""`python -m tools.costs`: what a training step of the shipped runs costs, written where they are shipped.

Time and memory by method and training length, each measured in a process of its own.

Notable choices:
- The batch shrinks as the sequences grow, so a step always reads the same number of bytes.
- All cases in turn, several rounds, medians: what else the machine does falls on all of them alike.
- Memory is what the largest size of the process gains by training, after another model has been trained to warm up.
"""

import json
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from typing import Any

from alibi_viz.device import set_threads
from alibi_viz.files import write_atomically
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import corpus_for, environment
from alibi_viz.lm.training import start, train_chunk
from alibi_viz.results.pretrained import COSTS, SEEDS
from tools.pretrained import configs

ROUNDS, STEPS = 3, 40


def measure(config: TrainConfig) -> dict[str, float]:
    """Seconds a step and bytes of memory, in this process, which should be a fresh one."""
    set_threads(1)
    corpus = corpus_for(config)
    train_chunk(start(replace(config, batch=1, length=16, steps=2), corpus), 2, corpus)
    before = _peak()
    state = train_chunk(start(config, corpus), 2, corpus)
    began = time.perf_counter()
    train_chunk(state, STEPS, corpus)
    return {"seconds": (time.perf_counter() - began) / STEPS, "memory": float(_peak() - before)}


def _peak() -> int:
    import resource  # Windows has none; the other commands do without

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def costs(configs: list[TrainConfig]) -> list[dict[str, Any]]:
    """One entry a configuration: seconds a step, tokens a second and bytes of memory, medians over the rounds."""
    measured: dict[TrainConfig, list[dict[str, float]]] = {config: [] for config in configs}
    for _ in range(ROUNDS):
        for config, results in measured.items():
            command = [sys.executable, "-m", "tools.costs", json.dumps(config.to_dict())]
            results.append(json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout))
    entries = []
    for config, results in measured.items():
        seconds, memory = (statistics.median(result[key] for result in results) for key in ("seconds", "memory"))
        pace = config.batch * config.length / seconds
        facts = {"method": config.method, "length": config.length, "batch": config.batch, "seconds": round(seconds, 5)}
        entries.append(facts | {"tokens_per_second": round(pace), "memory": round(memory)})
    return entries


def write() -> None:
    """Measure what `results.pretrained.COSTS` holds, and write it."""
    set_threads(1)  # as in the processes that measure: `environment` says so
    first = [(config, kind) for config, kind in configs().items() if config.seed == SEEDS[0] and not config.options]
    trained = {c.length: c for c, kind in first if kind in ("text", "lengths") and c.method == "alibi"}
    entries = costs(
        [replace(c, method=method) for _, c in sorted(trained.items()) for method in ("alibi", "sinusoidal")]
    )
    result = {"made_with": environment(), "costs": entries}
    write_atomically(COSTS, json.dumps(result, allow_nan=False, separators=(",", ":")).encode() + b"\n")


def main(config: str = "") -> None:
    """Write the file; with a configuration as JSON, measure and print its costs."""
    if config:
        print(json.dumps(measure(TrainConfig.from_dict(json.loads(config)))))
        return
    write()


if __name__ == "__main__":
    main(*sys.argv[1:2])

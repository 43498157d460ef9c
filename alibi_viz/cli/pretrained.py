"""`make pretrained`: train and measure the runs that are shipped with the project, in `alibi_viz/pretrained`.

Every number in that folder comes from this command. It may be interrupted at any time: half-finished runs are resumed.
A run is made again only if its configuration, the text, or the version of Python or torch has changed. The weights of the
first language model of each method are written as float16.

Notable choices:
- Recall is trained for as many steps as the language models. That this is enough was tried with ALiBi alone, three seeds,
  at trained distances only, so that no method is favoured by what happens beyond: in 200 steps no seed learned the task
  (right in 0.06 to 0.16 of the answers), in 400 one did (the others 0.18 to 0.90), in 600 all three did (1.00).
"""

import itertools
import json
import sys
import time
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from alibi_viz.cli.runs import train_all
from alibi_viz.files import write_atomically, write_weights
from alibi_viz.jobs import Cluster, Jobs, Limits, Plan
from alibi_viz.lm.config import RECALL, TrainConfig
from alibi_viz.lm.corpus import BUILT_IN
from alibi_viz.lm.runs import RunStore, corpus_for, data_folder, environment
from alibi_viz.pretrained import FOLDER, METHODS, SEEDS, load, path

LENGTH = 128  # L
STEPS = 1000  # 2.05 million bytes, more than six times through the text
BEYOND = (1, 1.25, 1.5, 2, 4, 8, 16)  # training lengths
TEXT_PLAN = Plan(times=(0.5, *BEYOND), held_out=0, sample_times=())
# Near distances (2, 8, 32, 64), the farthest that training can ask for, and those beyond.
RECALL_PLAN = Plan(times=(*((distance + 1) / LENGTH for distance in (2, 8, 32, 64)), *BEYOND), sample_times=())


def configs() -> list[TrainConfig]:
    """Every shipped run: the shape, the optimizer and the text are TrainConfig's defaults."""
    runs = itertools.product((BUILT_IN, RECALL), SEEDS, METHODS)
    return [TrainConfig(method, length=LENGTH, steps=STEPS, seed=seed, corpus=corpus) for corpus, seed, method in runs]


def is_made(config: TrainConfig) -> bool:
    """Whether the run is there and would come out the same."""
    shipped, weights = load(config.method, config.seed, recall=config.is_recall), _weights_path(config)
    if shipped is None or (weights is not None and not weights.exists()):
        return False
    now, then = environment(), shipped["made_with"]
    same = all(now[part] == then.get(part) for part in ("python", "torch"))
    return same and shipped["hash"] == config.hash and shipped["corpus"] == _text(config)


def write(config: TrainConfig, store: RunStore) -> None:
    """Write a finished run of the store into the package."""
    run, weights = store.get(config.hash), store.weights(config.hash)
    if run is None or weights is None:
        raise ValueError(f"The run of {config.method}, seed {config.seed}, is not finished.")
    result = {
        "config": config.to_dict(),
        "hash": config.hash,
        "corpus": _text(config),
        "made_with": run.environment,
        "made_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "training_seconds": round(run.seconds, 1),
        "losses": [round(loss, 4) for loss in run.losses],
    }
    if config.is_recall:
        result["recall"] = run.recall
    else:
        result["nonoverlapping"] = [entry for entry in run.evaluations if entry["stride"] == entry["length"]]
        result["sliding"] = [entry for entry in run.evaluations if entry["stride"] < entry["length"]]
    if (weights_path := _weights_path(config)) is not None:
        write_weights(weights_path, weights, torch.float16)
    data = json.dumps(result, allow_nan=False, separators=(",", ":")).encode() + b"\n"
    write_atomically(path(config.method, config.seed, recall=config.is_recall), data)


def _text(config: TrainConfig) -> dict[str, Any]:
    """What the text was; recall has none."""
    corpus = corpus_for(config)
    if corpus is None:
        return {"title": "recall", "sha256": "", "held_out_bytes": 0}
    return {"title": corpus.title, "sha256": corpus.sha256, "held_out_bytes": len(corpus.held_out)}


def _weights_path(config: TrainConfig) -> Path | None:
    """None for runs whose weights are not shipped."""
    return FOLDER / f"{config.method}.safetensors" if config.seed == SEEDS[0] and not config.is_recall else None


def main() -> int:
    missing = [config for config in configs() if not is_made(config)]
    Console().print(f"{len(configs()) - len(missing)} runs are made, {len(missing)} are missing.")
    store = RunStore(data_folder() / "pretrained")
    jobs = Jobs(store, Cluster(), Limits(waiting=len(missing)))
    if not train_all(jobs, {config: RECALL_PLAN if config.is_recall else TEXT_PLAN for config in missing}):
        return 130
    for config in missing:
        write(config, store)
        store.delete(config.hash)
    return 0


if __name__ == "__main__":
    sys.exit(main())

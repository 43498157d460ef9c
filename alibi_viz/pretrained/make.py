"""`make pretrained`: train and measure the runs that are shipped with the project.

Every number in this folder comes from this command. It goes through the seeds, and within a seed through the methods;
what is done is kept and half-finished runs go on where they stopped, so it may be interrupted at any time. A run is made
anew only if its configuration, the text, or the version of Python or torch has changed.

Results stand in `<method>-<seed>.json`, weights of the first seed in `<method>.safetensors` (float16).
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from alibi_viz.config import TrainConfig
from alibi_viz.corpus import Corpus, python_docs
from alibi_viz.device import set_threads
from alibi_viz.evaluation import Evaluation, evaluate
from alibi_viz.files import write_atomically, write_weights
from alibi_viz.pretrained import FOLDER, METHODS, SEEDS, load
from alibi_viz.runs import Run, RunStore, data_folder, made_with
from alibi_viz.training import TrainState, start, train_chunk

LENGTH = 128  # L
STEPS = 1000  # 2.05 million bytes, more than six times through the text
CHUNK = 50  # steps between two savings
LENGTHS = tuple(int(LENGTH * times) for times in (1 / 2, 1, 1.25, 1.5, 2, 4, 8, 16))
SLIDING = 4  # the sliding window moves by a quarter of its length: nearly every byte has 3/4 of the window before it


def config_for(method: str, seed: int) -> TrainConfig:
    """A shipped run's configuration: the shape, the optimizer and the text are TrainConfig's defaults."""
    return TrainConfig(method=method, seed=seed, length=LENGTH, steps=STEPS)


def train(config: TrainConfig, corpus: Corpus, store: RunStore, console: Console) -> TrainState:
    """The finished state, resumed from the store where it was interrupted."""
    state = store.state(config.hash)
    if state is None or state.corpus != corpus.sha256:
        state = start(config, corpus)
    while not state.finished:
        state = train_chunk(state, CHUNK, corpus)
        store.save(Run(config, status="running").after(state), state)
        pace = state.step / state.seconds
        console.print(
            f"  step {state.step}/{config.steps}, {pace:.1f} a second, loss {state.losses[-CHUNK:].mean():.3f}"
        )
    return state


def measure(state: TrainState, corpus: Corpus, console: Console) -> dict[str, list[dict[str, Any]]]:
    """Both protocols at every length; the loss by position of nonoverlapping windows only."""
    model = state.model()
    found: dict[str, list[dict[str, Any]]] = {"nonoverlapping": [], "sliding": []}
    for length in LENGTHS:
        for protocol, stride in (("nonoverlapping", length), ("sliding", length // SLIDING)):
            result = evaluate(model, corpus.held_out, length, stride)
            found[protocol].append(result.to_dict(positions=protocol == "nonoverlapping"))
            told = f"{result.perplexity:.3f}" if isinstance(result, Evaluation) else result.reason
            console.print(f"  {protocol} {length}: {told}")
    return found


def make(method: str, seed: int, corpus: Corpus, store: RunStore, console: Console) -> None:
    """Train, measure and write one run."""
    config, began = config_for(method, seed), time.time()
    state = train(config, corpus, store, console)
    result = {
        "config": config.to_dict(),
        "hash": config.hash,
        "corpus": {"title": corpus.title, "sha256": corpus.sha256, "held_out_bytes": len(corpus.held_out)},
        "made_with": made_with(),
        "made_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "training_seconds": round(state.seconds, 1),
        "losses": [round(loss, 4) for loss in state.losses.tolist()],
        **measure(state, corpus, console),
    }
    console.print(f"{method}, seed {seed}: {time.time() - began:.0f} s")
    if seed == SEEDS[0]:
        write_weights(FOLDER / f"{method}.safetensors", state.weights, torch.float16)
    path = FOLDER / f"{method}-{seed}.json"
    write_atomically(path, json.dumps(result, allow_nan=False, separators=(",", ":")).encode() + b"\n")
    store.delete(config.hash)


def is_made(method: str, seed: int, corpus: Corpus, folder: Path = FOLDER) -> bool:
    """Whether the run is there and would come out the same."""
    found = load(method, seed, folder)
    if found is None or (seed == SEEDS[0] and not (folder / f"{method}.safetensors").exists()):
        return False
    now, then = made_with(), found["made_with"]
    same = all(now[name] == then.get(name) for name in ("python", "torch"))
    return same and found["hash"] == config_for(method, seed).hash and found["corpus"]["sha256"] == corpus.sha256


def main() -> int:
    set_threads(1)
    console, corpus = Console(), python_docs()
    store = RunStore(data_folder() / "pretrained")
    for seed in SEEDS:
        for method in METHODS:
            if is_made(method, seed, corpus):
                console.print(f"{method}, seed {seed}: is made")
                continue
            console.print(f"{method}, seed {seed}")
            try:
                make(method, seed, corpus, store, console)
            except KeyboardInterrupt:
                console.print("Stopped. The same command goes on from here.")
                return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())

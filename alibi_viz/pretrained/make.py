"""`make pretrained`: train and measure the runs that are shipped with the project.

Every number in this folder comes from this command. It makes the language models first, then the models of the recall
task; it goes through the seeds, and within a seed through the methods. What is done is kept and half-finished runs go on
where they stopped, so it may be interrupted at any time. A run is made anew only if its configuration, the text, or the
version of Python or torch has changed.

Results stand in `<method>-<seed>.json` and `recall-<method>-<seed>.json`, weights of the first language model of each
method in `<method>.safetensors` (float16).

Notable choices:
- Recall is trained for as many steps as the language models. That this is enough was tried with ALiBi alone, three seeds,
  at trained distances only, so that no method is favoured by what happens beyond: in 200 steps no seed learned the task
  (right in 0.06 to 0.16 of the answers), in 400 one did (the others 0.18 to 0.90), in 600 all three did (1.00).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import torch
from rich.console import Console

from alibi_viz.device import set_threads
from alibi_viz.files import write_atomically, write_weights
from alibi_viz.lm.config import RECALL, TrainConfig
from alibi_viz.lm.corpus import BUILT_IN, Corpus
from alibi_viz.lm.evaluation import Evaluation, evaluate, recall_result
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.runs import Run, RunStore, corpus_for, data_folder, made_with
from alibi_viz.lm.training import TrainState, start, train_chunk
from alibi_viz.pretrained import FOLDER, METHODS, SEEDS, load, path

LENGTH = 128  # L
STEPS = 1000  # 2.05 million bytes, more than six times through the text
CHUNK = 50  # steps between two savings
LENGTHS = tuple(int(LENGTH * times) for times in (1 / 2, 1, 1.25, 1.5, 2, 4, 8, 16))
SLIDING = 4  # the sliding window moves by a quarter of its length: nearly every byte has 3/4 of the window before it
# Recall: near places, the farthest that training can ask for, and then windows of 1.25 to 16 L that end with the question.
DISTANCES = (2, 8, 32, 64, LENGTH - 1, *(length - 1 for length in LENGTHS if length > LENGTH))


def configs() -> Iterator[TrainConfig]:
    """Every shipped run: the shape, the optimizer and the text are TrainConfig's defaults."""
    for corpus in (BUILT_IN, RECALL):
        for seed in SEEDS:
            for method in METHODS:
                yield TrainConfig(method=method, seed=seed, length=LENGTH, steps=STEPS, corpus=corpus)


def name(config: TrainConfig) -> str:
    """A run as the console calls it."""
    return f"{'recall, ' if config.is_recall else ''}{config.method}, seed {config.seed}"


def train(config: TrainConfig, corpus: Corpus | None, store: RunStore, console: Console) -> TrainState:
    """The finished state, resumed from the store where it was interrupted."""
    state = store.state(config.hash)
    if state is None or state.corpus != text_of(corpus)["sha256"]:
        state = start(config, corpus)
    while not state.finished:
        state = train_chunk(state, CHUNK, corpus)
        store.save(Run(config, status="running").after(state), state)
        pace = state.step / state.seconds
        console.print(
            f"  step {state.step}/{config.steps}, {pace:.1f} a second, loss {state.losses[-CHUNK:].mean():.3f}"
        )
    return state


def text_of(corpus: Corpus | None) -> dict[str, Any]:
    """What the text was; recall makes its own."""
    if corpus is None:
        return {"title": "recall", "sha256": "", "held_out_bytes": 0}
    return {"title": corpus.title, "sha256": corpus.sha256, "held_out_bytes": len(corpus.held_out)}


def measure(model: DecoderLM, corpus: Corpus | None, console: Console) -> dict[str, list[dict[str, Any]]]:
    """Recall at every distance, or perplexity on the text."""
    return {"recall": list(_recall(model, console))} if corpus is None else _perplexity(model, corpus, console)


def _perplexity(model: DecoderLM, corpus: Corpus, console: Console) -> dict[str, list[dict[str, Any]]]:
    """Both protocols at every length; the loss by position of nonoverlapping windows only."""
    found: dict[str, list[dict[str, Any]]] = {"nonoverlapping": [], "sliding": []}
    for length in LENGTHS:
        for protocol, stride in (("nonoverlapping", length), ("sliding", length // SLIDING)):
            result = evaluate(model, corpus.held_out, length, stride)
            found[protocol].append(result.to_dict(positions=protocol == "nonoverlapping"))
            told = f"{result.perplexity:.3f}" if isinstance(result, Evaluation) else result.reason
            console.print(f"  {protocol} {length}: {told}")
    return found


def _recall(model: DecoderLM, console: Console) -> Iterator[dict[str, Any]]:
    """Share of right answers at every distance, as the store writes it."""
    for distance in DISTANCES:
        result = recall_result(model, distance)
        yield result
        console.print(f"  recall {distance}: {result.get('missing') or format(result['accuracy'], '.3f')}")


def make(config: TrainConfig, store: RunStore, console: Console) -> None:
    """Train, measure and write one run."""
    corpus, began = corpus_for(config), time.time()
    state = train(config, corpus, store, console)
    result = {
        "config": config.to_dict(),
        "hash": config.hash,
        "corpus": text_of(corpus),
        "made_with": made_with(),
        "made_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "training_seconds": round(state.seconds, 1),
        "losses": [round(loss, 4) for loss in state.losses.tolist()],
        **measure(state.model(), corpus, console),
    }
    console.print(f"{name(config)}: {time.time() - began:.0f} s")
    if has_weights(config):
        write_weights(FOLDER / f"{config.method}.safetensors", state.weights, torch.float16)
    data = json.dumps(result, allow_nan=False, separators=(",", ":")).encode() + b"\n"
    write_atomically(path(config.method, config.seed, recall=config.is_recall), data)
    store.delete(config.hash)


def has_weights(config: TrainConfig) -> bool:
    """Whether a run's weights are shipped with it."""
    return config.seed == SEEDS[0] and not config.is_recall


def is_made(config: TrainConfig) -> bool:
    """Whether the run is there and would come out the same."""
    found = load(config.method, config.seed, recall=config.is_recall)
    if found is None or (has_weights(config) and not (FOLDER / f"{config.method}.safetensors").exists()):
        return False
    now, then = made_with(), found["made_with"]
    same = all(now[part] == then.get(part) for part in ("python", "torch"))
    return same and found["hash"] == config.hash and found["corpus"] == text_of(corpus_for(config))


def main() -> int:
    set_threads(1)
    console, store = Console(), RunStore(data_folder() / "pretrained")
    for config in configs():
        if is_made(config):
            console.print(f"{name(config)}: is made")
            continue
        console.print(name(config))
        try:
            make(config, store, console)
        except KeyboardInterrupt:
            console.print("Stopped. The same command goes on from here.")
            return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())

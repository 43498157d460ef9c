"""`make pretrained`: train and measure the runs that are shipped with the project, in `alibi_viz/results/pretrained`.

Every number in that folder comes from this command. It may be interrupted at any time: half-finished runs are resumed.
A run is made again only if its configuration, the text, or the version of Python or torch has changed. The weights of the
first language model of each method are written as float16.

Notable choices:
- The recipe of recall (`lm.recall`, RECALL_SHAPE) was chosen with ALiBi and RoPE, and then tried with sinusoidal positions,
  by trained distances only, so that no method is favoured by what happens beyond.
"""

import json
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from torch import Tensor

from alibi_viz.cli.cost import costs, paces
from alibi_viz.cli.runs import train_all
from alibi_viz.device import pick, set_threads
from alibi_viz.files import write_atomically, write_weights
from alibi_viz.jobs import Cluster, Jobs, Limits, Plan
from alibi_viz.lm.config import RECALL, TrainConfig
from alibi_viz.lm.evaluation import Evaluation, context_losses, evaluate
from alibi_viz.lm.runs import RunStore, corpus_for, data_folder, environment
from alibi_viz.lm.training import trained_model
from alibi_viz.positions import METHODS as METHOD_CLASSES
from alibi_viz.results.pretrained import BLOCK_COSTS, COSTS, FOLDER, METHODS, SEEDS, Kind, weights_path

LENGTH, STEPS = 128, 2000  # L; 4.1 million bytes, 13 times through the text
TOKENS = 2048  # bytes a step
BASE = TrainConfig(length=LENGTH, steps=STEPS, batch=TOKENS // LENGTH)  # the shape of a reader's first run
RECALL_SHAPE: dict[str, Any] = {"steps": 2000, "pairs": 4, "learning_rate": 3e-3}
LIVE_STEPS = 400  # of the page where readers train: a reader's first run
OTHER_STEPS = (250, 500, 1000, 4000)
OTHER_LENGTHS = (64, 256, 512)  # with batches of as many bytes as at LENGTH
COMPARED = ("alibi", "sinusoidal")  # at all these lengths
BLOG = {"rule": "blog"}  # slopes 2^-h
BLOCK: dict[str, Any] = {"block": "llama", "heads": 4}  # with eight heads BLOG's slopes are the paper's
BEYOND = (1, 1.25, 1.5, 2, 4, 8, 16)  # training lengths
WINDOWS = (64, 128, 256, 512, 1024, 2048)  # bytes
CONTEXTS = tuple(2**power for power in range(10))  # 1 .. 512 bytes
CUT = 2048  # predictions that are made from each context
LONGER = (2, 4, 8, 16)  # training lengths that a trained model is stretched to

_ALL = Plan(held_out=0, sample_times=())
PLANS: dict[Kind, Plan] = {
    "text": replace(_ALL, times=(0.5, *BEYOND)),
    "steps": replace(_ALL, times=(1, 4), sliding=0),
    "lengths": replace(_ALL, sliding=0),  # its windows follow from the training length
    "blocks": replace(_ALL, times=(0.5, *BEYOND), sliding=0),
    "live": replace(_ALL, sliding=0, sample_times=(1, 2, 4), sample_every=LIVE_STEPS // 10),
    # Near distances (2, 8, 32, 64), the farthest that training can ask for, and those beyond.
    "recall": replace(_ALL, times=(*((distance + 1) / LENGTH for distance in (2, 8, 32, 64)), *BEYOND)),
}


def configs() -> dict[TrainConfig, Kind]:
    """Every shipped run, in the order in which they are made."""
    every = [replace(BASE, method=method, seed=seed) for seed in SEEDS for method in METHODS]
    first = [config for config in every if config.seed == SEEDS[0]]
    runs: dict[TrainConfig, Kind] = dict.fromkeys(every, "text")
    runs |= {replace(config, steps=steps): "steps" for steps in OTHER_STEPS for config in first}
    runs |= {replace(config, steps=LIVE_STEPS): "live" for config in first}
    runs |= {replace(config, corpus=RECALL, **RECALL_SHAPE): "recall" for config in every}
    blocks: list[dict[str, Any]] = [{"method": "rope"}, {"method": "alibi"}, {"method": "alibi", "options": BLOG}]
    runs |= {replace(BASE, **BLOCK, **block, seed=seed): "blocks" for seed in SEEDS for block in blocks}
    for length in OTHER_LENGTHS:
        others = [replace(config, length=length, batch=TOKENS // length) for config in every]
        runs |= dict.fromkeys([config for config in others if config.method in COMPARED], "lengths")
    return runs


def plan(config: TrainConfig, kind: Kind) -> Plan:
    """What is measured of a run: those trained at other lengths at the same windows as one another."""
    windows = tuple(length / config.length for length in WINDOWS)
    return replace(PLANS[kind], times=windows) if kind == "lengths" else PLANS[kind]


def record_path(config: TrainConfig, kind: Kind) -> Path:
    """The file of one run."""
    slopes = f"-{rule}" if (rule := dict(config.options).get("rule")) else ""
    parts = {"steps": f"-{config.steps}", "lengths": f"-{config.length}", "blocks": slopes}
    part = parts.get(kind, "")
    return FOLDER / kind / f"{config.method}{part}-{config.seed}.json"


def has_weights(config: TrainConfig, kind: Kind) -> bool:
    """Whether the weights of this run are shipped."""
    return kind in ("text", "blocks") and config.seed == SEEDS[0] and not config.options


def is_made(config: TrainConfig, kind: Kind) -> bool:
    """Whether the run is there and would come out the same."""
    try:
        shipped = json.loads(record_path(config, kind).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    if has_weights(config, kind) and not weights_path(config.method, kind).exists():
        return False
    now, then = environment(), shipped["made_with"]
    same = all(now[part] == then.get(part) for part in ("python", "torch"))
    return same and shipped["hash"] == config.hash and shipped["corpus"] == _text(config)


def write(config: TrainConfig, kind: Kind, store: RunStore) -> None:
    """Write a finished run of the store into the package."""
    run, weights = store.get(config.hash), store.weights(config.hash)
    if run is None or weights is None:
        raise ValueError(f"The run of {config.method}, seed {config.seed}, is not finished.")
    result: dict[str, Any] = {
        "config": config.to_dict(),
        "hash": config.hash,
        "corpus": _text(config),
        "made_with": run.environment,
        "made_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "training_seconds": round(run.seconds, 1),
        "losses": [round(sum(run.losses[n : n + 10]) / 10, 3) for n in range(0, config.steps, 10)],  # of ten steps each
    }
    if config.is_recall:
        result["recall"] = sorted(run.recall, key=itemgetter("pairs", "length"))
    else:
        evaluations = sorted(run.evaluations, key=itemgetter("length"))
        result["nonoverlapping"] = [entry for entry in evaluations if entry["stride"] == entry["length"]]
        result["sliding"] = [entry for entry in evaluations if entry["stride"] < entry["length"]]
    if kind in ("live", "blocks"):  # nothing shows the positions there
        result["nonoverlapping"] = without_positions(result["nonoverlapping"])
    if kind == "live":
        result["interim"] = without_positions(run.interim_evaluations)
    path = record_path(config, kind)
    path.parent.mkdir(exist_ok=True)
    if kind == "text":
        result |= {"contexts": contexts_of(config, weights), "longer": longer_of(config, weights)}
    if has_weights(config, kind):
        write_weights(weights_path(config.method, kind), weights, torch.float16)
    write_atomically(path, json.dumps(result, allow_nan=False, separators=(",", ":")).encode() + b"\n")


def without_positions(entries: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Measurements without the loss at each position, which is most of a record."""
    return [{name: value for name, value in entry.items() if name != "by_position"} for entry in entries]


def contexts_of(config: TrainConfig, weights: dict[str, Tensor]) -> list[dict[str, float]]:
    """Loss with the context cut, as far as the method can read."""
    model = trained_model(config, weights)
    most = model.position.max_position or CONTEXTS[-1]
    contexts = [context for context in CONTEXTS if context <= most]
    losses = context_losses(model, _held_out(config), contexts, CUT)
    return [{"context": context, "loss": round(loss, 5)} for context, loss in zip(contexts, losses, strict=True)]


def longer_of(config: TrainConfig, weights: dict[str, Tensor]) -> list[dict[str, Any]]:
    """The trained model beyond L, with every way that its method has to be stretched without training."""
    results = []
    for times in LONGER:
        for name, options in METHOD_CLASSES[config.method].longer_options(config.length, times).items():
            changed = replace(config, options=tuple({**dict(config.options), **options}.items()))
            measured = evaluate(trained_model(changed, weights), _held_out(config), config.length * times)
            if isinstance(measured, Evaluation):
                results.append({"way": name, "times": times, **measured.to_dict(positions=False)})
    return results


def _held_out(config: TrainConfig) -> bytes:
    corpus = corpus_for(config)
    assert corpus is not None
    return corpus.held_out


def _text(config: TrainConfig) -> dict[str, Any]:
    """What the text was; recall has none."""
    corpus = corpus_for(config)
    if corpus is None:
        return {"title": "recall", "sha256": "", "held_out_bytes": 0}
    facts = {"title": corpus.title, "sha256": corpus.sha256, "held_out_bytes": len(corpus.held_out)}
    return facts | {"bytes_per_word": round(corpus.bytes_per_word, 4)}


def write_costs(file: Path) -> None:
    """Time and memory of a training step, of methods that are trained at several lengths; or the time in the blocks."""
    set_threads(1)  # as in the processes that measure: `environment` says so
    first = [(config, kind) for config, kind in configs().items() if config.seed == SEEDS[0]]
    if file == COSTS:
        trained = [c for c, kind in first if kind in ("text", "lengths") and c.method in COMPARED]
        entries = costs(sorted(trained, key=lambda config: config.length))
    else:
        entries = paces([c for c, kind in first if kind == "blocks" and not c.options])  # other slopes cost the same
    result = {"made_with": environment(), "costs": entries}
    write_atomically(file, json.dumps(result, allow_nan=False, separators=(",", ":")).encode() + b"\n")


def main(device: str = "cpu", only: str = "") -> int:
    """device: where the runs are trained and measured; another gives other last digits. only: one set of them."""
    set_threads(1)
    every = {config: kind for config, kind in configs().items() if only in ("", kind)}
    missing = {config: kind for config, kind in every.items() if not is_made(config, kind)}
    Console().print(f"{len(every) - len(missing)} runs are made, {len(missing)} are missing.")
    store = RunStore(data_folder() / "pretrained")
    jobs = Jobs(store, Cluster(device=pick(device).name), Limits(waiting=len(missing)), chunk=200)
    plans = {config: plan(config, kind) for config, kind in missing.items()}

    def keep(config: TrainConfig) -> None:
        write(config, missing[config], store)
        store.delete(config.hash)

    # A few more than there are workers: none waits while a finished run is measured here.
    if number := train_all(jobs, plans, at_once=jobs.cluster.workers + 2, done=keep):
        return 128 + number
    for file in (COSTS, BLOCK_COSTS):
        if not file.exists() or (missing and not only):
            write_costs(file)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))

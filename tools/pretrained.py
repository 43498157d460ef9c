"""`python -m tools.pretrained FOLDER [TARGET] [SET ...]`: train the models that are shipped, and measure them.

It may be interrupted at any time, and started once a core: each process takes the next run that no other one holds, and a
half-finished run goes on bit for bit where it was. FOLDER/runs holds the states and the weights, FOLDER/records what was
measured, one file a run. With a TARGET it trains nothing: it measures what is trained, and copies that there, as it is
shipped. With sets it does so for these alone.

Notable choices:
- All methods, lengths and seeds train equally long, with the same bytes a step: so long that twice the steps change little.
- One seed of everything comes first, then seeds of what the pages lead with: an interrupted set is whole as far as it goes.
- One thread a process.
"""

import json
import sys
import time
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from alibi_viz.files import write_atomically
from alibi_viz.lm.config import FIRST_RUN, RECALL, TrainConfig
from alibi_viz.lm.corpus import HELP_TEXTS, Corpus
from alibi_viz.lm.runs import Run, RunStore, corpus_for, environment
from alibi_viz.lm.training import start, train_chunk, trained_model
from alibi_viz.lm.weights import write_weights
from alibi_viz.results.pretrained import MAIN, SEEDED, SEEDS, TRAINED, WRITERS
from tools.measures import parts

TOKENS = 2048  # bytes a step
STEPS = 10_000  # 20 MB, five times through the text; twice as many show what more training would change
BASE = TrainConfig(length=128, batch=TOKENS // 128, steps=STEPS)
RECALL_TASK: dict[str, Any] = {"corpus": RECALL, "steps": 8000, "pairs": 4, "learning_rate": 3e-3}
FLATTER = (("max_bias", 16.0),)  # recall: ALiBi with a larger largest exponent, so with flatter slopes
#: Sets of which the first seed's weights are shipped; recall: of MAIN.
WITH_WEIGHTS = ("text", "blocks", "recall", *HELP_TEXTS)
CHUNK = 250  # steps from one state on disk to the next


def configs() -> dict[TrainConfig, str]:
    """Every run, in the order in which they are made, and the set that it belongs to."""
    first = [replace(BASE, method=method) for method in TRAINED]
    lead = first[: len(MAIN)]
    runs = dict.fromkeys(lead, "text")
    runs |= {replace(BASE, block="llama", method=method): "blocks" for method in ("rope", "alibi")}
    runs |= {replace(config, **RECALL_TASK): "recall" for config in first}
    runs |= {replace(BASE, **RECALL_TASK, options=FLATTER): "recall"}
    runs |= {replace(config, **FIRST_RUN): "live" for config in first}
    runs |= dict.fromkeys(first, "text")
    runs |= {
        replace(BASE, method=method, corpus=corpus): language
        for method in WRITERS
        for language, corpus in HELP_TEXTS.items()
    }
    runs |= {replace(config, steps=2 * STEPS): "twice" for config in lead}
    runs |= {
        replace(BASE, method=method, length=length, batch=TOKENS // length): "lengths"
        for length in (512, 256, 64)
        for method in ("alibi", "sinusoidal")
    }
    runs |= {replace(BASE, method="none", layers=layers): "depth" for layers in (4, 6)}
    runs |= {replace(BASE, method=method, seed=seed): "text" for seed in SEEDS[1:] for method in SEEDED}
    return runs


def name(config: TrainConfig, kind: str) -> str:
    """The name of a run's record."""
    options = "".join(f"-{value:g}" if isinstance(value, float) else f"-{value}" for _, value in config.options)
    part = {"lengths": config.length, "blocks": config.heads, "depth": config.layers}.get(kind)
    return f"{config.method}{options}{'' if part is None else f'-{part}'}-{config.seed}"


def train(config: TrainConfig, store: RunStore, corpus: Corpus | None) -> None:
    """Train a run to its end, or on from where it was."""
    state = store.state(config.hash) or start(config, corpus)
    run = (store.get(config.hash) if state.step else None) or Run(config, made_with=environment(), status="running")
    while state.step < config.steps:
        state = train_chunk(state, CHUNK, corpus)
        run = run.after(state)
        store.save(run, state)
        if state.step % (4 * CHUNK) == 0:
            print(f"{config.method} {config.hash} step {state.step}", flush=True)
    store.finish(replace(run, status="finished"), state.weights)


def record(config: TrainConfig, run: Run, corpus: Corpus | None) -> dict[str, Any]:
    """How a finished run was trained: its record, without what is measured of it."""
    means = [run.losses[at : at + 10] for at in range(0, run.step, 10)]
    return {
        "config": config.to_dict(),
        "hash": config.hash,
        "corpus": _text(corpus),
        "made_with": run.made_with,
        "made_at": _now(),
        "training_seconds": round(run.seconds, 1),
        "steps": run.step,
        "bytes": run.step * config.batch * config.length,
        "losses": [round(sum(part) / len(part), 3) for part in means],  # of ten steps each
    }


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def measure(config: TrainConfig, kind: str, weights: dict[str, Tensor], corpus: Corpus | None, path: Path) -> None:
    """Measure what a record lacks, and write it after every part."""
    result = json.loads(path.read_text(encoding="utf-8"))
    model, text = trained_model(config, weights), b"" if corpus is None else corpus.held_out
    for part, measured in parts(config, kind).items():
        if part not in result:
            result |= {part: measured(model, config, text), "measured_at": _now()}
            if kind in ("live", "blocks") and part == "nonoverlapping":  # nothing shows the positions there
                result[part] = [{key: value for key, value in e.items() if key != "by_position"} for e in result[part]]
            _write(path, result)


def _write(path: Path, result: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(result, allow_nan=False, separators=(",", ":")).encode() + b"\n")


def _text(corpus: Corpus | None) -> dict[str, Any]:
    """What the text was; recall has none."""
    if corpus is None:
        return {"title": "recall", "sha256": "", "held_out_bytes": 0}
    facts = {"title": corpus.key, "sha256": corpus.sha256, "held_out_bytes": len(corpus.held_out)}
    return facts | {"bytes_per_word": round(corpus.bytes_per_word, 4)}


def chosen(kinds: Collection[str]) -> dict[TrainConfig, str]:
    """The runs of these sets; of all where none is named."""
    return {config: kind for config, kind in configs().items() if kind in kinds or not kinds}


def next_run(store: RunStore, kinds: Collection[str] = ()) -> tuple[TrainConfig, str] | None:
    """The first run that is not trained or not measured, and that nobody else works on; it is claimed."""
    for config, kind in chosen(kinds).items():
        if not _is_whole(config, kind, record_path(store, config, kind)) and store.claim(config.hash):
            return config, kind
    return None


def _is_whole(config: TrainConfig, kind: str, path: Path) -> bool:
    try:
        return set(parts(config, kind)) <= set(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return False


def record_path(store: RunStore, config: TrainConfig, kind: str) -> Path:
    """The record of a run."""
    return store.folder.parent / "records" / kind / f"{name(config, kind)}.json"


def make(config: TrainConfig, kind: str, store: RunStore) -> None:
    """Train a run, or what is missing of it, and measure it, or what is missing of that."""
    corpus, path = corpus_for(config), record_path(store, config, kind)
    if store.weights(config.hash) is None:
        train(config, store, corpus)
    run, weights = store.get(config.hash), store.weights(config.hash)
    assert run is not None
    assert weights is not None
    print(f"{kind}/{path.stem} trained, {run.step} steps, {run.seconds:.0f} s", flush=True)
    if not path.exists():
        _write(path, record(config, run, corpus))
    measure(config, kind, weights, corpus, path)


def ship(store: RunStore, target: Path, kinds: Collection[str] = ()) -> None:
    """Copy the records of what is trained, and of the first seed the weights as float16."""
    for config, kind in chosen(kinds).items():
        path, weights = record_path(store, config, kind), store.weights(config.hash)
        if weights is not None:
            if not _is_whole(config, kind, path):
                make(config, kind, store)
            copy = target / kind / path.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(copy, path.read_bytes())
            is_first = config.seed == SEEDS[0] and kind in WITH_WEIGHTS
            if is_first and (kind != "recall" or config.method in MAIN):
                write_weights(copy.with_suffix(".safetensors"), weights, torch.float16)


def main(folder: str, target: str = "", *kinds: str) -> int:
    """Train and measure what is missing, until nothing is; or copy what is trained."""
    torch.set_num_threads(1)
    store = RunStore(Path(folder))
    if target:
        ship(store, Path(target), kinds)
        return 0
    while (run := next_run(store, kinds)) is not None:
        try:
            make(*run, store)
        finally:
            store.release(run[0].hash)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

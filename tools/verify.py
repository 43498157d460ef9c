"""`python -m tools.verify`: derive the numbers of the shipped runs again, from their weights or from their records.

- Runs whose weights are shipped (float16): every part of the record is measured again.
- Every run: its name, its text and its steps follow from what the record says.
- What the shipped models write (`tools.writing`): every byte, and the words counted.
- Models read otherwise (`tools.readings`): some of them, in the shortest windows.
- What the lessons say of them (`tools.facts`): derived from the records again.

Two processes work side by side, one model each.
"""

import json
import math
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from alibi_viz.files import read_file
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import corpus_for
from alibi_viz.lm.training import trained_model
from alibi_viz.lm.weights import read_weights
from alibi_viz.results import facts as shipped_facts
from alibi_viz.results import pretrained
from tools import facts, readings, writing
from tools.measures import parts

LARGEST_FILE = 4_000_000  # bytes of a record
PROCESSES = 2
CLOSE = 0.003  # nats per byte: what float16 may change
CLOSE_IN = {"recall": 0.03}  # shares of answers


def problems_of(record: dict[str, Any], kind: str) -> list[str]:
    """What a record says that does not follow from its own numbers, one sentence each."""
    config = TrainConfig(**record["config"])
    corpus, steps = corpus_for(config), config.steps
    conditions = {
        "Its hash is not that of its configuration.": record["hash"] == config.hash,
        "It was trained on another text.": record["corpus"]["sha256"] == (corpus.sha256 if corpus else ""),
        "Its steps are not those of its configuration.": record["steps"] == steps,
        "Its bytes do not follow from its steps.": record["bytes"] == steps * config.batch * config.length,
        "A perplexity is not that of its loss.": all(map(_is_consistent, _entries(record))),
        "It lacks a measurement.": set(parts(config, kind)) <= set(record),
    }
    return [sentence for sentence, holds in conditions.items() if not holds]


def _entries(value: Any) -> Iterator[dict[str, Any]]:
    """Every measurement of a loss in a record."""
    if isinstance(value, dict):
        if "loss" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _entries(item)


def _is_consistent(entry: dict[str, Any]) -> bool:
    perplexity = entry.get("perplexity")
    return perplexity is None or math.isclose(perplexity, math.exp(entry["loss"]), rel_tol=1e-9)


def differences(record_file: Path) -> list[str]:
    """What a record says otherwise than the weights beside it, measured again."""
    torch.set_num_threads(1)
    record = json.loads(read_file(record_file, LARGEST_FILE))
    config = TrainConfig(**record["config"])
    weights = read_weights(record_file.with_suffix(".safetensors"), config.largest_file)
    model, corpus = trained_model(config, weights), corpus_for(config)
    text = b"" if corpus is None else corpus.held_out
    lines: list[str] = []
    for name, part in parts(config, record_file.parent.name).items():
        now, stored = _compared(part(model, config, text)), _compared(record[name])
        lines += facts.differences(now, stored, name, close=CLOSE_IN.get(name, CLOSE))
    return lines


def _compared(value: Any) -> Any:
    """A measurement without what follows from its loss."""
    if isinstance(value, dict):
        return {name: _compared(item) for name, item in value.items() if name not in ("perplexity", "by_position")}
    return [_compared(item) for item in value] if isinstance(value, list | tuple) else value


def main() -> int:
    """Measure the shipped models again, and check every record; exit status 1 if a number does not hold."""
    console, folder = Console(), pretrained.FOLDER
    records = {str(file.relative_to(folder)): file for file in sorted(folder.glob("*/*.json"))}
    problems = {
        name: problems_of(json.loads(read_file(file, LARGEST_FILE)), file.parent.name) for name, file in records.items()
    }
    problems[shipped_facts.FILE.name] = facts.differences(facts.derive(), json.loads(shipped_facts.FILE.read_bytes()))
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        tasks = {
            pool.submit(differences, file): name
            for name, file in reversed(records.items())  # the set "text" takes longest: no core waits in the end
            if file.with_suffix(".safetensors").exists()
        }
        tasks |= {
            pool.submit(writing.problems_of, method, language): pretrained.writing_path(language).name
            for language, methods in pretrained.METHODS_OF.items()
            for method in methods
        }
        tasks |= {pool.submit(readings.problems_of, name): pretrained.READINGS.name for name in readings.RECHECKED}
        for done, task in enumerate(as_completed(tasks), 1):
            console.print(f"{done} of {len(tasks)} made again: {tasks[task]}", markup=False)
            problems[tasks[task]] = problems.get(tasks[task], []) + task.result()
    problems = {name: sentences for name, sentences in problems.items() if sentences}
    for name, sentences in problems.items():
        console.print(f"{name}: {' '.join(sentences)}", markup=False)
    console.print(f"{len(records)} runs and what they write, {len(problems)} with a number that does not hold.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

"""`python -m alibi_viz train`: train small language models, and measure them.

Notable choices:
- Results are one JSON object on standard output; progress bars and messages go to standard error.
- Ctrl-C or SIGTERM keeps what is done, and the same command goes on from there: a run is known by its configuration
  alone.
- The same line of runs as in the app, with the same workers; here a reader is alone, so the limits are wide.
"""

import json
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TimeRemainingColumn

from alibi_viz.device import pick
from alibi_viz.files import read_named
from alibi_viz.jobs.cluster import Cluster
from alibi_viz.jobs.queue import Jobs, Limits
from alibi_viz.jobs.tasks import Plan
from alibi_viz.lm.config import BUILT_INS, TrainConfig
from alibi_viz.lm.corpus import MAX_BYTES, Corpus, own_text
from alibi_viz.lm.runs import Run, RunStore

ALONE = Limits(waiting=1000, steps=100_000, parameters=50_000_000, tokens=10**10, length=4096)
LOOK_EVERY = 0.2  # seconds


def train_and_print(
    methods: Sequence[str],
    seeds: str,
    shape: Mapping[str, int],  # of the models: steps, length, width, layers, heads
    text: str,
    *,
    data: Path | None,
    cluster: tuple[int | None, str | None],  # workers, and the scheduler that has them
    device: str | None,
) -> int:
    """Train and measure a model for each method and seed; returns the exit status."""
    corpus = None if text in BUILT_INS else own_text(read_named(Path(text), MAX_BYTES))
    try:
        numbers = [int(seed) for seed in seeds.split(",")]
    except ValueError:
        raise ValueError(f"The seeds must be whole numbers with commas between, not {seeds!r}.") from None
    of_run: dict[str, Any] = {**shape, "corpus": corpus.key if corpus else text}
    configs = [TrainConfig(method, seed=seed, **of_run) for seed, method in product(numbers, methods)]
    jobs = Jobs(RunStore(data), Cluster(*cluster, pick(device).name), ALONE)
    if signal_number := train_all(jobs, configs, corpus):
        return 128 + signal_number  # as a shell counts it
    runs = [progress.run for config in configs if (progress := jobs.progress(config.hash)) is not None]
    print(json.dumps({"runs": [_summary(run) for run in runs]}, allow_nan=False))
    for error in sorted({str(run.error) for run in runs if run.error}):
        print(f"Error: {error}", file=sys.stderr)
    return 0 if all(run.status == "finished" for run in runs) else 1


def train_all(jobs: Jobs, configs: Sequence[TrainConfig], corpus: Corpus | None) -> int:
    """Train and measure every configuration, with progress bars; then end the workers.

    Returns the number of the signal (SIGINT, SIGTERM) that stopped it, or 0. Errors as for `Jobs.submit`.
    """
    # A flag and not KeyboardInterrupt: where the exception happens to be raised inside a finaliser, Python drops it.
    stopped, signals = threading.Event(), list[int]()

    def stop(number: int, _: object) -> None:
        signals.append(number)
        stopped.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    columns = ("{task.description}", BarColumn(), "{task.fields[status]}", TimeRemainingColumn())
    try:
        with Progress(*columns, console=Console(stderr=True)) as bars:
            bars_of = {}
            for config in dict.fromkeys(configs):
                jobs.submit(config, corpus, Plan(held_out=0))
                name = f"{config.method}, seed {config.seed}"
                bars_of[config] = bars.add_task(name, total=config.steps, status="")
            while bars_of and not stopped.is_set():
                for config, bar in list(bars_of.items()):
                    progress = jobs.progress(config.hash)
                    if progress is None or not progress.run.is_active:
                        del bars_of[config]
                    if progress is not None:
                        bars.update(bar, completed=progress.run.step, status=_status(progress.run))
                stopped.wait(LOOK_EVERY)
    finally:
        jobs.close()
        for number, handler in before.items():
            signal.signal(number, handler)
    if signals:
        Console(stderr=True).print("Stopped; progress is saved. The same command goes on from here.")
    return signals[0] if signals else 0


def _status(run: Run) -> str:
    if run.status in ("failed", "finished"):
        return str(run.error) or "done"
    if run.is_trained:
        return f"{len(run.measurements)} measurements"
    return f"loss {run.losses[-1]:.3f}" if run.losses else run.status


def _summary(run: Run) -> dict[str, Any]:
    """A run without its long lists: the last loss, and every measurement without its losses by position."""
    plain = run.to_dict() | {"error": str(run.error)}
    summary = {name: value for name, value in plain.items() if name not in ("losses", "interim_evaluations")}
    evaluations = [{k: v for k, v in entry.items() if k != "by_position"} for entry in run.evaluations]
    return summary | {"last_loss": run.losses[-1] if run.losses else None, "evaluations": evaluations}

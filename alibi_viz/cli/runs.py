"""The commands that train and measure: `python -m alibi_viz train | sweep | evaluate`.

Notable choices:
- Results are one JSON object on standard output; progress bars and words go to standard error.
- Ctrl-C keeps what is done, and the same command goes on from there: a run is known by its configuration alone.
- The same queue as in the app, with the same workers; here a reader is alone, so the limits are wide.
"""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from alibi_viz.device import pick, set_threads
from alibi_viz.jobs import Cluster, Jobs, Limits, Plan
from alibi_viz.lm.config import RECALL, TrainConfig
from alibi_viz.lm.corpus import BUILT_IN, Corpus, own_text
from alibi_viz.lm.evaluation import evaluate, recall_result
from alibi_viz.lm.runs import Run, RunStore, corpus_for, data_folder
from alibi_viz.lm.training import build_model, load_weights

ALONE = Limits(waiting=1000, steps=100_000, parameters=50_000_000, tokens=10**10, length=4096)
Steps = Annotated[int, typer.Option(help="Training steps.")]
Length = Annotated[int, typer.Option(help="Training length L in bytes.")]
Width = Annotated[int, typer.Option(help="Width of the model.")]
Layers = Annotated[int, typer.Option(help="Layers.")]
Heads = Annotated[int, typer.Option(help="Heads, a divisor of the width.")]
Text = Annotated[str, typer.Option(help="python-docs, recall, or a UTF-8 file of 20,000 bytes to 5 MB.")]
Data = Annotated[Path | None, typer.Option(help="Folder of the runs; ALIBI_VIZ_DATA, or ./data.")]
Scheduler = Annotated[str | None, typer.Option(help="tcp://host:port of an existing Dask cluster.")]
Workers = Annotated[int | None, typer.Option(help="Worker processes; as many as cores.")]
DeviceOption = Annotated[str | None, typer.Option("--device", help="cpu, cuda, mps or xpu; the fastest.")]


def register(app: typer.Typer) -> None:
    """Add the three commands to the command line."""
    app.command("train")(train_command)
    app.command("sweep")(sweep_command)
    app.command("evaluate")(evaluate_command)


def train_command(
    method: Annotated[str, typer.Argument(help="alibi, rope, t5, sinusoidal, learned, none, ...")],
    steps: Steps = 2000,
    length: Length = 128,
    width: Width = 64,
    layers: Layers = 2,
    heads: Heads = 8,
    seed: Annotated[int, typer.Option(help="Weights and batches follow from it.")] = 0,
    text: Text = BUILT_IN,
    data: Data = None,
    scheduler: Scheduler = None,
    workers: Workers = None,
    device: DeviceOption = None,
) -> int:
    """Train one small language model and measure it at many lengths."""
    shape = {"steps": steps, "length": length, "width": width, "layers": layers, "heads": heads}
    return _go([method], [seed], shape, text, data, scheduler, workers, device)


def sweep_command(
    methods: Annotated[str, typer.Option(help="Position methods, with commas between.")] = "alibi,rope,t5,sinusoidal",
    seeds: Annotated[str, typer.Option(help="Seeds, with commas between.")] = "0",
    steps: Steps = 2000,
    length: Length = 128,
    width: Width = 64,
    layers: Layers = 2,
    heads: Heads = 8,
    text: Text = BUILT_IN,
    data: Data = None,
    scheduler: Scheduler = None,
    workers: Workers = None,
    device: DeviceOption = None,
) -> int:
    """Train every method with every seed, as many at once as there are workers."""
    shape = {"steps": steps, "length": length, "width": width, "layers": layers, "heads": heads}
    names = [name.strip() for name in methods.split(",")]
    return _go(names, _numbers(seeds, "seeds"), shape, text, data, scheduler, workers, device)


def evaluate_command(
    run: Annotated[str, typer.Argument(help="The run's hash, as train prints it.")],
    lengths: Annotated[
        str, typer.Option(help="Windows in bytes (recall: distances), with commas between.")
    ] = "128,512",
    stride: Annotated[int | None, typer.Option(help="Step of a sliding window; none: nonoverlapping.")] = None,
    data: Data = None,
    device: DeviceOption = None,
) -> int:
    """Measure a finished run on its held-out text, at any length."""
    set_threads(1)
    store = RunStore(data)
    kept, weights = store.get(run), store.weights(run)
    if kept is None or weights is None:
        raise ValueError(f"There is no finished run {run!r} under {store.folder}.")
    model = build_model(kept.config)
    load_weights(model, weights)
    model.to(pick(device).name).eval()
    corpus = corpus_for(kept.config, store)
    if corpus is not None and corpus.sha256 != kept.corpus:
        raise ValueError("This run was trained on another text (or another Python version's documentation).")
    found: list[dict[str, Any]] = []
    with _bars() as bars:
        for length in _numbers(lengths, "lengths"):
            task = bars.add_task(f"length {length}", total=1)
            if corpus is None:
                found.append(recall_result(model, length))
            else:
                tell = _teller(bars, task)
                found.append(evaluate(model, corpus.held_out, length, stride, progress=tell).to_dict(positions=False))
    typer.echo(json.dumps({"run": run, "config": kept.config.to_dict(), "evaluations": found}, allow_nan=False))
    return 0


def _teller(bars: Progress, task: TaskID) -> Any:
    return lambda done, total: bars.update(task, completed=done, total=total)


def _numbers(text: str, name: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"The {name} must be whole numbers with commas between, not {text!r}.") from None


def _corpus(text: str) -> tuple[str, Corpus | None]:
    """The configuration's word for a text, and the text itself where it is a file."""
    if text in (BUILT_IN, RECALL):
        return text, None
    try:
        corpus = own_text(Path(text).read_bytes())
    except OSError as error:
        raise ValueError(f"The text {text!r} cannot be read: {error.strerror}.") from None
    return corpus.key, corpus


def _go(
    methods: Sequence[str],
    seeds: Sequence[int],
    shape: dict[str, Any],
    text: str,
    data: Path | None,
    scheduler: str | None,
    workers: int | None,
    device: str | None,
) -> int:
    """Train every method with every seed; the results as JSON, 130 if interrupted."""
    key, corpus = _corpus(text)
    configs = [TrainConfig(method=m, seed=s, corpus=key, **shape) for s in seeds for m in methods]
    store = RunStore(data if data is not None else data_folder())
    name = pick(device).name
    cluster = Cluster(workers, scheduler)
    if name != "cpu" and cluster.own and workers is None:
        cluster.workers = 1  # one process to a GPU
    jobs = Jobs(store, cluster, ALONE, device=name)
    # A flag and not KeyboardInterrupt: where the exception happens to be raised inside a finaliser, Python drops it.
    stopped = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: stopped.set())
    try:
        for config in configs:
            jobs.submit(config, corpus, Plan(held_out=0))
        with _bars() as bars:
            _watch(jobs, configs, bars, stopped)
    finally:
        jobs.close()
        signal.signal(signal.SIGINT, before)
    if stopped.is_set():
        Console(stderr=True).print("Stopped; what is done is kept. The same command goes on from here.")
        return 130
    runs = [run for config in configs if (run := store.get(config.hash)) is not None]
    typer.echo(json.dumps({"runs": [_summary(run) for run in runs]}, allow_nan=False))
    return 0 if all(run.status == "finished" for run in runs) else 1


def _bars() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}"), TimeRemainingColumn())
    return _Bars(*columns, console=Console(stderr=True))


class _Bars(Progress):
    """Every bar has a place for words."""

    def add_task(self, description: str, **fields: Any) -> TaskID:  # type: ignore[override]
        return super().add_task(description, **{"told": "", **fields})


def _watch(jobs: Jobs, configs: Sequence[TrainConfig], bars: Progress, stopped: threading.Event) -> None:
    """Draw the progress until every run has ended, or Ctrl-C was pressed."""
    tasks = {c.hash: bars.add_task(f"{c.method}, seed {c.seed}", total=c.steps) for c in configs}
    open_runs = set(tasks)
    while open_runs and not stopped.is_set():
        for run in list(open_runs):
            progress = jobs.progress(run)
            if progress is None or progress.run.status not in ("waiting", "running"):
                open_runs.discard(run)
            if progress is not None:
                bars.update(tasks[run], completed=progress.run.step, told=_told(progress.run))
        stopped.wait(0.2)


def _told(run: Run) -> str:
    if run.status == "failed":
        return run.error
    if run.status == "finished":
        return "done"
    if run.step >= run.config.steps:
        return f"{len(run.evaluations) + len(run.recall)} measurements"
    return f"loss {run.losses[-1]:.3f}" if run.losses else run.status


def _summary(run: Run) -> dict[str, Any]:
    """A run without its long lists: the last loss, and every measurement without its places."""
    found = run.to_dict()
    losses = found.pop("losses")
    found.pop("on_the_way")
    found["last_loss"] = losses[-1] if losses else None
    found["evaluations"] = [{k: v for k, v in one.items() if k != "by_position"} for one in run.evaluations]
    return found

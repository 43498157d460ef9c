"""The commands that train and measure: `python -m alibi_viz train | sweep | evaluate`.

Notable choices:
- Results are one JSON object on standard output; progress bars and messages go to standard error.
- Ctrl-C or SIGTERM keeps what is done, and the same command goes on from there: a run is known by its configuration
  alone.
- The same queue as in the app, with the same workers; here a reader is alone, so the limits are wide.
"""

import functools
import inspect
import json
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TimeRemainingColumn

from alibi_viz.device import pick, set_threads
from alibi_viz.files import read_file
from alibi_viz.jobs import Cluster, Jobs, Limits, Plan
from alibi_viz.lm.config import BUILT_INS, TrainConfig
from alibi_viz.lm.corpus import BUILT_IN, MAX_BYTES, Corpus, own_text
from alibi_viz.lm.evaluation import evaluate, recall_result
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.records import Run
from alibi_viz.lm.runs import RunStore, corpus_for
from alibi_viz.lm.training import trained_model

ALONE = Limits(waiting=1000, steps=100_000, parameters=50_000_000, tokens=10**10, length=4096)
Data = Annotated[Path | None, typer.Option(help="Folder of the runs; ALIBI_VIZ_DATA, or ./data.")]
Device = Annotated[str | None, typer.Option(help="cpu, cuda, mps or xpu; the fastest.")]


@dataclass(frozen=True)
class Options:
    """The options that train and sweep share."""

    steps: Annotated[int, typer.Option(help="Training steps.")] = 2000
    length: Annotated[int, typer.Option(help="Training length L in bytes.")] = 128
    width: Annotated[int, typer.Option(help="Width of the model.")] = 64
    layers: Annotated[int, typer.Option(help="Layers.")] = 2
    heads: Annotated[int, typer.Option(help="Heads of width 16.")] = 8
    text: Annotated[str, typer.Option(help="python-text, recall, or a UTF-8 file of 20,000 bytes to 5 MB.")] = BUILT_IN
    data: Data = None
    scheduler: Annotated[str | None, typer.Option(help="tcp://host:port of an existing Dask cluster.")] = None
    workers: Annotated[int | None, typer.Option(help="Worker processes; as many as cores.")] = None
    device: Device = None


def _with_options(command: Callable[..., int]) -> Callable[..., int]:
    """The command, with each field of Options as an option in place of its last parameter."""
    own = list(inspect.signature(command, eval_str=True).parameters.values())[:-1]
    shared = list(inspect.signature(Options, eval_str=True).parameters.values())

    @functools.wraps(command)
    def wrapper(**values: Any) -> int:
        options = Options(**{parameter.name: values.pop(parameter.name) for parameter in shared})
        return command(**values, options=options)

    wrapper.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]  # typer reads it
    return wrapper


@_with_options
def train_command(
    method: Annotated[str, typer.Argument(help="alibi, rope, t5, sinusoidal, learned, none, ...")],
    seed: Annotated[int, typer.Option(help="Weights and batches follow from it.")] = 0,
    *,
    options: Options,
) -> int:
    """Train one small language model and measure it at many lengths."""
    return _train([method], [seed], options)


@_with_options
def sweep_command(
    methods: Annotated[str, typer.Option(help="Position methods, with commas between.")] = "alibi,rope,t5,sinusoidal",
    seeds: Annotated[str, typer.Option(help="Seeds, with commas between.")] = "0",
    *,
    options: Options,
) -> int:
    """Train each of the methods with each of the seeds, as many at once as there are workers."""
    return _train([name.strip() for name in methods.split(",")], _numbers(seeds, "seeds"), options)


def evaluate_command(
    run: Annotated[str, typer.Argument(help="The run's hash, as train prints it.")],
    lengths: Annotated[
        str, typer.Option(help="Windows in bytes (recall: distances), with commas between.")
    ] = "128,512",
    stride: Annotated[int | None, typer.Option(help="Step of a sliding window; none: nonoverlapping.")] = None,
    data: Data = None,
    device: Device = None,
) -> int:
    """Measure a finished run on its held-out text, at any length."""
    set_threads(1)
    store = RunStore(data)
    stored, weights = store.get(run), store.weights(run)
    if stored is None or weights is None:
        raise ValueError(f"There is no finished run {run!r} under {store.folder}.")
    model = trained_model(stored.config, weights).to(pick(device).name)
    corpus = corpus_for(stored.config, store)
    if corpus is not None and corpus.sha256 != stored.corpus:
        raise ValueError("This run was trained on another text (or another Python version's documentation).")
    with _bars() as bars:
        results = [
            _measure(model, stored.config, corpus, length, stride, bars) for length in _numbers(lengths, "lengths")
        ]
    typer.echo(json.dumps({"run": run, "config": stored.config.to_dict(), "evaluations": results}, allow_nan=False))
    return 0


def _measure(
    model: DecoderLM, config: TrainConfig, corpus: Corpus | None, length: int, stride: int | None, bars: Progress
) -> dict[str, Any]:
    bar = bars.add_task(f"length {length}", total=1, status="")
    if corpus is None:
        return recall_result(model, length, config.pairs, config.length)

    def advance(done: int, total: int) -> None:
        bars.update(bar, completed=done, total=total)

    return evaluate(model, corpus.held_out, length, stride, progress=advance).to_dict(positions=False)


def _numbers(text: str, name: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"The {name} must be whole numbers with commas between, not {text!r}.") from None


def _corpus(text: str) -> tuple[str, Corpus | None]:
    """The configuration's word for a text, and the text itself where it is a file."""
    if text in BUILT_INS:
        return text, None
    try:
        corpus = own_text(read_file(Path(text), MAX_BYTES))
    except OSError as error:
        raise ValueError(f"The text {text!r} cannot be read: {error.strerror}.") from None
    return corpus.key, corpus


def _train(methods: Sequence[str], seeds: Sequence[int], options: Options) -> int:
    """Train every method with every seed; prints the results as JSON. Returns the exit status, as a shell counts it."""
    key, corpus = _corpus(options.text)
    shape = {name: getattr(options, name) for name in ("steps", "length", "width", "layers", "heads")}
    configs = [TrainConfig(method=method, seed=seed, corpus=key, **shape) for seed in seeds for method in methods]
    cluster = Cluster(options.workers, options.scheduler, pick(options.device).name)
    jobs = Jobs(RunStore(options.data), cluster, ALONE)
    if signal_number := train_all(jobs, dict.fromkeys(configs, Plan(held_out=0)), corpus):
        return 128 + signal_number
    runs = [run for config in configs if (run := jobs.store.get(config.hash)) is not None]
    typer.echo(json.dumps({"runs": [_summary(run) for run in runs]}, allow_nan=False))
    for error in sorted({run.error for run in runs if run.error}):
        typer.echo(f"Error: {error}", err=True)
    return 0 if all(run.status == "finished" for run in runs) else 1


def train_all(
    jobs: Jobs,
    plans: Mapping[TrainConfig, Plan],
    corpus: Corpus | None = None,
    *,
    at_once: int = 1000,  # runs that take turns; what is interrupted leaves the others whole
    done: Callable[[TrainConfig], None] = lambda config: None,  # called as soon as a run has ended
) -> int:
    """Train and measure every configuration, with progress bars; then close the queue.

    Returns the number of the signal (SIGINT, SIGTERM) that stopped it, or 0.
    """
    # A flag and not KeyboardInterrupt: where the exception happens to be raised inside a finaliser, Python drops it.
    stopped, signals = threading.Event(), list[int]()

    def stop(number: int, _: object) -> None:
        signals.append(number)
        stopped.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    waiting, bars_of = iter(plans.items()), dict[TrainConfig, TaskID]()
    try:
        with _bars() as bars:
            while not stopped.is_set():
                for config, plan in islice(waiting, at_once - len(bars_of)):
                    jobs.submit(config, corpus, plan)
                    bars_of[config] = bars.add_task(
                        f"{config.method}, seed {config.seed}", total=config.steps, status=""
                    )
                if not bars_of:
                    break
                for config in [config for config, bar in bars_of.items() if _has_ended(jobs, config, bars, bar)]:
                    progress = jobs.progress(config.hash)
                    if progress is not None and progress.notice == "interrupted":
                        jobs.submit(config, corpus, plans[config])  # the other process that trained it has ended
                        continue
                    del bars_of[config]
                    done(config)
                stopped.wait(0.2)
    finally:
        jobs.close()
        for number, handler in before.items():
            signal.signal(number, handler)
    if signals:
        Console(stderr=True).print("Stopped; progress is saved. The same command goes on from here.")
    return signals[0] if signals else 0


def _bars() -> Progress:
    columns = ("{task.description}", BarColumn(), "{task.fields[status]}", TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True))


def _has_ended(jobs: Jobs, config: TrainConfig, bars: Progress, bar: TaskID) -> bool:
    """Whether the run is no longer active; draws its progress."""
    progress = jobs.progress(config.hash)
    if progress is not None:
        status = "workers start again" if progress.notice == "lost" else _status(progress.run)
        bars.update(bar, completed=progress.run.step, status=status)
    return progress is None or not progress.run.is_active


def _status(run: Run) -> str:
    if run.status in ("failed", "finished"):
        return run.error if run.status == "failed" else "done"
    if run.step >= run.config.steps:
        return f"{len(run.measurements)} measurements"
    return f"loss {run.losses[-1]:.3f}" if run.losses else run.status


def _summary(run: Run) -> dict[str, Any]:
    """A run without its long lists: the last loss, and every measurement without its losses by position."""
    summary = {key: value for key, value in run.to_dict().items() if key not in ("losses", "interim_evaluations")}
    evaluations = [{k: v for k, v in entry.items() if k != "by_position"} for entry in run.evaluations]
    return summary | {"last_loss": run.losses[-1] if run.losses else None, "evaluations": evaluations}

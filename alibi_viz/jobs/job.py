"""A run in the queue: what may be asked for, what the queue holds of it, its next task, and what it tells a reader."""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from alibi_viz.jobs import tasks
from alibi_viz.jobs.remaining import Speeds, interim_work, test_work, training_work
from alibi_viz.jobs.sentences import say
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import Corpus
from alibi_viz.lm.records import Run
from alibi_viz.lm.training import LARGEST_LOSS, TrainState

FIRST = 5  # steps of a run's first chunk: the reader sees soon that it has begun
PATIENCE = 60.0  # seconds that any task may take
SLOWER = 20  # times as long as usual, after which a task is given up
#: lost: a training process was lost, and what it did is repeated. elsewhere: another process with this data folder trains
#: it. interrupted: the process that trained it has ended.
Notice = Literal["", "lost", "elsewhere", "interrupted"]
Kind = Literal["train", "interim_evaluations", "evaluations", "recall"]  # a measurement: where its result goes in Run


class Busy(RuntimeError):
    """Too many runs wait already."""


@dataclass(frozen=True)
class Limits:
    """What one reader may ask of a shared machine."""

    waiting: int = 32  # active runs; paused ones do not count
    steps: int = 10_000  # as many as a shipped run
    parameters: int = 2_000_000
    tokens: int = 21_000_000  # bytes read in training
    length: int = 1_024

    def check(self, config: TrainConfig) -> None:
        """Raises ValueError, in one sentence, for a run that is too large."""
        for name in ("steps", "parameters", "tokens", "length"):
            value, most = getattr(config, name), getattr(self, name)
            if value > most:
                raise ValueError(say(f"too_many.{name}", most=most, given=value))


SHARED = Limits()


@dataclass(frozen=True)
class Progress:
    """Where a run stands."""

    run: Run
    queue_position: int | None = None  # turns of others before its own; 0 while a worker has it; None: not in the queue
    seconds_left: float | None = None  # estimate for the steps and the tests together; None: nothing is measured yet
    notice: Notice = ""  # what happened to it


@dataclass(eq=False)
class Job:
    """A run that waits or is trained."""

    run: Run
    corpus: Corpus | None  # a reader's own text; None: the worker makes it
    plan: tasks.Plan
    held_out: int  # bytes that the tests of the finished model read
    state: bytes  # TrainState.to_bytes
    evaluated_at: int  # step of the last interim evaluation
    steps_wanted: float = math.inf  # before it pauses
    attempts: int = 0  # of the same task, without a result
    lost: bool = False  # a process was lost while a worker had its task, and there is no result since then
    task: Any = None  # Dask's future while a worker has it
    kind: Kind = "train"  # of that task
    steps_sent: int = 0  # of that task, if it trains
    work_sent: float = 0.0  # of that task, in multiplications
    sent_at: float = 0.0  # when, by time.monotonic
    looked: float = 0.0  # seconds that the queue has looked after it: they do not pass while this process is stopped
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def unmeasured(self) -> list[tuple[int, int]]:
        """(length, stride) still to be measured once training is over; recall: (distance, pairs)."""
        measured = {(entry["length"], entry.get("stride", entry.get("pairs"))) for entry in self.run.measurements}
        return [pair for pair in self.plan.windows(self.run.config) if pair not in measured]

    def next_task(self, chunk: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The function and its first arguments: a chunk of training, an interim evaluation, or one measurement.

        A sample is evaluated after the last step too: a first result stands at once, and the measurements refine it.
        """
        config, step, plan = self.run.config, self.run.step, self.plan
        to_evaluation = self.evaluated_at + plan.sample_every - step if plan.sample_times else math.inf
        trained = self.run.is_trained
        if to_evaluation <= 0 or (trained and plan.sample_times and self.evaluated_at < step):
            self.kind = "interim_evaluations"
            self.work_sent = test_work(config, plan.sampled(config), plan.sample_bytes)
            return tasks.measure, (self.state, plan.sampled(config), plan.sample_bytes)
        if trained:
            self.kind = "recall" if config.is_recall else "evaluations"
            self.work_sent = test_work(config, self.unmeasured[:1], self.held_out)
            return tasks.measure, (self.state, self.unmeasured[:1], plan.held_out)
        self.kind = "train"
        self.steps_sent = int(
            max(1, min(chunk if step else FIRST, config.steps - step, to_evaluation, self.steps_wanted))
        )
        self.work_sent = training_work(config, self.steps_sent)
        return tasks.train, (self.state, self.steps_sent)

    @property
    def is_complete(self) -> bool:
        """Whether all steps and all tests are done."""
        return self.run.is_trained and not self.unmeasured

    def take(self, result: Any) -> bytes | None:
        """Put the result of its task into the run. Returns the new state to be saved; None if there is none.

        Raises ValueError if a number is not finite, and then changes nothing.
        """
        if self.kind == "train":
            return self._take_steps(*result)
        self._take_measurements(result)
        return None

    def _take_steps(self, state_bytes: bytes, environment: dict[str, Any]) -> bytes:
        state = TrainState.from_bytes(state_bytes)
        if not (state.losses.abs() <= LARGEST_LOSS).all():  # nor is NaN
            raise ValueError(say("not_finite", step=state.step))
        self.steps_wanted -= state.step - self.run.step
        self.state, self.run = state_bytes, replace(self.run.after(state), environment=environment)
        return state_bytes

    def _take_measurements(self, result: list[dict[str, Any]]) -> None:
        step = self.run.step
        numbers = [(name, x) for entry in result for name, x in entry.items() if isinstance(x, float)]
        if not all(math.isfinite(x) and (name != "loss" or x <= LARGEST_LOSS) for name, x in numbers):
            raise ValueError(say("not_finite", step=step))
        if self.kind == "interim_evaluations":
            self.evaluated_at = step
            result = [entry | {"step": step} for entry in result]
        longer: dict[str, Any] = {self.kind: (*getattr(self.run, self.kind), *result)}
        self.run = replace(self.run, **longer)

    def is_overdue(self, speeds: Speeds) -> bool:
        """Whether its task takes so much longer than usual that no result is to be expected."""
        usual = speeds.seconds("train" if self.kind == "train" else "test", self.work_sent)
        return usual is not None and self.looked > max(PATIENCE, SLOWER * usual) * 2**self.attempts

    def seconds_left(self, speeds: Speeds) -> float | None:
        """An estimate for the steps and the tests that are left, if a worker does nothing else."""
        config, step, plan = self.run.config, self.run.step, self.plan
        tests = test_work(config, self.unmeasured, self.held_out)
        tests += interim_work(config, plan, self.evaluated_at, plan.sampled(config)) if plan.sample_times else 0.0
        seconds = [speeds.seconds("train", training_work(config, config.steps - step)), speeds.seconds("test", tests)]
        return None if None in seconds else sum(filter(None, seconds))

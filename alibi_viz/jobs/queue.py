"""Runs in line: a run is a chain of chunks, each a task of Dask; after each, the run with the fewest steps is next.

Notable choices:
- Every result is written to disk before the next task of its run is sent. A killed worker costs its chunk, which Dask
  repeats; a killed app costs the chunks that were out. Neither changes a number (training.py).
- Results come in on Dask's own thread, which only logs what goes wrong there: here it becomes the sentence of that run
  alone. If the cluster is lost, the runs that were out say so, and the next start finds another one.
- Equal configurations are one run, which belongs to all who asked for it. Who pauses or deletes it leaves it to the others;
  the last one stops or removes it. Who only looks cannot. A browser is known by the hash of its key (ui/reader.py); "" is
  one who is alone with this server, or the terminal, and may do everything.
"""

import contextlib
import math
import threading
from collections import deque
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median
from typing import Any, Literal

from alibi_viz.files import not_writable
from alibi_viz.jobs import tasks
from alibi_viz.jobs.cluster import Cluster
from alibi_viz.jobs.tasks import Plan
from alibi_viz.lessons.problems import Problem, kept
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import Corpus
from alibi_viz.lm.runs import Run, RunStore, Status, corpus_for
from alibi_viz.lm.training import LARGEST_LOSS, TrainState, start

FIRST = 5  # steps of a run's first chunk: the reader sees soon that it has begun
COUNTED = 5  # chunks, the last ones, of which the pace is the median: a machine may be busy for a moment
BELIEVED = 3  # of them are needed before the time left is told
RETRIES = 2  # of a task that fails on its worker; Dask counts workers that die by itself
MOST_BROWSERS = 1_000  # that own a run
Kind = Literal["train", "interim_evaluations", "evaluations", "recall"]  # a measurement: where its result goes in Run


class Refused(Problem):
    """What cannot be done now."""


@dataclass(frozen=True)
class Limits:
    """What one reader may ask of a shared machine."""

    waiting: int = 32  # active runs; paused ones do not count
    each: int = 4  # of them, of one browser
    steps: int = 10_000  # as many as a shipped run
    parameters: int = 2_000_000
    tokens: int = 21_000_000  # bytes read in training
    length: int = 1_024

    def check(self, config: TrainConfig) -> None:
        """Raises ValueError, in one sentence, for a run that is too large."""
        for name in ("steps", "parameters", "tokens", "length"):
            value, most = getattr(config, name), getattr(self, name)
            if value > most:
                raise Problem(f"training.too_many_{name}", most=most, given=value)


@dataclass(frozen=True)
class Progress:
    """Where a run stands."""

    run: Run
    place: int | None = None  # tasks of others before its own; 0 while a worker has it; None: not in line here
    seconds_left: float | None = None  # estimate for the steps and the tests together; None: nothing is measured yet
    notice: Literal["", "elsewhere", "interrupted"] = ""  # another process trains it; the one that did has ended


@dataclass(eq=False)
class Job:
    """A run in line, or with a worker."""

    run: Run
    corpus: Corpus | None  # a reader's own text; None: the worker has it
    plan: Plan
    held_out: int  # bytes that the tests of the finished model read
    state: bytes  # TrainState.to_bytes
    evaluated_at: int  # step of the last interim evaluation
    until: float = math.inf  # step at which it pauses
    task: Any = None  # Dask's future while a worker has it
    kind: Kind = "train"  # of that task
    steps: int = 0  # of that task, if it trains
    is_warm: bool = False  # its first chunk, which takes longer, has come back
    # Seconds a step, of the chunks after that.
    paces: deque[float] = field(default_factory=lambda: deque(maxlen=COUNTED))

    @property
    def step_seconds(self) -> float:
        """Seconds that a step takes on its worker; 0: not known."""
        return median(self.paces) if self.paces else 0.0

    def next_task(self, chunk: float) -> tuple[Any, ...]:
        """A function of tasks.py and its first arguments: `chunk` seconds of training, or measurements.

        A sample is evaluated after the last step too: a first result stands at once, and the measurements refine it.
        """
        config, step, plan = self.run.config, self.run.step, self.plan
        due = self.evaluated_at + plan.sample_every
        if step >= due or (self.run.is_trained and self.evaluated_at < step):
            self.kind = "interim_evaluations"
            return tasks.measure, self.state, plan.sampled(config), plan.sample_bytes
        if self.run.is_trained:
            self.kind = "recall" if config.is_recall else "evaluations"
            return tasks.measure, self.state, plan.unmeasured(self.run)[:1], plan.held_out
        self.kind = "train"
        usual = int(chunk / self.step_seconds) if self.step_seconds else FIRST
        self.steps = int(max(1, min(usual, config.steps - step, due - step, self.until - step)))
        return tasks.train, self.state, self.steps

    def take(self, result: Any) -> bytes | None:
        """Put the result of its task into the run. Returns the new state to be saved; None if there is none.

        Raises ValueError if a number is not finite, and then changes nothing.
        """
        if self.kind == "train":
            state, values = result
            if not all(abs(loss) <= LARGEST_LOSS for loss in values["losses"]):  # nor is NaN
                raise Problem("training.not_finite", step=values["step"])
            if self.is_warm:
                self.paces.append((values["seconds"] - self.run.seconds) / self.steps)
            self.state, self.run, self.is_warm = state, replace(self.run, **values), True
            return state
        numbers = [(name, x) for entry in result for name, x in entry.items() if isinstance(x, float)]
        if not all(math.isfinite(x) and (name != "loss" or x <= LARGEST_LOSS) for name, x in numbers):
            raise Problem("training.not_finite", step=self.run.step)
        if self.kind == "interim_evaluations":
            self.evaluated_at = self.run.step
            result = [entry | {"step": self.run.step} for entry in result]
        longer: dict[str, Any] = {self.kind: (*getattr(self.run, self.kind), *result)}
        self.run = replace(self.run, **longer)
        return None

    @property
    def seconds_left(self) -> float | None:
        """An estimate, if a worker does nothing else. Short matrices are computed less efficiently than long ones."""
        if len(self.paces) < BELIEVED:
            return None
        config, step, plan = self.run.config, self.run.step, self.plan
        tests = tasks.test_work(config, plan.unmeasured(self.run), self.held_out)
        samples = -(-config.steps // plan.sample_every) - self.evaluated_at // plan.sample_every
        tests += samples * tasks.test_work(config, plan.sampled(config), plan.sample_bytes)
        return (config.steps - step + tests / tasks.training_work(config, 1)) * self.step_seconds


class Jobs:
    """Runs that wait or are trained. Its methods may be called from any thread.

    store: None: the data folder. cluster: None: our own, started with the first run. chunk: seconds of a task. makes_room:
    whether old runs go when one has ended.
    """

    def __init__(
        self,
        store: RunStore | None = None,
        cluster: Cluster | None = None,
        limits: Limits | None = None,
        *,
        chunk: float = 1.0,
        makes_room: bool = False,
    ) -> None:
        self.store, self.cluster, self.limits = store or RunStore(), cluster or Cluster(), limits or Limits()
        self.chunk, self.makes_room = chunk, makes_room
        self._jobs: dict[str, Job] = {}  # by hash, in the order in which they came
        self._lock = threading.RLock()
        self._connecting: threading.Thread | None = None

    def submit(
        self,
        config: TrainConfig,
        corpus: Corpus | None = None,
        plan: Plan | None = None,
        *,
        steps: int | None = None,
        browser: str = "",
    ) -> Run:
        """Start a run, resume a half-finished one, or join those who asked for the equal one that is there.

        corpus: a reader's own text, for a configuration that names it. steps: after so many it pauses; None: never; an
        active run is not changed by it. Raises ValueError for a run too large or without its text, or if nothing can be
        written; Refused if too many wait, or if another process trains it.
        """
        self.limits.check(config)
        with self._lock:
            job, active = self._jobs.get(config.hash), [job for job in self._jobs.values() if job.run.is_active]
            others = sum(browser in other.run.browsers for other in active if other is not job)
            if browser and others >= self.limits.each:
                raise Refused("training.busy_each", count=self.limits.each)
            if begins := job is None or not job.run.is_active:
                if (stored := self.store.get(config.hash)) is not None and stored.status == "finished":
                    return stored
                if len(active) >= self.limits.waiting:
                    raise Refused("training.busy", count=len(active))
                if job is None or job.task is None:  # else it was paused just now: the chunk that is out still counts
                    job = self._restore(config, corpus, plan or Plan(), browser)
                out = job.steps if job.task is not None and job.kind == "train" else 0
                job.until = math.inf if steps is None else job.run.step + out + steps
                job.run = replace(job.run, status="waiting", error="")
            if browser and job.run.browsers and browser not in job.run.browsers:
                job.run = replace(job.run, browsers=(*job.run.browsers, browser)[-MOST_BROWSERS:])
            self._jobs[config.hash] = job
            try:
                self.store.save(job.run)
            except OSError as error:
                if begins:
                    self._end(job)
                    raise not_writable(error) from None
            self._hand_out()
            return job.run

    def _restore(self, config: TrainConfig, corpus: Corpus | None, plan: Plan, browser: str) -> Job:
        """A new job of a run that is ours from now on, from the stored state if there is one of the same text."""
        text = corpus or corpus_for(config, self.store)
        if not self.store.claim(config.hash):
            raise Refused("training.elsewhere")
        try:
            if corpus is not None:
                self.store.save_text(corpus)
            run, state = self.store.get(config.hash), self.store.state(config.hash)
            if run is None or state is None or state.corpus != (text.sha256 if text else ""):
                browsers = run.browsers if run else (browser,) if browser else ()
                run, state = Run(config, browsers=browsers), start(config, text)
        except (OSError, ValueError) as error:
            self.store.release(config.hash)
            raise not_writable(error) if isinstance(error, OSError) else error from None
        size = len(text.held_out) if text else 0
        evaluated_at = max((entry["step"] for entry in run.interim_evaluations), default=0)
        own = text if config.has_own_text else None
        return Job(run.after(state), own, plan, min(size, plan.held_out or size), state.to_bytes(), evaluated_at)

    def warm_up(self) -> None:
        """Start the workers in the background, so that the first run need not wait for them."""
        with self._lock:
            if self._connecting is None and not self.cluster.is_connected:
                self._connecting = threading.Thread(target=self._connect, name="alibi-viz-jobs", daemon=True)
                self._connecting.start()

    def pause(self, run_hash: str, browser: str = "") -> int:
        """Stop a run after the chunk that is out; if it is others' too, only leave it to them: returns how many they are.

        Nothing happens to a run that is not active. Raises Refused where it is not this browser's, here and in `delete`.
        """
        with self._lock:
            job = self._jobs.get(run_hash)
            if job is None or not job.run.is_active:
                self._check_here(run_hash)
                return 0
            others = self._leave(job.run, browser)
            if not others:
                self._stop(job, "paused")
            return others

    def delete(self, run_hash: str, browser: str = "") -> int:
        """Stop a run and forget it, on disk too; if it is others' too, only leave it to them: returns how many they are."""
        with self._lock:
            self._check_here(run_hash)
            job = self._jobs.get(run_hash)
            run = job.run if job is not None else self.store.get(run_hash)
            others = self._leave(run, browser) if run is not None else 0
            if others or run is None:
                return others
            if job is not None:
                task, job.task = job.task, None
                self._end(job)
                with contextlib.suppress(Exception):  # Dask has many for a connection that has just ended
                    task.cancel() if task is not None else None
            self.store.delete(run_hash)
            return 0

    def _leave(self, run: Run, browser: str) -> int:
        """Leave a run to the others that it belongs to, if there are any: returns how many."""
        if not run.is_own(browser):
            raise Refused("training.theirs")
        others = tuple(other for other in run.browsers if browser and other != browser)
        if not others:
            return 0
        run, job = replace(run, browsers=others), self._jobs.get(run.hash)
        if job is not None:
            job.run = run
        elif not self.store.claim(run.hash):
            raise Refused("training.elsewhere")
        try:
            self.store.save(run)
        except OSError as error:
            raise not_writable(error) from None
        finally:
            if job is None:
                self.store.release(run.hash)
        return len(others)

    def progress(self, run_hash: str) -> Progress | None:
        """Where a run stands, or None if there is no such run."""
        with self._lock:
            if (job := self._jobs.get(run_hash)) is not None:
                return self._progress(job)
        stored = self.store.get(run_hash)
        if stored is None or not stored.is_active:
            return None if stored is None else Progress(stored)
        if self.store.is_elsewhere(run_hash):
            return Progress(stored, notice="elsewhere")
        return Progress(replace(stored, status="paused"), notice="interrupted")

    def close(self) -> None:
        """Pause everything, so that progress is saved, and end the cluster."""
        with self._lock:
            jobs = list(self._jobs.values())
            for job in jobs:
                if job.run.is_active:
                    self._stop(job, "paused")
            connecting = self._connecting if self.cluster.own else None
        if connecting is not None:
            connecting.join()  # what it starts is to be ended
        self.cluster.close()
        for job in jobs:
            self.store.release(job.run.hash)

    # Everything below is called with the lock, but for what runs in threads: `_connect` and `_receive`.

    def _progress(self, job: Job) -> Progress:
        place, left, active = None, None, [job for job in self._jobs.values() if job.run.is_active]
        if job.task is not None:
            place = 0
        elif job.run.is_active:
            place = max(0, self._in_line().index(job) + 1 - self._free_workers())
        if job.run.is_active and (alone := job.seconds_left) is not None:
            left = alone * max(1.0, len(active) / self.cluster.workers)
        return Progress(job.run, place, left)

    def _in_line(self) -> list[Job]:
        """The jobs that wait for a worker, the next one first."""
        waiting = [job for job in self._jobs.values() if job.run.is_active and job.task is None]
        return sorted(waiting, key=lambda job: job.run.step)

    def _free_workers(self) -> int:
        return max(0, self.cluster.workers - sum(job.task is not None for job in self._jobs.values()))

    def _check_here(self, run_hash: str) -> None:
        if run_hash not in self._jobs and self.store.is_elsewhere(run_hash):
            raise Refused("training.elsewhere")

    def _hand_out(self) -> None:
        """Send the next tasks, as many as there are free workers."""
        if not (waiting := self._in_line()[: self._free_workers()]):
            return
        if not self.cluster.is_connected:
            self.warm_up()
            return
        for job in waiting:
            function, *arguments = job.next_task(self.chunk)
            extra = (job.corpus, self.cluster.device, self.cluster.own)
            options = {"pure": False, "retries": RETRIES, "priority": -job.run.step}
            try:
                job.task = self.cluster.client().submit(function, *arguments, *extra, **options)
                job.run = replace(job.run, status="running")
                job.task.add_done_callback(partial(self._receive, job))
            except Exception:  # Dask has many for a connection that has just ended
                job.task = None
                self._stop(job, "failed", Problem("training.disconnected"))

    def _connect(self) -> None:
        """In a thread: start or find the workers. A failure is told by the runs that need them."""
        failure: Problem | str = ""
        try:
            self.cluster.client()
        except Exception as error:  # a Problem, or whatever else keeps the workers from starting
            failure = kept(error)
        with self._lock:
            self._connecting = None
            for job in self._in_line() if failure else ():
                self._stop(job, "failed", failure)
            self._hand_out()

    def _receive(self, job: Job, task: Any) -> None:
        """In Dask's thread for callbacks: a task has ended."""
        result: Any = None
        failure: Exception | None = Problem("training.disconnected") if task.status == "cancelled" else None
        try:
            result = None if failure else task.result()
        except Exception as error:
            first = f"{type(error).__name__}: {error}".splitlines()[0]
            failure = error if isinstance(error, Problem) else RuntimeError(first)
        with self._lock:
            if job.task is not task:  # the run was deleted
                return
            job.task = None
            try:
                if failure and job.run.is_active:
                    raise failure
                self._take(job, result) if not failure else self._end(job)
            except FileNotFoundError:
                self._stop(job, "failed", Problem("training.removed"))
            except OSError as error:
                self._stop(job, "failed", Problem("training.not_saved", reason=error.strerror or str(error)))
            except Exception as error:
                self._stop(job, "failed", kept(error))
            self._hand_out()

    def _take(self, job: Job, result: Any) -> None:
        """Write what a task gave, before the run's next one."""
        state = job.take(result)
        self.store.save(job.run, state)
        if job.run.is_trained and not job.plan.unmeasured(job.run):
            job.run = replace(job.run, status="finished")
            self.store.finish(job.run, TrainState.from_bytes(job.state).weights)
            self._end(job)
            if self.makes_room:
                threading.Thread(target=self.store.make_room, daemon=True).start()
        elif job.run.is_active and job.run.step >= job.until and not job.run.is_trained:
            self._stop(job, "paused")
        elif not job.run.is_active:
            self._end(job)

    def _stop(self, job: Job, status: Status, error: Problem | str = "") -> None:
        """Take a job out of the line; never raises. A chunk that is out still counts when it comes back."""
        job.run = replace(job.run, status=status, error=error)
        try:
            self.store.save(job.run)
        except (OSError, ValueError):
            self.store.release(job.run.hash)  # the job stays: only here it is known why it failed
        else:
            if job.task is None:
                self._end(job)

    def _end(self, job: Job) -> None:
        """What the disk knows needs no memory; what is still out comes back to nobody."""
        job.task = None
        self._jobs.pop(job.run.hash, None)
        self.store.release(job.run.hash)

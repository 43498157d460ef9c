"""The queue of runs: a run is a chain of chunks, and after each chunk the next run has its turn.

Notable choices:
- One thread of this process hands out the work and receives it; all methods may be called from any thread. It never
  calls Streamlit.
- At most as many tasks are on the way as there are workers; the rest waits here, where it can be paused, cancelled and
  reordered. Turns go round: a reader who comes last waits for one chunk of each other, not for their whole runs.
- Every finished chunk is written to disk before the next one starts. A killed worker costs its chunk, which another
  worker does again; a killed app costs the chunks on the way.
- Equal configurations are one run: who asks second gets the first one's.
- What does not fit is refused at once, in one sentence, and not put in a queue that never ends.
- Only runs that wait or are trained are held in memory; a paused one is on disk, and is read again when it goes on.
- The thread serves every reader, so no error of one run may end it: a full disk or a loss that is no number fails that
  run alone.
"""

from __future__ import annotations

import math
import queue
import threading
from collections import deque
from dataclasses import replace
from typing import Any

from alibi_viz.jobs import tasks
from alibi_viz.jobs.cluster import Cluster
from alibi_viz.jobs.job import Job, Progress
from alibi_viz.jobs.limits import Busy, Limits
from alibi_viz.jobs.tasks import Plan
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import Corpus
from alibi_viz.lm.runs import Run, RunStore, Status, corpus_for
from alibi_viz.lm.training import TrainState, start

AWAY = "The training workers went away; what is done is kept, and the run can go on."
NO_NUMBER = "The loss is no number any more before step {step}: try a lower learning rate."
ATTEMPTS = 3  # of a task whose workers die, after Dask's own


class Jobs:
    """Args:

    store: where runs are kept; None: the data folder.
    cluster: None: `Cluster()`, started with the first run.
    limits: what one run may cost, and how many may wait.
    chunk: steps a turn; about one second of the default model.
    device: where workers compute, by torch's name.
    """

    def __init__(
        self,
        store: RunStore | None = None,
        cluster: Cluster | None = None,
        limits: Limits | None = None,
        *,
        chunk: int = 25,
        device: str = "cpu",
    ) -> None:
        self.store = store or RunStore()
        self.cluster = cluster or Cluster()
        self.limits = limits or Limits()
        self.chunk = chunk
        self.device = device
        self._jobs: dict[str, Job] = {}
        self._turns: deque[str] = deque()
        self._lock = threading.RLock()
        self._events: queue.SimpleQueue[str | None] = queue.SimpleQueue()  # a run to look at; None: end
        self._thread: threading.Thread | None = None

    def submit(
        self, config: TrainConfig, corpus: Corpus | None = None, plan: Plan | None = None, *, steps: int | None = None
    ) -> Run:
        """Start a run, go on with a half-finished one, or find the equal one that is there.

        Args:
            corpus: a reader's own text, for a configuration that names it.
            steps: after so many it pauses; None: it goes to its end. One that is going already is not changed.

        Raises:
            ValueError: if the run is too large, or its text is missing.
            Busy: if too many runs wait already.
        """
        self.limits.check(config)
        with self._lock:
            job = self._jobs.get(config.hash)
            if job is not None and job.run.status in ("waiting", "running"):
                return job.run
            kept = self.store.get(config.hash)
            if kept is not None and kept.status == "finished":
                return kept
            if self._active() >= self.limits.waiting:
                raise Busy(f"{self._active()} runs are waiting already; please try again when some have finished.")
            if corpus is not None:
                self.store.save_text(corpus)
            elif config.corpus.startswith("text:"):
                corpus = corpus_for(config, self.store)
            if job is None or not job.busy:  # else it was paused just now: its chunk on the way still counts
                self._jobs[config.hash] = job = self._job(config, kept, corpus, plan or Plan())
            on_the_way = job.sent if job.busy and job.kind == "chunk" else 0
            job.allowance = None if steps is None else steps + on_the_way
            self._enqueue(job)
            return job.run

    def _job(self, config: TrainConfig, kept: Run | None, corpus: Corpus | None, plan: Plan) -> Job:
        """A new job, from the stored state if there is one of the same text."""
        text, state = tasks.text_of(config, corpus), self.store.state(config.hash)
        if kept is None or state is None or state.corpus != (text.sha256 if text else ""):
            state, kept = start(config, text), Run(config)
        return Job(kept.after(state), corpus, plan, state.to_bytes(), self.device, sampled=state.step)

    def _enqueue(self, job: Job) -> None:
        job.done.clear()
        self._mark(job, "waiting")
        self._turns.append(job.run.hash)
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._work, name="alibi-viz-jobs", daemon=True)
            self._thread.start()
        self._events.put(job.run.hash)

    def pause(self, run: str) -> None:
        """No further chunk after the one on the way. Nothing happens to a run that is not going."""
        with self._lock:
            job = self._jobs.get(run)
            if job is not None and job.run.status in ("waiting", "running"):
                self._leave(job, "paused")

    def resume(self, run: str, steps: int | None = None, plan: Plan | None = None) -> Run:
        """Go on with a paused run: to its end, or for `steps` steps, after which it pauses again.

        Raises:
            ValueError: if there is no such run; Busy: if too many runs wait already.
        """
        with self._lock:
            job, kept = self._jobs.get(run), self.store.get(run)
            if job is None and kept is None:
                raise ValueError(f"There is no run {run!r}.")
            config = job.run.config if job is not None else kept.config  # type: ignore[union-attr]
            return self.submit(config, plan=plan, steps=steps)

    def step(self, run: str, steps: int = 1, plan: Plan | None = None) -> Run:
        """`steps` steps of a paused run."""
        return self.resume(run, steps, plan)

    def cancel(self, run: str) -> None:
        """Stop a run and forget it, on disk too. A finished one stays."""
        with self._lock:
            job = self._jobs.pop(run, None)
            kept = self.store.get(run)
            if job is not None:
                self._leave(job, "cancelled")
                if job.task is not None:
                    job.task.cancel()
            if kept is None or kept.status != "finished":
                self.store.delete(run)

    def progress(self, run: str) -> Progress | None:
        """Where a run stands, or None if there is no such run."""
        with self._lock:
            job = self._jobs.get(run)
            if job is None:
                kept = self.store.get(run)
                if kept is not None and kept.status in ("waiting", "running"):  # an earlier process did not end it
                    kept = replace(kept, status="paused")
                return None if kept is None else Progress(kept, None, None, None)
            place = 0 if job.busy else self._before(run) if run in self._turns else None
            pace = job.run.step / job.run.seconds if job.run.seconds else None
            left = (job.run.config.steps - job.run.step) / pace if pace else None
            return Progress(job.run, place, pace, left)

    def wait(self, run: str, timeout: float | None = None) -> bool:
        """Wait until a run is finished, paused, failed or cancelled; False if the time ran out."""
        with self._lock:
            job = self._jobs.get(run)
        return True if job is None else job.done.wait(timeout)

    def close(self) -> None:
        """Pause everything, keep what is done, end the cluster."""
        with self._lock:
            for run in list(self._jobs):
                self.pause(run)
        if self._thread is not None and self._thread.is_alive():
            self._events.put(None)
            self._thread.join(timeout=10)
        self.cluster.close()

    def _active(self) -> int:
        return sum(job.run.status in ("waiting", "running") for job in self._jobs.values())

    def _busy(self) -> int:
        return sum(job.busy for job in self._jobs.values())

    def _before(self, run: str) -> int:
        """Turns that must end before the turn of this waiting run can begin."""
        free = max(0, self.cluster.workers - self._busy())
        return max(0, self._turns.index(run) + 1 - free)

    def _mark(self, job: Job, status: Status, error: str = "", *, save: bool = True) -> bool:
        """Set the status; False if it could not be written to disk."""
        job.run = replace(job.run, status=status, error=error)
        if save:
            try:
                self.store.save(job.run)
            except (OSError, ValueError):
                return False
        return True

    def _leave(self, job: Job, status: Status, error: str = "") -> None:
        """Take a job out of the turns; never raises. A chunk on the way still counts when it comes back."""
        if job.run.hash in self._turns:
            self._turns.remove(job.run.hash)
        saved = self._mark(job, status, error, save=status != "cancelled")
        job.done.set()
        if saved:
            self._release(job)
        elif not job.busy:
            job.state, job.corpus = b"", None  # only the reason why it failed is worth keeping

    def _release(self, job: Job) -> None:
        """What no longer waits and has nothing on the way is on disk, and needs no memory."""
        ended = job.run.status not in ("waiting", "running") and not job.busy
        if ended and self._jobs.get(job.run.hash) is job:
            del self._jobs[job.run.hash]

    # Everything below runs in the thread.

    def _work(self) -> None:
        while True:
            run = self._events.get()
            if run is None:
                return
            with self._lock:
                job = self._jobs.get(run)
                if job is not None and job.busy and job.task is not None and job.task.done():
                    try:
                        self._receive(job)
                        self._release(job)
                    except Exception as error:  # a loss that is no number, a full disk: this run's alone
                        self._leave(job, "failed", str(error))
            self._hand_out()

    def _hand_out(self) -> None:
        """Give the first in turn to the workers, as long as one is free."""
        while True:
            with self._lock:
                if self._next() is None:
                    return
            try:
                client = self.cluster.client()  # may take seconds the first time: not under the lock
            except Exception as error:  # ConnectionError, or whatever else keeps the workers from starting
                with self._lock:
                    for run in list(self._turns):
                        self._leave(self._jobs[run], "failed", str(error))
                return
            with self._lock:
                chosen = self._next()
                if chosen is not None:
                    self._turns.remove(chosen)
                    job = self._jobs[chosen]
                    try:
                        self._send(client, job)
                    except Exception:  # Dask has many for a connection that has just ended
                        job.busy = False
                        self._leave(job, "paused", AWAY)

    def _next(self) -> str | None:
        """The first in turn with nothing on the way, if a worker is free."""
        if self._busy() >= self.cluster.workers:
            return None
        return next((run for run in self._turns if not self._jobs[run].busy), None)

    def _send(self, client: Any, job: Job) -> None:
        """One task: a chunk, a sample on the way, or one measurement of the finished model."""
        config, step, plan = job.run.config, job.run.step, job.plan
        extra = (job.corpus, job.device, self.cluster.own)
        if step >= config.steps:
            job.kind = "measure"
            job.task = client.submit(tasks.measure, job.state, job.unmeasured[:1], plan.held_out, *extra, pure=False)
        elif plan.sample_times and step - job.sampled >= plan.sample_every:
            job.kind, job.sampled = "sample", step
            windows = plan.samples(config)
            job.task = client.submit(tasks.measure, job.state, windows, plan.sample_bytes, *extra, pure=False)
        else:
            job.kind = "chunk"
            to_sample = plan.sample_every - (step - job.sampled) if plan.sample_times else None
            ends = (self.chunk, config.steps - step, to_sample, job.allowance)
            job.sent = steps = max(1, min(end for end in ends if end is not None))
            job.task = client.submit(tasks.chunk, job.state, steps, *extra, pure=False)
        job.busy = True
        self._mark(job, "running", save=job.run.status != "running")
        job.task.add_done_callback(lambda _, run=job.run.hash: self._events.put(run))

    def _receive(self, job: Job) -> None:
        """Take in what a worker has done, and give the run its next turn."""
        task, job.task, job.busy = job.task, None, False
        if task.status not in ("finished", "error"):  # cancelled or lost: the cluster went away, not the run wrong
            if job.run.status == "running":
                self._leave(job, "paused", AWAY)
            return
        error = None if task.status == "finished" else _reason(task)
        if error is not None:
            job.attempts += 1
            if job.attempts >= ATTEMPTS or not error.startswith("KilledWorker"):
                self._leave(job, "failed", error)
                return
        else:
            job.attempts = 0
            self._take(job, task.result())
        if job.run.step >= job.run.config.steps and not job.unmeasured:
            self._finish(job)
        elif job.run.status in ("waiting", "running"):
            if job.allowance is not None and job.allowance <= 0:
                job.allowance = None
                self._leave(job, "paused")
            elif job.run.hash not in self._turns:
                self._turns.append(job.run.hash)

    def _take(self, job: Job, result: Any) -> None:
        if job.kind == "chunk":
            before = job.run.step
            state, made_with = TrainState.from_bytes(result[0]), result[1]
            if not state.losses.isfinite().all():
                raise ValueError(NO_NUMBER.format(step=state.step))
            job.state, job.run = result[0], replace(job.run.after(state), made_with=made_with)
            if job.allowance is not None:
                job.allowance -= job.run.step - before
            self.store.save(job.run, job.state)
            return
        if not all(math.isfinite(x) for one in result for x in one.values() if isinstance(x, float)):
            raise ValueError(NO_NUMBER.format(step=job.run.step))
        if job.kind == "sample":
            found = tuple({**one, "step": job.run.step} for one in result)
            job.run = replace(job.run, on_the_way=job.run.on_the_way + found)
        elif job.run.config.is_recall:
            job.run = replace(job.run, recall=job.run.recall + tuple(result))
        else:
            job.run = replace(job.run, evaluations=job.run.evaluations + tuple(result))
        self.store.save(job.run)

    def _finish(self, job: Job) -> None:
        job.run = replace(job.run, status="finished")
        self.store.finish(job.run, TrainState.from_bytes(job.state).weights)
        if job.run.hash in self._turns:  # it was paused and asked for again while its last task was on the way
            self._turns.remove(job.run.hash)
        job.done.set()


def _reason(task: Any) -> str:
    """Why a task failed, in one line."""
    error = task.exception()
    return f"{type(error).__name__}: {error}".splitlines()[0]

"""The queue of runs: a run is a chain of chunks, and after each chunk the next run has its turn.

Notable choices:
- Its methods may be called from any thread; the work is done by another one (dispatcher.py).
- A run is trained by one process: the others with the same data folder follow it on disk.
- Equal configurations are one run: who asks second gets the first one's.
- What does not fit is refused at once, in one sentence, and not put in a queue that never ends.
"""

import contextlib
import math
from dataclasses import replace

from alibi_viz.jobs.active import ActiveRuns
from alibi_viz.jobs.cluster import Cluster
from alibi_viz.jobs.dispatcher import WARM_UP, Dispatcher
from alibi_viz.jobs.job import SHARED, Busy, Job, Limits, Notice, Progress
from alibi_viz.jobs.sentences import say
from alibi_viz.jobs.tasks import Plan
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import Corpus
from alibi_viz.lm.records import Run
from alibi_viz.lm.runs import RunStore, corpus_for
from alibi_viz.lm.sweep import Keep
from alibi_viz.lm.training import start


class Jobs:
    """Runs that wait or are trained, `chunk` steps a turn: about one second of the default model.

    store: None: the data folder. cluster: None: our own, started with the first run. keep: what the store may hold after a
    run has ended; None: everything.
    """

    def __init__(
        self,
        store: RunStore | None = None,
        cluster: Cluster | None = None,
        limits: Limits = SHARED,
        *,
        chunk: int = 25,
        keep: Keep | None = None,
    ) -> None:
        self.store, self.cluster, self.limits = store or RunStore(), cluster or Cluster(), limits
        self.runs = ActiveRuns(self.store, keep)
        self.dispatcher = Dispatcher(self.runs, self.cluster, chunk)

    def submit(
        self, config: TrainConfig, corpus: Corpus | None = None, plan: Plan | None = None, *, steps: int | None = None
    ) -> Run:
        """Start a run, resume a half-finished one, or return the equal one that is there.

        corpus: a reader's own text, for a configuration that names it. steps: after so many it pauses; None: never. An
        active run is not changed. Raises ValueError for a run too large or without its text, Busy if too many wait.
        """
        self.limits.check(config)
        with self.runs.lock:
            job = self.runs.get(config.hash)
            if job is not None and job.run.is_active:
                return job.run
            if not self.store.claims.take(config.hash):
                return self.store.get(config.hash) or Run(config, status="waiting")
            try:
                return self._submit(config, corpus, plan or Plan(), steps)
            finally:
                if config.hash not in self.runs:  # it is finished already, or was refused
                    self.store.claims.release(config.hash)

    def _submit(self, config: TrainConfig, corpus: Corpus | None, plan: Plan, steps: int | None) -> Run:
        job, stored = self.runs.get(config.hash), self.store.get(config.hash)
        if stored is not None and stored.status == "finished":
            return stored
        if (active := self.runs.count()) >= self.limits.waiting:
            raise Busy(say("busy", count=active))
        if corpus is not None:
            self.store.save_text(corpus)
        elif config.corpus.startswith("text:"):
            corpus = corpus_for(config, self.store)
        if job is None or job.task is None:  # else it was paused just now: the chunk with the worker still counts
            job = self._restore(config, stored, corpus, plan)
            self.runs.add(job)
        with_worker = job.steps_sent if job.task is not None and job.kind == "train" else 0
        job.steps_wanted = math.inf if steps is None else steps + with_worker
        job.done.clear()
        self.runs.mark(job, "waiting")
        self.runs.turns.append(job)
        self.dispatcher.notify(config.hash)
        return job.run

    def _restore(self, config: TrainConfig, stored: Run | None, corpus: Corpus | None, plan: Plan) -> Job:
        """A new job, from the stored state if there is one of the same text."""
        text, state = corpus or corpus_for(config), self.store.state(config.hash)
        if stored is None or state is None or state.corpus != (text.sha256 if text else ""):
            stored, state = Run(config), start(config, text)
        size = len(text.held_out) if text else 0
        size = min(size, plan.held_out or size)
        evaluated_at = max((entry["step"] for entry in stored.interim_evaluations), default=0)
        return Job(stored.after(state), corpus, plan, size, state.to_bytes(), evaluated_at)

    def warm_up(self) -> None:
        """Start the workers in the background, so that the first run need not wait for them.

        If no run comes for a while, they end again.
        """
        with self.runs.lock:
            self.dispatcher.notify(WARM_UP)

    def pause(self, run_hash: str) -> None:
        """No further chunk after the one that a worker has. Nothing happens to a run that is not active.

        Raises Busy for a run that another process trains, here and in `cancel`.
        """
        with self.runs.lock:
            job = self.runs.get(run_hash)
            if job is None and self.store.claims.is_elsewhere(run_hash):
                raise Busy(say("elsewhere"))
            if job is not None and job.run.is_active:
                self.runs.stop(job, "paused")

    def cancel(self, run_hash: str) -> None:
        """Stop a run and forget it, on disk too. A finished one stays."""
        with self.runs.lock:
            if self.store.claims.is_elsewhere(run_hash):
                raise Busy(say("elsewhere"))
            job, stored = self.runs.forget(run_hash), self.store.get(run_hash)
            if job is not None:
                self.runs.stop(job, "cancelled")
                if job.task is not None:
                    with contextlib.suppress(Exception):  # Dask has many for a connection that has just ended
                        job.task.cancel()
                    job.task = None
            if stored is None or stored.status != "finished":
                self.store.delete(run_hash)
            self.store.claims.release(run_hash)

    def progress(self, run_hash: str) -> Progress | None:
        """Where a run stands, or None if there is no such run."""
        with self.runs.lock:
            job = self.runs.get(run_hash)
            if job is not None:
                notice: Notice = "lost" if job.lost and job.run.is_active else ""
                return Progress(job.run, self._queue_position(job), self.dispatcher.seconds_left(job), notice)
            stored = self.store.get(run_hash)
            if stored is None or not stored.is_active:
                return None if stored is None else Progress(stored)
            if self.store.claims.is_elsewhere(run_hash):
                return Progress(stored, notice="elsewhere")
            return Progress(replace(stored, status="paused"), notice="interrupted")

    def _queue_position(self, job: Job) -> int | None:
        if job.task is not None:
            return 0
        if job not in self.runs.turns:
            return None
        return max(0, self.runs.turns.index(job) + 1 - max(0, self.dispatcher.free_workers()))

    def wait(self, run_hash: str, timeout: float | None = None) -> bool:
        """Wait until a run is finished, paused, failed or cancelled; False if the time ran out."""
        job = self.runs.get(run_hash)
        return job is None or job.done.wait(timeout)

    def close(self) -> None:
        """Pause everything, so that progress is saved, and end the cluster."""
        with self.runs.lock:
            for run_hash in self.runs:
                self.pause(run_hash)
        self.dispatcher.end()
        self.store.claims.release_all()

"""The queue of runs: a run is a chain of chunks, and after each chunk the next run has its turn.

Notable choices:
- One thread hands out the work and receives it, and never calls Streamlit; all methods may be called from any thread.
- At most as many tasks are with the workers as there are workers; the rest waits here, where it can be paused and
  cancelled. Turns go round: a reader who comes last waits for one chunk of each other, not for their whole runs.
- Every finished chunk is written to disk before the next one starts. A killed worker costs its chunk, which another
  worker does again; a killed app costs the chunks that were with the workers.
- While a task is out, the cluster is looked at every few seconds. If it can no longer work, or a task takes far too long,
  the cluster is started anew and the chunks that were out are repeated. Repeating changes no result (training.py).
- A run is trained by one process: the others with the same data folder follow it on disk.
- Equal configurations are one run: who asks second gets the first one's.
- What does not fit is refused at once, in one sentence, and not put in a queue that never ends.
- Only active runs are held in memory; a paused one is on disk, and is read again when it is resumed.
- The thread serves every reader: a full disk or a loss that is NaN fails that run alone, and never ends the thread.
"""

import contextlib
import math
import queue
import threading
import time
from dataclasses import replace
from typing import Any

from alibi_viz.jobs.cluster import Cluster
from alibi_viz.jobs.job import SHARED, Busy, Job, Limits, Notice, Progress
from alibi_viz.jobs.remaining import Speeds
from alibi_viz.jobs.tasks import Plan
from alibi_viz.jobs.watch import LOOK_EVERY
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import Corpus
from alibi_viz.lm.records import Run, Status
from alibi_viz.lm.runs import RunStore, corpus_for
from alibi_viz.lm.sweep import Keep, sweep
from alibi_viz.lm.training import LARGEST_LOSS, TrainState, start

DISCONNECTED = "The training workers were lost again and again; progress is saved, and the run can be resumed."
NOT_SAVED = "Progress could not be saved ({reason}). What was saved before is kept, and the run can be resumed."
ELSEWHERE = "Another server or command with the same data folder trains this run; only there it can be stopped."
NOT_FINITE = "The loss became NaN or infinite before step {step}: try a lower learning rate."
WARM_UP, LOOK = "warm up", "look"  # events beside the hashes of runs
WARM = 900.0  # seconds that idle workers are kept
PAUSE = 0.1  # seconds until a result that did not come is asked for again
SLOWEST = 5e6  # bytes a second, in which a result comes
ATTEMPTS = 5  # of a task whose workers are lost; each of them after Dask's own


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
        self.store, self.cluster = store or RunStore(), cluster or Cluster()
        self.limits, self.chunk, self.keep = limits, chunk, keep
        self._jobs: dict[str, Job] = {}
        self._turns: list[Job] = []
        self._lock = threading.RLock()
        self._events: queue.SimpleQueue[str | None] = queue.SimpleQueue()  # a run to look at; None: end
        self._thread: threading.Thread | None = None
        self._speeds = Speeds()
        self._last_look = 0.0  # at the cluster, by time.monotonic

    def submit(
        self, config: TrainConfig, corpus: Corpus | None = None, plan: Plan | None = None, *, steps: int | None = None
    ) -> Run:
        """Start a run, resume a half-finished one, or return the equal one that is there.

        corpus: a reader's own text, for a configuration that names it. steps: after so many it pauses; None: never. An
        active run is not changed. Raises ValueError for a run too large or without its text, Busy if too many wait.
        """
        self.limits.check(config)
        with self._lock:
            job = self._jobs.get(config.hash)
            if job is not None and job.run.is_active:
                return job.run
            if not self.store.claims.take(config.hash):
                return self.store.get(config.hash) or Run(config, status="waiting")
            try:
                return self._submit(config, corpus, plan or Plan(), steps)
            finally:
                if config.hash not in self._jobs:  # it is finished already, or was refused
                    self.store.claims.release(config.hash)

    def _submit(self, config: TrainConfig, corpus: Corpus | None, plan: Plan, steps: int | None) -> Run:
        job, stored = self._jobs.get(config.hash), self.store.get(config.hash)
        if stored is not None and stored.status == "finished":
            return stored
        active = sum(job.run.is_active for job in self._jobs.values())
        if active >= self.limits.waiting:
            raise Busy(f"{active} runs are waiting already; please try again when some have finished.")
        if corpus is not None:
            self.store.save_text(corpus)
        elif config.corpus.startswith("text:"):
            corpus = corpus_for(config, self.store)
        if job is None or job.task is None:  # else it was paused just now: the chunk with the worker still counts
            job = self._jobs[config.hash] = self._restore(config, stored, corpus, plan)
        with_worker = job.steps_sent if job.task is not None and job.kind == "train" else 0
        job.steps_wanted = math.inf if steps is None else steps + with_worker
        job.done.clear()
        self._mark(job, "waiting")
        self._turns.append(job)
        self._tell(config.hash)
        return job.run

    def warm_up(self) -> None:
        """Start the workers in the background, so that the first run need not wait for them.

        If no run comes for WARM seconds, they end again.
        """
        with self._lock:
            self._tell(WARM_UP)

    def _tell(self, event: str) -> None:
        """Give the thread something to look at; it is started if need be."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._work, name="alibi-viz-jobs", daemon=True)
            self._thread.start()
        self._events.put(event)

    def _restore(self, config: TrainConfig, stored: Run | None, corpus: Corpus | None, plan: Plan) -> Job:
        """A new job, from the stored state if there is one of the same text."""
        text, state = corpus or corpus_for(config), self.store.state(config.hash)
        if stored is None or state is None or state.corpus != (text.sha256 if text else ""):
            stored, state = Run(config), start(config, text)
        size = len(text.held_out) if text else 0
        size = min(size, plan.held_out or size)
        evaluated_at = max((entry["step"] for entry in stored.interim_evaluations), default=0)
        return Job(stored.after(state), corpus, plan, size, state.to_bytes(), evaluated_at)

    def pause(self, run_hash: str) -> None:
        """No further chunk after the one that a worker has. Nothing happens to a run that is not active.

        Raises Busy for a run that another process trains, here and in `cancel`.
        """
        with self._lock:
            job = self._jobs.get(run_hash)
            if job is None and self.store.claims.is_elsewhere(run_hash):
                raise Busy(ELSEWHERE)
            if job is not None and job.run.is_active:
                self._stop(job, "paused")

    def cancel(self, run_hash: str) -> None:
        """Stop a run and forget it, on disk too. A finished one stays."""
        with self._lock:
            if self.store.claims.is_elsewhere(run_hash):
                raise Busy(ELSEWHERE)
            job, stored = self._jobs.pop(run_hash, None), self.store.get(run_hash)
            if job is not None:
                self._stop(job, "cancelled")
                if job.task is not None:
                    with contextlib.suppress(Exception):  # Dask has many for a connection that has just ended
                        job.task.cancel()
                    job.task = None
            if stored is None or stored.status != "finished":
                self.store.delete(run_hash)
            self.store.claims.release(run_hash)

    def progress(self, run_hash: str) -> Progress | None:
        """Where a run stands, or None if there is no such run."""
        with self._lock:
            job = self._jobs.get(run_hash)
            if job is not None:
                notice: Notice = "lost" if job.lost and job.run.is_active else ""
                return Progress(job.run, self._queue_position(job), self._seconds_left(job), notice)
            stored = self.store.get(run_hash)
            if stored is None or not stored.is_active:
                return None if stored is None else Progress(stored)
            if self.store.claims.is_elsewhere(run_hash):
                return Progress(stored, notice="elsewhere")
            return Progress(replace(stored, status="paused"), notice="interrupted")

    def wait(self, run_hash: str, timeout: float | None = None) -> bool:
        """Wait until a run is finished, paused, failed or cancelled; False if the time ran out."""
        job = self._jobs.get(run_hash)
        return job is None or job.done.wait(timeout)

    def close(self) -> None:
        """Pause everything, so that progress is saved, and end the cluster."""
        with self._lock:
            for run_hash in list(self._jobs):
                self.pause(run_hash)
        if self._thread is not None and self._thread.is_alive():
            self._events.put(None)
            self.cluster.wanted = False  # it may be starting
            self._thread.join(timeout=10)
            self.cluster.wanted = True
        self.cluster.close()
        self.store.claims.release_all()

    def _free_workers(self) -> int:
        return self.cluster.workers - sum(job.task is not None for job in self._jobs.values())

    def _queue_position(self, job: Job) -> int | None:
        if job.task is not None:
            return 0
        if job not in self._turns:
            return None
        return max(0, self._turns.index(job) + 1 - max(0, self._free_workers()))

    def _seconds_left(self, job: Job) -> float | None:
        """An estimate: the runs that are active share the workers."""
        alone = job.seconds_left(self._speeds) if job.run.is_active else None
        active = sum(other.run.is_active for other in self._jobs.values())
        return None if alone is None else alone * max(1.0, active / self.cluster.workers)

    def _mark(self, job: Job, status: Status, error: str = "") -> bool:
        """Set the status; False if it was not written to disk."""
        job.run = replace(job.run, status=status, error=error)
        with contextlib.suppress(OSError, ValueError):
            if status != "cancelled":
                self.store.save(job.run)
            return True
        return False

    def _stop(self, job: Job, status: Status, error: str = "") -> None:
        """Take a job out of the turns; never raises. A chunk that a worker has still counts when it comes back."""
        self._end_turn(job)
        saved = self._mark(job, status, error)
        job.done.set()
        if saved:
            self._release(job)
        elif job.task is None:
            job.state, job.corpus = b"", None  # only the reason why it failed is worth keeping
            self.store.claims.release(job.run.hash)

    def _end_turn(self, job: Job) -> None:
        if job in self._turns:
            self._turns.remove(job)

    def _release(self, job: Job) -> None:
        """A job that has ended is on disk, and needs no memory."""
        if not job.run.is_active and job.task is None and self._jobs.get(job.run.hash) is job:
            del self._jobs[job.run.hash]
            self.store.claims.release(job.run.hash)
            if self.keep is not None:
                sweep(self.store, self._jobs, self.keep)

    # Everything below runs in the thread.

    def _work(self) -> None:
        while (event := self._next_event()) is not None:
            if event == WARM_UP:
                self._warm_up()
                continue
            self._collect(event)
            self._look_after()
            self._hand_out()

    def _next_event(self) -> str | None:
        """The next run to look at, or LOOK. Workers that nobody has used for WARM seconds end; a run starts them again."""
        while True:
            try:
                return self._events.get(timeout=LOOK_EVERY if self._busy() else WARM)
            except queue.Empty:
                if self._busy():
                    return LOOK
                self.cluster.close()

    def _busy(self) -> list[Job]:
        """The jobs that the workers are for."""
        with self._lock:
            return [job for job in self._jobs.values() if job.run.is_active or job.task is not None]

    def _collect(self, run_hash: str) -> None:
        """Take in the task of a run, if it has come back."""
        with self._lock:
            job = self._jobs.get(run_hash)
            task = None if job is None else job.task
        if job is None or task is None or not task.done():
            return
        try:  # not under the lock: the result is still with its worker, which may be stopped or gone
            result = task.result(timeout=LOOK_EVERY + len(job.state) / SLOWEST) if task.status == "finished" else None
        except Exception:  # Dask has many for this; it makes the result again, or the next look finds what is wrong
            time.sleep(PAUSE)
            self._events.put(run_hash)
            return
        with self._lock:
            if job.task is not task:  # cancelled just now
                return
            try:
                self._receive(job, result)
                self._release(job)
            except OSError as error:
                self._stop(job, "failed", NOT_SAVED.format(reason=error.strerror or error))
            except Exception as error:  # a loss that is NaN: this run's alone
                self._stop(job, "failed", str(error))

    def _look_after(self) -> None:
        """Every few seconds: does the cluster still work? If not, another one repeats the chunks that were out."""
        if not (busy := self._busy()) or time.monotonic() - self._last_look < LOOK_EVERY:
            return
        finding = self.cluster.look()  # may take seconds: not under the lock
        self._last_look = time.monotonic()
        with self._lock:
            out = [job for job in busy if job.task is not None]
            for job in out:
                job.looked += LOOK_EVERY
            is_broken = finding == "broken" or any(job.is_overdue(self._speeds) for job in out)
            for job in busy:
                job.lost |= is_broken or finding == "worker lost"
            for job in out if is_broken else []:
                self._lose(job)
        if is_broken:
            self.cluster.kill()

    def _lose(self, job: Job) -> None:
        """The task of a job is lost with its workers: the run is not wrong, and has the next turn."""
        job.task, job.lost, job.attempts = None, True, job.attempts + 1
        if job.run.is_active and job.attempts >= ATTEMPTS:
            self._stop(job, "paused", DISCONNECTED)
        elif job.run.is_active and job not in self._turns:
            self._turns.insert(0, job)
        self._release(job)

    def _warm_up(self) -> None:
        """Start the workers. A failure is told when a run needs them."""
        with contextlib.suppress(Exception):
            self.cluster.client()

    def _hand_out(self) -> None:
        """Give the first in turn to the workers, as long as one is free."""
        while self._next() is not None:
            try:
                client = self.cluster.client()  # may take seconds the first time: not under the lock
            except Exception as error:  # ConnectionError, or whatever else keeps the workers from starting
                with self._lock:
                    for waiting in list(self._turns):
                        self._stop(waiting, "failed", str(error))
                return
            with self._lock:
                if (job := self._next()) is None:
                    return
                self._end_turn(job)
                try:
                    self._send(client, job)
                except Exception:  # Dask has many for a connection that has just ended
                    self._lose(job)

    def _next(self) -> Job | None:
        """The first in turn that no worker has, if a worker is free."""
        with self._lock:
            return next((job for job in self._turns if job.task is None), None) if self._free_workers() > 0 else None

    def _send(self, client: Any, job: Job) -> None:
        function, arguments = job.next_task(self.chunk)
        extra = (job.corpus, self.cluster.device, self.cluster.own)
        job.sent_at, job.looked = time.monotonic(), 0.0
        job.task = client.submit(function, *arguments, *extra, pure=False)
        if job.run.status != "running":
            self._mark(job, "running")
        job.task.add_done_callback(lambda _, run=job.run.hash: self._events.put(run))

    def _receive(self, job: Job, result: Any) -> None:
        """Take in what a worker has done, and give the run its next turn."""
        task, job.task = job.task, None
        if task.status not in ("finished", "error"):  # cancelled or lost: the workers are gone, the run is not wrong
            self._lose(job)
            return
        if task.status == "error":
            exception = task.exception()
            error = f"{type(exception).__name__}: {exception}".splitlines()[0]
            job.attempts += 1
            if job.attempts >= ATTEMPTS or not error.startswith("KilledWorker"):
                self._stop(job, "failed", error)
                return
        else:
            job.attempts, job.lost = 0, False
            self._speeds.add("train" if job.kind == "train" else "test", job.work_sent, time.monotonic() - job.sent_at)
            self._take(job, result)
        if job.run.step >= job.run.config.steps and not job.unmeasured:
            job.run = replace(job.run, status="finished")
            self.store.finish(job.run, TrainState.from_bytes(job.state).weights)
            self._end_turn(job)  # it was paused and submitted again while its last task was with a worker
            job.done.set()
        elif job.run.is_active and job.steps_wanted <= 0:
            self._stop(job, "paused")
        elif job.run.is_active and job not in self._turns:
            self._turns.append(job)

    def _take(self, job: Job, result: Any) -> None:
        """Put the result of a task into the run, and save it."""
        run = job.run
        if job.kind == "train":
            state = TrainState.from_bytes(result[0])
            if not (state.losses.abs() <= LARGEST_LOSS).all():  # nor is NaN
                raise ValueError(NOT_FINITE.format(step=state.step))
            job.state, job.run = result[0], replace(run.after(state), environment=result[1])
            job.steps_wanted -= state.step - run.step
            self.store.save(job.run, job.state)
            return
        numbers = [(name, x) for entry in result for name, x in entry.items() if isinstance(x, float)]
        if not all(math.isfinite(x) and (name != "loss" or x <= LARGEST_LOSS) for name, x in numbers):
            raise ValueError(NOT_FINITE.format(step=run.step))
        entries = [entry | {"step": run.step} for entry in result] if job.kind == "interim_evaluations" else result
        if job.kind == "interim_evaluations":
            job.evaluated_at = run.step
        longer: dict[str, Any] = {job.kind: (*getattr(run, job.kind), *entries)}
        job.run = replace(run, **longer)
        self.store.save(job.run)

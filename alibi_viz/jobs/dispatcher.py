"""The thread that gives the runs' tasks to the workers and takes their results in.

Notable choices:
- One thread does both, and never calls Streamlit. It holds the lock only while it changes what is held, never while it
  waits for a worker.
- At most as many tasks are with the workers as there are workers; the rest waits, where it can be paused and cancelled.
- Every finished chunk is written to disk before the next one starts. A killed worker costs its chunk, which another
  worker does again; a killed app costs the chunks that were with the workers.
- While a task is out, the cluster is looked at every few seconds. If it can no longer work, or a task takes far too long,
  the cluster is started anew and the chunks that were out are repeated. Repeating changes no result (training.py).
- The thread serves every reader: a full disk or a loss that is NaN fails that run alone, and never ends the thread.
"""

import contextlib
import queue
import threading
import time
from dataclasses import replace
from typing import Any

from alibi_viz.jobs.active import ActiveRuns
from alibi_viz.jobs.cluster import Cluster
from alibi_viz.jobs.job import Job
from alibi_viz.jobs.remaining import Speeds
from alibi_viz.jobs.sentences import say
from alibi_viz.jobs.watch import LOOK_EVERY
from alibi_viz.lm.training import TrainState

WARM_UP, LOOK = "warm up", "look"  # events beside the hashes of runs
WARM = 900.0  # seconds that idle workers are kept
PAUSE = 0.1  # seconds until a result that did not come is asked for again
SLOWEST = 5e6  # bytes a second, in which a result comes
ATTEMPTS = 5  # of a task whose workers are lost; each of them after Dask's own
ENDING = 10.0  # seconds to wait for the thread


class Dispatcher:
    """Trains the active runs, `chunk` steps a turn. The thread starts with the first event."""

    def __init__(self, runs: ActiveRuns, cluster: Cluster, chunk: int) -> None:
        self.runs, self.cluster, self.chunk = runs, cluster, chunk
        self.speeds = Speeds()
        cluster.on_loss = self._tell_loss
        self._events: queue.SimpleQueue[str | None] = queue.SimpleQueue()  # a run to look at; None: end
        self._thread: threading.Thread | None = None
        self._last_look = 0.0  # at the cluster, by time.monotonic

    def notify(self, event: str) -> None:
        """There is something to do: the hash of a run, or WARM_UP. Call it with the lock of the runs."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._work, name="alibi-viz-jobs", daemon=True)
            self._thread.start()
        self._events.put(event)

    def end(self) -> None:
        """End the thread, and then the cluster."""
        if self._thread is not None and self._thread.is_alive():
            self._events.put(None)
            self.cluster.wanted = False  # it may be starting
            self._thread.join(timeout=ENDING)
            self.cluster.wanted = True
        self.cluster.close()

    def free_workers(self) -> int:
        return self.cluster.workers - self.runs.with_workers()

    def seconds_left(self, job: Job) -> float | None:
        """An estimate: the runs that are active share the workers."""
        alone = job.seconds_left(self.speeds) if job.run.is_active else None
        return None if alone is None else alone * max(1.0, self.runs.count() / self.cluster.workers)

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
                return self._events.get(timeout=LOOK_EVERY if self.runs.busy() else WARM)
            except queue.Empty:
                if self.runs.busy():
                    return LOOK
                self.cluster.close()

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
                with self.runs.lock:
                    for waiting in list(self.runs.turns):
                        self.runs.stop(waiting, "failed", str(error))
                return
            with self.runs.lock:
                if (job := self._next()) is None:
                    return
                self.runs.end_turn(job)
                try:
                    self._send(client, job)
                except Exception:  # Dask has many for a connection that has just ended
                    self._lose(job)

    def _next(self) -> Job | None:
        """The first in turn, if a worker is free."""
        with self.runs.lock:
            return self.runs.next_in_turn() if self.free_workers() > 0 else None

    def _send(self, client: Any, job: Job) -> None:
        function, arguments = job.next_task(self.chunk)
        extra = (job.corpus, self.cluster.device, self.cluster.own)
        job.sent_at, job.looked = time.monotonic(), 0.0
        job.task = client.submit(function, *arguments, *extra, pure=False)
        if job.run.status != "running":
            self.runs.mark(job, "running")
        job.task.add_done_callback(lambda _, run=job.run.hash: self._events.put(run))

    def _collect(self, run_hash: str) -> None:
        """Take in the task of a run, if it has come back."""
        with self.runs.lock:
            job = self.runs.get(run_hash)
            task = None if job is None else job.task
        if job is None or task is None or not task.done():
            return
        try:  # not under the lock: the result is still with its worker, which may be stopped or gone
            result = task.result(timeout=LOOK_EVERY + len(job.state) / SLOWEST) if task.status == "finished" else None
        except Exception:  # Dask has many for this; it makes the result again, or the next look finds what is wrong
            time.sleep(PAUSE)
            self._events.put(run_hash)
            return
        with self.runs.lock:
            if job.task is not task:  # cancelled just now
                return
            try:
                self._receive(job, result)
                self.runs.release(job)
            except FileNotFoundError:
                self.runs.stop(job, "failed", say("removed"))
            except OSError as error:
                self.runs.stop(job, "failed", say("not_saved", reason=error.strerror or error))
            except Exception as error:  # a loss that is NaN: this run's alone
                self.runs.stop(job, "failed", str(error))

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
                self.runs.stop(job, "failed", error)
                return
        else:
            job.attempts, job.lost = 0, False
            self.speeds.add("train" if job.kind == "train" else "test", job.work_sent, time.monotonic() - job.sent_at)
            state = job.take(result)
            self.runs.store.save(job.run, state)
        self._next_turn(job)

    def _next_turn(self, job: Job) -> None:
        if job.is_complete:
            job.run = replace(job.run, status="finished")
            self.runs.store.finish(job.run, TrainState.from_bytes(job.state).weights)
            self.runs.end_turn(job)  # it was paused and submitted again while its last task was with a worker
            job.done.set()
        elif job.run.is_active and job.steps_wanted <= 0:
            self.runs.stop(job, "paused")
        elif job.run.is_active and job not in self.runs.turns:
            self.runs.turns.append(job)

    def _look_after(self) -> None:
        """Every few seconds: does the cluster still work? If not, another one repeats the chunks that were out."""
        if not (busy := self.runs.busy()) or time.monotonic() - self._last_look < LOOK_EVERY:
            return
        finding = self.cluster.look()  # may take seconds: not under the lock
        self._last_look = time.monotonic()
        with self.runs.lock:
            out = [job for job in busy if job.task is not None]
            for job in out:
                job.looked += LOOK_EVERY
            is_broken = finding == "broken" or any(job.is_overdue(self.speeds) for job in out)
            for job in busy:
                job.lost |= is_broken or finding == "worker lost"
            for job in out if is_broken else []:
                self._lose(job)
        if is_broken:
            self.cluster.kill()

    def _tell_loss(self) -> None:
        """The workers were lost while they started, and start again: readers are told at once."""
        with self.runs.lock:
            for job in self.runs.busy():
                job.lost = True

    def _lose(self, job: Job) -> None:
        """The task of a job is lost with its workers: the run is not wrong, and has the next turn."""
        job.task, job.lost, job.attempts = None, True, job.attempts + 1
        if job.run.is_active and job.attempts >= ATTEMPTS:
            self.runs.stop(job, "paused", say("disconnected"))
        elif job.run.is_active and job not in self.runs.turns:
            self.runs.turns.insert(0, job)
        self.runs.release(job)

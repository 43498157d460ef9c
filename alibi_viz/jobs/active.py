"""The runs that are active: held in memory, in turns, and written to disk whenever their status changes.

Notable choices:
- Whoever reads or changes them holds `lock`: readers ask from any thread while the dispatcher hands out the work.
- Turns go round: a reader who comes last waits for one chunk of each other, not for their whole runs.
- Only active runs are held; a paused one is on disk, and is read again when it is resumed.
"""

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import replace

from alibi_viz.jobs.job import Job
from alibi_viz.lm.records import Status
from alibi_viz.lm.runs import RunStore
from alibi_viz.lm.sweep import Keep, sweep


class ActiveRuns:
    """Runs by hash, and those that wait for a turn, the next one first. keep: what the store may hold; None: everything."""

    def __init__(self, store: RunStore, keep: Keep | None) -> None:
        self.store, self.keep = store, keep
        self.lock = threading.RLock()
        self.turns: list[Job] = []
        self._jobs: dict[str, Job] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._jobs))

    def __contains__(self, run_hash: object) -> bool:
        return run_hash in self._jobs

    def get(self, run_hash: str) -> Job | None:
        return self._jobs.get(run_hash)

    def add(self, job: Job) -> None:
        self._jobs[job.run.hash] = job

    def forget(self, run_hash: str) -> Job | None:
        """No longer held. What a worker still does for it comes back to nobody."""
        return self._jobs.pop(run_hash, None)

    def count(self) -> int:
        """How many wait or are trained."""
        return sum(job.run.is_active for job in self._jobs.values())

    def with_workers(self) -> int:
        """How many have a task with a worker."""
        return sum(job.task is not None for job in self._jobs.values())

    def busy(self) -> list[Job]:
        """The jobs that the workers are for."""
        with self.lock:
            return [job for job in self._jobs.values() if job.run.is_active or job.task is not None]

    def next_in_turn(self) -> Job | None:
        """The first in turn that no worker has."""
        return next((job for job in self.turns if job.task is None), None)

    def end_turn(self, job: Job) -> None:
        if job in self.turns:
            self.turns.remove(job)

    def mark(self, job: Job, status: Status, error: str = "") -> bool:
        """Set the status; False if it was not written to disk."""
        job.run = replace(job.run, status=status, error=error)
        with contextlib.suppress(OSError, ValueError):
            if status != "cancelled":
                self.store.save(job.run)
            return True
        return False

    def stop(self, job: Job, status: Status, error: str = "") -> None:
        """Take a job out of the turns; never raises. A chunk that a worker has still counts when it comes back."""
        self.end_turn(job)
        saved = self.mark(job, status, error)
        job.done.set()
        if saved:
            self.release(job)
        elif job.task is None:
            job.state, job.corpus = b"", None  # only the reason why it failed is worth keeping
            self.store.claims.release(job.run.hash)

    def release(self, job: Job) -> None:
        """A job that has ended is on disk, and needs no memory."""
        if not job.run.is_active and job.task is None and self._jobs.get(job.run.hash) is job:
            del self._jobs[job.run.hash]
            self.store.claims.release(job.run.hash)
            if self.keep is not None:
                sweep(self.store, self, self.keep)

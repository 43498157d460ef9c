"""Whether a cluster can still work: it is looked at every few seconds while a task is out.

Dask itself notices a worker that ends, and its nanny starts another one, but not if the worker ended while it was still
starting. It does not notice that a nanny has ended, and it waits for minutes or for ever where a process is stopped
(SIGSTOP) or answers nothing.

Notable choices:
- Our own processes are looked at from outside, through the system: one that is stopped cannot say so.
- A stopped process counts when it is seen twice: Ctrl-Z and `fg` stop and continue all of them, not at the same moment.
- The scheduler is asked for its workers. That is all that can be known of an existing cluster on other machines.
- One remedy for all: the queue closes the cluster, starts it anew and repeats the chunks that were out.
"""

import contextlib
import time
from typing import Any, Literal

import psutil

from alibi_viz.jobs.dask_processes import is_worker

LOOK_EVERY = 2.0  # seconds
ANSWER = 2.0  # seconds that the scheduler has to answer a look
SILENT = (
    60.0  # seconds without an answer that names a worker: a busy machine may take long, a nanny to start a worker too
)
WORKERLESS = 5  # looks in a row at which a nanny has no worker: it starts the next one at once, or never
GONE = psutil.STATUS_ZOMBIE
Finding = Literal["well", "worker lost", "broken"]


class Watch:
    """Looks at one cluster, from one thread. processes: our own scheduler and nannies; none for an existing cluster."""

    def __init__(self, client: Any, processes: list[psutil.Process]) -> None:
        self._client, self._processes = client, processes
        self._children: set[psutil.Process] = set()
        self._stopped: set[psutil.Process] = set()
        self._workerless: dict[int, int] = {}  # looks in a row, by process number of a nanny that has had a worker
        self._heard = time.monotonic()  # when the scheduler last named a worker

    def look(self) -> Finding:
        """ "worker lost": its nanny starts it again; "broken": nothing more is to be expected of this cluster."""
        if self.has_broken():
            return "broken"
        if self._stopped:  # the next look decides; a stopped scheduler would not answer
            return "well"
        started = children(self._processes)
        if self._has_given_up({parent for child, parent in started.items() if is_worker(child)}):
            return "broken"
        before, self._children = self._children, set(started)
        if not self.has_worker() and time.monotonic() - self._heard > SILENT:
            return "broken"
        return "worker lost" if before - self._children else "well"

    def has_worker(self) -> bool:
        """Whether the scheduler names a worker, and at once: `Client.wait_for_workers` waits longer than it is told to."""
        with contextlib.suppress(Exception):  # Dask has many for a connection that does not answer, or has just ended
            answer = self._client.sync(self._client.scheduler.identity, n_workers=-1, callback_timeout=ANSWER)
            if answer["workers"]:
                self._heard = time.monotonic()
                return True
        return False

    def has_broken(self) -> bool:
        """Whether a scheduler or nanny of ours has ended, or a process of ours is stopped and was so the last time."""
        before, ours = self._stopped, [*self._processes, *children(self._processes)]
        self._stopped = {process for process in ours if state(process) == psutil.STATUS_STOPPED}
        return bool(before & self._stopped) or any(state(process) == GONE for process in self._processes)

    def _has_given_up(self, with_worker: set[int]) -> bool:
        """Whether a nanny of ours has started no worker again. with_worker: the process numbers of those that have one."""
        for pid in (process.pid for process in self._processes):
            if pid in with_worker:
                self._workerless[pid] = 0
            elif pid in self._workerless:
                self._workerless[pid] += 1
        return any(looks >= WORKERLESS for looks in self._workerless.values())

    def kill(self) -> None:
        """End our processes and what they started. SIGKILL ends a stopped one too."""
        for process in (*children(self._processes), *self._children, *self._processes):
            with contextlib.suppress(psutil.Error):
                process.kill()


def state(process: psutil.Process) -> str:
    """What psutil calls its status; one that has ended is a zombie until it is asked how."""
    try:
        return str(process.status()) if process.is_running() else GONE
    except psutil.Error:
        return GONE


def children(processes: list[psutil.Process]) -> dict[psutil.Process, int]:
    """Those that these processes, which we started, have started (the workers of nannies), and who: a process number."""
    parents, started = {process.pid for process in processes}, dict[psutil.Process, int]()
    for process in psutil.Process().children(recursive=True) if parents else ():
        with contextlib.suppress(psutil.Error):
            if (parent := process.ppid()) in parents:
                started[process] = parent
    return started

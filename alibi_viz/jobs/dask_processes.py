"""The processes of our own cluster, as the system knows them: by the words with which Dask starts them.

Without it: a scheduler, nanny or worker that has ended or is stopped would be waited for, minutes or for ever (watch.py,
starting.py).
Versions: distributed 2026.8, which starts a scheduler and each nanny with `dask spec`; a nanny starts its worker with
Python's `multiprocessing`.
Public ways tried: `Client.scheduler_info()` and `Client.run(os.getpid)` name processes only while all of them answer.
`SubprocessCluster` hands out no process; its `scheduler` and `workers` each have one, `process`, without a word about it.
"""

import contextlib
from typing import Any

import psutil

SERVICE, WORKER = "spec", "spawn_main"  # words of command lines


def processes(cluster: Any) -> list[psutil.Process]:
    """Its scheduler and nannies. Raises psutil.Error if one has ended."""
    return [psutil.Process(part.process.pid) for part in (cluster.scheduler, *cluster.workers.values())]


def services() -> set[psutil.Process]:
    """The schedulers and nannies that this process has started."""
    return {child for child in psutil.Process().children() if SERVICE in _words(child)}


def is_worker(process: psutil.Process) -> bool:
    """Whether a nanny has started it with `multiprocessing`, and not that module's own helper."""
    return any(WORKER in word for word in _words(process))


def _words(process: psutil.Process) -> list[str]:
    with contextlib.suppress(psutil.Error):
        return list(process.cmdline())
    return []

"""The start of our own cluster, looked at from outside.

Dask waits half a minute for a scheduler that has ended while it was starting, and after that once more. Here the processes
are looked at meanwhile. If one of them has ended or stays stopped, the others are ended too, and who waits for the start is
told at once. What Dask goes on waiting for comes to nothing, in a thread of its own.
"""

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError, wait
from typing import TypeVar

import psutil

from alibi_viz.jobs.dask_processes import services
from alibi_viz.jobs.watch import Watch

LOOK_EVERY = 0.2  # seconds: no scheduler gets so far that Dask waits for it in less; sooner, Dask notices itself
Result = TypeVar("Result")


def supervised(make: Callable[[], Result], undo: Callable[[Result], object], is_wanted: Callable[[], bool]) -> Result:
    """What `make` returns, which starts processes of Dask; RuntimeError as soon as one of them can no longer work.

    undo: is given what `make` returns after all, when nobody waits for it any more. is_wanted: whether to go on.
    """
    started: Future[Result] = Future()
    processes: list[psutil.Process] = []
    looks, others = Watch(None, processes), services()
    threading.Thread(target=_start, args=(started, make, undo), name="alibi-viz-start", daemon=True).start()
    while not wait([started], timeout=LOOK_EVERY).done:
        processes += services() - others - set(processes)
        if (not is_wanted() or looks.has_broken()) and started.cancel():
            looks.kill()
            raise RuntimeError("a process has ended while it started.")
    return started.result()


def _start(started: Future[Result], make: Callable[[], Result], undo: Callable[[Result], object]) -> None:
    try:
        result = make()
    except BaseException as error:
        with contextlib.suppress(InvalidStateError):
            started.set_exception(error)
        return
    try:
        started.set_result(result)
    except InvalidStateError:
        undo(result)

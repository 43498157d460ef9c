"""Loaded by Dask's scheduler and nannies (as a "preload"): they end when the process that started them is gone.

Why: a server or a command killed by a signal cannot close its cluster, and five processes would live on for an hour.
Workers end with their nannies in the same way (preload.py).

Notable choices:
- Linux ends a process together with its parent if it is asked to, even one that is stopped (SIGSTOP) and could not act.
- Elsewhere, and until that is asked for, the parent is asked for again and again (`getppid`): it changes at the moment
  of its death. Waiting for the process itself does not end while it is a zombie, until somebody asks how it ended.
- The parent says who it is: if it is gone before this module is loaded, another process already stands in its place.
"""

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from typing import Any

PARENT = "ALIBI_VIZ_PARENT"  # environment: the number of the process that started the cluster
LOOK_EVERY = 1.0  # seconds
PR_SET_PDEATHSIG = 1  # linux/prctl.h


def dask_setup(_service: Any) -> None:
    """Dask calls this once in each process that it starts."""
    parent = int(os.environ.get(PARENT) or os.getppid())
    end_with_parent()
    threading.Thread(target=_end_with, args=(parent,), name="watchdog", daemon=True).start()


def end_with_parent() -> None:
    """Ask the kernel to kill this process when the thread that started it ends: Dask's event loop, in the parent."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY)
    os._exit(1)  # at once: nobody is left to whom a clean end matters

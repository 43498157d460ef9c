"""Loaded by Dask's scheduler and nannies (as a "preload"): they end when the process that started them is gone.

Why: a server or a command killed by a signal cannot close its cluster, and five processes would live on for an hour. A
worker needs no watchdog: it ends with its nanny.

Notable choices:
- The parent is asked for again and again (`getppid`), because it changes at the moment of its death. Waiting for the
  process itself does not end while it is a zombie, that is until somebody asks how it ended.
- The parent says who it is: if it is gone before this module is loaded, another process already stands in its place.
"""

import os
import threading
import time
from typing import Any

PARENT = "ALIBI_VIZ_PARENT"  # environment: the number of the process that started the cluster
LOOK_EVERY = 1.0  # seconds


def dask_setup(_service: Any) -> None:
    """Dask calls this once in each process that it starts."""
    parent = int(os.environ.get(PARENT) or os.getppid())
    threading.Thread(target=_end_with, args=(parent,), name="watchdog", daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY)
    os._exit(1)  # at once: nobody is left to whom a clean end matters

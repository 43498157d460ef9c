"""Loaded by Dask's scheduler and nannies (as a "preload"): they end when the process that started them is gone.

Why: a server or a command killed by a signal cannot close its cluster, and five processes would live on for an hour. A
worker needs no watchdog: it ends with its nanny.
"""

import os
import threading
from typing import Any

import psutil


def dask_setup(_service: Any) -> None:
    """Dask calls this once in each process that it starts."""
    threading.Thread(target=_end_with, args=(psutil.Process(os.getppid()),), name="watchdog", daemon=True).start()


def _end_with(parent: psutil.Process) -> None:
    parent.wait()
    os._exit(1)  # at once: nobody is left to whom a clean end matters

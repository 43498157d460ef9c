"""The Dask cluster: started when first needed, on this machine alone, or an existing one.

Notable choices:
- SubprocessCluster: a LocalCluster's workers import the main module again, which inside Streamlit fails.
- Loopback only, and TLS with keys made at each start: a scheduler runs whatever function it is sent, and any account of
  this machine can reach its port. Keys and settings travel in the environment, which only their owner can read.
- ALIBI_VIZ_SCHEDULER=tls://host:port (or tcp://) uses an existing cluster; its machines must have the same versions
  installed, and its keys are found as Dask finds them (DASK_DISTRIBUTED__COMM__TLS__CA_FILE and so on).
- Our cluster ends by itself when it has had nothing to do for a while, and with this process, however that ended.
- Ctrl-C in a terminal reaches all processes of it. Ours block it: this process ends them.
"""

import atexit
import contextlib
import logging
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from alibi_viz.lessons.problems import Problem

SCHEDULER = "ALIBI_VIZ_SCHEDULER"
CONNECTING, CLOSING = 30, 3  # seconds
ROOT = Path(__file__).parents[2]
#: First lines of the processes of our cluster: to end with this one (PR_SET_PDEATHSIG, SIGKILL), also if it has ended
#: already; and what Dask says of that goes to a file, not to the terminal.
END_WITH_PARENT = "import ctypes, os; ctypes.CDLL(None).prctl(1, 9); os.getppid() == {parent} or os._exit(0)"
WRITE_TO_FILE = "import os; os.dup2(os.open({log!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)"
FOLDERS = "alibi-viz-"  # temporary ones; then the number of the process, and letters
HERE = {"distributed.admin.large-graph-warning-threshold": "1 GB"}  # of Dask here: a state travels with its task
SETTINGS: dict[str, object] = {  # of Dask, for the processes of our own cluster
    "distributed.scheduler.idle-timeout": "15 minutes",
    "distributed.scheduler.no-workers-timeout": "5 minutes",  # then tasks fail, and their runs say so
    "distributed.scheduler.worker-ttl": None,  # it compares times of day: a laptop that slept would lose all workers
    # No pages over plain HTTP: they need no key, and answer any web site that a reader's browser has open.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # Dask looks after itself up to a hundred times a second: at rest, two workers and theirs took a quarter of a core.
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
    # Freed memory stays with the worker (glibc, in bytes): given back at once, the same steps take 1.5 times as long.
    "distributed.nanny.pre-spawn-environ": {
        "MALLOC_TRIM_THRESHOLD_": 2**28,
        "MALLOC_MMAP_THRESHOLD_": 2**25,
        "OMP_NUM_THREADS": 1,
    },
    "distributed.comm.require-encryption": True,
    "logging": {"distributed": "critical"},
}


def worker_count(device: str = "cpu") -> int:
    """Workers of our own cluster: one to a GPU, else one for every core this process may use, at most eight."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, 8)) if device == "cpu" else 1


class Cluster:
    """Its workers compute on `device` (torch's name). Raises ValueError for an address of another form.

    workers: of our own cluster; None: `worker_count(device)`. scheduler: tcp://host:port of an existing one; None takes it
    from the environment, or starts our own.
    """

    def __init__(self, workers: int | None = None, scheduler: str | None = None, device: str = "cpu") -> None:
        self.address = scheduler or os.environ.get(SCHEDULER) or None
        if self.address and not re.fullmatch(r"(tcp|tls)://[^\s/]+:\d+", self.address):
            raise ValueError(f"The scheduler must be given as tcp://host:port, not {self.address!r}.")
        self.workers = worker_count(device) if workers is None else workers
        self.device = device
        self._lock = threading.Lock()
        self._client: Any = None
        self._cluster: Any = None  # our own
        self._folder: tempfile.TemporaryDirectory[str] | None = None  # of its files

    @property
    def own(self) -> bool:
        """Whether the workers are ours: then they run at low priority beside the reader's browser."""
        return self.address is None

    @property
    def is_connected(self) -> bool:
        return self._client is not None and self._client.status == "running"

    def client(self) -> Any:
        """The connected distributed.Client, the cluster started if need be: that takes a second, its workers some more.

        Raises Problem if nobody answers.
        """
        import dask  # takes a second to import, and Client two: only who trains pays for it

        with self._lock:
            if not self.is_connected:
                self._close()
                dask.config.set(HERE)
                try:
                    self._start() if self.own else self._connect()
                except (OSError, TimeoutError, RuntimeError) as error:
                    self._close()
                    raise Problem("training.no_workers", reason=str(error)) from None
                atexit.register(self.close)
            return self._client

    def close(self) -> None:
        """End our own cluster, or leave the existing one."""
        with self._lock:
            self._close()

    def _connect(self) -> None:
        from distributed import Client

        self._client = Client(self.address, timeout=CONNECTING, set_as_default=False)
        self._client.wait_for_workers(1, timeout=CONNECTING)
        self.workers = sum(self._client.nthreads().values())

    def _start(self) -> None:
        import dask
        from distributed import Client, Security, SubprocessCluster

        security = Security.temporary()
        keys = {
            f"distributed.comm.tls.{role}.{part}": getattr(security, f"tls_{role}_{part}")
            for role in ("scheduler", "worker", "client")
            for part in ("key", "cert")
        }
        keys["distributed.comm.tls.ca-file"] = security.tls_ca_file
        remove_leftovers()
        self._folder = tempfile.TemporaryDirectory(prefix=f"{FOLDERS}{os.getpid()}-", ignore_cleanup_errors=True)
        preload = [END_WITH_PARENT.format(parent=os.getpid())] if sys.platform == "linux" else []
        preload.append(WRITE_TO_FILE.format(log=str(Path(self._folder.name) / "log")))
        shared = {"dashboard": False, "local_directory": self._folder.name}
        scheduler = {"preload": preload, "scheduler_file": str(Path(self._folder.name) / "scheduler.json")}
        # The new processes must find this package wherever the app was started from.
        paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        with (
            dask.config.set(SETTINGS | keys),
            _for_children(
                PYTHONPATH=paths, DASK_INTERNAL_INHERIT_CONFIG=dask.config.serialize(dask.config.global_config)
            ),
        ):
            self._cluster = SubprocessCluster(
                host="tls://127.0.0.1",
                n_workers=self.workers,
                threads_per_worker=1,
                dashboard_address=None,
                scheduler_kwargs=shared | scheduler,
                worker_kwargs=shared | {"preload": ["alibi_viz.jobs.tasks"], "preload_nanny": preload},
                silence_logs=logging.CRITICAL,
                security=security,
                shutdown_on_close=False,  # at exit it would try for ten seconds to close what has ended already
            )
            self._client = Client(self._cluster, timeout=CONNECTING, set_as_default=False)

    def _close(self) -> None:
        atexit.unregister(self.close)
        for part in (self._client, self._cluster):
            with contextlib.suppress(Exception):  # Dask has many for what does not answer any more
                if part is not None:
                    part.close(timeout=CLOSING)
        if self._folder is not None:
            self._folder.cleanup()
        self._client = self._cluster = self._folder = None


def remove_leftovers() -> None:
    """Remove the temporary folders of processes that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDERS}*-*"):
        process = folder.name.removeprefix(FOLDERS).split("-")[0]
        if process.isdecimal() and not psutil.pid_exists(int(process)):
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _for_children(**environment: str) -> Iterator[None]:
    """Processes that start meanwhile have this environment, and block Ctrl-C: so does the thread that starts them."""
    before = {name: os.environ.get(name) for name in environment}
    os.environ |= environment
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value

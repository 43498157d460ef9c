"""The Dask cluster: started when first needed, on this machine alone, or an existing one.

Notable choices:
- SubprocessCluster: a LocalCluster's workers import the main module again, which inside Streamlit fails.
- Loopback only, and TLS with keys made at each start: a scheduler runs whatever function it is sent, and any account of
  this machine can reach its port.
- No dashboard, one thread a worker (why: device.py); two workers on two cores beat one with two threads.
- ALIBI_VIZ_SCHEDULER=tls://host:port (or tcp://) uses an existing cluster; its machines must have the same versions
  installed, and its keys are found as Dask finds them (DASK_DISTRIBUTED__COMM__TLS__CA_FILE and so on).
- Freed memory stays with the worker: under Dask's default every large block goes back to the system at once, each
  training step asks for it again, and the same steps take 1.5 times as long.
- Scheduler and workers end with the app, however it ended (watchdog.py). A scheduler on its own ends after an hour.
- A cluster that can no longer work is ended and started anew (watch.py). Dask's own limit for a worker that is silent is
  off: it compares times of day, and would end all workers when somebody sets the clock.
"""

import asyncio
import atexit
import contextlib
import functools
import logging
import os
import re
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import psutil

from alibi_viz.jobs import watchdog
from alibi_viz.jobs.dask_processes import processes
from alibi_viz.jobs.scratch import Scratch
from alibi_viz.jobs.sentences import say
from alibi_viz.jobs.starting import supervised
from alibi_viz.jobs.watch import Finding, Watch

SCHEDULER = "ALIBI_VIZ_SCHEDULER"
IDLE = "1 hour"
CONNECTING, OWN_CONNECTING = 5, 30  # seconds to wait for an existing scheduler, and for our own
EXISTING_WORKER = 60  # seconds to wait for a worker of an existing cluster
FIRST_WORKER = 300  # seconds to wait for the first worker, while the processes of our own cluster live
FIRST_LOOKS = 0.2  # seconds between two of them, for the first worker
STARTS = 3  # of our own cluster, if its processes end or are stopped while it starts
WATCHDOG = str(Path(__file__).with_name("watchdog.py"))  # as a file: the package would import torch
PRELOAD = "alibi_viz.jobs.preload"
#: Dask looks after itself up to a hundred times a second: at rest, two workers and theirs took a quarter of a core.
QUIET = {
    "DASK_LOGGING__DISTRIBUTED": "critical",
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "None",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false",
    "DASK_DISTRIBUTED__WORKER__MEMORY__MONITOR_INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
}
ROLES = ("scheduler", "worker", "client")
CLOSING, GIVING_UP = 3.0, 0.1  # seconds to wait for an answer at the end, and where none is to be expected
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": 2**28, "MALLOC_MMAP_THRESHOLD_": 2**25}  # glibc's, in bytes
ROOT = Path(__file__).parents[2]


@functools.cache
def event_loop() -> Any:
    """The event loop for Dask in this process, in a thread that never ends.

    A loop made by Dask goes with its cluster, but not if the cluster could not be closed in good order.
    """
    from tornado.ioloop import IOLoop

    running = Future[Any]()

    async def serve() -> None:
        # Ctrl-C in a terminal reaches all processes. Those of Dask start from this thread and inherit what it blocks. We
        # end them: on their own they would print a traceback each while they start, and take results with them later.
        if hasattr(signal, "pthread_sigmask"):  # not on Windows
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        running.set_result(IOLoop.current())
        await asyncio.Event().wait()

    threading.Thread(target=lambda: asyncio.run(serve()), name="alibi-viz-dask", daemon=True).start()
    return running.result()


def worker_count(device: str = "cpu") -> int:
    """Workers of our own cluster: one to a GPU, else one for every core this process may use, at most eight."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, 8)) if device == "cpu" else 1


def keys(security: Any) -> dict[str, str]:
    """The keys as settings of Dask, for the environment of new processes: only their owner can read it."""
    roles = {f"{role}__{part}": getattr(security, f"tls_{role}_{part}") for role in ROLES for part in ("key", "cert")}
    settings = {f"TLS__{name}": value for name, value in {"ca_file": security.tls_ca_file, **roles}.items()}
    settings["REQUIRE_ENCRYPTION"] = "true"
    return {f"DASK_DISTRIBUTED__COMM__{name.upper()}": value for name, value in settings.items()}


def connect(place: Any, timeout: float) -> Any:
    """A client of a cluster, or of the scheduler at an address."""
    from distributed import Client  # takes a second to import: only who trains pays for it

    return Client(place, timeout=timeout, set_as_default=False, loop=event_loop())


def close(*parts: Any, timeout: float) -> None:
    """Close clients and clusters (None: there is none), each in so many seconds, though they may not answer."""
    for part in (part for part in parts if part is not None):
        with contextlib.suppress(Exception):
            part.close(timeout=timeout)


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
        self.wanted = True  # False: who starts it in another thread need not go on
        self.on_loss: Callable[[], object] = lambda: None  # called when a start has failed and the next one begins
        self._cluster: Any = None
        self._client: Any = None
        self._watch: Watch | None = None
        self._scratch: Scratch | None = None  # of our own cluster

    @property
    def own(self) -> bool:
        """Whether the workers are ours: then they run at low priority beside the reader's browser."""
        return self.address is None

    def client(self) -> Any:
        """The connected distributed.Client, the cluster started if need be; ConnectionError if it does not answer."""
        if self._client is not None and self._client.status == "running":
            return self._client
        for left in reversed(range(STARTS if self.own else 1)):
            self.close()
            try:
                self._connect()
                break
            except (OSError, TimeoutError, RuntimeError) as error:
                self.close()
                if not left or not self.wanted:
                    raise ConnectionError(say("no_workers", reason=error)) from None
                self.on_loss()
        atexit.register(self.close)
        return self._client

    def look(self) -> Finding:
        """How the cluster is now; may take some seconds. "broken": `kill` it, and `client` starts another one."""
        if self._watch is None:
            return "well"  # it is not started yet, or no longer needed
        return self._watch.look() if self._client.status == "running" else "broken"

    def _connect(self) -> None:
        """Start our own cluster or find the existing one, and wait for its first worker."""
        if self.own:
            self._scratch = Scratch()
            start = functools.partial(self._start, self._scratch.path)
            self._cluster, self._client = supervised(start, self._abandon, lambda: self.wanted)
        else:
            self._client = connect(self.address, CONNECTING)
        self._watch = Watch(self._client, self._processes())
        end = time.monotonic() + (FIRST_WORKER if self.own else EXISTING_WORKER)
        while not self._watch.has_worker():
            if not self.wanted or self._watch.has_broken() or time.monotonic() > end:
                raise RuntimeError("no worker has started.")
            time.sleep(FIRST_LOOKS)
        self._watch.look()  # the processes that later looks compare with
        if not self.own:
            self.workers = max(1, sum(self._client.nthreads().values()))

    def _processes(self) -> list[psutil.Process]:
        """Our own scheduler and nannies."""
        try:
            return [] if self._cluster is None else processes(self._cluster)
        except psutil.Error as error:
            raise RuntimeError(f"a process has ended: {error}") from None

    def _start(self, scratch: Path) -> tuple[Any, Any]:
        """Our own cluster and its client. scratch: the folder for its files."""
        from distributed import Security, SubprocessCluster

        # The new processes must find this package wherever the app was started from.
        paths = [str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, paths)))
        # Read when a process starts: these act on the new ones, not on this one.
        for name, value in (KEEP_MEMORY | QUIET).items():
            os.environ.setdefault(name, str(value))
        security = Security.temporary()
        os.environ |= {watchdog.PARENT: str(os.getpid()), **keys(security)}
        cluster = SubprocessCluster(
            host="tls://127.0.0.1",
            loop=event_loop(),
            security=security,
            n_workers=self.workers,
            threads_per_worker=1,
            dashboard_address=None,
            scheduler_kwargs={
                "idle_timeout": IDLE,
                "dashboard": False,
                "preload": [WATCHDOG],
                "scheduler_file": str(scratch / "scheduler.json"),
                "local_directory": str(scratch),
            },
            worker_kwargs={
                "local_directory": str(scratch),
                "dashboard": False,
                "env": {"OMP_NUM_THREADS": "1", "TORCHINDUCTOR_CACHE_DIR": str(scratch / "torch")},
                "death_timeout": FIRST_WORKER,
                "preload": [PRELOAD],
                "preload_nanny": [WATCHDOG],
            },
            silence_logs=logging.CRITICAL,
            shutdown_on_close=False,  # at exit it would try for ten seconds to close what has ended already
        )
        try:
            return cluster, connect(cluster, OWN_CONNECTING)  # it hands its keys to the client
        except Exception:
            close(cluster, timeout=GIVING_UP)
            raise

    def _abandon(self, started: tuple[Any, Any]) -> None:
        """Nobody waits for it any more."""
        cluster, client = started
        close(client, cluster, timeout=GIVING_UP)

    def close(self) -> None:
        """End our own cluster, or leave the existing one."""
        # They may be dead already. Then nothing answers.
        is_well = self._client is not None and self._client.status == "running"
        self._end(CLOSING if is_well and not (self._watch and self._watch.has_broken()) else GIVING_UP)

    def kill(self) -> None:
        """End our own cluster, though it does not answer, or leave the existing one."""
        if self._watch is not None:
            self._watch.kill()
        self._end(GIVING_UP)

    def _end(self, timeout: float) -> None:
        """timeout: seconds that client and cluster each have."""
        atexit.unregister(self.close)
        close(self._client, self._cluster, timeout=timeout)
        if self._watch is not None:
            self._watch.kill()
        if self._scratch is not None:
            self._scratch.close()
        self._client = self._cluster = self._watch = self._scratch = None

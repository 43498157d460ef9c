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
"""

import atexit
import contextlib
import logging
import os
import re
import signal
from pathlib import Path
from typing import Any

from alibi_viz.jobs import watchdog

SCHEDULER = "ALIBI_VIZ_SCHEDULER"
IDLE = "1 hour"
CONNECTING = 5  # seconds to wait for an existing scheduler
WATCHDOG = str(Path(__file__).with_name("watchdog.py"))  # as a file: the package would import torch
PRELOAD = "alibi_viz.jobs.preload"
#: Dask looks after itself up to a hundred times a second: at rest, two workers and theirs took a quarter of a core.
QUIET = {
    "DASK_LOGGING__DISTRIBUTED": "critical",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false",
    "DASK_DISTRIBUTED__WORKER__MEMORY__MONITOR_INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
}
ROLES = ("scheduler", "worker", "client")
CLOSING = 3  # seconds to wait for an answer at the end
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": 2**28, "MALLOC_MMAP_THRESHOLD_": 2**25}  # glibc's, in bytes
ROOT = Path(__file__).parents[2]


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
        self._cluster: Any = None
        self._client: Any = None

    @property
    def own(self) -> bool:
        """Whether the workers are ours: then they run at low priority beside the reader's browser."""
        return self.address is None

    def client(self) -> Any:
        """The connected distributed.Client, the cluster started if need be; ConnectionError if it does not answer."""
        if self._client is not None and self._client.status == "running":
            return self._client
        self.close()
        from distributed import Client  # takes a second to import: only who trains pays for it

        try:
            # Our own cluster hands its keys to the client.
            place, timeout = (self._start(), 30) if self.own else (self.address, CONNECTING)
            self._client = Client(place, timeout=timeout, set_as_default=False)
            self._client.wait_for_workers(1, timeout=60)
        except (OSError, TimeoutError, RuntimeError) as error:
            self.close()
            raise ConnectionError(f"The training workers do not answer: {error}") from None
        if not self.own:
            self.workers = max(1, sum(self._client.nthreads().values()))
        atexit.register(self.close)
        return self._client

    def _start(self) -> Any:
        from distributed import Security, SubprocessCluster

        # The new processes must find this package wherever the app was started from.
        paths = [str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, paths)))
        # Read when a process starts: these act on the new ones, not on this one.
        for name, value in (KEEP_MEMORY | QUIET).items():
            os.environ.setdefault(name, str(value))
        security = Security.temporary()
        os.environ |= {watchdog.PARENT: str(os.getpid()), **keys(security)}
        self._cluster = SubprocessCluster(
            host="tls://127.0.0.1",
            security=security,
            n_workers=self.workers,
            threads_per_worker=1,
            dashboard_address=None,
            scheduler_kwargs={"idle_timeout": IDLE, "dashboard": False, "preload": [WATCHDOG]},
            worker_kwargs={
                "dashboard": False,
                "env": {"OMP_NUM_THREADS": "1"},
                "death_timeout": 60,
                "preload": [PRELOAD],
                "preload_nanny": [WATCHDOG],
            },
            silence_logs=logging.CRITICAL,
        )
        return self._cluster

    def close(self) -> None:
        """End our own cluster, or leave the existing one."""
        atexit.unregister(self.close)
        # They may be dead already: Ctrl-C in a terminal reaches the workers too. Then nothing answers.
        timeout = CLOSING if self._client is not None and self._client.status == "running" else 0.1
        for part in (self._client, self._cluster):
            if part is not None:
                with contextlib.suppress(Exception):
                    part.close(timeout=timeout)
        if self._cluster is not None:
            self._cluster.shutdown_on_close = False  # or Dask tries once more at exit, for ten seconds
            for part in (self._cluster.scheduler, *self._cluster.workers.values()):
                process = getattr(part, "process", None)  # workers end with their nannies
                if process is not None and process.returncode is None:
                    with contextlib.suppress(OSError):
                        os.kill(process.pid, signal.SIGKILL)
        self._client = self._cluster = None

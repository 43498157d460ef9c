"""The scheduler and the workers that all replicas train with, as Dask's own commands.

Notable choices:
- The keys are made at each start and travel in the environment alone: see jobs/cluster.py.
- The workers make way for the replicas: they are started at a lower priority, as a server's own workers are.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from alibi_viz.checks import setting
from alibi_viz.cli.serving.services import POSIX, Service

SCHEDULER, FOLDER = "ALIBI_VIZ_SCHEDULER", "DASK_TEMPORARY_DIRECTORY"
PACKAGES = str(Path(__file__).parents[3])  # where this package stands


def environment(port: int, folder: Path) -> dict[str, str]:
    """What scheduler, workers and replicas share: keys made anew, the scheduler's address, what Dask is to do.

    folder: for Dask's files. Raises ValueError if the keys cannot be made.
    """
    paths = [PACKAGES, os.environ.get("PYTHONPATH", "")]
    found = {"PYTHONPATH": os.pathsep.join(filter(None, paths)), SCHEDULER: address(port), FOLDER: str(folder)}
    # In a process of its own: it imports torch and Dask, which this one does not need.
    command = [sys.executable, "-P", "-m", "alibi_viz.jobs.settings"]
    # A session of its own: Ctrl-C is for this process, which ends the others.
    made = subprocess.run(
        command, env={**os.environ, **found}, stdout=subprocess.PIPE, start_new_session=POSIX, check=False
    )
    if made.returncode:
        raise ValueError("The training workers could not be prepared; the lines above may say why.")
    return {**json.loads(made.stdout), **found}


def address(port: int) -> str:
    return f"tls://127.0.0.1:{port}"


def services(port: int, workers: int, shared: Mapping[str, str]) -> list[Service]:
    """The scheduler, on a port of this machine, and its workers. shared: the environment."""
    # Their status pages: off, and what is left of them on this machine alone.
    here = ["--host", "tls://127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
    dask = [sys.executable, "-P", "-m", "dask"]
    nice = ["nice", "-n", str(setting("ALIBI_VIZ_NICE", 10, 0, 19))] if shutil.which("nice") else []
    each = ["--nworkers", str(workers), "--nthreads", "1"]
    preload = ["--preload", "alibi_viz.jobs.preload"]
    one_thread = {**shared, "OMP_NUM_THREADS": "1"}
    return [
        Service("Scheduler", [*dask, "scheduler", *here, "--port", str(port)], shared, quiet=True),
        Service(
            "Training workers", [*nice, *dask, "worker", address(port), *here, *each, *preload], one_thread, quiet=True
        ),
    ]

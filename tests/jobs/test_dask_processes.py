"""The processes of a cluster are found by Dask's words; if Dask names them itself one day, dask_processes.py can go."""

from __future__ import annotations

import os
from collections.abc import Iterator

import psutil
import pytest

from alibi_viz.jobs import Cluster, dask_processes, watch


def test_scheduler_nannies_and_workers_are_found(cluster: Cluster) -> None:
    client = cluster.client()
    client.wait_for_workers(cluster.workers)
    ours = set(dask_processes.processes(cluster._cluster))
    assert len(ours) == 1 + cluster.workers
    assert ours <= dask_processes.services()
    workers = {child.pid for child in watch.children(list(ours)) if dask_processes.is_worker(child)}
    assert workers == set(client.run(os.getpid).values())


def numbers(answer: object) -> Iterator[int]:
    """The whole numbers in what Dask says."""
    if isinstance(answer, dict | list | tuple):
        for part in answer.values() if isinstance(answer, dict) else answer:
            yield from numbers(part)
    elif isinstance(answer, int):
        yield answer


@pytest.mark.hook("alibi_viz/jobs/dask_processes.py")
def test_dask_alone_names_no_process(cluster: Cluster) -> None:
    started = {process.pid for process in psutil.Process().children(recursive=True)}
    info = cluster.client().scheduler_info(n_workers=-1)
    assert info["workers"]
    assert not started & {*numbers(info), *numbers(vars(cluster._cluster))}

"""One cluster for all tests of training in workers: starting one takes longer than most tests."""

from __future__ import annotations

from collections.abc import Iterator

import dask
import pytest

from alibi_viz.jobs import Cluster


@pytest.fixture(scope="package")
def cluster() -> Iterator[Cluster]:
    shared = Cluster(workers=2)
    yield shared
    shared.close()


@pytest.fixture
def scheduler(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of that cluster, in the environment: the commands use it, and start none of their own."""
    address = str(cluster.client().scheduler.address)
    dask.config.refresh()  # its keys are in the environment now
    monkeypatch.setenv("ALIBI_VIZ_SCHEDULER", address)
    return address

"""One cluster for all tests of training in workers: starting one takes longer than most tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from alibi_viz.jobs import Cluster


@pytest.fixture(scope="package")
def cluster() -> Iterator[Cluster]:
    shared = Cluster(workers=2)
    yield shared
    shared.close()

"""For all tests: a data folder of their own, so that they neither see nor touch the reader's runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALIBI_VIZ_DATA", str(tmp_path_factory.mktemp("data")))
        yield

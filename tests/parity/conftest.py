"""For comparisons with published code; and for `make parity`: what they found is written when all of them have passed."""

import importlib
import os
from typing import Any

import pytest

from tests.parity import recorder


@pytest.fixture(scope="session")
def ours() -> Any:
    """The code for transformers, which it imports."""
    return importlib.import_module("alibi_viz.drop_in.drop_in_transformers")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if os.environ.get("ALIBI_VIZ_RECORD_PARITY") and exitstatus == 0:
        recorder.write()

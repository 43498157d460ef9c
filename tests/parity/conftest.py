"""`make parity`: what the comparisons of this folder found is written when all of them have passed."""

from __future__ import annotations

import os

import pytest

from tests.parity import recorder


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if os.environ.get("ALIBI_VIZ_RECORD_PARITY") and exitstatus == 0:
        recorder.write()

"""A class walks over the real protocol (tests/walk.py): a short walk always, long ones by `make test-all`."""

from __future__ import annotations

import time

import pytest

from tests.threads import run_in_a_thread
from tests.walk import walk

SHORT, LONG = 8, 120.0  # rounds; seconds


def test_a_class_holds_through_votes_sleep_other_windows_and_a_restart() -> None:
    acts = run_in_a_thread(walk(5, 5, lambda acts: len(acts) >= SHORT))
    assert {"vote", "close", "reload wall", "look elsewhere", "restart"} <= set(acts)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_class_of_thirty_holds_for_minutes(seed: int) -> None:
    end = time.monotonic() + LONG
    run_in_a_thread(walk(seed, 30, lambda _: time.monotonic() > end))

"""A class walks over the real protocol (tests/walk.py): a short walk always, long ones by `make test-all`."""

from __future__ import annotations

import time

import pytest

from tests.threads import run_in_a_thread
from tests.walk import walk

SHORT, LONG = 6, 120.0  # rounds; seconds
SEED = 103053  # of a walk in which the teacher does most things once
PATIENCE = 30.0  # seconds in which all agree, on a machine that has other work


def test_a_class_holds_through_votes_sleep_other_windows_and_a_restart() -> None:
    acts = run_in_a_thread(walk(SEED, 5, lambda acts: len(acts) >= SHORT, PATIENCE))
    assert {"another picture", "look elsewhere", "load the wall again", "restart"} <= set(acts)
    assert {"turn the wall", "ask again"} <= set(acts), "the console"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_class_of_thirty_holds_for_minutes(seed: int) -> None:
    end = time.monotonic() + LONG
    run_in_a_thread(walk(seed, 30, lambda _: time.monotonic() > end, PATIENCE))

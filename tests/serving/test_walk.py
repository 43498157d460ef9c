"""A class walks over the real protocol (tests/walk.py): a short walk always, longer ones by `make test-all`."""

import time

import pytest

from tests.cases import slow
from tests.threads import run_in_a_thread
from tests.walk import walk

LONG = 120.0  # seconds
#: Walks in which the teacher does most things once: where they are drawn from, and what is done.
SHORT = (40389, ["turn the wall", "look elsewhere", "ask again", "restart"])
LONGER = (103053, ["load the wall again", "look elsewhere", "turn the wall", "another picture", "restart", "ask again"])
PATIENCE = 30.0  # seconds in which all agree, on a machine that has other work


@pytest.mark.parametrize(("seed", "acts"), [SHORT, slow(*LONGER)])
def test_a_class_holds_through_votes_sleep_other_windows_and_a_restart(seed: int, acts: list[str]) -> None:
    assert run_in_a_thread(walk(seed, 5, lambda done: len(done) >= len(acts), PATIENCE)) == acts


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_class_of_thirty_holds_for_minutes(seed: int) -> None:
    end = time.monotonic() + LONG
    run_in_a_thread(walk(seed, 30, lambda _: time.monotonic() > end, PATIENCE))

"""Who looks at which run: a reader may not stop what another one watches."""

from __future__ import annotations

import pytest

from alibi_viz.ui import training_jobs
from alibi_viz.ui.training_jobs import PRESENT, Desk


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(training_jobs.time, "monotonic", lambda: now[0])
    return now


def test_others_are_those_who_looked_lately(clock):
    desk = Desk()
    desk.look("a", ("r", "s"))
    assert desk.others("a", "r") == 0
    desk.look("b", ("r",))
    assert (desk.others("a", "r"), desk.others("b", "r"), desk.others("b", "s")) == (1, 1, 1)
    assert desk.others("c", "nothing") == 0
    clock[0] += PRESENT + 1
    assert desk.others("a", "r") == 0


def test_who_turns_to_other_runs_has_left(clock):
    desk = Desk()
    desk.look("a", ("r",))
    desk.look("b", ("r",))
    desk.look("b", ("s",))
    assert desk.others("a", "r") == 0
    assert desk.others("a", "s") == 1


def test_nothing_is_kept_of_readers_who_have_gone(clock):
    desk = Desk()
    for number in range(100):
        clock[0] += PRESENT + 1
        desk.look(f"reader {number}", (f"run {number}",))
    assert len(desk._looks) <= 1

"""Who looks at which run: a reader may not stop what another one watches."""

from __future__ import annotations

from pages.extrapolation.training import jobs as training_jobs
from pages.extrapolation.training.jobs import Desk


def test_others_are_those_who_are_here():
    here = {"a", "b", "c"}
    desk = Desk(here.__contains__)
    desk.look("a", ("r", "s"))
    assert desk.others("a", "r") == 0
    desk.look("b", ("r",))
    assert (desk.others("a", "r"), desk.others("b", "r"), desk.others("b", "s")) == (1, 1, 1)
    assert desk.others("c", "nothing") == 0
    here.discard("b")  # the tab was closed, or the page reloaded
    assert desk.others("a", "r") == 0


def test_who_left_the_page_is_not_here_though_the_tab_is_open(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(training_jobs.time, "monotonic", lambda: now[0])
    desk = Desk(lambda reader: True)
    desk.look("a", ("r",))
    assert desk.others("b", "r") == 1
    now[0] += training_jobs.LATELY + 1
    assert desk.others("b", "r") == 0


def test_who_turns_to_other_runs_has_left():
    desk = Desk(lambda reader: True)
    desk.look("a", ("r",))
    desk.look("b", ("r",))
    desk.look("b", ("s",))
    assert desk.others("a", "r") == 0
    assert desk.others("a", "s") == 1


def test_nothing_is_kept_of_readers_who_have_gone():
    here: set[str] = set()
    desk = Desk(here.__contains__)
    for number in range(100):
        here.clear()
        here.add(f"reader {number}")
        desk.look(f"reader {number}", (f"run {number}",))
    assert len(desk._looks) == 1

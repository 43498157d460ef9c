"""Who watches which run: a reader may not stop what another one watches."""

from __future__ import annotations

from pages.train import server
from pages.train.server import Viewers


def test_others_are_those_who_are_here():
    here = {"a", "b", "c"}
    viewers = Viewers(here.__contains__)
    viewers.watch("a", "a", ("r", "s"))
    assert len(viewers.others("a", "r")) == 0
    viewers.watch("b", "b", ("r",))
    assert (len(viewers.others("a", "r")), len(viewers.others("b", "r")), len(viewers.others("b", "s"))) == (1, 1, 1)
    assert len(viewers.others("c", "nothing")) == 0
    here.discard("b")  # the tab was closed, or the page reloaded
    assert len(viewers.others("a", "r")) == 0


def test_who_left_the_page_is_not_here_though_the_tab_is_open(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(server.time, "monotonic", lambda: now[0])
    viewers = Viewers(lambda reader: True)
    viewers.watch("a", "a", ("r",))
    assert len(viewers.others("b", "r")) == 1
    now[0] += server.TIMEOUT + 1
    assert len(viewers.others("b", "r")) == 0


def test_who_turns_to_other_runs_has_left():
    viewers = Viewers(lambda reader: True)
    viewers.watch("a", "a", ("r",))
    viewers.watch("b", "b", ("r",))
    viewers.watch("b", "b", ("s",))
    assert len(viewers.others("a", "r")) == 0
    assert len(viewers.others("a", "s")) == 1


def test_nothing_is_kept_of_readers_who_have_gone():
    here: set[str] = set()
    viewers = Viewers(here.__contains__)
    for number in range(100):
        here.clear()
        here.add(f"reader {number}")
        viewers.watch(f"reader {number}", f"reader {number}", (f"run {number}",))
    assert len(viewers._watched) == 1


def test_two_tabs_of_one_browser_are_one_reader():
    viewers = Viewers(lambda reader: True)
    viewers.watch("tab 1", "a", ("r",))
    viewers.watch("tab 2", "a", ("r",))
    assert not viewers.others("a", "r")
    assert viewers.others("b", "r") == {"a"}

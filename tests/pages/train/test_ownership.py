"""Runs of several readers on one server: what is theirs is protected in Python, whatever the page shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.jobs import Busy, Jobs
from alibi_viz.jobs.dispatcher import Dispatcher
from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import own_text
from alibi_viz.lm.owners import Owners, Reader, owner_of
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.lm.training import build_model
from alibi_viz.ui import reader
from pages.train import buttons, controls, ownership, server
from pages.train.server import Viewers
from pages.train.study import plan_for
from tests.pages.apptest import open_page, said

CONFIG = TrainConfig(steps=400)
SMALL = TrainConfig(steps=25, length=32, width=16, layers=1, heads=1)
PLAN = plan_for(CONFIG.steps)
A, B, C = (Reader(owner_of(name)) for name in "abc")


class Here:
    """Who asks now, and who watches what."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reader, self.viewers = A, Viewers(lambda session: True)
        monkeypatch.setattr(reader, "current", lambda: self.reader)
        monkeypatch.setattr(server, "viewers", lambda: self.viewers)

    def play(self, who: Reader, config: TrainConfig = CONFIG, *, watch: bool = False) -> None:
        self.reader = who
        ownership.play(config, None, PLAN, None)
        if watch:
            self.viewers.watch(who.owner, who.owner, (config.hash,))


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    monkeypatch.setattr(Dispatcher, "notify", lambda self, event: None)  # what is submitted waits
    server.jobs.forget()
    yield tmp_path
    server.jobs.forget()


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Here:
    return Here(monkeypatch)


def status(config: TrainConfig = CONFIG) -> str:
    found = server.jobs().progress(config.hash)
    return found.run.status if found else "gone"


def test_only_an_owner_pauses_resets_and_deletes(here):
    here.play(A)
    here.reader = B
    for act in (ownership.pause, ownership.reset, ownership.delete):
        assert act(CONFIG.hash) == "theirs"
    assert status() == "waiting"
    here.reader = A
    assert ownership.pause(CONFIG.hash) == ""
    assert status() == "paused"
    assert ownership.reset(CONFIG.hash) == ""
    assert status() == "gone"


def test_who_presses_play_on_the_same_run_owns_it_too_and_takes_it_from_nobody(here):
    here.play(A, watch=True)
    here.play(B, watch=True)
    assert ownership.standing(CONFIG.hash) == "shared"
    assert ownership.pause(CONFIG.hash) == "shared", "A watches it"
    assert ownership.reset(CONFIG.hash) == "left"
    assert status() == "waiting"
    assert ownership.pause(CONFIG.hash) == "theirs", "B has left"
    here.reader = A
    assert ownership.delete(CONFIG.hash) == ""
    assert status() == "gone"


def test_every_refusal_has_its_sentences():
    refusals = set(get_args(ownership.Refusal)) - {""}
    assert refusals == set(load("train").entries("refusals"))
    assert refusals - {"shared"} == set(load("train").entries("not_deleted")), "only Pause is refused for it"
    assert set(get_args(ownership.Standing)) == set(load("train").entries("whose"))


def test_who_cannot_leave_a_run_is_told(here, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    here.play(A)
    here.play(B)
    monkeypatch.setattr(Owners, "leave", full)
    assert ownership.delete(CONFIG.hash) == "unwritable"
    assert ownership.standing(CONFIG.hash) == "shared"


def test_an_owner_who_has_gone_does_not_keep_others_from_pausing(here):
    here.play(A)
    here.play(B, watch=True)
    here.viewers.watch(C.owner, C.owner, (CONFIG.hash,))
    assert ownership.pause(CONFIG.hash) == "", "C watches and owns nothing"


def test_a_finished_run_goes_with_its_last_owner_alone(here, data):
    here.play(A, SMALL)
    here.play(B, SMALL)
    ownership.pause(SMALL.hash)
    RunStore(data).finish(Run(SMALL, status="finished", step=25), dict(build_model(SMALL).named_parameters()))
    assert ownership.reset(SMALL.hash) == "", "a finished run is not reset"
    assert ownership.standing(SMALL.hash) == "shared"
    assert ownership.delete(SMALL.hash) == "left"
    here.reader = A
    assert ownership.delete(SMALL.hash) == ""
    assert RunStore(data).get(SMALL.hash) is None


def test_what_is_everybodys_is_not_taken_from_those_who_watch_it(here, data):
    for config in (CONFIG, SMALL):
        RunStore(data).save(Run(config, status="paused"))
    here.viewers.watch("another", B.owner, (CONFIG.hash,))
    assert ownership.delete(CONFIG.hash) == "watched"
    assert ownership.delete(SMALL.hash) == ""
    here.play(A)
    assert Owners(RunStore(data)).of(CONFIG.hash) is None, "Play makes it nobody's own"


def test_a_start_that_is_refused_leaves_no_owner(here, data, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise Busy("Too many.")

    monkeypatch.setattr(Jobs, "submit", full)
    with pytest.raises(Busy):
        here.play(A)
    assert not any((data / "runs").iterdir())


def test_a_run_of_others_cannot_be_stopped_through_the_callbacks_of_the_page(here):
    here.play(A)
    here.reader = B
    buttons._stop(load("train"), controls.Controls((CONFIG,)), ownership.pause)
    buttons._stop(load("train"), controls.Controls((CONFIG,)), ownership.reset)
    assert status() == "waiting"


def test_a_text_is_reached_by_its_owners_alone(here, data):
    corpus = own_text("\n\n".join(f"Paragraph {n}: " + f"word{n * n} " * 60 for n in range(120)))
    config = replace(SMALL, corpus=corpus.key)
    ownership.play(config, corpus, PLAN, None)
    assert ownership.own_text(config) == corpus
    here.reader = B
    assert ownership.own_text(config) is None
    assert not reader.in_sight()(Run(config))
    here.reader = Reader(B.owner, alone=True)
    assert ownership.own_text(config) == corpus


def test_the_run_of_another_reader_is_offered_to_nobody_as_their_own(here):
    here.play(A)
    assert reader.in_sight()(Run(CONFIG))
    here.reader = B
    assert not reader.in_sight()(Run(CONFIG))
    assert ownership.owners().may_see(B, Run(CONFIG)), "the list of all runs has it, and says whose it is"


def test_the_page_of_another_reader_says_whose_the_run_is(monkeypatch):
    monkeypatch.setattr(reader, "_came_by_loopback", lambda: False)
    first = open_page("train", train="alibi")
    first.button(key="train_play").click().run()
    assert first.button(key="train_play").disabled
    assert not first.button(key="train_pause").disabled
    assert "another reader’s" not in said(first)
    second = open_page("train", train="alibi", train_open="runs")
    assert "another reader’s" in said(second)
    assert second.button(key="train_pause").disabled
    assert second.button(key="train_reset").disabled
    assert list(second.dataframe[0].value["Whose"]) == ["another reader’s"]
    second.button(key="train_play").click().run()
    assert second.button(key="train_play").disabled
    assert list(second.dataframe[0].value["Whose"]) == ["yours and others’"]
    second.button(key="train_reset").click().run()
    assert "goes on for them" in second.warning[0].value
    assert status() == "waiting"
    assert "another reader’s" not in said(first.run())


def test_in_a_class_nobody_sees_the_runs_of_others(monkeypatch, data):
    monkeypatch.setenv("ALIBI_VIZ_CLASS", "1")
    RunStore(data).save(Run(SMALL, status="paused"))  # from the terminal
    first = open_page("train", train="alibi", train_open="runs")
    first.button(key="train_play").click().run()
    assert len(first.dataframe[0].value) == 2
    second = open_page("train", train="alibi", train_open="runs")
    assert len(second.dataframe[0].value) == 1
    assert "Your runs, and those that belong to everybody: 1." in said(second)


def test_whoever_is_alone_with_the_server_is_kept_from_nothing():
    at = open_page("train", train="alibi")
    at.button(key="train_play").click().run()
    other = open_page("train", train="alibi", train_open="runs")
    assert "another reader’s" not in said(other)
    assert "Whose" not in other.dataframe[0].value
    other.button(key="train_reset").click().run()
    assert status() == "gone"


def finished(folder: Path, config: TrainConfig, owner: Reader) -> None:
    store = RunStore(folder)
    Owners(store).join(config.hash, owner.owner)
    points = tuple({"length": n, "stride": n, "predictions": 9, "loss": 1.0, "perplexity": 5.0} for n in (32, 64))
    run = Run(config, "text", status="finished", step=config.steps, evaluations=points)
    store.finish(run, dict(build_model(config).named_parameters()))


@pytest.mark.parametrize("shared", [True, False])
def test_a_model_of_somebodys_own_text_is_on_no_page_of_others(monkeypatch, data, shared):
    config = replace(SMALL, corpus="text:0123456789abcdef")
    finished(data, config, A)
    monkeypatch.setattr(reader, "_came_by_loopback", lambda: not shared)

    def offered() -> AppTest:
        return open_page("attention", content="trained model", model=config.hash)

    assert bool(offered().info) == shared, "an address that names it opens another model, and says so"
    runs = open_page("extrapolation", ext_text="true")
    assert not runs.exception
    monkeypatch.setattr(reader, "_key", lambda: "a")
    assert not offered().info

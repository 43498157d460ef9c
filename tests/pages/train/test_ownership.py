"""Runs of several readers on one server, through the page: what is another's is protected in Python, and told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.jobs import Jobs
from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.lm.training import build_model
from alibi_viz.ui import reader
from pages.train import page, server
from tests.pages.apptest import open_page, said, says

CONFIG = TrainConfig(steps=400)
SMALL = TrainConfig(steps=25, length=32, width=16, layers=1, heads=1)
THEIRS = load("words").entry("training", "theirs")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    monkeypatch.setattr(Jobs, "warm_up", lambda self: None)  # what is submitted waits
    server.jobs.forget()
    yield tmp_path
    server.jobs.forget()


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others can reach the server."""
    monkeypatch.setattr(reader, "is_loopback", lambda host: False)


def status(config: TrainConfig = CONFIG) -> str:
    found = server.jobs().progress(config.hash)
    return found.run.status if found else "gone"


def press(at: AppTest, button: str) -> AppTest:
    at.button(key=f"train_{button}").click().run()
    assert not at.exception
    return at


@pytest.mark.usefixtures("shared")
def test_two_readers_train_the_same_settings_and_see_one_run():
    first = press(open_page("train", train="alibi"), "play")
    assert first.button(key="train_play").disabled
    assert not first.button(key="train_pause").disabled
    assert "another reader’s" not in said(first)
    second = open_page("train", train="alibi", train_open="runs")
    assert "another reader’s" in said(second)
    assert second.button(key="train_pause").disabled
    assert second.button(key="train_reset").disabled
    assert len(second.dataframe[0].value) == 1
    press(second, "play")
    assert second.button(key="train_play").disabled
    press(second, "pause")
    assert says(second.warning[0].value, "train", "left", count=1)
    assert status() == "waiting"
    press(second, "reset")
    assert says(second.warning[0].value, "train", "left", count=1)
    assert "another reader’s" not in said(first.run())
    press(first, "pause")
    assert status() == "paused"


@pytest.mark.usefixtures("shared")
def test_a_run_of_others_cannot_be_stopped_through_the_callbacks_of_the_page(monkeypatch):
    server.jobs().submit(CONFIG, browser="another")
    monkeypatch.setattr(reader, "owner", lambda: "b" * 64)
    session: dict[str, object] = {}
    monkeypatch.setattr(page.st, "session_state", session)
    for action in ("pause", "reset"):
        page.stop(load("train"), (CONFIG,), action)
        assert session.pop(page.REFUSED) == ((CONFIG,), THEIRS)
    assert status() == "waiting"


def test_in_a_class_nobody_sees_the_runs_of_others(monkeypatch, data):
    monkeypatch.setenv("ALIBI_VIZ_CLASS", "1")
    RunStore(data).save(Run(SMALL, status="paused"))  # from the terminal
    first = press(open_page("train", train="alibi", train_open="runs"), "play")
    assert len(first.dataframe[0].value) == 2
    second = open_page("train", train="alibi", train_open="runs")
    assert len(second.dataframe[0].value) == 1
    assert says(said(second), "train", "runs", count=1)


def test_whoever_is_alone_with_the_server_is_kept_from_nothing():
    press(open_page("train", train="alibi"), "play")
    other = open_page("train", train="alibi", train_open="runs")
    assert "another reader’s" not in said(other)
    press(other, "reset")
    assert status() == "gone"


@pytest.mark.parametrize("is_shared", [True, False])
def test_a_model_of_somebodys_own_text_is_on_no_page_of_others(monkeypatch, data, is_shared):
    config, mine = replace(SMALL, corpus="text:0123456789abcdef"), "a" * 64
    points = tuple({"length": n, "stride": n, "predictions": 9, "loss": 1.0, "perplexity": 5.0} for n in (32, 64))
    run = Run(config, "text", status="finished", step=config.steps, evaluations=points, browsers=(mine,))
    RunStore(data).finish(run, dict(build_model(config).named_parameters()))
    monkeypatch.setattr(reader, "is_loopback", lambda host: not is_shared)

    def offered() -> AppTest:
        return open_page("attention", content="trained model", model=config.hash)

    assert bool(offered().info) == is_shared, "an address that names it opens another model, and says so"
    runs = open_page("train", train_open="runs")
    assert says(said(runs), "train", "runs", count=1) != is_shared
    monkeypatch.setattr(reader, "owner", lambda: mine)
    assert not offered().info

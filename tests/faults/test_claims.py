"""Two processes on one data folder: one trains a run, the other follows it, and takes over when the first has ended."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from alibi_viz.cli import runs as commands
from alibi_viz.jobs import Busy, dispatcher
from alibi_viz.jobs.cluster import ROOT
from alibi_viz.lessons import load
from alibi_viz.lm import claims
from alibi_viz.lm.runs import Run, RunStore
from pages.train import runs_list, server, status
from tests.faults.inline import CONFIG, PLAN, WAIT, outcome, queue, train, until

HOLD = """import sys
from pathlib import Path
from alibi_viz.lm.claims import Claims
print(Claims((Path(sys.argv[1]) / "runs").joinpath).take(sys.argv[2]), flush=True)
sys.stdin.read()
"""


def test_one_of_many_gets_a_claim_and_the_next_one_after_it(tmp_path: Path) -> None:
    stores = [RunStore(tmp_path) for _ in range(8)]
    for _ in range(20):
        with ThreadPoolExecutor(8) as pool:
            taken = list(pool.map(lambda store: store.claims.take(CONFIG.hash), stores))
        assert sum(taken) == 1
        (owner,) = [store for store, has in zip(stores, taken, strict=True) if has]
        assert owner.claims.take(CONFIG.hash), "it has it already"
        assert [store.claims.is_elsewhere(CONFIG.hash) for store in stores] == [not has for has in taken]
        owner.claims.release(CONFIG.hash)
    assert list((tmp_path / "runs").iterdir()) == [], "nothing is left of a claim without a run"


def test_asking_who_has_a_run_keeps_nobody_from_taking_it(tmp_path: Path) -> None:
    asking, taking, other = RunStore(tmp_path), RunStore(tmp_path), replace(CONFIG, seed=1)
    asking.save(Run(CONFIG))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(lambda: [asking.claims.is_elsewhere(CONFIG.hash) for _ in range(3000)])
        for _ in range(300):
            assert taking.claims.take(CONFIG.hash)
            assert asking.claims.take(other.hash)
            taking.claims.release(CONFIG.hash)
        asked.result()


def test_a_killed_process_leaves_no_claim(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path), CONFIG.hash]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"True\n"
    store = RunStore(tmp_path)
    store.save(Run(CONFIG, status="running", step=3, losses=(1.0,) * 3))
    assert not store.claims.take(CONFIG.hash)
    jobs = queue(tmp_path)
    progress = jobs.progress(CONFIG.hash)
    assert progress is not None
    assert (progress.run.status, progress.notice) == ("running", "elsewhere")
    assert "another server or command" in status.status(load("train"), progress)
    assert jobs.submit(CONFIG, plan=PLAN) == progress.run, "it is not trained twice"
    for stop in (jobs.pause, jobs.cancel):
        with pytest.raises(Busy, match="same data folder"):
            stop(CONFIG.hash)
    store.delete(CONFIG.hash)
    assert store.get(CONFIG.hash) is not None
    holder.kill()
    holder.wait(10)
    assert jobs.progress(CONFIG.hash).notice == "interrupted"  # type: ignore[union-attr]
    jobs.submit(CONFIG, plan=PLAN)
    assert jobs.wait(CONFIG.hash, WAIT)
    assert jobs.progress(CONFIG.hash).run.status == "finished"  # type: ignore[union-attr]


def test_two_servers_train_a_run_once_and_show_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(tmp_path / "undisturbed")
    folder = tmp_path / "shared"
    monkeypatch.setattr(dispatcher, "LOOK_EVERY", 0.01)
    first, second = queue(folder, "done", "silent"), queue(folder)
    monkeypatch.setattr(first.cluster, "look", lambda: "well")
    first.submit(CONFIG, plan=PLAN)
    until(lambda: first.cluster.sent == 2)  # type: ignore[attr-defined]
    assert second.submit(CONFIG, plan=PLAN).step == 3
    assert second.cluster.sent == 0  # type: ignore[attr-defined]
    monkeypatch.setattr(first.cluster, "look", lambda: "broken" if first.cluster.sent < 3 else "well")  # type: ignore[attr-defined]
    assert first.wait(CONFIG.hash, WAIT)
    expected = outcome(RunStore(tmp_path / "undisturbed"), CONFIG)
    assert outcome(first.store, CONFIG) == outcome(second.store, CONFIG) == expected
    assert second.submit(CONFIG, plan=PLAN).status == "finished"
    assert sorted(os.listdir(first.store.path(CONFIG.hash))) == ["model.safetensors", "run.json"]


def test_the_list_does_not_delete_what_another_process_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, other = queue(tmp_path), RunStore(tmp_path)
    free = replace(CONFIG, seed=1)
    for config in (CONFIG, free):
        other.save(Run(config, status="running"))
    assert other.claims.take(CONFIG.hash)
    monkeypatch.setattr(server, "jobs", lambda: jobs)
    runs_list._delete(other.runs())
    assert [run.hash for run in other.runs()] == [CONFIG.hash]


def test_a_command_takes_over_what_another_process_leaves(tmp_path: Path) -> None:
    other, jobs = RunStore(tmp_path), queue(tmp_path)
    other.save(Run(CONFIG, status="running"))
    assert other.claims.take(CONFIG.hash)
    progress, asked = jobs.progress, threading.Event()
    jobs.progress = lambda run_hash: (asked.set(), progress(run_hash))[1]  # type: ignore[method-assign]
    with ThreadPoolExecutor(1) as pool:
        leaving = pool.submit(lambda: (asked.wait(WAIT), other.claims.release_all()))
        assert commands.train_all(jobs, {CONFIG: PLAN}) == 0
        leaving.result()
    assert other.get(CONFIG.hash).status == "finished"  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_a_folder_that_cannot_be_written_is_told_in_a_sentence(kind: str, tmp_path: Path) -> None:
    """By kinds that stop the administrator too, who may write where permissions forbid it."""
    jobs = queue(tmp_path / "data")
    if kind == "file":
        (tmp_path / "data").write_text("no folder")
    else:
        (jobs.store.path(CONFIG.hash) / claims.LOCK).mkdir(parents=True)
    with pytest.raises(ValueError, match=r"^The data folder cannot be written \([A-Z][a-z ]+\)\.$"):
        jobs.submit(CONFIG, plan=PLAN)
    assert jobs.store.runs() == []
    assert jobs.progress(CONFIG.hash) is None


def test_where_there_are_no_locks_every_claim_is_granted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(claims.errno.ENOLCK, "No locks available")

    monkeypatch.setattr(claims.fcntl, "flock", unsupported)
    assert RunStore(tmp_path).claims.take(CONFIG.hash)
    assert RunStore(tmp_path).claims.take(CONFIG.hash)
    assert not RunStore(tmp_path).claims.is_elsewhere(CONFIG.hash)
    monkeypatch.setattr(claims, "fcntl", None)
    assert train(tmp_path).status == "finished"

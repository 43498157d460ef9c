"""What of the data folder goes, and what never does."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from alibi_viz.jobs import Cluster, Jobs
from alibi_viz.jobs.dispatcher import Dispatcher
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import Corpus, own_key
from alibi_viz.lm.owners import Owners, owner_of
from alibi_viz.lm.runs import RECORD, STATE, WEIGHTS, Run, RunStore
from alibi_viz.lm.sweep import DAY, GRACE, Keep, sweep

NOW = 2_000_000_000.0
WIDE = Keep()
CORPUS = Corpus(own_key(b"a", b"b"), "Your text", b"a", b"b")


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path)


def write(path: Path, size: int, days: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if size or not path.exists():
        path.write_bytes(bytes(size))
    os.utime(path, (NOW - days * DAY,) * 2)
    os.utime(path.parent, (NOW - days * DAY,) * 2)


def keep_run(
    store: RunStore, seed: int, days: float, *, finished: bool = False, size: int = 1000, **change: str
) -> str:
    """A run as it stands on disk, last written so many days ago; returns its hash."""
    run = Run(replace(TrainConfig(), seed=seed, **change), status="finished" if finished else "paused")
    store.save(run)
    folder = store.path(run.hash)
    write(folder / RECORD, 0, days)
    write(folder / (WEIGHTS if finished else STATE), size, days)
    return run.hash


def keep_text(store: RunStore, days: float) -> Path:
    store.save_text(CORPUS)
    (path,) = store.texts.iterdir()
    os.utime(path, (NOW - days * DAY,) * 2)
    return path


def left(store: RunStore) -> set[str]:
    return {path.name for path in store.folder.iterdir()}


def test_an_unfinished_run_goes_by_age_and_a_finished_one_does_not(store):
    Owners(store).join(replace(TrainConfig(), seed=0).hash, owner_of("a"))
    old, young = keep_run(store, 0, 31), keep_run(store, 1, 29)
    result = keep_run(store, 2, 4000, finished=True)
    os.utime(store.path(old) / "owners", (NOW - 31 * DAY,) * 2)
    os.utime(store.path(old), (NOW - 31 * DAY,) * 2)
    gone = sweep(store, now=NOW)
    assert [item.key for item in gone] == [old]
    assert left(store) == {young, result}


def test_unfinished_runs_over_their_limit_go_oldest_first(store):
    hashes = [keep_run(store, seed, days) for seed, days in enumerate((5, 9, 2, 7))]
    size = sum((store.path(hashes[0]) / name).stat().st_size for name in (RECORD, STATE))
    sweep(store, keep=replace(WIDE, unfinished_bytes=int(2.5 * size)), now=NOW)
    assert left(store) == {hashes[0], hashes[2]}


def test_what_is_active_or_was_written_just_now_never_goes(store):
    active, recent, other = (
        keep_run(store, 0, 100),
        keep_run(store, 1, GRACE / DAY / 2),
        keep_run(store, 2, 2 * GRACE / DAY),
    )
    sweep(store, {active}, Keep(unfinished_bytes=0, total_bytes=0), now=NOW)
    assert left(store) == {active, recent}
    assert other not in left(store)


def test_a_result_goes_only_for_the_total_and_after_everything_unfinished(store):
    results = [keep_run(store, seed, days, finished=True, size=50_000) for seed, days in enumerate((3, 8, 5))]
    keep_run(store, 9, 1)
    sweep(store, keep=replace(WIDE, total_bytes=120_000), now=NOW)
    assert left(store) == {results[0], results[2]}
    sweep(store, keep=replace(WIDE, total_items=1), now=NOW)
    assert left(store) == {results[0]}


def test_a_text_stays_as_long_as_a_run_needs_it(store):
    path = keep_text(store, 100)
    paused = keep_run(store, 0, 1, corpus=CORPUS.key)
    sweep(store, keep=Keep(text_bytes=0), now=NOW)
    assert path.exists()
    assert store.text(CORPUS.key) == CORPUS
    sweep(store, now=NOW + 40 * DAY)
    assert left(store) == set() != {paused}
    assert not path.exists(), "nothing is left that learned it"


def test_a_text_that_only_finished_runs_learned_goes_by_age(store):
    path = keep_text(store, 29)
    result = keep_run(store, 0, 29, finished=True, corpus=CORPUS.key)
    sweep(store, now=NOW)
    assert path.exists()
    sweep(store, now=NOW + 2 * DAY)
    assert not path.exists()
    assert left(store) == {result}


def test_a_text_that_was_just_given_stays(store):
    path = keep_text(store, 0)
    sweep(store, now=NOW + GRACE / 2)
    assert path.exists()
    sweep(store, now=NOW + 2 * GRACE)
    assert not path.exists()


def test_what_is_not_ours_is_not_touched(store, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "thesis.txt").write_text("x")
    os.utime(outside, (1, 1))
    store.folder.mkdir(parents=True)
    (store.folder / "notes").mkdir()
    (store.folder / ("0" * 16)).symlink_to(outside)
    sweep(store, keep=Keep(unfinished_bytes=0, total_bytes=0), now=NOW)
    assert (outside / "thesis.txt").exists()
    assert (store.folder / "notes").exists()


def test_a_damaged_record_counts_as_unfinished(store):
    name = keep_run(store, 0, 40)
    (store.path(name) / RECORD).write_bytes(b"{")
    write(store.path(name) / RECORD, 0, 40)
    keep_text(store, 0)
    sweep(store, now=NOW)
    assert not left(store)


def test_without_a_folder_nothing_happens(tmp_path):
    assert sweep(RunStore(tmp_path / "none")) == []


def test_the_limits_are_settings(monkeypatch):
    assert Keep.from_settings() == Keep()
    monkeypatch.setenv("ALIBI_VIZ_KEEP_MB", "100")
    monkeypatch.setenv("ALIBI_VIZ_KEEP_DAYS", "7")
    assert Keep.from_settings() == Keep(7, 25_000_000, 5_000_000, 100_000_000)
    monkeypatch.setenv("ALIBI_VIZ_KEEP_DAYS", "soon")
    with pytest.raises(ValueError, match="ALIBI_VIZ_KEEP_DAYS must be a whole number"):
        Keep.from_settings()


@pytest.mark.parametrize("keep", [None, Keep()])
def test_the_queue_sweeps_when_a_run_has_ended_if_it_has_limits(store, monkeypatch, keep):
    monkeypatch.setattr(Dispatcher, "notify", lambda self, event: None)
    old = keep_run(store, 0, (NOW - time.time()) / DAY + 40)
    jobs = Jobs(store, Cluster(), keep=keep)
    run = jobs.submit(TrainConfig(steps=50, seed=3))
    assert old in left(store)
    jobs.pause(run.hash)
    assert (old in left(store)) == (keep is None)
    assert run.hash in left(store)


def test_a_clock_that_is_set_forward_makes_nothing_old(store, monkeypatch):
    run = keep_run(store, 0, (NOW - time.time()) / DAY + 1)
    monkeypatch.setattr(time, "time", lambda: 2 * NOW)
    sweep(store)
    assert left(store) == {run}

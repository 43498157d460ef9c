"""Which process may write a run; and what of the data folder goes, and what never does."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import Corpus, own_key
from alibi_viz.lm.runs import DAY, GRACE, STATE, WEIGHTS, Run, RunStore

CONFIG = TrainConfig()
NOW = 2_000_000_000.0
CORPUS = Corpus(own_key(b"a", b"b"), b"a", b"b")


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path)


def test_one_of_many_gets_a_claim_and_the_next_one_after_it(store: RunStore) -> None:
    stores = [RunStore(store.folder.parent) for _ in range(8)]
    for _ in range(5):
        with ThreadPoolExecutor(8) as pool:
            taken = list(pool.map(lambda one: one.claim(CONFIG.hash), stores))
        assert sum(taken) == 1
        (owner,) = [one for one, has in zip(stores, taken, strict=True) if has]
        assert owner.claim(CONFIG.hash), "it has it already"
        assert [one.is_elsewhere(CONFIG.hash) for one in stores] == [not has for has in taken]
        stores[taken.index(False)].delete(CONFIG.hash)
        assert owner.path(CONFIG.hash).exists()
        owner.release(CONFIG.hash)


def test_a_killed_process_leaves_no_claim(store: RunStore) -> None:
    told, tell = os.pipe()
    if not (holder := os.fork()):  # the other process
        os.write(tell, str(RunStore(store.folder.parent).claim(CONFIG.hash)).encode())
        signal.pause()
    assert os.read(told, 5) == b"True"
    assert store.is_elsewhere(CONFIG.hash)
    assert not store.claim(CONFIG.hash)
    os.kill(holder, signal.SIGKILL)
    os.waitpid(holder, 0)
    assert store.claim(CONFIG.hash)


def keep_run(store: RunStore, seed: int, days: float, *, finished: bool = False, size: int = 0, **change: str) -> str:
    """A run as it stands on disk, last written so many days ago; returns its hash."""
    run = Run(replace(CONFIG, seed=seed, **change), status="finished" if finished else "paused")
    store.save(run)
    folder = store.path(run.hash)
    (folder / (WEIGHTS if finished else STATE)).write_bytes(bytes(size))
    for path in (*folder.iterdir(), folder):
        os.utime(path, (NOW - days * DAY,) * 2)
    return run.hash


def left(store: RunStore) -> set[str]:
    return {path.name for path in store.folder.iterdir()}


def test_an_unfinished_run_goes_by_age_and_a_finished_one_does_not(store: RunStore) -> None:
    old, young = keep_run(store, 0, 31), keep_run(store, 1, 29)
    finished, claimed = keep_run(store, 2, 4000, finished=True), keep_run(store, 3, 31)
    assert RunStore(store.folder.parent).is_elsewhere(claimed) is False
    other = RunStore(store.folder.parent)
    assert other.claim(claimed)
    (store.folder / "notes").mkdir()
    os.utime(store.folder / "notes", (0, 0))
    store.make_room(NOW)
    assert left(store) == {young, finished, claimed, "notes"}
    assert old not in left(store)


def test_over_the_limit_unfinished_runs_go_first_and_the_oldest_of_each(store, monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_KEEP_MB", "20")
    mb = 1_000_000
    results = [keep_run(store, seed, 100 - seed, finished=True, size=9 * mb) for seed in range(3)]
    begun = [keep_run(store, 10 + seed, 9 - seed, size=2 * mb) for seed in range(3)]
    fresh = keep_run(store, 20, (GRACE / 2) / DAY, size=mb)
    store.make_room(NOW)
    assert left(store) == {*results[1:], fresh}
    assert begun[0] not in left(store)


def test_a_text_goes_with_the_last_run_that_learned_it(store: RunStore) -> None:
    store.save_text(CORPUS)
    (text,) = store.texts.iterdir()
    os.utime(text, (NOW - DAY,) * 2)
    run = keep_run(store, 0, 31, corpus=CORPUS.key)
    store.make_room(NOW - 10 * DAY)
    assert text.exists()
    store.make_room(NOW)
    assert (text.exists(), run in left(store)) == (False, False)
    store.save_text(CORPUS)
    os.utime(text, (NOW - GRACE / 2,) * 2)
    store.make_room(NOW)
    assert text.exists(), "its run is about to come"

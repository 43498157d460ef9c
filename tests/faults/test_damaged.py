"""A damaged data folder: every kind is answered at once, in a sentence or by starting anew, and harms no other run."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from alibi_viz.jobs import Plan
from alibi_viz.lm import runs
from alibi_viz.lm.runs import Run, RunStore, corpus_for
from alibi_viz.lm.training import start, train_chunk
from alibi_viz.results import trained
from pages.train import server
from tests.faults import damage
from tests.jobs.inline import CONFIG, ends_soon, finish, line, outcome
from tests.pages.apptest import open_page, said, says

TINY = replace(CONFIG, steps=3, batch=1, corpus="python-text", method="none")
OTHER = replace(TINY, seed=1)
PLAN = Plan(times=(1,), sliding=0, sample_times=(), held_out=100)
FILES = ("run.json", "state.safetensors", "model.safetensors")


def fill(folder: Path) -> RunStore:
    """One run in the middle of its training, with an older model beside it, and one other run that is finished."""
    store, corpus = RunStore(folder), corpus_for(TINY)
    begun = train_chunk(start(TINY, corpus), 2, corpus)
    store.finish(Run(TINY), begun.weights)
    store.save(Run(TINY, status="paused").after(begun), begun)
    ended = train_chunk(start(OTHER, corpus), OTHER.steps, corpus)
    store.finish(replace(Run(OTHER).after(ended), status="finished"), ended.weights)
    return store


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> RunStore:
    return fill(tmp_path_factory.mktemp("whole"))


def all_kinds() -> list[Any]:
    """Sizes are about those of the files: where exactly a file is cut off does not matter."""
    sizes = {"run.json": 300, "state.safetensors": 30_000, "model.safetensors": 10_000}
    found = damage.kinds(sizes)
    assert len(found) > 100
    return [pytest.param(file, make, id=f"{file or 'folder'}: {name}"[:60]) for file, name, make in found]


def spoil(folder: Path, file: str, make: damage.Damage) -> None:
    """Damage a file in the folder of a run, or the folder itself."""
    if not file:
        shutil.rmtree(folder)
    elif file == "lock":
        (folder / file).touch()
        (folder / file).unlink()
    make(folder / file)


def read_all(store: RunStore) -> dict[str, Any]:
    """What the pages ask of a store."""
    runs._read_record.cache_clear()
    listed = {run.hash for run in store.runs()}
    read: dict[str, Any] = {"get": store.get(TINY.hash), "weights": store.weights(TINY.hash)}
    read |= {"state": store.state(TINY.hash), "elsewhere": store.is_elsewhere(TINY.hash)}
    trained.refs(store)
    trained.load(TINY.hash, store)
    return read | {"listed": listed}


@pytest.mark.parametrize(("file", "make"), all_kinds())
def test_a_damaged_file_is_answered_at_once(file: str, make: damage.Damage, whole: RunStore, tmp_path: Path) -> None:
    shutil.copytree(whole.folder.parent, tmp_path, dirs_exist_ok=True)
    store = RunStore(tmp_path)
    before = outcome(store, OTHER)
    spoil(store.path(TINY.hash), file, make)
    read = ends_soon(lambda: read_all(store))
    assert isinstance(read, dict), read
    assert read["listed"] == {OTHER.hash} | ({TINY.hash} if read["get"] else set())
    ended = ends_soon(lambda: finish(line(tmp_path), TINY, PLAN), 10)
    if isinstance(ended, Run) and ended.status == "finished":
        assert store.get(TINY.hash) == ended
        assert store.state(TINY.hash) is None
    else:
        sentence = ended.error if isinstance(ended, Run) else str(ended)
        assert isinstance(ended, Run | ValueError), ended
        assert sentence[0].isupper()
        assert sentence.endswith((".", "!"))
        assert "\n" not in sentence
        assert "Error" not in sentence
    assert outcome(store, OTHER) == before


def test_the_page_shows_the_whole_runs_of_a_damaged_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind at once, each in the folder of a run of its own."""
    fill(tmp_path / "one")
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    store = RunStore(tmp_path)
    for seed, kind in enumerate(all_kinds()):
        config = replace(TINY, seed=seed + 10)
        shutil.copytree(tmp_path / "one" / "runs" / TINY.hash, store.path(config.hash))
        spoil(store.path(config.hash), *kind.values)
    server.jobs.forget()
    try:
        at = open_page("train", train_open="runs")
        assert not at.exception
        assert says(said(at), "train", "runs")
    finally:
        server.jobs.forget()

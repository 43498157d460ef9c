"""A damaged data folder: every kind is answered at once, in a sentence or by starting anew, and harms no other run."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

from alibi_viz.jobs.tasks import Plan
from alibi_viz.lm import runs
from alibi_viz.lm.runs import RECORD, STATE, WEIGHTS, Run, RunStore, corpus_for
from alibi_viz.lm.training import start, train_chunk
from alibi_viz.results import trained
from pages.train import server
from tests.jobs.inline import CONFIG, ends_soon, finish, line, outcome
from tests.pages.apptest import open_page, said, says

TINY = replace(CONFIG, steps=3, batch=1, corpus="python-text", method="none")
OTHER = replace(TINY, seed=1)
PLAN = Plan(times=(1,), sample_times=(1,), held_out=100)
Damage = Callable[[Path], object]


def changed(change: Callable[[bytes], bytes]) -> Damage:
    return lambda path: path.write_bytes(change(path.read_bytes()))


def flipped(data: bytes, share: float) -> bytes:
    at = int(share * len(data))
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def header(**entries: object) -> Damage:
    """A safetensors file that says this, with eight bytes of numbers."""
    text = json.dumps(entries).encode()
    return changed(lambda _: len(text).to_bytes(8, "little") + text + bytes(8))


def tensors(change: Callable[[torch.Tensor], torch.Tensor]) -> Damage:
    """Other numbers, and what is said of them as it was."""

    def rewrite(data: bytes) -> bytes:
        said = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        numbers = {name: change(tensor).contiguous() for name, tensor in safetensors.torch.load(data).items()}
        return safetensors.torch.save(numbers, metadata=said.get("__metadata__"))

    return changed(rewrite)


#: What can stand in the place of a file.
ODD: dict[str, Damage] = {
    "missing": lambda path: None,
    "a folder": Path.mkdir,
    "a FIFO": os.mkfifo,
    "a link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to its folder": lambda path: path.symlink_to("."),
}
ANY: dict[str, Damage] = {
    **{f"flipped at {share}": changed(partial(flipped, share=share)) for share in (0, 0.1, 0.5, 0.99)},
    **{f"cut off at {share}": changed(lambda data, n=share: data[: int(n * len(data))]) for share in (0.01, 0.5, 0.99)},  # type: ignore[misc]
    "empty": changed(lambda data: b""),
    "zeros": changed(lambda data: bytes(len(data))),
    "twice": changed(lambda data: data * 2),
    "sparse, 3 GB": lambda path: os.truncate(path, 3_000_000_000),
}
ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
RECORDS: dict[str, Damage] = {
    "nested": changed(lambda data: b"[" * 100_000),
    "a number of 5,000 digits": changed(lambda data: b"1" * 5_000),
    "another status": changed(lambda data: data.replace(b'"paused"', b'"asleep"')),
}
TENSORS: dict[str, Damage] = {
    "a header without end": changed(lambda data: (2**63).to_bytes(8, "little") + data[8:]),
    "a shape too large": header(losses=ENTRY | {"shape": [2**40, 2**40]}),
    "metadata that is nested": header(losses=ENTRY, __metadata__={"state": "[" * 100_000}),
    "a huge step count": header(losses=ENTRY, __metadata__={"state": '{"config": {"steps": 1e400}}'}),
    "all NaN": tensors(lambda tensor: torch.full_like(tensor, torch.nan)),
    "float64": tensors(lambda tensor: tensor.double()),
    "one more dimension": tensors(lambda tensor: tensor[None]),
}
KINDS = [
    *((file, damage) for file in (RECORD, STATE, WEIGHTS) for damage in ANY.items()),
    *((file, damage) for file in (RECORD, STATE, WEIGHTS, "lock", ".") for damage in ODD.items()),
    *((RECORD, damage) for damage in RECORDS.items()),
    *((file, damage) for file in (STATE, WEIGHTS) for damage in TENSORS.items()),
]


def spoil(folder: Path, file: str, damage: Damage) -> None:
    """Damage a file in the folder of a run, or the folder itself (".")."""
    if damage in ODD.values():
        shutil.rmtree(folder / file) if file == "." else (folder / file).unlink(missing_ok=True)
    damage(folder / file)


def fill(folder: Path) -> RunStore:
    """One run in the middle of its training, with an older model beside it, and one other run that is finished."""
    store, corpus = RunStore(folder), corpus_for(TINY)
    begun = train_chunk(start(TINY, corpus), 2, corpus)
    store.finish(Run(TINY), begun.weights)
    store.save(Run(TINY, status="paused").after(begun), begun)
    finish(line(folder), OTHER, PLAN)
    return store


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> RunStore:
    return fill(tmp_path_factory.mktemp("whole"))


def read_all(store: RunStore) -> Any:
    """What the pages ask of a store: the run if it is there, and those that are listed."""
    runs._read_record.cache_clear()
    for ask in (store.weights, store.state, store.is_elsewhere):
        ask(TINY.hash)
    trained.refs(store)
    trained.load(TINY.hash, store)
    return store.get(TINY.hash), {run.hash for run in store.runs()}


@pytest.mark.parametrize(("file", "damage"), KINDS, ids=lambda part: part if isinstance(part, str) else part[0])
def test_a_damaged_file_is_answered_at_once(
    file: str, damage: tuple[str, Damage], whole: RunStore, tmp_path: Path
) -> None:
    shutil.copytree(whole.folder.parent, tmp_path, dirs_exist_ok=True)
    store = RunStore(tmp_path)
    before = outcome(store, OTHER)
    spoil(store.path(TINY.hash), file, damage[1])
    run, listed = ends_soon(lambda: read_all(store))
    assert listed == {OTHER.hash} | ({TINY.hash} if run else set())
    ended = ends_soon(lambda: finish(line(tmp_path), TINY, PLAN), 10)
    assert isinstance(ended, Run | ValueError), ended
    if isinstance(ended, Run) and ended.status == "finished":
        assert store.get(TINY.hash) == ended
        assert store.state(TINY.hash) is None
    else:
        sentence = ended.error if isinstance(ended, Run) else str(ended)
        assert sentence[0].isupper()
        assert sentence.endswith((".", "!"))
        assert "\n" not in sentence
        assert "Error" not in sentence
    assert outcome(store, OTHER) == before


def test_the_page_shows_the_whole_runs_of_a_damaged_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind at once, each in the folder of a run of its own."""
    store = fill(tmp_path)
    for seed, (file, (_, damage)) in enumerate(KINDS):
        run = replace(store.get(TINY.hash), config=replace(TINY, seed=seed + 10))  # type: ignore[type-var]
        shutil.copytree(store.path(TINY.hash), store.path(run.hash))
        store.save(run)
        spoil(store.path(run.hash), file, damage)
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    server.line.cache_clear()
    try:
        assert says(said(open_page("train", train_open="runs")), "train", "runs", count=len(store.runs()))
    finally:
        server.line.cache_clear()

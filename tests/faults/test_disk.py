"""A disk that is full at any write: the run fails in a sentence, what was saved stays, other runs go on."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from alibi_viz import files
from alibi_viz.jobs import Plan
from alibi_viz.lm.runs import RunStore
from pages.train import server
from tests.jobs.inline import CONFIG, WAIT, line, outcome
from tests.pages.apptest import open_page, said, says

TINY = replace(CONFIG, steps=7)
OTHER = replace(TINY, seed=1)
PLAN = Plan(times=(1,), pairs=(), sample_times=())
#: What a write is made of: each can be the one that finds no room.
OPERATIONS: dict[str, tuple[Any, str]] = {
    "make": (tempfile, "mkstemp"),
    "write": (os, "write"),
    "flush": (os, "fsync"),
    "rename": (os, "replace"),
}


class Disk:
    """Counts the writes under a folder, and refuses some of them."""

    def __init__(self, patch: pytest.MonkeyPatch, operation: str) -> None:
        self.count, self.refused, self.refuses = 0, 0, lambda _: False
        owner, name = OPERATIONS[operation]
        before = getattr(owner, name)

        def call(*arguments: Any, **named: Any) -> Any:
            self.check()
            return before(*arguments, **named)

        if operation == "write":  # half of the data arrives
            patch.setattr(files.os, "fdopen", lambda handle, mode, opened=os.fdopen: Torn(opened(handle, mode), self))
        else:
            patch.setattr(owner, name, call)

    refuses: Callable[[int], bool]

    def check(self) -> None:
        self.count += 1
        if self.refuses(self.count):
            self.refused += 1
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Torn:
    """A file in which a write can end in the middle."""

    def __init__(self, file: Any, disk: Disk) -> None:
        self.file, self.disk = file, disk

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def __enter__(self) -> Torn:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def write(self, data: bytes) -> int:
        try:
            self.disk.check()
        except OSError:
            self.file.write(data[: len(data) // 2])
            raise
        return int(self.file.write(data))


def train(folder: Path) -> list[str]:
    """Both runs in one queue; the errors of those that failed."""
    jobs, errors = line(folder), []
    for config in (TINY, OTHER):
        try:
            jobs.submit(config, plan=PLAN)
        except ValueError as problem:
            errors.append(str(problem))
            continue
        assert jobs.wait(config.hash, WAIT)
        progress = jobs.progress(config.hash)
        assert progress is not None
        assert progress.run.status in ("finished", "failed")
        errors += [progress.run.error] if progress.run.status == "failed" else []
    jobs.close()
    return errors


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    folder = tmp_path_factory.mktemp("undisturbed")
    assert train(folder) == []
    return [outcome(RunStore(folder), config) for config in (TINY, OTHER)]


@pytest.mark.parametrize(
    ("operation", "from_then_on"),
    [
        ("write", False),
        *(pytest.param(name, then, marks=pytest.mark.slow) for name in OPERATIONS for then in (False, True)),
    ],
)
def test_a_disk_that_is_full_at_any_write(
    operation: str, from_then_on: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: list[object]
) -> None:
    disk, place, failed = Disk(monkeypatch, operation), 0, 0
    while True:
        place += 1
        folder = tmp_path / str(place)
        disk.count, disk.refused = 0, 0
        disk.refuses = (lambda n, k=place: n >= k) if from_then_on else (lambda n, k=place: n == k)  # type: ignore[misc]
        errors = train(folder)
        if not disk.refused:
            break
        assert all("(No space left on device)" in error for error in errors)
        assert from_then_on or len(errors) <= 1, "the other run goes on"
        failed += len(errors)
        saved = {run.hash: run.step for run in RunStore(folder).runs()}
        disk.refuses = lambda _: False
        for run, step in saved.items():
            progress = line(folder).progress(run)
            assert progress is not None
            assert progress.run.step >= step
        assert train(folder) == [], "there is room again"
        assert [outcome(RunStore(folder), config) for config in (TINY, OTHER)] == undisturbed
        shutil.rmtree(folder)
    assert place > 10
    assert failed > place / 4, "a status that is not saved, or a folder that is not flushed, fails no run"


def test_the_page_says_that_nothing_can_be_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a file in the place of the folder: that stops the administrator too, who may write where others may not."""
    (tmp_path / "data").write_text("no folder")
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path / "data"))
    server.jobs.forget()
    at = open_page("train", train_open="runs")
    at.button(key="train_play").click().run()
    assert not at.exception
    assert "The data folder cannot be written" in at.warning[0].value
    assert says(said(at), "train", "runs", count=0)
    server.jobs.forget()


@pytest.mark.parametrize("name", ["open", "scandir", "stat"])
def test_a_folder_that_cannot_be_read_is_empty(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: list[object]
) -> None:
    """The system's answer is simulated: no permission stops an administrator from reading."""
    assert train(tmp_path) == []
    store, before = RunStore(tmp_path), getattr(os, name)

    def refuse(path: Any, *arguments: Any, **named: Any) -> Any:
        if str(tmp_path) in str(path):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return before(path, *arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, name, refuse)
        assert (store.weights(TINY.hash) is None) == (name != "scandir")
        assert (len(store.runs()) == 2) == (name == "open"), "records that are cached need not be opened"
        if name == "open":
            with pytest.raises(ValueError, match="cannot be written"):
                line(tmp_path).submit(replace(TINY, seed=5), plan=PLAN)
    assert [outcome(RunStore(tmp_path), config) for config in (TINY, OTHER)] == undisturbed

"""A disk that is full at any write: the run fails in a sentence, what was saved stays, other runs go on."""

import errno
import os
import shutil
import tempfile
from dataclasses import replace
from typing import Any

import pytest

from alibi_viz.jobs.tasks import Plan
from alibi_viz.lm.runs import RunStore
from pages.train import server
from tests.cases import some
from tests.jobs.inline import CONFIG, finish, line, outcome, seen
from tests.pages.apptest import open_page, said, says

TINY = replace(CONFIG, steps=7)
OTHER = replace(TINY, seed=1)
PLAN = Plan(times=(1,), pairs=(), sample_times=(1,))
#: What a write is made of: each can be the one that finds no room.
OPERATIONS: dict[str, Any] = {"mkstemp": tempfile, "fsync": os, "replace": os}


def train(folder):
    jobs, errors = line(folder), list[str]()
    for config in (TINY, OTHER):
        try:
            errors.append(finish(jobs, config, PLAN).error)
        except ValueError as problem:
            errors.append(str(problem))
    jobs.close()
    return [error for error in errors if error]


def outcomes(folder):
    return [outcome(RunStore(folder), config) for config in (TINY, OTHER)]


@pytest.mark.parametrize("operation", some(OPERATIONS, "fsync"))
@pytest.mark.parametrize("from_then_on", some((False, True), False))
def test_a_disk_that_is_full_at_any_write(operation, from_then_on, tmp_path, monkeypatch):
    writes, full, before = 0, range(0), getattr(OPERATIONS[operation], operation)

    def write(*arguments, **named):
        nonlocal writes
        writes += 1
        if writes in full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return before(*arguments, **named)

    monkeypatch.setattr(OPERATIONS[operation], operation, write)
    assert train(tmp_path / "undisturbed") == []
    undisturbed, count, failed = outcomes(tmp_path / "undisturbed"), writes, 0
    assert count > 10
    for place in range(1, count + 1):
        folder = tmp_path / str(place)
        writes, full = 0, range(place, 10**9 if from_then_on else place + 1)
        errors = train(folder)
        full = range(0)
        assert all("(No space left on device)" in str(error) for error in errors)
        assert from_then_on or len(errors) <= 1, "the other run goes on"
        failed += len(errors)
        for run in RunStore(folder).runs():
            assert seen(line(folder), run.config).step >= run.step, "what was saved stays"
        assert train(folder) == [], "there is room again"
        assert outcomes(folder) == undisturbed
        shutil.rmtree(folder)
    assert failed > count / 4, "a status that is not saved, or a folder that is not flushed, fails no run"


def test_the_page_says_that_nothing_can_be_saved(tmp_path, monkeypatch):
    """By a file in the place of the folder: that stops the administrator too, who may write where others may not."""
    (tmp_path / "data").write_text("no folder")
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path / "data"))
    server.line.cache_clear()
    at = open_page("train", train_open="runs")
    at.button(key="train_play").click().run()
    assert not at.exception
    assert "The data folder cannot be written" in at.warning[0].value
    assert says(said(at), "train", "runs", count=0)
    server.line.cache_clear()

"""A folder that is removed while its run goes on: nothing is written again without its owners, and one sentence says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from alibi_viz.lessons import load
from alibi_viz.lm.claims import LOCK
from alibi_viz.lm.owners import Owners, owner_of
from alibi_viz.lm.records import Run
from alibi_viz.lm.runs import RECORD, RunStore
from tests.faults.inline import CONFIG, WAIT, queue

A, B = owner_of("key of a"), owner_of("key of b")


@pytest.mark.parametrize("removed", ["the run", "all data"])
def test_a_run_that_lost_its_folder_ends_with_a_sentence_and_is_not_everybodys(removed: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    jobs = queue(data)
    owners, folder = Owners(jobs.store), jobs.store.path(CONFIG.hash)
    owners.join(CONFIG.hash, A)
    take = jobs.store.claims.check

    def remove_and_check(run_hash: str) -> None:
        if (jobs.store.get(run_hash) or Run(CONFIG)).step:
            shutil.rmtree(folder if removed == "the run" else data)
        take(run_hash)

    jobs.store.claims.check = remove_and_check  # type: ignore[method-assign]  # when something is to be written
    jobs.submit(CONFIG)
    assert jobs.wait(CONFIG.hash, WAIT)
    progress = jobs.progress(CONFIG.hash)
    assert progress is not None
    assert (progress.run.status, progress.run.error) == ("failed", load("words").entry("training", "removed"))
    assert not folder.exists(), "nothing is there that would be everybody's"
    jobs.store.claims.check = take  # type: ignore[method-assign]
    owners.join(CONFIG.hash, A)
    jobs.submit(CONFIG)  # begun anew, and again A's
    assert jobs.wait(CONFIG.hash, WAIT)
    assert (owners.of(CONFIG.hash), RunStore(data).get(CONFIG.hash).status) == ({A}, "finished")  # type: ignore[union-attr]
    jobs.close()


def test_a_folder_that_came_back_is_not_ours(tmp_path: Path) -> None:
    """Another reader pressed Play on it, say: it is theirs, and so is its lock."""
    store, others = RunStore(tmp_path), RunStore(tmp_path)
    assert store.claims.take(CONFIG.hash)
    store.save(Run(CONFIG))
    shutil.rmtree(store.path(CONFIG.hash))
    assert others.claims.take(CONFIG.hash)
    for write in (lambda: store.save(Run(CONFIG)), lambda: store.finish(Run(CONFIG), {})):
        with pytest.raises(FileNotFoundError):
            write()
    assert not (store.path(CONFIG.hash) / RECORD).exists()
    store.claims.release(CONFIG.hash)
    assert (store.path(CONFIG.hash) / LOCK).exists()
    others.save(Run(CONFIG))
    others.claims.release(CONFIG.hash)
    store.save(Run(CONFIG))  # nobody's claim now

"""A damaged run: every kind is answered at once, in a sentence or by starting anew, and harms no other run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from alibi_viz.lm.runs import RunStore
from tests.hostile.damage import OF_RUNS, Damage, spoil
from tests.hostile.interrupted import OTHER, TINY, interrupted
from tests.hostile.test_doors import is_begun_anew, read_all
from tests.jobs.inline import ends_soon, outcome


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return interrupted(tmp_path_factory.mktemp("whole"))


@pytest.mark.parametrize(("file", "kind", "damage"), OF_RUNS, ids=lambda part: part if isinstance(part, str) else "")
def test_a_damaged_file_is_answered_at_once(file: str, kind: str, damage: Damage, whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    store = RunStore(tmp_path)
    before = outcome(store, OTHER)
    spoil(store.path(TINY.hash), file, damage)
    run, listed = ends_soon(lambda: read_all(store))
    assert listed == {OTHER.hash} | ({TINY.hash} if run else set()), kind
    is_begun_anew(tmp_path, before)

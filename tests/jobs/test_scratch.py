"""What Dask writes into the temporary folder goes with its cluster, or with the next one."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from alibi_viz.jobs import Cluster
from alibi_viz.jobs.scratch import LOCK, PREFIX, Scratch

HOLD = "import sys; from alibi_viz.jobs.scratch import Scratch; print(Scratch().path, flush=True); sys.stdin.read()"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def another() -> Iterator[subprocess.Popen[str]]:
    """Another process with a folder; its first line is the path."""
    process = subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


def test_a_folder_is_our_own_and_goes_when_it_is_closed(temporary: Path) -> None:
    scratch = Scratch()
    assert list(temporary.iterdir()) == [scratch.path]
    assert scratch.path.stat().st_mode & 0o777 == 0o700
    (scratch.path / "deep").mkdir()
    scratch.close()
    assert list(temporary.iterdir()) == []


def test_a_folder_in_use_stays_and_one_of_a_killed_process_goes(another: subprocess.Popen[str]) -> None:
    assert another.stdout is not None
    theirs = Path(another.stdout.readline().strip())
    Scratch().close()
    assert theirs.exists()
    another.kill()
    another.wait()
    assert theirs.exists()
    Scratch().close()
    assert not theirs.exists()


def test_nothing_of_others_is_removed(temporary: Path) -> None:
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / LOCK).touch()
    (temporary / f"{PREFIX}link").mkdir()
    (temporary / f"{PREFIX}link" / LOCK).symlink_to(elsewhere / LOCK)
    (temporary / f"{PREFIX}without").mkdir()
    (temporary / "tmpother").touch()
    before = sorted(temporary.rglob("*"))
    Scratch().close()
    assert sorted(temporary.rglob("*")) == before


@pytest.mark.parametrize("end", [Cluster.close, Cluster.kill])
@pytest.mark.slow  # two clusters of their own
def test_a_cluster_leaves_no_file(temporary: Path, end) -> None:
    cluster = Cluster(workers=1)
    assert cluster.client().submit(sum, [1, 2]).result(timeout=60) == 3
    (scratch,) = temporary.iterdir()
    assert scratch.name.startswith(PREFIX)
    end(cluster)
    assert list(temporary.iterdir()) == []

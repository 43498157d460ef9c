"""The command that trains: JSON out, one line for a mistake, and Ctrl-C keeps what is done."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from alibi_viz.cli import main, training
from alibi_viz.jobs.cluster import ROOT
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import RunStore
from tests.jobs.inline import InlineCluster, until

SHAPE = ["--length", "16", "--width", "16", "--heads", "2", "--text", "recall"]
CONFIG = TrainConfig("rope", length=16, width=16, heads=2, corpus="recall", steps=3000)


def test_several_methods_and_seeds_are_trained_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "Cluster", lambda *_: InlineCluster())
    arguments = ["--steps", "10", *SHAPE, "--data", str(tmp_path)]
    assert main(["train", "alibi", "none", *arguments, "--seeds", "0"]) == 0
    assert main(["train", "alibi", *arguments, "--seeds", "2,0"]) == 0
    runs = [run for line in capsys.readouterr().out.splitlines() for run in json.loads(line)["runs"]]
    asked = [("alibi", 0), ("none", 0), ("alibi", 2), ("alibi", 0)]
    assert [(run["config"]["method"], run["config"]["seed"]) for run in runs] == asked
    assert all(run["status"] == "finished" and run["step"] == 10 for run in runs)
    assert runs[0] == runs[3], "it was there already: even the seconds that it took are the same"


@pytest.mark.slow  # commands with workers of their own
@pytest.mark.parametrize("moment", ["the workers start", "it trains"])
def test_ctrl_c_leaves_no_process_no_traceback_and_what_is_done(moment: str, tmp_path: Path) -> None:
    """A terminal sends it to all processes, and Dask's own may still be importing."""
    temporary, store = tmp_path / "temporary", RunStore(tmp_path)
    temporary.mkdir()
    words = [sys.executable, "-m", "alibi_viz", "train", "rope", "--steps", "3000", "--workers", "1", *SHAPE]
    environment = {**os.environ, "ALIBI_VIZ_DATA": str(tmp_path), "TMPDIR": str(temporary)}
    options: dict[str, Any] = {"text": True, "start_new_session": True, "cwd": ROOT, "env": environment}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    command = psutil.Process(process.pid)
    if moment == "it trains":
        until(lambda: (run := store.get(CONFIG.hash)) and run.step >= 50)
    else:
        until(lambda: any("Nanny" in " ".join(child.cmdline()) for child in command.children(recursive=True)))
    processes = command.children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "goes on from here" in err
    assert "Traceback" not in err
    assert "Warning" not in err
    assert psutil.wait_procs(processes, timeout=30)[1] == [], "no process is left"
    assert list(temporary.iterdir()) == []
    run, state = store.get(CONFIG.hash), store.state(CONFIG.hash)
    assert run is not None
    assert run.status == "paused"
    assert (state is None) == (moment != "it trains")

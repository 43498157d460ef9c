"""The commands that train: JSON out, one line for a mistake, and Ctrl-C keeps what is done."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from alibi_viz.cli import main
from alibi_viz.jobs import Cluster
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import RunStore

SHAPE = ["--length", "16", "--width", "16", "--heads", "2", "--text", "recall"]


@pytest.mark.usefixtures("scheduler")
def test_train_sweep_and_evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["--data", str(tmp_path)]
    assert main(["sweep", "--methods", "alibi,none", "--seeds", "0", "--steps", "30", *SHAPE, *data]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [(r["config"]["method"], r["config"]["seed"]) for r in runs] == [
        ("alibi", 0),
        ("none", 0),
    ]
    assert all(run["status"] == "finished" and run["step"] == 30 for run in runs)
    assert main(["train", "alibi", "--steps", "30", *SHAPE, *data]) == 0
    # It was there already: even the seconds that it took are the same.
    assert json.loads(capsys.readouterr().out)["runs"] == runs[:1]
    assert main(["evaluate", runs[0]["hash"], "--lengths", "8,200", *data]) == 0
    evaluations = json.loads(capsys.readouterr().out)["evaluations"]
    assert [entry["length"] for entry in evaluations] == [8, 200]
    assert all(0 <= entry["accuracy"] <= 1 for entry in evaluations)


@pytest.mark.slow  # two commands, one with workers of its own
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path: Path, cluster: Cluster) -> None:
    command = [sys.executable, "-m", "alibi_viz", "train", "rope", "--steps", "300", "--workers", "1", *SHAPE]
    config = TrainConfig("rope", steps=300, length=16, width=16, heads=2, corpus="recall")
    address = str(cluster.client().scheduler.address)  # first of all: its keys are in the environment then
    store, environment = RunStore(tmp_path), {**os.environ, "ALIBI_VIZ_DATA": str(tmp_path)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    first = subprocess.Popen(command, env=environment, text=True, start_new_session=True, **pipes)  # type: ignore[call-overload]
    end = time.monotonic() + 240
    while (store.get(config.hash) or NotBegun).step < 50:
        assert time.monotonic() < end
        assert first.poll() is None
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGINT)  # as a terminal does it: the workers get it too
    out, err = first.communicate(timeout=60)
    assert (first.returncode, out) == (130, "")
    assert "goes on from here" in err
    assert "Traceback" not in err
    run, state = store.get(config.hash), store.state(config.hash)
    assert run is not None
    assert state is not None
    assert run.status == "paused"
    assert 50 <= state.step < 300
    environment["ALIBI_VIZ_SCHEDULER"] = address
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=240)
    assert again.returncode == 0, again.stderr
    (finished,) = json.loads(again.stdout)["runs"]
    assert (finished["status"], finished["step"]) == ("finished", 300)
    after = store.get(config.hash)
    assert after is not None
    assert after.losses[: run.step] == run.losses  # not begun anew


@pytest.mark.parametrize("seconds", [0.4, 1.0])  # then Python has begun, and imports
@pytest.mark.slow  # two commands with workers of their own
def test_ctrl_c_while_the_workers_start_is_no_traceback(seconds: float, tmp_path: Path) -> None:
    """A terminal sends it to all processes, and Dask's own are still importing."""
    (tmp_path / "temporary").mkdir()
    environment = {**os.environ, "ALIBI_VIZ_DATA": str(tmp_path), "TMPDIR": str(tmp_path / "temporary")}
    command = [sys.executable, "-m", "alibi_viz", "train", "rope", "--steps", "3000", "--workers", "2", *SHAPE]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, env=environment, text=True, start_new_session=True, **pipes)  # type: ignore[call-overload]
    end = time.monotonic() + 120
    while not any("Nanny" in word for child in started(process.pid) for word in child):
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "goes on from here" in err
    assert "Traceback" not in err
    assert list((tmp_path / "temporary").iterdir()) == []


def started(pid: int) -> list[list[str]]:
    """The command lines of what a process has started."""
    found = []
    for child in psutil.Process(pid).children():
        with contextlib.suppress(psutil.Error):  # it has just ended
            found.append(child.cmdline())
    return found


class NotBegun:
    step = 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["train", "guess"], "position method"),
        (["train", "alibi", "--steps", "0"], "steps"),
        (["train", "alibi", "--text", "/nowhere"], "cannot be read"),
        (["train", "alibi", "--text", "/dev/zero"], "regular file"),
        (["train", "alibi", "--scheduler", "http://x"], "tcp://host:port"),
        (["train", "alibi", "--device", "quantum"], "quantum"),
        (["sweep", "--seeds", "a,b"], "whole numbers"),
        (["evaluate", "0123456789abcdef"], "no finished run"),
        (["evaluate", "../../etc"], "no finished run"),
    ],
)
def test_a_mistake_gives_one_line(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--data", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert captured.err.count("\n") == 1

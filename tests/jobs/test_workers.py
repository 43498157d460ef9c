"""Runs in worker processes: the same weights as an undisturbed run, whatever happens to the workers or the app."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import dask
import psutil
import pytest
import torch
from distributed import Security
from distributed.comm import connect

from alibi_viz.jobs import Cluster, Jobs, Plan
from alibi_viz.jobs import cluster as cluster_module
from alibi_viz.jobs.cluster import ROOT, SETTINGS
from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.lm.training import start, train_chunk
from benchmarks.chromium import free_port
from tests.jobs.inline import until as until_soon
from tests.threads import run_in_a_thread

SMALL = TrainConfig(length=16, width=16, heads=2, batch=4, steps=40)
LONG, KILLED = replace(SMALL, steps=4000), replace(SMALL, steps=300)
WAIT = 240  # seconds before a test gives up: a loaded machine is slow, not wrong
QUICK = Plan(times=(1, 2), held_out=2_000, sample_every=20, sample_bytes=500)
TRAIN = """import sys, time
from pathlib import Path
from alibi_viz.jobs import Cluster, Jobs
from alibi_viz.lm.runs import RunStore
from tests.jobs.test_workers import KILLED, QUICK
jobs = Jobs(RunStore(Path(sys.argv[1])), Cluster(workers=1), chunk=0.01)
jobs.submit(KILLED, plan=QUICK)
time.sleep(600)
"""


def until(true: Callable[[], object]) -> None:
    until_soon(true, WAIT)


@pytest.fixture
def jobs(cluster: Cluster, tmp_path: Path) -> Iterator[Jobs]:
    line = Jobs(RunStore(tmp_path), cluster, chunk=0.02)
    yield line
    for run in list(line._jobs):
        line.delete(run)


def check(store: RunStore, config: TrainConfig) -> Run:
    """The finished run, its weights bit for bit those of a run in one piece."""
    run, weights = store.get(config.hash), store.weights(config.hash)
    assert run is not None
    assert run.status == "finished", run.error
    assert weights is not None
    corpus = None if config.is_recall else python_text()
    undisturbed = train_chunk(start(config, corpus), config.steps, corpus).weights
    assert all(torch.equal(weights[name], w) for name, w in undisturbed.items())
    return run


def step(jobs: Jobs, config: TrainConfig) -> int:
    progress = jobs.progress(config.hash)
    assert progress is not None
    return progress.run.step


def finish(jobs: Jobs, config: TrainConfig) -> Run:
    jobs.submit(config, plan=QUICK)
    assert jobs.wait(config.hash, WAIT)
    return check(jobs.store, config)


def test_runs_go_to_their_end_and_are_measured(jobs: Jobs) -> None:
    recall = replace(SMALL, corpus="recall", method="learned")
    jobs.submit(recall, plan=QUICK)
    run = finish(jobs, SMALL)
    assert len(run.losses) == run.step == 40
    assert [(entry["length"], entry["stride"]) for entry in run.evaluations] == [(16, 4), (32, 8), (16, 16), (32, 32)]
    assert [(entry["step"], entry["length"]) for entry in run.interim_evaluations] == [
        *((20, 16), (20, 32), (20, 64)),
        *((40, 16), (40, 32), (40, 64)),  # the quick test of the trained model
    ]
    assert run.environment["torch"] == torch.__version__
    assert jobs.store.state(SMALL.hash) is None
    assert jobs.wait(recall.hash, WAIT)
    asked = check(jobs.store, recall).recall
    assert [(entry["length"], entry["pairs"]) for entry in asked] == [(9, 4), (25, 4), (13, 2), (29, 2)]
    assert 0 <= asked[0]["accuracy"] <= 1
    assert "no vector" in asked[1]["missing"]


def test_a_killed_worker_costs_its_chunk(jobs: Jobs) -> None:
    config = replace(SMALL, steps=150)
    jobs.submit(config, plan=QUICK)
    until(lambda: step(jobs, config) >= 20)
    before = step(jobs, config)
    for pid in jobs.cluster.client().run(os.getpid).values():
        os.kill(pid, signal.SIGKILL)
    assert step(jobs, config) >= before
    assert jobs.wait(config.hash, WAIT)
    assert len(check(jobs.store, config).losses) == 150


def test_a_run_that_is_deleted_leaves_its_worker_to_others(jobs: Jobs) -> None:
    jobs.submit(LONG, plan=QUICK)
    until(lambda: step(jobs, LONG) >= 10)
    jobs.delete(LONG.hash)
    assert jobs.progress(LONG.hash) is None
    finish(jobs, SMALL)
    assert not jobs.store.path(LONG.hash).exists()


def test_the_cluster_speaks_on_this_machine_with_nobody_else(cluster: Cluster) -> None:
    """A scheduler runs what it is sent: another account of this machine must not be able to send it anything."""
    address = str(cluster.client().scheduler.address)
    ours = [psutil.Process(), *psutil.Process().children(recursive=True)]
    listening = [c.laddr.ip for p in ours for c in p.net_connections("tcp") if c.status == psutil.CONN_LISTEN]
    assert listening
    assert set(listening) <= {"127.0.0.1", "::1"}
    assert address.startswith("tls://127.0.0.1:")
    strangers = [(address, Security.temporary()), (address.replace("tls", "tcp"), Security(require_encryption=False))]
    for place, security in strangers:
        with pytest.raises(OSError, match=r"certificate|closed"):
            run_in_a_thread(connect(place, timeout=5, **security.get_connection_args("client")))


def test_workers_keep_freed_memory_and_survive_a_clock_that_was_set(cluster: Cluster) -> None:
    """Else every step asks the system for its memory again, which takes half as long as the step."""
    client = cluster.client()
    client.wait_for_workers(1, timeout=WAIT)
    for name, value in SETTINGS["distributed.nanny.pre-spawn-environ"].items():  # type: ignore[attr-defined]
        assert set(client.run(os.getenv, name).values()) == {str(value)}
    assert client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.worker_ttl) is None
    assert "DASK_INTERNAL_INHERIT_CONFIG" not in os.environ, "the keys are known where they are needed"


def test_a_scheduler_that_is_not_there_is_an_error_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "CONNECTING", 1)
    with pytest.raises(ValueError, match="tcp://host:port"):
        Cluster(scheduler="http://127.0.0.1:80/")
    with pytest.raises(ConnectionError, match="workers do not answer"):
        Cluster(scheduler="tcp://127.0.0.1:9").client()


@pytest.mark.slow  # a cluster of its own, started twice
def test_a_dead_scheduler_is_told_and_play_goes_on_with_another(tmp_path: Path) -> None:
    jobs, config = Jobs(RunStore(tmp_path), Cluster(workers=1), chunk=0.02), replace(SMALL, steps=150)
    jobs.submit(config, plan=QUICK)
    until(lambda: step(jobs, config) >= 20)
    os.kill(jobs.cluster._cluster.scheduler.process.pid, signal.SIGKILL)
    assert jobs.wait(config.hash, 5)
    run = jobs.progress(config.hash).run  # type: ignore[union-attr]
    assert (run.status, run.error) == ("failed", load("words").entry("training", "disconnected"))
    finish(jobs, config)
    jobs.close()
    assert not [child for child in psutil.Process().children() if "SubprocessCluster" in " ".join(child.cmdline())]


@pytest.mark.slow  # a cluster of its own
def test_idle_workers_end_and_a_run_starts_them_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SETTINGS, "distributed.scheduler.idle-timeout", "20s")
    jobs = Jobs(RunStore(tmp_path), Cluster(workers=1))
    jobs.warm_up()
    until(lambda: jobs.cluster.is_connected)
    started = psutil.Process(jobs.cluster._cluster.scheduler.process.pid)
    until(lambda: not jobs.cluster.is_connected)
    until(lambda: not started.is_running() or started.status() == psutil.STATUS_ZOMBIE)
    finish(jobs, SMALL)
    jobs.close()


@pytest.mark.slow  # a cluster of its own
def test_a_killed_app_leaves_no_process_and_the_next_one_goes_on_bit_for_bit(tmp_path: Path, cluster: Cluster) -> None:
    app = subprocess.Popen([sys.executable, "-c", TRAIN, str(tmp_path)], cwd=ROOT, stderr=subprocess.DEVNULL)
    store = RunStore(tmp_path)
    until(lambda: (run := store.get(KILLED.hash)) and run.step >= 30)
    started = psutil.Process(app.pid).children(recursive=True)
    assert len(started) >= 3  # scheduler, nanny, worker
    app.kill()  # and nobody asks how it ended: it stays a zombie
    _, alive = psutil.wait_procs(started, timeout=30)
    assert alive == []
    app.wait(10)
    jobs = Jobs(store, cluster)
    assert jobs.progress(KILLED.hash).notice == "interrupted"  # type: ignore[union-attr]
    assert len(finish(jobs, KILLED).losses) == 300


def pem_files(folder: Path) -> dict[str, Any]:
    """The settings by which all machines of a cluster find their keys, in files."""
    security, settings = Security.temporary(), {"distributed.comm.require-encryption": True}
    for name in (
        "ca_file",
        *(f"{role}_{part}" for role in ("scheduler", "worker", "client") for part in ("key", "cert")),
    ):
        path = folder / f"{name}.pem"
        path.write_text(getattr(security, f"tls_{name}"))
        where = "ca-file" if name == "ca_file" else name.replace("_", ".")
        settings[f"distributed.comm.tls.{where}"] = str(path)
    return settings


@pytest.mark.slow  # a scheduler and a worker of another machine
def test_a_cluster_elsewhere_is_used_by_its_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "keys").mkdir()
    settings, port = pem_files(tmp_path / "keys"), free_port()
    names = {name: "DASK_" + name.upper().replace(".", "__").replace("-", "_") for name in settings}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)} | {names[name]: str(settings[name]) for name in settings}
    dask_command = [sys.executable, "-m", "dask"]
    address = f"tls://127.0.0.1:{port}"
    commands = [
        ["scheduler", "--host", address, "--no-dashboard"],
        ["worker", address, "--nthreads", "1", "--no-dashboard"],
    ]
    processes = []
    try:
        for command in commands:
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            processes.append(subprocess.Popen([*dask_command, *command], env=environment, cwd=tmp_path, **quiet))  # type: ignore[call-overload]
            time.sleep(2)
        monkeypatch.setenv("ALIBI_VIZ_SCHEDULER", address)
        with dask.config.set(settings):
            jobs = Jobs(RunStore(tmp_path / "data"))
            finish(jobs, SMALL)
            assert (jobs.cluster.own, jobs.cluster.workers) == (False, 1)
            jobs.close()
        assert all(process.poll() is None for process in processes), "it is left as it was"
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(30)

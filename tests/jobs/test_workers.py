"""Runs in worker processes and by the command: the same weights as an undisturbed run, whatever happens to any of them."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import psutil
import pytest
from distributed import Security
from distributed.comm import connect

from alibi_viz.cli import main, training
from alibi_viz.jobs import cluster as cluster_module
from alibi_viz.jobs.cluster import ROOT, SETTINGS, Cluster
from alibi_viz.jobs.queue import Jobs
from alibi_viz.jobs.tasks import Plan
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.runs import RunStore
from alibi_viz.lm.training import start, train_chunk
from benchmarks.chromium import free_port
from tests.jobs.inline import InlineCluster, ended, finish, outcome, seen, until
from tests.threads import run_in_a_thread

SMALL = TrainConfig(length=16, width=16, heads=2, batch=4, steps=40)
KILLED = replace(SMALL, steps=300)
QUICK = Plan(times=(1, 2), held_out=2_000, sample_every=20, sample_bytes=500)
TRAIN = """import sys, time
from pathlib import Path
from alibi_viz.jobs.cluster import Cluster
from alibi_viz.jobs.queue import Jobs
from alibi_viz.lm.runs import RunStore
from tests.jobs.test_workers import KILLED, QUICK
jobs = Jobs(RunStore(Path(sys.argv[1])), Cluster(workers=1), chunk=0.01)
jobs.submit(KILLED, plan=QUICK)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def cluster():
    """One for all tests: starting one takes longer than most of them."""
    shared = Cluster(workers=1)
    yield shared
    shared.close()


@pytest.fixture
def jobs(cluster, tmp_path):
    line = Jobs(RunStore(tmp_path), cluster, chunk=0.02)
    yield line
    for run in list(line._jobs):
        line.delete(run)


def check(jobs, config):
    """The run at its end; its weights are bit for bit those of a run in one piece."""
    run, corpus = finish(jobs, config, QUICK), None if config.is_recall else python_text()
    undisturbed = train_chunk(start(config, corpus), config.steps, corpus).weights
    assert outcome(jobs.store, config)[1] == {name: weight.numpy().tobytes() for name, weight in undisturbed.items()}
    return run


def begun(jobs):
    config = replace(SMALL, steps=150)
    jobs.submit(config, plan=QUICK)
    until(lambda: seen(jobs, config).step >= 20)
    return config


@pytest.mark.slow
def test_runs_go_to_their_end_and_are_measured(jobs):
    recall = replace(SMALL, corpus="recall", method="learned")
    jobs.submit(recall, plan=QUICK)
    run = check(jobs, SMALL)
    assert len(run.losses) == run.step == 40
    assert [(entry["length"], entry["stride"]) for entry in run.evaluations] == [(16, 4), (32, 8), (16, 16), (32, 32)]
    interim = [(entry["step"], entry["length"]) for entry in run.interim_evaluations]
    assert interim == [(step, length) for step in (20, 40) for length in (16, 32, 64)]
    assert jobs.store.state(SMALL.hash) is None
    asked = check(jobs, recall).recall
    assert [(entry["length"], entry["pairs"]) for entry in asked] == [(9, 4), (25, 4), (13, 2), (29, 2)]
    assert 0 <= asked[0]["accuracy"] <= 1
    assert "no vector" in asked[1]["missing"]


@pytest.mark.slow
def test_a_killed_worker_costs_its_chunk(jobs):
    config = begun(jobs)
    before = seen(jobs, config).step
    for pid in jobs.cluster.client().run(os.getpid).values():
        os.kill(pid, signal.SIGKILL)
    assert seen(jobs, config).step >= before
    assert len(check(jobs, config).losses) == config.steps


def test_the_cluster_speaks_on_this_machine_with_nobody_else(cluster):
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
    assert "DASK_INTERNAL_INHERIT_CONFIG" not in os.environ, "the keys are known where they are needed"


def test_no_process_of_the_cluster_has_pages(cluster):
    """Dask's pages over plain HTTP ask for no key: any web site that is open beside the app could read them."""
    client = cluster.client()
    client.wait_for_workers(1)
    pids = {
        client.run_on_scheduler(os.getpid),
        *client.run(os.getpid).values(),
        *client.run(os.getpid, nanny=True).values(),
    }
    sockets = [socket for pid in pids for socket in psutil.Process(pid).net_connections("tcp")]
    ports = {socket.laddr.port for socket in sockets if socket.status == psutil.CONN_LISTEN}
    for path, status in (("/sitemap.json", 200), ("/json/identity.json", 404), ("/info/main/workers.html", 404)):
        answers = [answer for port in ports if (answer := visited(port, path))]
        assert answers, "those that speak HTTP, and do not wait for TLS"
        assert {code for code, _ in answers} == {status}
        if path == "/sitemap.json":
            assert {tuple(json.loads(body)["paths"]) for _, body in answers} == {(path,)}, "it names no page but itself"


def visited(port, path):
    """What a port answers to a web site's request; None if it speaks no HTTP."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    with contextlib.closing(connection), contextlib.suppress(HTTPException, OSError):
        connection.request("GET", path, headers={"Host": "evil.example"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    return None


def test_a_scheduler_that_is_not_there_is_an_error_in_words(monkeypatch):
    monkeypatch.setattr(cluster_module, "CONNECTING", 1)
    with pytest.raises(Problem, match="workers do not answer"):
        Cluster(scheduler="tcp://127.0.0.1:9").client()


@pytest.mark.slow  # a cluster of its own, started twice
def test_a_dead_scheduler_is_told_and_play_goes_on_with_another(tmp_path):
    jobs = Jobs(RunStore(tmp_path), Cluster(workers=1), chunk=0.02)
    config = begun(jobs)
    os.kill(jobs.cluster._cluster.scheduler.process.pid, signal.SIGKILL)
    run = ended(jobs, config, 5)
    assert (run.status, run.error) == ("failed", Problem("training.disconnected"))
    check(jobs, config)
    jobs.close()
    assert not [child for child in psutil.Process().children() if "SubprocessCluster" in " ".join(child.cmdline())]


@pytest.mark.slow  # a cluster of its own
def test_idle_workers_end_and_a_run_starts_them_again(tmp_path, monkeypatch):
    monkeypatch.setitem(SETTINGS, "distributed.scheduler.idle-timeout", "20s")
    jobs = Jobs(RunStore(tmp_path), Cluster(workers=1))
    jobs.warm_up()
    until(lambda: jobs.cluster.is_connected)
    started = psutil.Process(jobs.cluster._cluster.scheduler.process.pid)
    until(lambda: not jobs.cluster.is_connected)
    until(lambda: not started.is_running() or started.status() == psutil.STATUS_ZOMBIE)
    check(jobs, SMALL)
    jobs.close()


@pytest.mark.slow  # a cluster of its own
def test_a_killed_app_leaves_no_process_and_the_next_one_goes_on_bit_for_bit(tmp_path, cluster):
    app = subprocess.Popen([sys.executable, "-c", TRAIN, str(tmp_path)], cwd=ROOT, stderr=subprocess.DEVNULL)
    store = RunStore(tmp_path)
    until(lambda: (run := store.get(KILLED.hash)) and run.step >= 30)
    started = psutil.Process(app.pid).children(recursive=True)
    assert len(started) >= 3  # scheduler, nanny, worker
    app.kill()  # and nobody asks how it ended: it stays a zombie
    assert psutil.wait_procs(started, timeout=30)[1] == [], "none is alive"
    app.wait(10)
    left = list(Path(tempfile.gettempdir()).glob(f"{cluster_module.FOLDERS}{app.pid}-*"))
    assert len(left) == 1
    cluster_module.remove_leftovers()
    assert not left[0].exists()
    jobs = Jobs(store, cluster)
    assert jobs.progress(KILLED.hash).notice == "interrupted"
    assert len(check(jobs, KILLED).losses) == 300


@pytest.mark.slow  # a scheduler and a worker of another machine
def test_a_cluster_elsewhere_is_used_by_its_address_and_left(tmp_path, monkeypatch):
    address = f"tcp://127.0.0.1:{free_port()}"
    dask, environment = [sys.executable, "-m", "dask"], os.environ | {"PYTHONPATH": str(ROOT)}
    scheduler = subprocess.Popen(
        [*dask, "scheduler", "--host", address, "--no-dashboard"], env=environment, cwd=tmp_path
    )
    worker = subprocess.Popen([*dask, "worker", address, "--nthreads", "1"], env=environment, cwd=tmp_path)
    monkeypatch.setenv("ALIBI_VIZ_SCHEDULER", address)
    try:
        jobs = Jobs(RunStore(tmp_path / "data"))
        check(jobs, SMALL)
        assert (jobs.cluster.own, jobs.cluster.workers) == (False, 1)
        jobs.close()
        assert scheduler.poll() is worker.poll() is None
    finally:
        for process in (worker, scheduler):
            process.terminate()
            process.wait(30)


SHAPE = ["--length", "16", "--width", "16", "--heads", "2", "--text", "recall"]
CONFIG = TrainConfig("rope", length=16, width=16, heads=2, corpus="recall", steps=3000)


def test_several_methods_and_seeds_are_trained_and_told(tmp_path, capsys, monkeypatch):
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
def test_ctrl_c_leaves_no_process_no_traceback_and_what_is_done(moment, tmp_path):
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

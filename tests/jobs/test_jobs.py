"""Runs in worker processes: the same weights as an undisturbed run, whatever happens to the workers or the reader."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import dask
import psutil
import pytest
import torch
from distributed import Security
from distributed.comm import connect

from alibi_viz.jobs import Busy, Cluster, Jobs, Limits, Plan, dispatcher
from alibi_viz.jobs.cluster import KEEP_MEMORY, ROOT
from alibi_viz.jobs.dask_processes import services
from alibi_viz.jobs.job import FIRST, Job
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import own_text, python_text
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.lm.training import start, train_chunk
from tests.faults.inline import ends_soon
from tests.threads import run_in_a_thread

SMALL = TrainConfig(length=16, width=16, heads=2, batch=4, steps=40)
LONG = replace(SMALL, steps=4000)
WAIT = 240  # seconds before a test gives up: a loaded machine is slow, not wrong
QUICK = Plan(times=(1, 2), held_out=2_000, sample_every=20, sample_bytes=500)


@pytest.fixture
def jobs(cluster: Cluster, tmp_path: Path) -> Iterator[Jobs]:
    queue = Jobs(RunStore(tmp_path), cluster, chunk=10)
    yield queue
    for run in queue.runs:
        queue.cancel(run)


def undisturbed(config: TrainConfig) -> dict[str, torch.Tensor]:
    corpus = None if config.is_recall else python_text()
    return train_chunk(start(config, corpus), config.steps, corpus).weights


def check(jobs: Jobs, config: TrainConfig) -> Run:
    """The finished run, its weights bit for bit those of a run in one piece."""
    run, weights = jobs.store.get(config.hash), jobs.store.weights(config.hash)
    assert run is not None
    assert run.status == "finished", run.error
    assert weights is not None
    assert all(torch.equal(weights[name], w) for name, w in undisturbed(config).items())
    return run


def until(true: Callable[[], object], seconds: float = WAIT) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


def step(jobs: Jobs, run: str) -> int:
    progress = jobs.progress(run)
    assert progress is not None
    return progress.run.step


def test_a_run_goes_to_its_end_and_is_measured(jobs: Jobs) -> None:
    assert jobs.submit(SMALL, plan=QUICK).status == "waiting"
    assert jobs.wait(SMALL.hash, WAIT)
    run = check(jobs, SMALL)
    assert len(run.losses) == run.step == 40
    assert [(entry["length"], entry["stride"]) for entry in run.evaluations] == [(16, 4), (32, 8), (16, 16), (32, 32)]
    assert [(entry["step"], entry["length"]) for entry in run.interim_evaluations] == [
        *((20, 16), (20, 32), (20, 64)),
        *((40, 16), (40, 32), (40, 64)),  # the quick test of the trained model
    ]
    assert run.environment["torch"] == torch.__version__
    assert jobs.store.state(SMALL.hash) is None
    assert jobs.submit(SMALL).status == "finished"  # and nothing is trained again


def test_nothing_listens_to_other_machines(cluster: Cluster) -> None:
    cluster.client()
    ours = [psutil.Process(), *psutil.Process().children(recursive=True)]
    listening = [c.laddr.ip for p in ours for c in p.net_connections("tcp") if c.status == psutil.CONN_LISTEN]
    assert listening
    assert set(listening) <= {"127.0.0.1", "::1"}


def test_recall_and_a_readers_own_text(jobs: Jobs) -> None:
    recall = replace(SMALL, corpus="recall")
    corpus = own_text("\n\n".join(f"paragraph {n} of {n * n} says {n % 7}" for n in range(1500)))
    own = replace(SMALL, corpus=corpus.key)
    with pytest.raises(ValueError, match="not kept on this machine"):
        jobs.submit(own)
    jobs.submit(recall, plan=QUICK)
    jobs.submit(own, corpus, plan=QUICK)
    assert jobs.wait(recall.hash, WAIT)
    assert jobs.wait(own.hash, WAIT)
    asked = [(entry["length"], entry["pairs"]) for entry in check(jobs, recall).recall]
    assert asked == [(9, 4), (25, 4), (13, 2), (29, 2)]  # 16 bytes cannot hold 8 pairs
    run = jobs.store.get(own.hash)
    assert run is not None
    assert run.corpus == corpus.sha256
    assert run.status == "finished"
    learned = replace(recall, method="learned")
    jobs.submit(learned, plan=QUICK)
    assert jobs.wait(learned.hash, WAIT)
    trained, beyond, *_ = check(jobs, learned).recall
    assert 0 <= trained["accuracy"] <= 1
    assert "no vector" in beyond["missing"]


def test_pause_step_and_resume_change_nothing(jobs: Jobs) -> None:
    config = replace(SMALL, steps=120)
    jobs.submit(config, plan=QUICK)
    until(lambda: step(jobs, config.hash) >= 10)
    jobs.pause(config.hash)
    until(lambda: jobs.progress(config.hash).queue_position is None)  # type: ignore[union-attr]
    here = step(jobs, config.hash)
    assert 10 <= here < 120
    time.sleep(0.3)
    assert step(jobs, config.hash) == here
    jobs.submit(config, plan=QUICK, steps=3)
    assert jobs.wait(config.hash, WAIT)
    assert step(jobs, config.hash) == here + 3
    jobs.submit(config, plan=QUICK)
    assert jobs.wait(config.hash, WAIT)
    check(jobs, config)


def test_a_new_run_may_be_asked_for_a_few_steps(jobs: Jobs) -> None:
    jobs.submit(SMALL, plan=QUICK, steps=15)
    assert jobs.wait(SMALL.hash, WAIT)
    assert step(jobs, SMALL.hash) == 15
    jobs.submit(SMALL, plan=QUICK)
    assert jobs.wait(SMALL.hash, WAIT)
    check(jobs, SMALL)


def test_without_samples_chunks_keep_their_size(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[int] = []
    save = jobs.store.save
    monkeypatch.setattr(jobs.store, "save", lambda run, *rest: (steps.append(run.step), save(run, *rest))[1])
    jobs.submit(SMALL, plan=replace(QUICK, sample_times=(), sample_every=15))
    assert jobs.wait(SMALL.hash, WAIT)
    assert sorted(set(steps)) == [0, FIRST, *range(FIRST + 10, 40, 10), 40]


def test_a_full_disk_fails_one_run_and_no_other(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    other, save = replace(SMALL, seed=1), jobs.store.save

    def full(run: Run, *rest: object) -> None:
        if run.hash == SMALL.hash and run.step:
            raise OSError("No space left on device")
        save(run, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs.store, "save", full)
    for config in (SMALL, other):
        jobs.submit(config, plan=QUICK)
    assert all(jobs.wait(config.hash, WAIT) for config in (SMALL, other))
    progress = jobs.progress(SMALL.hash)
    assert progress is not None
    assert progress.run.status == "failed"
    assert "could not be saved (No space left on device)" in progress.run.error
    check(jobs, other)


def test_a_measurement_that_is_no_number_fails_its_run(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    take = Job.take
    nan = {"length": 16, "stride": 16, "loss": float("nan"), "perplexity": float("nan")}
    monkeypatch.setattr(Job, "take", lambda job, result: take(job, result if job.kind == "train" else [nan]))
    jobs.submit(SMALL, plan=replace(QUICK, sample_times=()))
    assert jobs.wait(SMALL.hash, WAIT)
    until(lambda: (progress := jobs.progress(SMALL.hash)) and progress.run.status == "failed")
    run = jobs.store.get(SMALL.hash)
    assert run is not None
    assert "NaN or infinite" in run.error


def test_a_paused_run_needs_no_memory_and_loses_no_step(jobs: Jobs) -> None:
    steps: list[int] = []
    save = jobs.store.save
    jobs.store.save = lambda run, *rest: (steps.append(run.step), save(run, *rest))[1]  # type: ignore[method-assign]
    jobs.submit(LONG, plan=QUICK)
    until(lambda: step(jobs, LONG.hash) >= 10)
    jobs.pause(LONG.hash)
    until(lambda: LONG.hash not in jobs.runs)
    assert step(jobs, LONG.hash) == steps[-1]
    jobs.submit(LONG, plan=QUICK)
    until(lambda: step(jobs, LONG.hash) >= 40)
    jobs.pause(LONG.hash)
    jobs.submit(LONG, plan=QUICK)  # while a chunk may be on the way
    until(lambda: step(jobs, LONG.hash) >= 70)
    assert steps == sorted(steps)


def test_workers_keep_freed_memory(cluster: Cluster) -> None:
    """Else every step asks the system for its memory again, which takes half as long as the step."""
    for name, size in KEEP_MEMORY.items():
        assert set(cluster.client().run(os.environ.get, name).values()) == {str(size)}


def test_no_worker_is_ended_by_a_clock_that_was_set(cluster: Cluster) -> None:
    assert cluster.client().run_on_scheduler(lambda dask_scheduler: dask_scheduler.worker_ttl) is None


@pytest.mark.slow  # a cluster anew; what the queue does then is in tests/faults, without processes
def test_all_nannies_killed_at_once_are_replaced(jobs: Jobs) -> None:
    """Nobody but the queue starts them again."""
    config = replace(SMALL, steps=150)
    jobs.submit(config, plan=QUICK)
    until(lambda: step(jobs, config.hash) >= 20)
    for nanny in jobs.cluster._cluster.workers.values():
        os.kill(nanny.process.pid, signal.SIGKILL)
    assert jobs.wait(config.hash, WAIT)
    assert len(check(jobs, config).losses) == 150


def test_a_new_process_goes_on_where_the_old_one_ended(jobs: Jobs, cluster: Cluster) -> None:
    config = replace(SMALL, steps=80)
    jobs.submit(config, plan=QUICK)
    until(lambda: step(jobs, config.hash) >= 20)
    jobs.pause(config.hash)
    until(lambda: jobs.progress(config.hash).queue_position is None)  # type: ignore[union-attr]
    later = Jobs(RunStore(jobs.store.folder.parent), cluster, chunk=7)
    assert later.progress(config.hash).run.status == "paused"  # type: ignore[union-attr]
    assert later.submit(config, plan=QUICK).step >= 20
    assert later.wait(config.hash, WAIT)
    check(later, config)


def test_cancel_forgets_the_run(jobs: Jobs) -> None:
    jobs.submit(LONG, plan=QUICK)
    until(lambda: step(jobs, LONG.hash) >= 10)
    jobs.cancel(LONG.hash)
    assert jobs.progress(LONG.hash) is None
    jobs.submit(SMALL, plan=QUICK)
    assert jobs.wait(SMALL.hash, WAIT)
    assert not jobs.store.path(LONG.hash).exists()


def test_a_killed_worker_costs_at_most_a_chunk(jobs: Jobs) -> None:
    config = replace(SMALL, steps=150)
    jobs.submit(config, plan=QUICK)
    until(lambda: step(jobs, config.hash) >= 20)
    pids = list(jobs.cluster.client().run(os.getpid).values())
    before = step(jobs, config.hash)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    assert step(jobs, config.hash) >= before
    assert jobs.wait(config.hash, WAIT)
    assert len(check(jobs, config).losses) == 150


@pytest.mark.slow
def test_thirty_readers_lose_nothing_and_share_equal_runs(jobs: Jobs) -> None:
    configs = [replace(SMALL, seed=reader % 10, steps=20) for reader in range(30)]
    with ThreadPoolExecutor(30) as readers:
        list(readers.map(lambda config: jobs.submit(config, plan=Plan(times=(1,), sliding=0)), configs))
    assert len(jobs.runs) <= 10
    assert all(jobs.wait(config.hash, WAIT) for config in configs)
    assert {run.hash for run in jobs.store.runs()} == {config.hash for config in configs}
    for config in configs[:10]:
        assert check(jobs, config).step == 20


def test_turns_are_fair(jobs: Jobs) -> None:
    """A short run that comes after three long ones need not wait for their ends."""
    long = [replace(LONG, seed=seed) for seed in range(3)]
    for config in long:
        jobs.submit(config, plan=QUICK)
    jobs.submit(SMALL, plan=QUICK)
    assert jobs.wait(SMALL.hash, WAIT)
    steps = [step(jobs, config.hash) for config in long]
    assert all(0 < done < 4000 for done in steps)
    assert max(steps) - min(steps) <= 40


def test_a_full_queue_and_a_run_too_large_are_refused_in_words(cluster: Cluster, tmp_path: Path) -> None:
    jobs = Jobs(RunStore(tmp_path), cluster, Limits(waiting=2, steps=5000))
    for seed in range(2):
        jobs.submit(replace(LONG, seed=seed))
    with pytest.raises(Busy, match="2 runs are waiting already"):
        jobs.submit(replace(LONG, seed=2))
    jobs.submit(LONG)  # an equal one takes no place
    for seed in range(2):
        jobs.cancel(replace(LONG, seed=seed).hash)
    for change, words in (({"steps": 5001}, "5,000 steps"), ({"width": 512, "heads": 8, "layers": 8}, "parameters")):
        with pytest.raises(ValueError, match=words):
            jobs.submit(replace(SMALL, **change))  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_killed_app_leaves_no_process_behind() -> None:
    """A process that starts a cluster and is killed: nothing of it can run any more, so nobody can close the cluster."""
    script = "from alibi_viz.jobs import Cluster; Cluster(workers=1).client(); print('up', flush=True); input()"
    app = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    assert app.stdout is not None
    assert app.stdout.readline() == b"up\n"
    started = psutil.Process(app.pid).children(recursive=True)
    assert len(started) >= 3  # scheduler, nanny, worker
    app.kill()  # and nobody asks how it ended: it stays a zombie
    _, alive = psutil.wait_procs(started, timeout=30)
    assert alive == []
    app.wait(10)


@pytest.mark.slow  # a cluster of its own, started twice
@pytest.mark.parametrize("seconds", [0.3, 1.0, 1.7])
def test_a_scheduler_that_ends_while_it_starts_is_started_again(seconds: float) -> None:
    """Dask itself waits for it; here for longer than the test."""
    cluster, losses, others = Cluster(workers=1), list[str](), services()
    cluster.on_loss = lambda: losses.append("lost")

    def strike() -> None:
        until(lambda: services() - others)
        time.sleep(seconds)
        (scheduler,) = (
            process for process in services() - others if "distributed.Scheduler" in " ".join(process.cmdline())
        )
        scheduler.kill()

    struck = threading.Thread(target=strike)
    struck.start()
    with dask.config.set({"distributed.comm.timeouts.connect": f"{10 * WAIT}s"}):
        client = ends_soon(cluster.client, WAIT)
    struck.join()
    assert client.scheduler_info()["workers"]
    assert losses == ["lost"]
    cluster.close()


def test_the_scheduler_speaks_with_nobody_else(cluster: Cluster) -> None:
    """A scheduler runs what it is sent: another account of this machine must not be able to send it anything."""
    address = str(cluster.client().scheduler.address)
    assert address.startswith("tls://127.0.0.1:")
    strangers = [(address, Security.temporary()), (address.replace("tls", "tcp"), Security(require_encryption=False))]
    for place, security in strangers:
        with pytest.raises(OSError, match=r"certificate|closed"):
            run_in_a_thread(connect(place, timeout=5, **security.get_connection_args("client")))


def test_a_scheduler_that_is_not_there_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="tcp://host:port"):
        Cluster(scheduler="http://127.0.0.1:80/")
    with pytest.raises(ConnectionError, match="workers do not answer"):
        Cluster(scheduler="tcp://127.0.0.1:9").client()


def test_a_run_that_diverges_fails_in_words(jobs: Jobs) -> None:
    config = replace(SMALL, learning_rate=100.0, clip=100.0, weight_decay=100.0, steps=400)
    jobs.submit(config, plan=QUICK)
    assert jobs.wait(config.hash, WAIT)
    progress = jobs.progress(config.hash)
    assert progress is not None
    assert progress.run.status == "failed"
    assert "NaN or infinite" in progress.run.error


@pytest.mark.slow  # a cluster of its own
def test_workers_are_warmed_up_and_end_when_no_run_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "WARM", 0.5)
    jobs = Jobs(RunStore(tmp_path), Cluster(workers=1))
    jobs.warm_up()
    until(lambda: jobs.cluster._client is not None and jobs.cluster._client.scheduler_info()["workers"])
    nannies = [psutil.Process(worker.process.pid) for worker in jobs.cluster._cluster.workers.values()]
    started = [process for nanny in nannies for process in (nanny, *nanny.children(recursive=True))]
    until(lambda: not any(child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in started))
    jobs.submit(SMALL, plan=Plan(times=(1,), sliding=0, sample_times=()))  # and a run starts them again
    assert jobs.wait(SMALL.hash, WAIT)
    check(jobs, SMALL)
    jobs.close()

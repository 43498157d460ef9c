"""What the queue does when tasks are lost, at each place of a run: the result is that of an undisturbed run."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from alibi_viz.jobs import Jobs, dispatcher
from alibi_viz.jobs import job as jobs_job
from alibi_viz.jobs.job import Job
from alibi_viz.jobs.remaining import Speeds
from alibi_viz.jobs.watch import LOOK_EVERY
from alibi_viz.lessons import load
from alibi_viz.lm.runs import RunStore
from pages.train import status
from tests.faults.inline import CONFIG, PLAN, WAIT, Fate, InlineCluster, outcome, queue, train, until

TASKS = 9  # of the run below: chunks, interim evaluations, tests


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks without pauses."""
    monkeypatch.setattr(dispatcher, "LOOK_EVERY", 0.01)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> object:
    folder = tmp_path_factory.mktemp("undisturbed")
    train(folder)
    return outcome(RunStore(folder), CONFIG)


@pytest.mark.parametrize("place", range(TASKS))
@pytest.mark.parametrize("fate", ["lost", "silent", "refused", "held"])
def test_a_task_that_is_lost_is_repeated_wherever_it_was(
    fate: Fate, place: int, tmp_path: Path, undisturbed: object
) -> None:
    run = train(tmp_path, *["done"] * place, fate)  # type: ignore[list-item]
    assert run.status == "finished", run.error
    assert outcome(RunStore(tmp_path), CONFIG) == undisturbed


def test_the_places_are_all_there_are(tmp_path: Path) -> None:
    jobs = queue(tmp_path)
    jobs.submit(CONFIG, plan=PLAN)
    assert jobs.wait(CONFIG.hash, WAIT)
    assert jobs.cluster.sent == TASKS  # type: ignore[attr-defined]


@pytest.mark.parametrize("place", range(TASKS))
def test_a_server_that_ends_anywhere_is_followed_by_one_that_goes_on(
    place: int, tmp_path: Path, undisturbed: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one knows no more than the disk. Interim evaluations that were due are made."""
    first = queue(tmp_path, *["done"] * place, *["silent"] * 99)  # type: ignore[list-item]
    monkeypatch.setattr(first.cluster, "look", lambda: "well")
    first.submit(CONFIG, plan=PLAN)
    until(lambda: first.cluster.sent > place)  # type: ignore[attr-defined]
    first.store.claims.release_all()  # as the kernel does it
    later = queue(tmp_path)
    progress = later.progress(CONFIG.hash)
    assert progress is not None
    assert (progress.run.status, progress.notice) == ("paused", "interrupted")
    assert "has ended" in status.status(load("train"), progress)
    later.submit(CONFIG, plan=PLAN)
    assert later.wait(CONFIG.hash, WAIT)
    assert outcome(later.store, CONFIG) == undisturbed


def test_a_run_that_loses_every_task_pauses_and_can_be_resumed(tmp_path: Path, undisturbed: object) -> None:
    run = train(tmp_path, "done", *["lost"] * 99)  # type: ignore[list-item]
    assert (run.status, run.step) == ("paused", 3)
    assert "lost again and again" in run.error
    assert train(tmp_path).status == "finished"
    assert outcome(RunStore(tmp_path), CONFIG) == undisturbed


def test_a_result_that_is_not_handed_out_keeps_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker was stopped after its task: the page still gets an answer, and the run can be paused."""
    jobs = queue(tmp_path, "done", "held")
    monkeypatch.setattr(jobs.cluster, "look", lambda: "well")
    jobs.submit(CONFIG, plan=PLAN)
    until(lambda: jobs.cluster.sent == 2)  # type: ignore[attr-defined]
    answered = threading.Thread(target=lambda: (jobs.progress(CONFIG.hash), jobs.pause(CONFIG.hash)), daemon=True)
    answered.start()
    answered.join(5)
    assert not answered.is_alive()
    assert jobs.progress(CONFIG.hash).run.status == "paused"  # type: ignore[union-attr]


def test_the_page_says_what_happened_until_there_is_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Waits(InlineCluster):
        """It starts again when the test has seen enough."""

        seen = threading.Event()

        def client(self) -> InlineCluster:
            assert not self.killed or self.seen.wait(WAIT)
            return self

    jobs = Jobs(RunStore(tmp_path), Waits(["done", "silent"]), chunk=2)
    jobs.submit(CONFIG, plan=PLAN)
    until(lambda: jobs.progress(CONFIG.hash).notice)  # type: ignore[union-attr]
    progress = jobs.progress(CONFIG.hash)
    assert progress is not None
    assert progress.run.status == "running"
    assert status.status(load("train"), progress) == "a training process was lost and starts again, from step 3 of 8"
    Waits.seen.set()
    assert jobs.wait(CONFIG.hash, WAIT)
    assert jobs.progress(CONFIG.hash).notice == ""  # type: ignore[union-attr]
    jobs.close()


def test_the_page_says_at_once_that_a_start_was_lost(tmp_path: Path, undisturbed: object) -> None:
    class StartsTwice(InlineCluster):
        """The second start waits until the test has seen enough."""

        seen = threading.Event()

        def client(self) -> InlineCluster:
            if not self.seen.is_set():
                self.on_loss()
                assert self.seen.wait(WAIT)
            return self

    jobs = Jobs(RunStore(tmp_path), StartsTwice(), chunk=2)
    jobs.submit(CONFIG, plan=PLAN)
    until(lambda: jobs.progress(CONFIG.hash).notice == "lost")  # type: ignore[union-attr]
    StartsTwice.seen.set()
    assert jobs.wait(CONFIG.hash, WAIT)
    assert outcome(jobs.store, CONFIG) == undisturbed


def test_a_task_is_given_up_when_it_takes_far_longer_than_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(None, None, PLAN, 0, b"", 0, work_sent=100.0)  # type: ignore[arg-type]
    speeds = Speeds()
    job.looked = 1e6
    assert not job.is_overdue(speeds), "nothing is known yet: a slow machine is not a fault"
    speeds.add("train", 100.0, 10.0)
    job.looked = jobs_job.SLOWER * 10.0
    assert not job.is_overdue(speeds)
    job.looked += LOOK_EVERY
    assert job.is_overdue(speeds)
    job.attempts = 1
    assert not job.is_overdue(speeds), "more patience the second time"
    speeds.add("train", 100.0, 1e-9)
    job.attempts, job.looked = 0, jobs_job.PATIENCE - 1
    assert not Job.is_overdue(replace(job), speeds), "however fast it usually is"


def test_an_overdue_task_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: object) -> None:
    jobs = queue(tmp_path, "done", "silent")
    monkeypatch.setattr(jobs.cluster, "look", lambda: "well")
    monkeypatch.setattr(jobs_job, "PATIENCE", 0.02)
    monkeypatch.setattr(jobs_job, "SLOWER", 0)
    jobs.submit(CONFIG, plan=PLAN)
    assert jobs.wait(CONFIG.hash, WAIT)
    assert outcome(jobs.store, CONFIG) == undisturbed
    assert jobs.cluster.killed  # type: ignore[attr-defined]

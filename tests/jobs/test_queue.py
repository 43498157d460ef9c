"""The line of runs without Dask: turns, places, who may stop what, and faults at each place of a run."""

from __future__ import annotations

import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from alibi_viz.jobs import Jobs, Limits, Plan, Refused, tasks
from alibi_viz.jobs.queue import FIRST, Job
from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import own_text
from alibi_viz.lm.runs import STATE, Run, RunStore
from tests.jobs.inline import CONFIG, PLAN, WAIT, Fate, line, outcome, train, until

A, B, C = "a" * 64, "b" * 64, "c" * 64
TASKS = 9  # of the run below: chunks, interim evaluations, tests
OTHER = replace(CONFIG, seed=1)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> object:
    folder = tmp_path_factory.mktemp("undisturbed")
    train(folder)
    return outcome(RunStore(folder), CONFIG)


def status(jobs: Jobs, config: TrainConfig = CONFIG) -> str:
    progress = jobs.progress(config.hash)
    return progress.run.status if progress else "gone"


def finish(jobs: Jobs, config: TrainConfig = CONFIG) -> Run:
    jobs.submit(config, plan=PLAN)
    assert jobs.wait(config.hash, WAIT)
    run = jobs.store.get(config.hash)
    assert run is not None
    return run


@pytest.mark.parametrize("fate", ["lost", "failed", "refused"])
@pytest.mark.parametrize("place", range(TASKS))
def test_a_task_that_fails_stops_its_run_with_a_sentence_and_play_goes_on(
    fate: Fate, place: int, tmp_path: Path, undisturbed: object
) -> None:
    jobs = line(tmp_path, *["done"] * place, fate)  # type: ignore[list-item]
    run = finish(jobs)
    assert run.status == "failed"
    if fate == "failed":
        assert run.error == "MemoryError: no room for this task"
    else:
        assert run.error == load("words").entry("training", "disconnected")
    assert finish(jobs).status == "finished"
    assert outcome(jobs.store, CONFIG) == undisturbed
    assert jobs.cluster.starts == 1 + (fate == "lost")  # type: ignore[attr-defined]


@pytest.mark.parametrize("place", range(TASKS))
def test_a_killed_app_is_followed_by_one_that_goes_on_bit_for_bit(
    place: int, tmp_path: Path, undisturbed: object
) -> None:
    """The second one knows no more than the disk. Interim evaluations that were due are made."""
    first = line(tmp_path, *["done"] * place, "silent")  # type: ignore[list-item]
    first.submit(CONFIG, plan=PLAN, browser=A)
    until(lambda: len(first.cluster.sent) > place)  # type: ignore[attr-defined]
    until(lambda: first._jobs[CONFIG.hash].task)
    later = line(tmp_path)
    assert later.progress(CONFIG.hash).notice == "elsewhere"  # type: ignore[union-attr]
    with pytest.raises(Refused, match="same data folder"):
        later.submit(CONFIG, plan=PLAN)
    for stop in (later.pause, later.delete):
        with pytest.raises(Refused, match="same data folder"):
            stop(CONFIG.hash)
    first.store.release(CONFIG.hash)  # as the kernel does it
    progress = later.progress(CONFIG.hash)
    assert progress is not None
    assert (progress.run.status, progress.notice) == ("paused", "interrupted")
    later.submit(CONFIG, plan=PLAN)
    assert later.wait(CONFIG.hash, WAIT)
    assert outcome(later.store, CONFIG) == undisturbed
    assert later.store.get(CONFIG.hash).browsers == (A,)  # type: ignore[union-attr]


def test_a_full_disk_and_a_number_that_is_not_finite_fail_that_run_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs, bad = line(tmp_path), replace(CONFIG, seed=2)
    save, measure = jobs.store.save, tasks.measure

    def full(run: Run, *rest: Any) -> None:
        if run.hash == OTHER.hash and run.step:
            raise OSError(28, "No space left on device")
        save(run, *rest)

    def nan(state: bytes, *arguments: Any) -> list[dict[str, Any]]:
        return (
            [{"loss": float("nan")}] if tasks.TrainState.from_bytes(state).config == bad else measure(state, *arguments)
        )

    monkeypatch.setattr(jobs.store, "save", full)
    monkeypatch.setattr(tasks, "measure", nan)
    for config in (OTHER, bad, CONFIG):
        jobs.submit(config, plan=PLAN)
    assert all(jobs.wait(config.hash, WAIT) for config in (OTHER, bad, CONFIG))
    assert [status(jobs, config) for config in (OTHER, bad, CONFIG)] == ["failed", "failed", "finished"]
    assert "could not be saved (No space left on device)" in jobs.progress(OTHER.hash).run.error  # type: ignore[union-attr]
    assert "NaN or infinite" in jobs.progress(bad.hash).run.error  # type: ignore[union-attr]
    monkeypatch.undo()
    assert finish(jobs, OTHER).status == "finished"


def test_a_loss_that_diverges_fails_in_words(tmp_path: Path) -> None:
    run = train(tmp_path, config=replace(CONFIG, learning_rate=100.0, clip=100.0, weight_decay=100.0, steps=400))
    assert run.status == "failed"
    assert "NaN or infinite" in run.error


@pytest.mark.parametrize("removed", ["the run", "all data"])
def test_a_run_whose_folder_was_removed_ends_with_a_sentence(removed: str, tmp_path: Path) -> None:
    jobs = line(tmp_path / "data", "done", "silent")
    jobs.submit(CONFIG, plan=PLAN)
    until(lambda: len(jobs.cluster.sent) == 2)  # type: ignore[attr-defined]
    job = jobs._jobs[CONFIG.hash]
    until(lambda: job.task)
    shutil.rmtree(jobs.store.path(CONFIG.hash) if removed == "the run" else tmp_path / "data")
    job.task.status = "finished"
    jobs._receive(job, job.task)
    run = jobs.progress(CONFIG.hash).run  # type: ignore[union-attr]
    assert (run.status, run.error) == ("failed", load("words").entry("training", "removed"))
    assert not jobs.store.path(CONFIG.hash).exists()
    assert finish(jobs).status == "finished", "begun anew"


def test_a_folder_that_cannot_be_written_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    jobs = line(tmp_path / "data")
    with pytest.raises(ValueError, match=r"^The data folder cannot be written \([A-Z][a-z ]+\)\.$"):
        jobs.submit(CONFIG, plan=PLAN)
    assert jobs.progress(CONFIG.hash) is None


def test_workers_that_do_not_start_are_told_by_every_run_that_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs, ready = line(tmp_path), threading.Event()

    def fails() -> None:
        assert ready.wait(WAIT)
        raise ConnectionError("The training workers do not answer: no route.")

    monkeypatch.setattr(jobs.cluster, "client", fails)
    for config in (CONFIG, OTHER):
        jobs.submit(config, plan=PLAN)
    ready.set()
    assert all(jobs.wait(config.hash, WAIT) for config in (CONFIG, OTHER))
    assert {jobs.progress(config.hash).run.error for config in (CONFIG, OTHER)} == {  # type: ignore[union-attr]
        "The training workers do not answer: no route."
    }
    monkeypatch.undo()
    assert finish(jobs).status == "finished"


def test_eight_readers_have_fair_turns_and_know_their_places(tmp_path: Path) -> None:
    jobs, configs = line(tmp_path, *["silent"] * 1), [replace(CONFIG, seed=seed, steps=20) for seed in range(8)]
    plan = Plan(times=(1,), pairs=(), sample_times=())
    for reader, config in enumerate(configs):
        jobs.submit(config, plan=plan, browser=str(reader))
    until(lambda: jobs._jobs[configs[0].hash].task)
    assert [jobs.progress(config.hash).place for config in configs] == list(range(8))  # type: ignore[union-attr]
    order: list[int] = []
    save = jobs.store.save
    jobs.store.save = lambda run, *rest: (order.append(run.step), save(run, *rest))[1]  # type: ignore[method-assign]
    first = jobs._jobs[configs[0].hash]
    first.task.status = "finished"
    jobs._receive(first, first.task)
    assert all(jobs.wait(config.hash, WAIT) for config in configs)
    steps = [step for step in order if step < 20]
    assert steps == sorted(steps), "nobody is a chunk ahead of who waits"


def test_equal_runs_are_one_that_stops_with_the_last_who_watches_it(tmp_path: Path) -> None:
    jobs = line(tmp_path, "silent")
    for browser in (A, B, A):
        jobs.submit(CONFIG, plan=PLAN, browser=browser)
    assert len(jobs._jobs) == 1
    with pytest.raises(Refused, match="Only they can stop"):
        jobs.pause(CONFIG.hash, C)
    with pytest.raises(Refused, match="Only they can stop"):
        jobs.delete(CONFIG.hash, C)
    assert jobs.pause(CONFIG.hash, A) == 1
    assert status(jobs) == "running"
    with pytest.raises(Refused):
        jobs.pause(CONFIG.hash, A)
    assert jobs.pause(CONFIG.hash, B) == 0
    assert status(jobs) == "paused"
    assert jobs.delete(CONFIG.hash, B) == 1, "it stays A's"
    with pytest.raises(Refused):
        jobs.delete(CONFIG.hash, B)
    assert jobs.delete(CONFIG.hash, A) == 0
    assert status(jobs) == "gone"
    assert not jobs.store.path(CONFIG.hash).exists()


def test_who_is_alone_may_stop_and_delete_everything(tmp_path: Path) -> None:
    jobs = line(tmp_path, "silent")
    for browser in (A, B):
        jobs.submit(CONFIG, plan=PLAN, browser=browser)
    assert jobs.pause(CONFIG.hash) == 0
    assert status(jobs) == "paused"
    assert jobs.delete(CONFIG.hash) == 0
    assert status(jobs) == "gone"


def test_a_run_of_everybody_is_deleted_by_anyone_unless_another_watches_it(tmp_path: Path) -> None:
    jobs = line(tmp_path, "done", "silent")
    jobs.store.save(Run(CONFIG, status="paused"))
    jobs.submit(CONFIG, plan=PLAN, browser=A)
    assert jobs.store.get(CONFIG.hash).browsers == ()  # type: ignore[union-attr]
    with pytest.raises(Refused):
        jobs.delete(CONFIG.hash, B)
    jobs.pause(CONFIG.hash, A)
    assert jobs.delete(CONFIG.hash, B) == 0
    assert status(jobs) == "gone"


def test_an_active_run_that_its_only_watcher_leaves_stops(tmp_path: Path) -> None:
    jobs = line(tmp_path, "silent")
    jobs.submit(CONFIG, plan=PLAN, browser=A)
    jobs.submit(CONFIG, plan=PLAN, browser=B)
    jobs.pause(CONFIG.hash, A)
    assert jobs.delete(CONFIG.hash, B) == 1
    assert status(jobs) == "paused"
    assert jobs.store.get(CONFIG.hash).browsers == (A,)  # type: ignore[union-attr]


def test_a_finished_run_goes_with_its_last_owner(tmp_path: Path) -> None:
    jobs = line(tmp_path)
    for browser in (A, B):
        jobs.submit(CONFIG, plan=PLAN, browser=browser)
    assert jobs.wait(CONFIG.hash, WAIT)
    with pytest.raises(Refused):
        jobs.delete(CONFIG.hash, C)
    assert jobs.delete(CONFIG.hash, A) == 1
    assert jobs.delete(CONFIG.hash, B) == 0
    assert status(jobs) == "gone"


def test_four_runs_a_browser_and_so_many_in_all_are_in_line(tmp_path: Path) -> None:
    jobs = line(tmp_path, "silent", limits=Limits(waiting=6, steps=5_000))
    configs = [replace(CONFIG, seed=seed) for seed in range(8)]
    for config in configs[:4]:
        jobs.submit(config, plan=PLAN, browser=A)
    with pytest.raises(Refused, match="4 runs in line"):
        jobs.submit(configs[4], plan=PLAN, browser=A)
    jobs.submit(configs[3], plan=PLAN, browser=A)  # it has its place already
    for config in configs[4:6]:
        jobs.submit(config, plan=PLAN, browser=B)
    with pytest.raises(Refused, match="6 runs are waiting"):
        jobs.submit(configs[6], plan=PLAN, browser=B)
    jobs.submit(configs[0], plan=PLAN, browser=B)  # an equal one takes no place
    jobs.submit(configs[1], plan=PLAN, browser=B)
    with pytest.raises(Refused, match="4 runs in line"):
        jobs.submit(configs[2], plan=PLAN, browser=B)
    for change, words in (({"steps": 5_001}, "5,000 steps"), ({"width": 512, "heads": 8, "layers": 8}, "parameters")):
        with pytest.raises(ValueError, match=words):
            jobs.submit(replace(CONFIG, **change))  # type: ignore[arg-type]


def test_pause_a_few_steps_and_resume_change_nothing(tmp_path: Path, undisturbed: object) -> None:
    jobs = line(tmp_path, "silent")
    jobs.submit(CONFIG, plan=PLAN)
    until(lambda: jobs._jobs[CONFIG.hash].task)
    job = jobs._jobs[CONFIG.hash]
    jobs.pause(CONFIG.hash)
    job.task.status = "finished"
    jobs._receive(job, job.task)  # the chunk that was out still counts
    assert (jobs.progress(CONFIG.hash).run.step, jobs._jobs) == (3, {})  # type: ignore[union-attr]
    jobs.submit(CONFIG, plan=PLAN, steps=2)
    assert jobs.wait(CONFIG.hash, WAIT)
    assert (status(jobs), jobs.progress(CONFIG.hash).run.step) == ("paused", 5)  # type: ignore[union-attr]
    finish(jobs)
    assert outcome(jobs.store, CONFIG) == undisturbed
    assert finish(jobs).status == "finished", "nothing is trained again"


def test_a_state_of_another_text_is_not_resumed(tmp_path: Path) -> None:
    jobs, corpus = line(tmp_path), own_text("\n\n".join(f"paragraph {n} of {n * n} says {n % 7}" for n in range(1500)))
    config = replace(CONFIG, corpus=corpus.key)
    with pytest.raises(ValueError, match="not kept on this machine"):
        jobs.submit(config)
    jobs.submit(config, corpus, PLAN)
    assert jobs.wait(config.hash, WAIT)
    run = jobs.store.get(config.hash)
    assert run is not None
    assert (run.corpus, run.status) == (corpus.sha256, "finished")
    (tmp_path / "texts" / f"{corpus.key.removeprefix('text:')}.json").unlink()
    jobs.delete(config.hash)
    with pytest.raises(ValueError, match="not kept on this machine"):
        jobs.submit(config)


def test_a_server_that_closes_pauses_its_runs(tmp_path: Path) -> None:
    jobs = line(tmp_path, "done", "silent")
    jobs.submit(CONFIG, plan=PLAN)
    until(lambda: len(jobs.cluster.sent) == 2)  # type: ignore[attr-defined]
    jobs.close()
    later = RunStore(tmp_path)
    assert later.get(CONFIG.hash).status == "paused"  # type: ignore[union-attr]
    assert (later.path(CONFIG.hash) / STATE).exists()
    assert later.claim(CONFIG.hash)


def job(**changes: Any) -> Job:
    run = Run(TrainConfig(steps=400), status="running", **changes)
    return Job(run, None, Plan(), 50_000, b"", evaluated_at=changes.get("step", 0))


def test_a_chunk_takes_as_long_as_it_is_to_and_ends_where_something_is_due() -> None:
    begun = job()
    assert begun.next_task(1.0)[2] == FIRST
    begun.paces.extend([0.05] * 3)
    assert begun.next_task(1.0)[2] == 20
    assert begun.next_task(100.0)[2] == 100, "then a sample is evaluated"
    begun.until = 7
    assert begun.next_task(1.0)[2] == 7
    trained = job(step=400)
    trained.evaluated_at = 360
    _, _, windows, size = trained.next_task(1.0)
    assert (trained.kind, [length for length, _ in windows], size) == ("interim_evaluations", [128, 256, 512], 4_096)
    trained.evaluated_at = 400
    _, _, windows, _ = trained.next_task(1.0)
    assert (trained.kind, windows) == ("evaluations", [(128, 32)])


def test_the_time_left_follows_the_work_and_shrinks_to_nothing() -> None:
    begun, half = job(), job(step=200)
    assert begun.seconds_left is None, "the first chunk says nothing"
    for one in (begun, half):
        one.paces.extend([0.05] * 3)
    assert begun.seconds_left > half.seconds_left + 10.0  # type: ignore[operator]
    assert half.seconds_left > 10.0  # type: ignore[operator]
    entries = tuple({"length": n, "stride": s, "perplexity": 4.0} for n, s in Plan().windows(TrainConfig(steps=400)))
    finished = job(step=400, evaluations=entries)
    finished.paces.extend([0.05] * 3)
    assert finished.seconds_left == 0


def test_the_work_of_a_byte_is_its_weights_and_its_window() -> None:
    """Against the model's own parameters: each weight of a matrix is one multiplication a byte."""
    config = TrainConfig(steps=400)
    inner, biases_and_norms = config.heads * config.head_dim, 2 + 4 * config.layers
    matrices = config.parameters - config.width * biases_and_norms
    short, long = (tasks._forward_work(config, length, 1) for length in (128, 2048))
    assert short == matrices + config.layers * inner * 128
    assert long - short == config.layers * inner * (2048 - 128)
    plain = tasks.test_work(config, [(128, 128)], 50_000)
    assert tasks.test_work(config, [(128, 32)], 50_000) == 4 * plain
    assert tasks.test_work(config, [(65_536, 65_536)], 50_000) == 0, "the text is shorter than the window"
    assert tasks.test_work(replace(config, method="learned"), [(128, 128), (512, 512)], 50_000) == plain


def test_the_lengths_of_the_quick_test_are_measured_first() -> None:
    config = TrainConfig(steps=400)
    first = Plan().windows(config)[:8]
    assert first[:3] == [(128, 32), (256, 64), (512, 128)]
    assert all(length == 4 * stride for length, stride in first)
    assert all(length == stride for length, stride in Plan().windows(config)[8:])
    recall = Plan().windows(replace(config, corpus="recall"))
    assert [distance for distance, pairs in recall[:3] if pairs == 4] == [121, 249, 505]

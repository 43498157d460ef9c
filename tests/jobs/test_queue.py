"""The line of runs without Dask: turns, places, who may stop what, and faults at each place of a run."""

import shutil
from dataclasses import replace
from unittest.mock import Mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from alibi_viz.jobs.queue import Limits, Refused
from alibi_viz.jobs.tasks import Plan
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm.corpus import own_text
from alibi_viz.lm.runs import STATE, RunStore
from tests.jobs.inline import CONFIG, PLAN, ended, finish, line, outcome, seen, until

A, B = "a" * 64, "b" * 64
TASKS = 9  # of the run below: chunks, interim evaluations, tests


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    finish(line(folder))
    return outcome(RunStore(folder), CONFIG)


def come_back(jobs, config=CONFIG):
    """The task that was silent so far is done."""
    job = jobs._jobs[config.hash]
    job.task.status = "finished"
    jobs._receive(job, job.task)


@pytest.mark.parametrize("fate", ["lost", "failed", "refused"])
@pytest.mark.parametrize("place", range(TASKS))
def test_a_task_that_fails_stops_its_run_with_a_sentence_and_play_goes_on(fate, place, tmp_path, undisturbed):
    jobs = line(tmp_path, *["done"] * place, fate)
    run = finish(jobs)
    assert run.status == "failed"
    out_of_memory = "MemoryError: no room for this task"
    assert run.error == (out_of_memory if fate == "failed" else Problem("training.disconnected"))
    assert finish(jobs).status == "finished"
    assert outcome(jobs.store, CONFIG) == undisturbed


@pytest.mark.parametrize("place", range(TASKS))
def test_a_killed_app_is_followed_by_one_that_goes_on_bit_for_bit(place, tmp_path, undisturbed):
    """The second one knows no more than the disk. Interim evaluations that were due are made."""
    first = line(tmp_path, *["done"] * place, "silent")
    first.submit(CONFIG, plan=PLAN, browser=A)
    until(lambda: first.cluster.sent > place)
    until(lambda: first._jobs[CONFIG.hash].task)
    later = line(tmp_path)
    assert later.progress(CONFIG.hash).notice == "elsewhere"
    for change in (later.submit, lambda config: later.pause(config.hash), lambda config: later.delete(config.hash)):
        with pytest.raises(Refused, match="same data folder"):
            change(CONFIG)
    first.store.release(CONFIG.hash)  # as the kernel does it
    progress = later.progress(CONFIG.hash)
    assert progress is not None
    assert (progress.run.status, progress.notice) == ("paused", "interrupted")
    assert finish(later).browsers == (A,)
    assert outcome(later.store, CONFIG) == undisturbed


def test_a_loss_that_diverges_fails_in_words(tmp_path):
    run = finish(line(tmp_path), replace(CONFIG, learning_rate=100.0, clip=100.0, weight_decay=100.0, steps=400))
    assert run.status == "failed"
    assert "NaN or infinite" in str(run.error)


def test_a_run_whose_folder_was_removed_ends_with_a_sentence(tmp_path):
    jobs = line(tmp_path, "done", "silent")
    jobs.submit(CONFIG, plan=PLAN)
    until(lambda: jobs.cluster.sent == 2)
    until(lambda: jobs._jobs[CONFIG.hash].task)
    shutil.rmtree(jobs.store.path(CONFIG.hash))
    come_back(jobs)
    assert (seen(jobs).status, seen(jobs).error) == ("failed", Problem("training.removed"))
    assert not jobs.store.path(CONFIG.hash).exists()
    assert finish(jobs).status == "finished", "begun anew"


def test_workers_that_do_not_start_are_told(tmp_path, monkeypatch):
    jobs = line(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(jobs.cluster, "client", Mock(side_effect=ConnectionError("They do not answer: no route.")))
        assert (finish(jobs).status, seen(jobs).error) == ("failed", "They do not answer: no route.")
    assert finish(jobs).status == "finished"


def test_eight_readers_have_fair_turns_and_know_their_places(tmp_path):
    jobs, configs = line(tmp_path, "silent"), [replace(CONFIG, seed=seed, steps=20) for seed in range(8)]
    for reader, config in enumerate(configs):
        jobs.submit(config, plan=Plan(times=(1,), pairs=(), sample_times=(1,)), browser=str(reader))
    until(lambda: jobs._jobs[configs[0].hash].task)
    assert [jobs.progress(config.hash).place for config in configs] == list(range(8))
    order: list[int] = []
    save = jobs.store.save
    jobs.store.save = lambda run, *rest: (order.append(run.step), save(run, *rest))[1]
    come_back(jobs, configs[0])
    for config in configs:
        ended(jobs, config)
    steps = [step for step in order if step < 20]
    assert steps == sorted(steps), "nobody is a chunk ahead of who waits"


@example([("submit", A), ("submit", B), ("pause", A), ("delete", B)])
@given(st.lists(st.tuples(st.sampled_from(["submit", "pause", "delete"]), st.sampled_from([A, B, ""])), max_size=12))
def test_a_run_goes_on_and_stays_while_it_is_somebody_s(tmp_path_factory, acts):
    """Equal runs are one. Nobody stops or deletes it for another, but in the terminal (""), where a reader is alone."""
    jobs = line(tmp_path_factory.mktemp("run"), *["silent"] * 20)
    owners, is_active = set[str](), False
    for act, browser in acts:
        if act == "submit":
            jobs.submit(CONFIG, plan=PLAN, browser=browser or A)
            owners.add(browser or A)
            is_active = True
        elif not owners or (act == "pause" and not is_active):
            assert getattr(jobs, act)(CONFIG.hash, browser) == 0
        elif browser and browser not in owners:
            with pytest.raises(Refused, match="Only they can stop"):
                getattr(jobs, act)(CONFIG.hash, browser)
        else:
            others = owners - {browser} if browser else set[str]()
            assert getattr(jobs, act)(CONFIG.hash, browser) == len(others)
            is_active = is_active and bool(others)
            owners = others if others or act == "delete" else owners
        run = jobs.store.get(CONFIG.hash)
        assert set(run.browsers if run else ()) == owners
        assert (run is not None and run.is_active) == is_active


def test_four_runs_a_browser_and_so_many_in_all_are_in_line(tmp_path):
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
    for change, words in (({"steps": 5_001}, "5,000 steps"), ({"width": 512, "heads": 8, "layers": 8}, "parameters")):
        with pytest.raises(ValueError, match=words):
            jobs.submit(replace(CONFIG, **change))


def test_pause_a_few_steps_and_resume_change_nothing(tmp_path, undisturbed):
    jobs = line(tmp_path, "silent")
    jobs.submit(CONFIG, plan=PLAN)
    until(lambda: jobs._jobs[CONFIG.hash].task)
    jobs.pause(CONFIG.hash)
    come_back(jobs)  # the chunk that was out still counts
    assert (seen(jobs).step, jobs._jobs) == (3, {})
    jobs.submit(CONFIG, plan=PLAN, steps=2)
    ended(jobs)
    assert (seen(jobs).status, seen(jobs).step) == ("paused", 5)
    finish(jobs)
    assert outcome(jobs.store, CONFIG) == undisturbed
    assert finish(jobs).status == "finished", "nothing is trained again"


def test_a_run_on_an_own_text_needs_that_text(tmp_path):
    jobs, corpus = line(tmp_path), own_text("\n\n".join(f"paragraph {n} of {n * n} says {n % 7}" for n in range(1500)))
    config = replace(CONFIG, corpus=corpus.key)
    with pytest.raises(ValueError, match="not kept on this machine"):
        jobs.submit(config)
    jobs.submit(config, corpus, PLAN)
    run = ended(jobs, config)
    assert (run.corpus, run.status) == (corpus.sha256, "finished")


def test_a_server_that_closes_pauses_its_runs(tmp_path):
    jobs = line(tmp_path, "done", "silent")
    jobs.submit(CONFIG, plan=PLAN)
    until(lambda: jobs.cluster.sent == 2)
    jobs.close()
    later = RunStore(tmp_path)
    assert later.get(CONFIG.hash).status == "paused"
    assert (later.path(CONFIG.hash) / STATE).exists()
    assert later.claim(CONFIG.hash)

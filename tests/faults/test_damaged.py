"""A damaged run: every kind is answered at once, in a sentence or by starting anew, and harms no other run."""

import shutil
from dataclasses import replace

import pytest

from alibi_viz.jobs.tasks import Plan
from alibi_viz.lm import runs
from alibi_viz.lm.runs import Run, RunStore, corpus_for
from alibi_viz.lm.training import start, train_chunk
from alibi_viz.results import trained
from tests.hostile.damage import OF_RUNS, spoil
from tests.hostile.test_doors import one_sentence
from tests.jobs.inline import CONFIG, ends_soon, finish, line, outcome

TINY = replace(CONFIG, steps=3, batch=1, corpus="python-text", method="none")
OTHER = replace(TINY, seed=1)
PLAN = Plan(times=(1,), sample_times=(1,), held_out=100)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """One run in the middle of its training, with an older model beside it, and one other run that is finished."""
    store, corpus = RunStore(tmp_path_factory.mktemp("whole")), corpus_for(TINY)
    begun = train_chunk(start(TINY, corpus), 2, corpus)
    store.finish(Run(TINY), begun.weights)
    store.save(Run(TINY, status="paused").after(begun), begun)
    finish(line(store.folder.parent), OTHER, PLAN)
    return store.folder.parent


def read_all(store):
    """What the pages ask of a store: the run if it is there, and those that are listed."""
    runs._read_record.cache_clear()
    for ask in (store.weights, store.state, store.is_elsewhere):
        ask(TINY.hash)
    trained.refs(store)
    trained.load(TINY.hash, store)
    return store.get(TINY.hash), {run.hash for run in store.runs()}


def is_begun_anew(folder, other):
    """The damaged run is trained to its end, or says in a sentence why not; the other one is as it was."""
    store = RunStore(folder)
    ended = ends_soon(lambda: finish(line(folder), TINY, PLAN), 10)
    assert isinstance(ended, Run | ValueError), ended
    if isinstance(ended, Run) and ended.status == "finished":
        assert store.get(TINY.hash) == ended
        assert store.state(TINY.hash) is None
    else:
        one_sentence(str(ended.error if isinstance(ended, Run) else ended))
    assert outcome(store, OTHER) == other


@pytest.mark.parametrize(("file", "kind", "damage"), OF_RUNS, ids=lambda part: part if isinstance(part, str) else "")
def test_a_damaged_file_is_answered_at_once(file, kind, damage, whole, tmp_path):
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    store = RunStore(tmp_path)
    before = outcome(store, OTHER)
    spoil(store.path(TINY.hash), file, damage)
    run, listed = ends_soon(lambda: read_all(store))
    assert listed == {OTHER.hash} | ({TINY.hash} if run else set()), kind
    is_begun_anew(tmp_path, before)

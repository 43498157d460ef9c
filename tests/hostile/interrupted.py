"""A folder of training runs, as an accident finds it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from alibi_viz.jobs.tasks import Plan
from alibi_viz.lm.runs import Run, RunStore, corpus_for
from alibi_viz.lm.training import start, train_chunk
from tests.jobs.inline import CONFIG, finish, line

TINY = replace(CONFIG, steps=3, batch=1, corpus="python-text", method="none")
OTHER = replace(TINY, seed=1)
PLAN = Plan(times=(1,), sample_times=(1,), held_out=100)


def interrupted(folder: Path) -> Path:
    """One run in the middle of its training, with an older model beside it, and one other run that is finished."""
    store, corpus = RunStore(folder), corpus_for(TINY)
    begun = train_chunk(start(TINY, corpus), 2, corpus)
    store.finish(Run(TINY), begun.weights)
    store.save(Run(TINY, status="paused").after(begun), begun)
    finish(line(folder), OTHER, PLAN)
    return store.folder.parent

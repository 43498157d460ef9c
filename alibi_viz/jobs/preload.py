"""Loaded by each of our own Dask workers (as a "preload"), before it takes tasks.

It does what the first task would otherwise wait for: imports torch, reads the text, makes one small training step. And
it lets the worker end with its nanny (watchdog.py).
"""

from typing import Any

from alibi_viz.jobs import watchdog
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import corpus_for
from alibi_viz.lm.training import start, train_chunk


def dask_setup(_worker: Any) -> None:
    """Dask calls this once in each worker."""
    watchdog.end_with_parent()
    config = TrainConfig(length=16, width=16, heads=2, batch=2, steps=1)
    corpus = corpus_for(config)
    train_chunk(start(config, corpus), 1, corpus)

"""Trained models as content, with missing, damaged and foreign files."""

from dataclasses import replace

import pytest
import torch

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import WEIGHTS, Run, RunStore
from alibi_viz.lm.training import build_model
from alibi_viz.lm.weights import write_weights
from alibi_viz.results import pretrained, trained

TEXT = "A list keeps its items in order; a set does not. naïve café ".encode()
LONG = TEXT * 5  # more than two blocks of rows, and more than L = 128
SMALL = TrainConfig(method="t5", length=16, width=16, heads=2, layers=3, batch=2, steps=4, seed=5)


def every(run):
    """All runs are in sight."""
    return True


def own(folder, config=SMALL, status="finished"):
    store = RunStore(folder)
    store.finish(Run(config, status=status), parameters(config))
    return store


def loaded(ref, store=None):
    return trained.load(ref, store)


def test_all_shipped_models_and_the_newest_own_runs_are_offered(tmp_path):
    assert tuple(trained.refs(every, RunStore(tmp_path))) == pretrained.METHODS
    store = own(tmp_path)
    for status in ("failed", "running", "paused"):
        own(tmp_path, replace(SMALL, seed=9, learning_rate=len(status)), status)
    own(tmp_path, replace(SMALL, corpus="recall"))
    no_weights = replace(SMALL, seed=7)
    (own(tmp_path, no_weights).path(no_weights.hash) / WEIGHTS).unlink()
    offered = trained.refs(every, store)
    assert list(offered) == [*pretrained.METHODS, SMALL.hash]
    assert offered[SMALL.hash] == SMALL
    for seed in range(100, 103 + trained.OWN):
        own(tmp_path, replace(SMALL, seed=seed))
    assert len(trained.refs(every, store)) == len(pretrained.METHODS) + trained.OWN
    in_sight = trained.refs(lambda run: run.config.seed == 101, store)
    assert list(in_sight) == [*pretrained.METHODS, replace(SMALL, seed=101).hash], "what is out of sight takes no place"


def test_an_own_run_is_read_as_it_was_trained(tmp_path):
    store = own(tmp_path)
    private = loaded(SMALL.hash, store)
    assert private.config == SMALL
    assert not private.model.training
    assert all(torch.equal(private.model.get_parameter(name), value) for name, value in parameters().items())
    assert trained.inputs(private, TEXT, 3).q.shape[:3] == (1, 2, len(TEXT))
    assert trained.load(SMALL.hash, store).model is private.model, "read once"
    write_weights(store.path(SMALL.hash) / WEIGHTS, {name: 2 * value for name, value in parameters().items()})
    assert not torch.equal(loaded(SMALL.hash, store).model.embedding.weight, private.model.embedding.weight)
    store.delete(SMALL.hash)
    assert trained.load(SMALL.hash, store) is None


def parameters(config=SMALL):
    return dict(build_model(config).named_parameters())


def test_a_text_that_cannot_be_read_is_refused_in_words():
    for ref, text, words in (
        ("learned", LONG[:129], "position 128 has no vector"),
        ("alibi", b"", "is empty"),
        ("alibi", b"x" * 2049, "at most 2,048"),
    ):
        with pytest.raises(ValueError, match=words):
            trained.inputs(loaded(ref), text, 1)


def test_every_byte_has_a_label_that_can_be_seen():
    assert trained.labels(b"a ~\n\t\x7f\xc3") == ("a", "␣", "~", "⏎", "09", "7F", "C3")

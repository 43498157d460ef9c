"""Trained models as content: against the model's own full pass, with missing, damaged and foreign files."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from alibi_viz import pretrained, trained
from alibi_viz.files import write_weights
from alibi_viz.lm import evaluation
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import WEIGHTS, Run, RunStore
from alibi_viz.lm.training import build_model

TEXT = "A list keeps its items in order; a set does not. naïve café ".encode()
LONG = TEXT * 5  # more than two blocks of rows, and more than L = 128
SMALL = TrainConfig(method="t5", length=16, width=16, heads=2, layers=3, batch=2, steps=4, seed=5)


def own(folder: Path, config: TrainConfig = SMALL, status: str = "finished") -> RunStore:
    store = RunStore(folder)
    store.finish(Run(config, status=status), dict(build_model(config).named_parameters()))
    return store


def loaded(ref: str, store: RunStore | None = None) -> trained.Loaded:
    found = trained.load(ref, store)
    assert found is not None
    return found


def test_all_shipped_models_and_own_runs_are_offered_newest_first(tmp_path):
    assert tuple(trained.refs(RunStore(tmp_path))) == pretrained.METHODS
    store = own(tmp_path)
    for status in ("failed", "running", "paused"):
        own(tmp_path, replace(SMALL, seed=9, learning_rate=len(status)), status)
    own(tmp_path, replace(SMALL, corpus="recall"))
    no_weights = replace(SMALL, seed=7)
    (own(tmp_path, no_weights).path(no_weights.hash) / WEIGHTS).unlink()
    found = trained.refs(store)
    assert list(found) == [*pretrained.METHODS, SMALL.hash]
    assert found[SMALL.hash] == SMALL
    assert (found["rope"].method, found["rope"].length, found["rope"].seed) == ("rope", 128, 0)
    for seed in range(100, 103 + trained.OWN):
        own(tmp_path, replace(SMALL, seed=seed))
    assert len(trained.refs(store)) == len(pretrained.METHODS) + trained.OWN


@pytest.mark.parametrize("method", pretrained.METHODS)
def test_stages_and_losses_are_those_of_the_models_own_full_pass(method):
    text = LONG[:128] if method == "learned" else LONG
    tokens = torch.frombuffer(bytearray(text), dtype=torch.uint8).long()[None]
    model = loaded(method).model
    with torch.no_grad():
        stages, scores = model.trace(tokens)
    wanted = F.cross_entropy(scores[0, :-1], tokens[0, 1:], reduction="none").numpy()
    for number, stage in enumerate(stages, start=1):
        every, one = trained.trace(method, text, number), trained.trace(method, text, number, 3)
        for name in ("content", "masked", "weights"):
            full = getattr(stage, name)[0].numpy()
            np.testing.assert_allclose(getattr(every, name), full, atol=1e-4)
            np.testing.assert_array_equal(getattr(one, name), getattr(every, name)[2:3])
            assert getattr(one, name).dtype == np.float32
        assert (every.bias is None) == (stage.bias is None)
        if stage.bias is not None:
            np.testing.assert_array_equal(every.bias, stage.bias.numpy())
        np.testing.assert_allclose(every.losses[1:], wanted, atol=1e-4)
        assert np.isnan(every.losses[0])
    assert every.losses[1:].mean() < 3.5, "an untrained model gives ln 256 = 5.5"


def test_pieces_through_the_cache_give_the_same(monkeypatch):
    whole = trained.trace("t5", LONG, 2)
    monkeypatch.setattr(evaluation, "SCORES", 8 * len(LONG) * 37)  # 37 queries at once
    trained.layer.cache_clear()
    trained.losses.cache_clear()
    pieces = trained.trace("t5", LONG, 2)
    trained.layer.cache_clear()
    trained.losses.cache_clear()
    np.testing.assert_allclose(pieces.weights, whole.weights, atol=1e-5)
    np.testing.assert_allclose(pieces.losses, whole.losses, atol=1e-4)


def test_every_second_query_is_every_second_query():
    layer = trained.layer(loaded("rope"), LONG, 1)
    every = trained.trace("rope", LONG, 1).weights
    for at, one in layer.blocks(2):
        np.testing.assert_allclose(one.weights[0].numpy(), every[:, ::2][:, at], atol=1e-6)


def test_an_own_run_is_read_as_it_was_trained(tmp_path):
    store = own(tmp_path)
    found = loaded(SMALL.hash, store)
    assert (found.origin, found.config) == ("own", SMALL)
    assert not found.model.training
    model = build_model(SMALL)
    assert all(
        torch.equal(ours, theirs) for ours, theirs in zip(found.model.parameters(), model.parameters(), strict=True)
    )
    assert trained.trace(SMALL.hash, TEXT, 3, 2, store).weights.shape == (1, len(TEXT), len(TEXT))
    assert trained.load(SMALL.hash, store).model is found.model, "read once"
    write_weights(store.path(SMALL.hash) / WEIGHTS, {k: 2 * w for k, w in model.named_parameters()})
    assert not torch.equal(loaded(SMALL.hash, store).model.embedding.weight, model.embedding.weight), "not stale"
    store.delete(SMALL.hash)
    assert trained.load(SMALL.hash, store) is None


@pytest.mark.parametrize(
    "ref", ["", "kerple", "..", "../alibi", "0" * 16, "alibi.safetensors", "recall-alibi", "ALIBI", "\0"]
)
def test_what_is_not_there_is_none(ref, tmp_path):
    assert trained.load(ref, RunStore(tmp_path)) is None
    with pytest.raises(LookupError):
        trained.trace(ref, TEXT, 1, store=RunStore(tmp_path))


@pytest.mark.parametrize("damage", ["cut", "empty", "other shape", "not a number", "record", "running"])
def test_a_damaged_run_is_none_until_it_is_whole(damage, tmp_path):
    store = own(tmp_path)
    weights = dict(build_model(SMALL).named_parameters())
    path = store.path(SMALL.hash) / WEIGHTS
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-9])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "other shape":
        write_weights(path, dict(build_model(replace(SMALL, width=32)).named_parameters()))
    elif damage == "not a number":
        write_weights(path, weights | {"norm.weight": torch.full((16,), torch.nan)})
    elif damage == "record":
        (path.parent / "run.json").write_text("{")
    else:
        store.save(Run(SMALL, status="running"))
    assert trained.load(SMALL.hash, store) is None
    store.finish(Run(SMALL, status="finished"), weights)
    assert trained.load(SMALL.hash, store) is not None


def test_a_damaged_shipped_model_is_not_there(tmp_path, monkeypatch):
    for name in ("alibi-0.json", "alibi.safetensors", "rope-0.json"):
        shutil.copy(pretrained.FOLDER / name, tmp_path / name)
    (tmp_path / "rope.safetensors").write_bytes(b"{}")
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    store = RunStore(tmp_path)
    assert list(trained.refs(store)) == ["alibi", "rope"]
    assert trained.load("alibi", store) is not None
    assert [trained.load(ref, store) for ref in ("rope", "t5")] == [None, None]
    (tmp_path / "alibi-0.json").write_text("[]")
    assert trained.load("alibi", store) is None


def test_strength_multiplies_the_slopes_and_leaves_the_shared_model_alone():
    model = loaded("alibi")
    plain = trained.losses(model, LONG)
    off = trained.layer(model, LONG, 1, 0.0)
    (_, one), *_ = off.blocks()
    assert float(one.bias.abs().max()) == 0
    double = trained.layer(model, LONG, 1, 2.0)
    torch.testing.assert_close(double.method.slopes, 2 * model.model.position.slopes)
    assert not np.array_equal(trained.losses(model, LONG, 0.0)[1:], plain[1:])
    trained.losses.cache_clear()
    np.testing.assert_array_equal(trained.losses(model, LONG)[1:], plain[1:])
    assert trained.layer(loaded("rope"), TEXT, 1, 0.0).method is loaded("rope").model.position, "ALiBi's alone"


def test_the_strength_of_an_own_alibi_run_counts_from_its_own(tmp_path):
    config = replace(SMALL, method="alibi", options={"strength": 0.5})
    store = own(tmp_path, config)
    assert trained.layer(loaded(config.hash, store), TEXT, 1, 2.0).method.strength == 1.0


def test_what_cannot_be_read_is_said_in_words():
    learned = loaded("learned")
    assert (learned.last, loaded("alibi").last) == (128, trained.LONGEST)
    assert trained.losses(learned, LONG[:128]).shape == (128,)
    with pytest.raises(ValueError, match="position 128 has no vector"):
        trained.losses(learned, LONG[:129])
    with pytest.raises(ValueError, match="is empty"):
        trained.losses(learned, b"")
    with pytest.raises(ValueError, match="at most 2,048"):
        trained.trace("alibi", b"x" * 2049, 1, 1)
    with pytest.raises(ValueError, match="layers 1 to 2, not 3"):
        trained.trace("alibi", TEXT, 3)
    with pytest.raises(ValueError, match="heads 1 to 8, not 9"):
        trained.trace("alibi", TEXT, 1, 9)
    with pytest.raises(ValueError, match="up to 1,024 bytes"):
        trained.trace("alibi", b"x" * 1025, 1)


def test_one_byte_and_the_longest_text():
    one = trained.trace("alibi", b"x", 1)
    assert one.weights.tolist() == [[[1.0]]] * 8
    assert np.isnan(one.losses).all()
    assert len(one.losses) == 1
    assert trained.trace("t5", b"x" * trained.LONGEST, 2, 8).weights.shape == (1, trained.LONGEST, trained.LONGEST)


def test_labels_show_every_byte():
    assert trained.labels("a b\né\t~\x7f".encode()) == ("a", "␣", "b", "⏎", "C3", "A9", "09", "~", "7F")
    assert len(trained.labels(bytes(range(256)))) == 256
    assert all(label.isprintable() and label.strip() for label in trained.labels(bytes(range(256))))

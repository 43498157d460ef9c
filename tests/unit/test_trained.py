"""Trained models as content: against the model's own full pass, with missing, damaged and foreign files."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from alibi_viz.attention.attention import Trace
from alibi_viz.files import write_weights
from alibi_viz.lm import evaluation
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.runs import WEIGHTS, Run, RunStore
from alibi_viz.lm.training import build_model
from alibi_viz.results import pretrained, trained

TEXT = "A list keeps its items in order; a set does not. naïve café ".encode()
LONG = TEXT * 5  # more than two blocks of rows, and more than L = 128
SMALL = TrainConfig(method="t5", length=16, width=16, heads=2, layers=3, batch=2, steps=4, seed=5)


def every(run: Run) -> bool:
    """All runs are in sight."""
    return True


def own(folder: Path, config: TrainConfig = SMALL, status: str = "finished") -> RunStore:
    store = RunStore(folder)
    store.finish(Run(config, status=status), dict(build_model(config).named_parameters()))
    return store


def loaded(ref: str, store: RunStore | None = None) -> trained.Loaded:
    model = trained.load(ref, store)
    assert model is not None
    return model


def test_all_shipped_models_and_own_runs_are_offered_newest_first(tmp_path):
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
    assert (offered["rope"].method, offered["rope"].length, offered["rope"].seed) == ("rope", 128, 0)
    for seed in range(100, 103 + trained.OWN):
        own(tmp_path, replace(SMALL, seed=seed))
    assert len(trained.refs(every, store)) == len(pretrained.METHODS) + trained.OWN
    assert tuple(trained.refs(lambda run: run.config.seed == 101, store))[len(pretrained.METHODS) :] == (
        replace(SMALL, seed=101).hash,
    ), "what is out of sight takes no place"


def full_pass(model: DecoderLM, text: bytes) -> list[Trace]:
    """Every stage of every layer, by the model's own full pass."""
    tokens = torch.frombuffer(bytearray(text), dtype=torch.uint8).long()[None]
    with torch.no_grad():
        return model.trace(tokens)[0]


@pytest.mark.parametrize("method", pretrained.METHODS)
def test_stages_are_those_of_the_models_own_full_pass(method):
    text = LONG[:128] if method == "learned" else LONG
    model, allowed = loaded(method), np.tri(len(text), dtype=bool)
    for layer, stage in enumerate(full_pass(model.model, text), start=1):
        for head in (1, 3, 8):
            reading = trained.read(model, text, layer, head)
            ours, full = reading.stages, {"content": stage.content, "scores": stage.masked, "weights": stage.weights}
            for name, theirs in full.items():
                picture = getattr(ours, name)
                np.testing.assert_allclose(picture[allowed], theirs[0, head - 1].numpy()[allowed], rtol=1e-6, atol=1e-4)
                assert picture.dtype == np.float32
                assert name == "content" or np.isneginf(picture[~allowed]).all()
            np.testing.assert_allclose(ours.content, stage.content[0, head - 1], atol=1e-4)
            assert (ours.bias is None) == (stage.bias is None)
            if stage.bias is not None:
                np.testing.assert_array_equal(ours.bias[allowed], stage.bias[head - 1].numpy()[allowed])
                assert np.isneginf(ours.bias[~allowed]).all()
            shares = stage.weights[0, :, -1, -model.config.length :].sum(1)
            np.testing.assert_allclose(reading.shares, shares, atol=1e-4)


def test_pieces_through_the_cache_give_the_same(monkeypatch):
    def read():
        for function in (trained.inputs, trained.read):
            function.cache_clear()
        return trained.read(loaded("t5"), LONG, 2, 3).stages.weights

    whole = read()
    monkeypatch.setattr(evaluation, "SCORES", 8 * len(LONG) * 37)  # 37 queries at once
    np.testing.assert_allclose(read(), whole, atol=1e-4)
    monkeypatch.undo()
    read()


def test_every_second_query_is_every_second_query():
    attention = trained.inputs(loaded("rope"), LONG, 1)
    every = attention.trace().weights
    np.testing.assert_allclose(torch.cat([t.weights for t in attention.blocks(2)], dim=2), every[:, :, ::2], atol=1e-6)


def test_an_own_run_is_read_as_it_was_trained(tmp_path):
    store = own(tmp_path)
    private = loaded(SMALL.hash, store)
    assert (private.origin, private.config) == ("own", SMALL)
    assert not private.model.training
    model = build_model(SMALL)
    assert all(
        torch.equal(ours, theirs) for ours, theirs in zip(private.model.parameters(), model.parameters(), strict=True)
    )
    assert trained.read(private, TEXT, 3, 2).stages.weights.shape == (len(TEXT), len(TEXT))
    assert trained.load(SMALL.hash, store).model is private.model, "read once"
    write_weights(store.path(SMALL.hash) / WEIGHTS, {k: 2 * w for k, w in model.named_parameters()})
    assert not torch.equal(loaded(SMALL.hash, store).model.embedding.weight, model.embedding.weight), "not stale"
    store.delete(SMALL.hash)
    assert trained.load(SMALL.hash, store) is None


@pytest.mark.parametrize(
    "ref", ["", "exponential", "..", "../alibi", "0" * 16, "alibi.safetensors", "recall-alibi", "ALIBI", "\0"]
)
def test_what_is_not_there_is_none(ref, tmp_path):
    assert trained.load(ref, RunStore(tmp_path)) is None


@pytest.mark.parametrize("damage", ["cut", "empty", "other shape", "not a number", "too large", "record", "running"])
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
    elif damage == "too large":  # layer after layer it would overflow float32
        write_weights(path, weights | {"norm.weight": torch.full((16,), 1e30)})
    elif damage == "record":
        (path.parent / "run.json").write_text("{")
    else:
        store.save(Run(SMALL, status="running"))
    assert trained.load(SMALL.hash, store) is None
    store.finish(Run(SMALL, status="finished"), weights)
    assert trained.load(SMALL.hash, store) is not None


def test_a_damaged_shipped_model_is_not_there(tmp_path, monkeypatch):
    text = tmp_path / "text"
    text.mkdir()
    for name in ("alibi-0.json", "alibi-0.safetensors", "rope-0.json"):
        shutil.copy(pretrained.FOLDER / "text" / name, text / name)
    (text / "rope-0.safetensors").write_bytes(b"{}")
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    store = RunStore(tmp_path)
    assert list(trained.refs(every, store)) == ["alibi", "rope"]
    assert trained.load("alibi", store) is not None
    assert [trained.load(ref, store) for ref in ("rope", "t5")] == [None, None]
    (text / "alibi-0.json").write_text("[]")
    assert trained.load("alibi", store) is None


def test_strength_multiplies_the_slopes_and_leaves_the_shared_model_alone():
    model = loaded("alibi")
    plain = trained.inputs(model, LONG, 2).trace().weights
    off = trained.inputs(model, LONG, 1, 0.0)
    assert float(off.trace().bias.abs().max()) == 0
    double = trained.inputs(model, LONG, 1, 2.0)
    torch.testing.assert_close(double.method.slopes, 2 * model.model.position.slopes)
    trained.inputs.cache_clear()
    assert torch.equal(trained.inputs(model, LONG, 2).trace().weights, plain)
    assert trained.inputs(loaded("rope"), TEXT, 1, 0.0).method is loaded("rope").model.position, "ALiBi's alone"


def test_the_strength_of_an_own_alibi_run_counts_from_its_own(tmp_path):
    config = replace(SMALL, method="alibi", options={"strength": 0.5})
    store = own(tmp_path, config)
    assert trained.inputs(loaded(config.hash, store), TEXT, 1, 2.0).method.strength == 1.0


def test_what_cannot_be_read_is_said_in_words():
    learned = loaded("learned")
    assert (learned.max_bytes, loaded("alibi").max_bytes) == (128, trained.LONGEST)
    assert trained.read(learned, LONG[:128], 1, 1).stages.weights.shape == (128, 128)
    with pytest.raises(ValueError, match="position 128 has no vector"):
        trained.read(learned, LONG[:129], 1, 1)
    with pytest.raises(ValueError, match="is empty"):
        trained.read(learned, b"", 1, 1)
    with pytest.raises(ValueError, match="at most 2,048"):
        trained.read(loaded("alibi"), b"x" * 2049, 1, 1)
    with pytest.raises(ValueError, match="layers 1 to 2, not 3"):
        trained.read(loaded("alibi"), TEXT, 3, 1)
    with pytest.raises(ValueError, match="heads 1 to 8, not 9"):
        trained.read(loaded("alibi"), TEXT, 1, 9)


def test_one_byte_and_the_longest_text():
    for head in range(1, 9):
        reading = trained.read(loaded("alibi"), b"x", 1, head)
        assert reading.stages.weights.tolist() == [[1.0]]
    long = trained.read(loaded("t5"), b"x" * trained.LONGEST, 2, 8)
    assert long.stages.weights.shape == (trained.LONGEST, trained.LONGEST)
    trained.read.cache_clear()


def test_labels_show_every_byte():
    assert trained.labels("a b\né\t~\x7f".encode()) == ("a", "␣", "b", "⏎", "C3", "A9", "09", "~", "7F")
    assert len(trained.labels(bytes(range(256)))) == 256
    assert all(label.isprintable() and label.strip() for label in trained.labels(bytes(range(256))))

"""The store: what is written comes back, and no damage to a file keeps it from opening."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from alibi_viz import files
from alibi_viz.files import write_atomically
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import HELP_TEXTS, own_text, python_text
from alibi_viz.lm.evaluation import evaluate
from alibi_viz.lm.runs import Run, RunStore, corpus_for, environment
from alibi_viz.lm.training import TrainState, build_model, load_weights, start, train_chunk
from alibi_viz.lm.weights import read_weights
from alibi_viz.results import pretrained
from tests.cases import some
from tools.pretrained import configs
from tools.verify import problems_of

SMALL = TrainConfig(length=8, width=8, heads=1, layers=1, batch=2, steps=4, corpus="recall", pairs=2)


def half() -> TrainState:
    return train_chunk(start(SMALL, None), 2)


def filled(folder: Path, state: TrainState) -> RunStore:
    store = RunStore(folder)
    store.save(Run(SMALL, status="running", environment=environment()).after(state), state)
    return store


def test_a_half_finished_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    store = filled(tmp_path, half())
    run, state = store.get(SMALL.hash), store.state(SMALL.hash)
    assert (run.step, run.status, run.environment["torch"]) == (2, "running", torch.__version__)
    ours, whole = train_chunk(state, 2), train_chunk(start(SMALL, None), 4)
    assert all(torch.equal(ours.weights[name], w) for name, w in whole.weights.items())
    store.finish(replace(run.after(ours), status="finished"), ours.weights)
    assert sorted(os.listdir(store.path(SMALL.hash))) == ["model.safetensors", "run.json"]
    load_weights(build_model(SMALL), store.weights(SMALL.hash))
    assert [r.hash for r in store.runs()] == [SMALL.hash]
    for _ in range(2):
        store.delete(SMALL.hash)
        assert store.runs() == []


def test_a_store_cut_off_at_any_byte_of_a_write_opens_with_the_old_run(tmp_path, monkeypatch):
    """A write that stops after n bytes, as in a power cut: a part of the new file lies beside the old one."""
    first = half()
    later = train_chunk(first, 2)
    store = filled(tmp_path, first)
    folder = store.path(SMALL.hash)

    def power_cut(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "replace", power_cut)
    monkeypatch.setattr(files.os, "unlink", lambda _: None)  # nobody is left to tidy up
    data = later.to_bytes()
    for size in {*range(0, len(data), 997), *range(40), len(data)}:
        with pytest.raises(KeyboardInterrupt):
            write_atomically(folder / "state.safetensors", data[:size])
    assert len(list(folder.iterdir())) > 40  # the torn pieces are really there
    assert store.state(SMALL.hash).step == 2
    assert [run.step for run in store.runs()] == [2]


ENTRY = {"length": 16, "stride": 16, "perplexity": 3.5, "loss": 1.25, "predictions": 32, "by_position": [1.5, None]}
FULL = Run(
    TrainConfig(length=16, steps=10, options={"max_bias": 16.0}),
    "ab12",
    "finished",
    10,
    2.5,
    tuple(map(float, range(10))),
    (ENTRY, {"length": 32, "stride": 8, "missing": "It ends."}, {"length": 64, "stride": 64, "perplexity": None}),
    ({"step": 5, "length": 16, "stride": 16, "perplexity": 9.0},),
    recall=({"length": 8, "pairs": 2, "questions": 256, "accuracy": 0.5, "wrong_key": 0.25, "nearest": None},),
    error="Größe “1”, checksum",
    environment={"torch": "2"},
    browsers=("ab" * 32,),
)


def test_a_record_comes_back_as_it_was_written_and_a_changed_one_does_not(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.save(FULL)
    assert store.get(FULL.hash) == FULL
    with pytest.raises(ValueError, match="not JSON compliant"):
        store.save(replace(FULL, losses=(float("nan"),)))
    assert store.get(FULL.hash) == FULL
    path = store.path(FULL.hash) / "run.json"
    plain, data = json.loads(path.read_text()), path.read_bytes()
    changed = [{"status": "asleep"}, {"step": 11}, {"losses": ["a"]}, {"evaluations": [ENTRY, ENTRY]}, {"config": 5}]
    for text in (data.replace(b"1.25", b"1.26"), *(json.dumps(plain | change).encode() for change in changed)):
        path.write_bytes(text)
        assert store.get(FULL.hash) is None


def test_a_run_belongs_to_those_who_asked_for_it_or_to_everybody() -> None:
    for browsers, browser, own in (((), "a", True), (("b", "a"), "a", True), (("b",), "a", False), (("b",), "", True)):
        assert replace(FULL, browsers=browsers).is_own(browser) == own


def test_a_folder_that_says_it_is_another_run_is_not_believed(tmp_path: Path) -> None:
    store = filled(tmp_path, half())
    other = replace(SMALL, seed=1).hash
    store.path(SMALL.hash).rename(store.path(other))
    assert store.get(other) is None
    assert store.state(other) is None


@pytest.mark.parametrize("name", ["../../etc", "", "0123456789ABCDEF", "0123456789abcde/", "." * 16])
def test_only_a_hash_names_a_folder(name: str, tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    with pytest.raises(ValueError, match="hexadecimal"):
        store.path(name)
    assert store.get(name) is None


def test_a_readers_text_is_kept(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    corpus = own_text("\n\n".join(f"Absatz {n} für ß und {n * n}" for n in range(1500)))
    config = replace(SMALL, corpus=corpus.key)
    with pytest.raises(ValueError, match="not kept"):
        corpus_for(config, store)
    store.save_text(corpus)
    assert corpus_for(config, store) == corpus
    assert store.text("text:../../x") is None
    kept = tmp_path / "texts" / f"{corpus.key.removeprefix('text:')}.json"
    good = json.loads(kept.read_text())
    for bad in (json.dumps(5), json.dumps({**good, "train": None}), json.dumps({**good, "held_out": "x"}), "[" * 10**5):
        kept.write_text(bad)
        assert store.text(corpus.key) is None, bad[:40]


def test_every_shipped_run_is_one_that_the_command_makes() -> None:
    made = configs()
    for kind in pretrained.KINDS:
        shipped = pretrained.load_all(kind)
        hashes, of_kind = {run["hash"] for run in shipped}, [config for config, of in made.items() if of == kind]
        assert hashes <= {config.hash for config in of_kind}, kind
        missing = {config.method for config in of_kind if config.hash not in hashes}
        so_far = pretrained.WRITERS if kind in HELP_TEXTS else pretrained.HEIRS
        assert missing <= {*so_far}, "of what came after ALiBi, and of other languages, what is trained so far"
        assert [sentence for run in shipped for sentence in problems_of(run, kind)] == []


@pytest.mark.parametrize(
    "method", some(["alibi", "rope", "t5", "fire", *pretrained.HEIRS], "alibi", "rope", "forgetting")
)
def test_the_shipped_weights_give_the_shipped_numbers(method: str) -> None:
    """Float16 weights against the float32 run they come from; `verify` measures every one."""
    run, weights = pretrained.load(method, 0), read_weights(pretrained.weights_path(method), 10**6)
    corpus = python_text()
    assert run["corpus"]["sha256"] == corpus.sha256
    model = build_model(TrainConfig(**run["config"]))
    load_weights(model, weights)
    result = evaluate(model.eval(), corpus.held_out, 128)
    assert result["perplexity"] == pytest.approx(run["nonoverlapping"][1]["perplexity"], rel=2e-3)


@pytest.mark.slow
def test_the_command_makes_the_shipped_numbers_again() -> None:
    """A short run, trained again, within 2 %."""
    shipped, corpus = pretrained.load("alibi", 0, "live"), python_text()
    config = TrainConfig(**shipped["config"])
    model = train_chunk(start(config, corpus), config.steps, corpus).model()
    for entry in shipped["nonoverlapping"]:
        result = evaluate(model, corpus.held_out, entry["length"])
        assert result["perplexity"] == pytest.approx(entry["perplexity"], rel=0.02)

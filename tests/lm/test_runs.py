"""The store: what is written comes back, no damage keeps it from opening; who may write a run, and what goes with time."""

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch

from alibi_viz import files
from alibi_viz.files import write_atomically
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import HELP_TEXTS, Corpus, own_key, own_text, python_text
from alibi_viz.lm.evaluation import evaluate
from alibi_viz.lm.runs import DAY, GRACE, STATE, WEIGHTS, Run, RunStore, corpus_for, environment
from alibi_viz.lm.training import build_model, load_weights, start, train_chunk
from alibi_viz.lm.weights import read_weights
from alibi_viz.results import pretrained
from tools.pretrained import configs
from tools.verify import problems_of

SMALL = TrainConfig(length=8, width=8, heads=1, layers=1, batch=2, steps=4, corpus="recall", pairs=2)


def half():
    return train_chunk(start(SMALL, None), 2)


def filled(folder, state):
    store = RunStore(folder)
    store.save(Run(SMALL, status="running", made_with=environment()).after(state), state)
    return store


def test_a_store_cut_off_at_any_byte_of_a_write_opens_with_the_old_run(tmp_path, monkeypatch):
    """A write that stops after n bytes, as in a power cut: a part of the new file lies beside the old one."""
    first = half()
    later = train_chunk(first, 2)
    store = filled(tmp_path, first)
    assert store.get(SMALL.hash).made_with["torch"] == torch.__version__
    folder = store.path(SMALL.hash)

    def power_cut(*_):
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
    made_with={"torch": "2"},
    browsers=("ab" * 32,),
)


def test_a_record_comes_back_as_it_was_written_and_a_changed_one_does_not(tmp_path):
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


def test_a_run_belongs_to_those_who_asked_for_it_or_to_everybody():
    for browsers, browser, own in (((), "a", True), (("b", "a"), "a", True), (("b",), "a", False), (("b",), "", True)):
        assert replace(FULL, browsers=browsers).is_own(browser) == own


def test_a_folder_that_says_it_is_another_run_is_not_believed(tmp_path):
    store = filled(tmp_path, half())
    other = replace(SMALL, seed=1).hash
    store.path(SMALL.hash).rename(store.path(other))
    assert store.get(other) is None
    assert store.state(other) is None


@pytest.mark.parametrize("name", ["../../etc", "", "0123456789ABCDEF", "0123456789abcde/", "." * 16])
def test_only_a_hash_names_a_folder(name, tmp_path):
    store = RunStore(tmp_path)
    with pytest.raises(ValueError, match="hexadecimal"):
        store.path(name)
    assert store.get(name) is None


def test_a_readers_text_is_kept(tmp_path):
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


def test_every_shipped_run_is_one_that_the_command_makes():
    made = configs()
    for kind in pretrained.KINDS:
        shipped = pretrained.load_all(kind)
        hashes, of_kind = {run["hash"] for run in shipped}, [config for config, of in made.items() if of == kind]
        assert hashes <= {config.hash for config in of_kind}, kind
        missing = {config.method for config in of_kind if config.hash not in hashes}
        so_far = pretrained.WRITERS if kind in HELP_TEXTS else pretrained.HEIRS
        assert missing <= {*so_far}, "of what came after ALiBi, and of other languages, what is trained so far"
        assert [sentence for run in shipped for sentence in problems_of(run, kind)] == []


@pytest.mark.parametrize("method", ["alibi", "rope", "forgetting"])
def test_the_shipped_weights_give_the_shipped_numbers(method):
    """Float16 weights against the float32 run they come from; of every model: tests/lm/test_facts.py."""
    run, weights = pretrained.load(method, 0), read_weights(pretrained.weights_path(method), 10**6)
    corpus = python_text()
    assert run["corpus"]["sha256"] == corpus.sha256
    model = build_model(TrainConfig(**run["config"]))
    load_weights(model, weights)
    result = evaluate(model.eval(), corpus.held_out, 128)
    assert result["perplexity"] == pytest.approx(run["nonoverlapping"][1]["perplexity"], rel=2e-3)


@pytest.mark.slow
def test_the_command_makes_the_shipped_numbers_again():
    """A short run, trained again, within 2 %."""
    shipped, corpus = pretrained.load("alibi", 0, "live"), python_text()
    config = TrainConfig(**shipped["config"])
    model = train_chunk(start(config, corpus), config.steps, corpus).model()
    for entry in shipped["nonoverlapping"]:
        result = evaluate(model, corpus.held_out, entry["length"])
        assert result["perplexity"] == pytest.approx(entry["perplexity"], rel=0.02)


CONFIG = TrainConfig()
NOW = 2_000_000_000.0
CORPUS = Corpus(own_key(b"a", b"b"), b"a", b"b")


@pytest.fixture
def store(tmp_path):
    return RunStore(tmp_path)


def test_one_of_many_gets_a_claim_and_the_next_one_after_it(store):
    stores = [RunStore(store.folder.parent) for _ in range(8)]
    for _ in range(5):
        with ThreadPoolExecutor(8) as pool:
            taken = list(pool.map(lambda one: one.claim(CONFIG.hash), stores))
        assert sum(taken) == 1
        (owner,) = [one for one, has in zip(stores, taken, strict=True) if has]
        assert owner.claim(CONFIG.hash), "it has it already"
        assert [one.is_elsewhere(CONFIG.hash) for one in stores] == [not has for has in taken]
        stores[taken.index(False)].delete(CONFIG.hash)
        assert owner.path(CONFIG.hash).exists()
        owner.release(CONFIG.hash)


def test_a_killed_process_leaves_no_claim(store):
    told, tell = os.pipe()
    if not (holder := os.fork()):  # the other process
        os.write(tell, str(RunStore(store.folder.parent).claim(CONFIG.hash)).encode())
        signal.pause()
    assert os.read(told, 5) == b"True"
    assert store.is_elsewhere(CONFIG.hash)
    assert not store.claim(CONFIG.hash)
    os.kill(holder, signal.SIGKILL)
    os.waitpid(holder, 0)
    assert store.claim(CONFIG.hash)


def keep_run(store, seed, days, *, finished=False, size=0, **change):
    """A run as it stands on disk, last written so many days ago; returns its hash."""
    run = Run(replace(CONFIG, seed=seed, **change), status="finished" if finished else "paused")
    store.save(run)
    folder = store.path(run.hash)
    (folder / (WEIGHTS if finished else STATE)).write_bytes(bytes(size))
    for path in (*folder.iterdir(), folder):
        os.utime(path, (NOW - days * DAY,) * 2)
    return run.hash


def left(store):
    return {path.name for path in store.folder.iterdir()}


def test_an_unfinished_run_goes_by_age_and_a_finished_one_does_not(store):
    old, young = keep_run(store, 0, 31), keep_run(store, 1, 29)
    finished, claimed = keep_run(store, 2, 4000, finished=True), keep_run(store, 3, 31)
    assert RunStore(store.folder.parent).is_elsewhere(claimed) is False
    other = RunStore(store.folder.parent)
    assert other.claim(claimed)
    (store.folder / "notes").mkdir()
    os.utime(store.folder / "notes", (0, 0))
    store.make_room(NOW)
    assert left(store) == {young, finished, claimed, "notes"}
    assert old not in left(store)


def test_over_the_limit_unfinished_runs_go_first_and_the_oldest_of_each(store, monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_KEEP_MB", "20")
    mb = 1_000_000
    results = [keep_run(store, seed, 100 - seed, finished=True, size=9 * mb) for seed in range(3)]
    begun = [keep_run(store, 10 + seed, 9 - seed, size=2 * mb) for seed in range(3)]
    fresh = keep_run(store, 20, (GRACE / 2) / DAY, size=mb)
    store.make_room(NOW)
    assert left(store) == {*results[1:], fresh}
    assert begun[0] not in left(store)


def test_a_text_goes_with_the_last_run_that_learned_it(store):
    store.save_text(CORPUS)
    (text,) = store.texts.iterdir()
    os.utime(text, (NOW - DAY,) * 2)
    run = keep_run(store, 0, 31, corpus=CORPUS.key)
    store.make_room(NOW - 10 * DAY)
    assert text.exists()
    store.make_room(NOW)
    assert (text.exists(), run in left(store)) == (False, False)
    store.save_text(CORPUS)
    os.utime(text, (NOW - GRACE / 2,) * 2)
    store.make_room(NOW)
    assert text.exists(), "its run is about to come"

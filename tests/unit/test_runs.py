"""The store: what is written comes back, and no damage to a file keeps it from opening."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

from alibi_viz import files
from alibi_viz.files import read_file, read_weights, write_atomically
from alibi_viz.lm import runs
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import own_text, python_text
from alibi_viz.lm.evaluation import Evaluation, evaluate
from alibi_viz.lm.runs import Run, RunStore, corpus_for, data_folder, environment
from alibi_viz.lm.training import TrainState, build_model, load_weights, start, train_chunk
from alibi_viz.results import pretrained, published
from tools import costs
from tools.pretrained import configs
from tools.verify import problems_of

SMALL = TrainConfig(length=8, width=8, heads=1, layers=1, batch=2, steps=4, corpus="recall", pairs=2)


def half() -> TrainState:
    return train_chunk(start(SMALL, None), 2)


@pytest.fixture
def no_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is lost by a power cut here, so nobody waits for the disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def filled(folder: Path, state: TrainState) -> RunStore:
    store = RunStore(folder)
    store.save(Run(SMALL, status="running", environment=environment()).after(state), state)
    return store


def test_a_half_finished_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    store = filled(tmp_path, half())
    run, state = store.get(SMALL.hash), store.state(SMALL.hash)
    assert run is not None
    assert state is not None
    assert (run.step, run.status, run.environment["torch"]) == (2, "running", torch.__version__)
    ours, whole = train_chunk(state, 2), train_chunk(start(SMALL, None), 4)
    assert all(torch.equal(ours.weights[name], w) for name, w in whole.weights.items())
    store.finish(replace(run.after(ours), status="finished"), ours.weights)
    assert sorted(os.listdir(store.path(SMALL.hash))) == ["model.safetensors", "run.json"]
    kept = store.weights(SMALL.hash)
    assert kept is not None
    load_weights(build_model(SMALL), kept)
    assert [r.hash for r in store.runs()] == [SMALL.hash]
    store.delete(SMALL.hash)
    assert store.runs() == []
    store.delete(SMALL.hash)


def test_a_store_cut_off_at_any_byte_of_a_write_opens_with_the_old_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that stops after n bytes, as in a power cut: a part of the new file lies beside the old one."""
    first = half()
    later = train_chunk(first, 2)
    store = filled(tmp_path, first)
    folder = store.path(SMALL.hash)

    class PowerCut(BaseException):
        pass

    def cut(*_: object) -> None:
        raise PowerCut

    monkeypatch.setattr(files.os, "replace", cut)
    monkeypatch.setattr(files.os, "unlink", lambda _: None)  # nobody is left to tidy up
    data = later.to_bytes()
    for size in {*range(0, len(data), 997), *range(40), len(data)}:
        with pytest.raises(PowerCut):
            write_atomically(folder / "state.safetensors", data[:size])
    assert len(list(folder.iterdir())) > 40  # the torn pieces are really there
    state = store.state(SMALL.hash)
    assert state is not None
    assert state.step == 2
    assert [run.step for run in store.runs()] == [2]


def test_a_file_damaged_at_any_byte_counts_as_not_there(tmp_path: Path) -> None:
    """Where the disk itself lost the end of a file, the run is not there, and the rest of the store is."""
    store = filled(tmp_path, half())
    other = replace(SMALL, seed=1)
    store.save(Run(other))
    folder = store.path(SMALL.hash)
    record, state = (folder / "run.json").read_bytes(), (folder / "state.safetensors").read_bytes()
    for size in range(len(record)):
        (folder / "run.json").write_bytes(record[:size])
        assert store.get(SMALL.hash) is None
        if size % 50 == 0:
            assert [run.hash for run in store.runs()] == [other.hash]
    (folder / "run.json").write_bytes(record)
    assert store.state(SMALL.hash) is not None
    for size in {*range(0, len(state), 101), *range(20), len(state) - 1}:
        (folder / "state.safetensors").write_bytes(state[:size])
        assert store.state(SMALL.hash) is None
        (folder / "model.safetensors").write_bytes(state[:size])
        assert store.weights(SMALL.hash) is None


def fifo(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(3_000_000_000)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFO and no /dev/zero")
@pytest.mark.parametrize("make", [fifo, endless, sparse, Path.mkdir])
@pytest.mark.parametrize("name", ["run.json", "state.safetensors", "model.safetensors"])
def test_what_is_no_file_of_that_size_counts_as_not_there(
    make: Callable[[Path], None], name: str, tmp_path: Path
) -> None:
    """A FIFO would keep its reader for ever, a device has no end, and a sparse file of 3 GB takes 20 s."""
    store = filled(tmp_path, half())
    path = store.path(SMALL.hash) / name
    path.unlink(missing_ok=True)
    make(path)
    assert store.weights(SMALL.hash) is None
    assert (store.state(SMALL.hash) is None) == (name != "model.safetensors")
    assert len(store.runs()) == (name != "run.json")
    with pytest.raises(ValueError, match=r"regular file|larger"):
        read_file(path, 1_000_000)


@pytest.mark.parametrize(
    "change",
    [
        {"losses": torch.zeros(2, 1)},
        {"losses": torch.zeros(2, dtype=torch.int64)},
        {"losses": torch.full((2,), torch.nan)},
        {"losses": torch.zeros(SMALL.steps + 1)},
        {"losses": torch.zeros(0)},
        {"weights": {}},
        {"weights": {"embedding.weight": torch.zeros(256, 9)}},
        {"moments": {}},
        {"moments": {"m.embedding.weight": torch.zeros(256, 8)}},
        {"losses": torch.full((2,), 1e30)},
        {"weights": {name: weight + 1e30 for name, weight in half().weights.items()}},
        {"seconds": float("inf")},
        {"corpus": 3},
    ],
)
def test_a_state_that_training_cannot_give_counts_as_not_there(change: dict[str, Any], tmp_path: Path) -> None:
    store = filled(tmp_path, half())
    assert store.state(SMALL.hash) is not None
    (store.path(SMALL.hash) / "state.safetensors").write_bytes(replace(half(), **change).to_bytes())
    assert store.state(SMALL.hash) is None


def test_deep_nesting_in_a_state_is_no_recursion(tmp_path: Path) -> None:
    store = filled(tmp_path, half())
    path = store.path(SMALL.hash) / "state.safetensors"
    nested = "[" * 100_000 + "]" * 100_000
    path.write_bytes(safetensors.torch.save({"losses": torch.zeros(2)}, metadata={"state": nested}))
    assert store.state(SMALL.hash) is None


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
    assert corpus_for(TrainConfig()) == python_text()
    assert corpus_for(SMALL) is None
    assert store.text("text:../../x") is None
    kept = tmp_path / "texts" / f"{corpus.key.removeprefix('text:')}.json"
    good = json.loads(kept.read_text())
    for bad in ([], 5, {}, {**good, "title": 5}, {**good, "train": None}, {**good, "held_out": "another text"}):
        kept.write_text(json.dumps(bad))
        assert store.text(corpus.key) is None, bad
    kept.write_text("[" * 100_000)
    assert store.text(corpus.key) is None


def test_many_runs_are_read_once_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_fsync: None) -> None:
    store, read = RunStore(tmp_path), []
    for seed in range(100):
        store.save(Run(replace(SMALL, seed=seed)))
    before = Run.from_json
    monkeypatch.setattr(Run, "from_json", lambda data: read.append(1) or before(data))
    assert len(store.runs()) == len(read) == 100
    assert len(store.runs()) == 100
    assert len(read) == 100
    (store.path(SMALL.hash) / "run.json").write_text("damaged")
    assert len(store.runs()) == len(store.runs()) == 99
    store.delete(replace(SMALL, seed=1).hash)
    assert len(store.runs()) == 98
    assert len(read) == 101  # the damaged one once more


def test_a_list_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunStore(tmp_path)
    for seed in range(5):
        store.save(Run(replace(SMALL, seed=seed)))
        os.utime(store.path(replace(SMALL, seed=seed).hash) / "run.json", (seed, seed))
    monkeypatch.setattr(runs, "MOST", 3)
    assert [run.config.seed for run in store.runs()] == [4, 3, 2]


def test_runs_can_be_listed_from_many_threads(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    for seed in range(20):
        store.save(Run(replace(SMALL, seed=seed)))
    with ThreadPoolExecutor(8) as pool:
        assert {len(runs) for runs in pool.map(lambda _: store.runs(), range(40))} == {20}


def test_the_data_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALIBI_VIZ_DATA", "/somewhere")
    assert data_folder() == Path("/somewhere")
    monkeypatch.delenv("ALIBI_VIZ_DATA")
    assert data_folder() == Path("data")


def test_the_shipped_runs_are_complete_and_small() -> None:
    shipped = pretrained.load_all()
    leading = {(method, seed) for method in pretrained.MAIN for seed in pretrained.SEEDS}
    once = {(method, pretrained.SEEDS[0]) for method in pretrained.METHODS}
    assert {(r["config"]["method"], r["config"]["seed"]) for r in shipped} == leading | once
    for run in shipped:
        assert len(run["losses"]) == run["config"]["steps"] / 10
        ends = run["config"]["method"] == "learned"
        assert [entry["context"] for entry in run["contexts"]] == [2**power for power in range(8 if ends else 10)]
        assert [entry["length"] for entry in run["sliding"]] == [64, 128, 160, 192, 256, 512, 1024, 2048]
        assert len(run["nonoverlapping"]) == 8
    assert len({run["corpus"]["sha256"] for run in shipped}) == 1
    files = [path for path in pretrained.FOLDER.rglob("*") if path.suffix in (".json", ".safetensors")]
    assert sum(path.stat().st_size for path in files if path.suffix == ".safetensors") < 8_000_000
    assert sum(path.stat().st_size for path in files) < 10_000_000


def test_a_damaged_record_leaves_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(pretrained.FOLDER / "text", tmp_path / "text")
    for name, content in (("alibi-0", "{"), ("rope-1", "[]"), ("fire-0", '{"config": {"method": "guess"}}')):
        (tmp_path / "text" / f"{name}.json").write_text(content)
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    assert len(pretrained.load_all()) == len([*(tmp_path / "text").glob("*.json")]) - 3
    assert pretrained.load("alibi", 0) is None
    assert pretrained.load("alibi", 1) is not None


def test_costs_were_measured_at_every_training_length() -> None:
    costs = pretrained.load_costs()
    assert {(entry["method"], entry["length"]) for entry in costs} == {
        (method, length) for method in ("alibi", "sinusoidal") for length in (64, 128, 256, 512)
    }
    assert len({entry["batch"] * entry["length"] for entry in costs}) == 1
    assert all(entry["tokens_per_second"] > 0 and entry["memory"] > 0 for entry in costs)


def test_costs_name_the_threads_that_they_were_measured_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "costs", lambda configs: [])
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        monkeypatch.setattr(costs, "COSTS", tmp_path / "costs.json")
        costs.write()
    finally:
        torch.set_num_threads(before)
    assert json.loads((tmp_path / "costs.json").read_text())["made_with"]["threads"] == "1"


def test_the_shipped_recall_runs_are_complete() -> None:
    for run in pretrained.load_all("recall"):
        config = TrainConfig.from_dict(run["config"])
        assert config.is_recall
        assert len(run["losses"]) == config.steps / 10
        windows = [128, 160, 192, 256, 512, 1024, 2048]
        asked = [(entry["length"], entry["pairs"]) for entry in run["recall"]]
        distances = {pairs: [2, 8, 32, 64, *(n + 1 - 2 * pairs for n in windows)] for pairs in (2, 4, 8)}
        assert asked == [(distance, pairs) for pairs in (2, 4, 8) for distance in distances[pairs]]
        for entry in run["recall"]:
            beyond = config.method == "learned" and entry["length"] >= config.length
            assert ("missing" in entry) == beyond
            assert beyond or all(0 <= entry[share] <= 1 for share in ("accuracy", "wrong_key"))


def test_every_shipped_run_is_one_that_the_command_makes() -> None:
    made = configs()
    for kind in pretrained.KINDS:
        shipped = pretrained.load_all(kind)
        assert {config.hash for config, of in made.items() if of == kind} == {run["hash"] for run in shipped}, kind
        assert [sentence for run in shipped for sentence in problems_of(run, kind)] == []


@pytest.mark.parametrize("method", ["alibi", "rope", "t5", "fire"])
def test_the_shipped_weights_give_the_shipped_numbers(method: str) -> None:
    """Float16 weights against the float32 run they come from; `verify` measures every one."""
    run, weights = pretrained.load(method, 0), read_weights(pretrained.weights_path(method), 10**6)
    assert run is not None
    corpus = python_text()
    assert run["corpus"]["sha256"] == corpus.sha256
    model = build_model(TrainConfig.from_dict(run["config"]))
    load_weights(model, weights)
    result = evaluate(model.eval(), corpus.held_out, 128)
    assert isinstance(result, Evaluation)
    assert result.perplexity == pytest.approx(run["nonoverlapping"][1]["perplexity"], rel=2e-3)


@pytest.mark.slow
def test_the_command_makes_the_shipped_numbers_again() -> None:
    """A short run, trained again, within 2 %."""
    shipped, corpus = pretrained.load("alibi", 0, "live"), python_text()
    assert shipped is not None
    config = TrainConfig.from_dict(shipped["config"])
    model = train_chunk(start(config, corpus), config.steps, corpus).model()
    for entry in shipped["nonoverlapping"]:
        result = evaluate(model, corpus.held_out, entry["length"])
        assert isinstance(result, Evaluation)
        assert result.perplexity == pytest.approx(entry["perplexity"], rel=0.02)


def test_the_papers_tables_name_their_source() -> None:
    paper = published.load()
    assert "Press" in paper["source"]
    assert {row["length"] for row in paper["table2_extrapolation_L512"]["rows"]} >= {512, 513}
    json.dumps(paper, allow_nan=False)
    with pytest.raises(ValueError, match="press2022"):
        published.load("nobody")

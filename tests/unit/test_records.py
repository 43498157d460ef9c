"""A record is what a training wrote, or it is not there: whatever the disk holds in its place."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import RECORD, Run, RunStore
from pages.train import study as training

TEXT = TrainConfig(length=16, steps=10)
ENTRY = {"length": 16, "stride": 16, "perplexity": 3.5, "loss": 1.25, "predictions": 32, "by_position": [1.5, None]}
FULL = Run(
    TEXT,
    "ab12",
    "finished",
    10,
    2.5,
    tuple(map(float, range(10))),
    (ENTRY, {"length": 32, "stride": 8, "missing": "It ends."}, {"length": 64, "stride": 64, "perplexity": None}),
    ({"step": 5, "length": 16, "stride": 16, "perplexity": 9.0},),
    environment={"torch": "2"},
    browsers=("ab" * 32,),
)
ANSWERS = {"length": 8, "pairs": 2, "questions": 256, "accuracy": 0.5, "wrong_key": 0.25, "nearest": None}
ASKED = Run(
    replace(TEXT, corpus="recall", options={"max_bias": 16.0}), recall=(ANSWERS,), error="Größe “1”, \x00 checksum"
)


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path)


@pytest.mark.parametrize("run", [FULL, ASKED])
def test_what_was_written_comes_back(store, run):
    store.save(run)
    record = store.get(run.hash)
    assert record == run
    training.results(record)
    assert {"config", "hash", "made_with", "browsers"} <= set(json.loads((store.path(run.hash) / RECORD).read_text()))


@pytest.mark.parametrize("data", [b"", b"[" * 100_000, b"5", b"[]", b"null", b'{"config": null}', b"\x00", b"1" * 5000])
def test_a_record_may_be_no_record_at_all(store, data):
    store.save(FULL)
    (store.path(TEXT.hash) / RECORD).write_bytes(data)
    assert store.get(TEXT.hash) is None


def test_a_changed_record_counts_as_a_run_that_is_not_there(store):
    other = replace(TEXT, seed=1)
    store.save(FULL)
    store.save(Run(other))
    path = store.path(TEXT.hash) / RECORD
    plain = json.loads(path.read_text())
    data = path.read_bytes()
    changed = [{"status": "asleep"}, {"step": 11}, {"losses": ["a"]}, {"evaluations": [ENTRY, ENTRY]}, {"config": 5}]
    for text in (
        *(json.dumps(plain | change).encode() for change in changed),
        data.replace(b"1.25", b"1.26"),
        data + b" ",
    ):
        path.write_bytes(text)
        assert store.get(TEXT.hash) is None
        assert [run.hash for run in store.runs()] == [other.hash]


def test_a_number_that_is_not_finite_is_never_written(store):
    store.save(FULL)
    with pytest.raises(ValueError, match="not JSON compliant"):
        store.save(replace(FULL, losses=(float("nan"),)))
    assert store.get(TEXT.hash) == FULL


@pytest.mark.parametrize(
    ("browsers", "browser", "own"),
    [((), "a", True), (("a",), "a", True), (("b", "a"), "a", True), (("b",), "a", False), (("b",), "", True)],
)
def test_a_run_belongs_to_those_who_asked_for_it_or_to_everybody(browsers, browser, own):
    assert replace(FULL, browsers=browsers).is_own(browser) == own

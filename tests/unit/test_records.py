"""A damaged record counts as not there, and a record that is believed can be shown: whatever JSON the disk holds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.results import measured
from pages.early_token_curse import study as early_token_curse
from pages.train import study as training

TEXT = TrainConfig(length=16, steps=10)
RECALL = replace(TEXT, corpus="recall")
ENTRY = {"length": 16, "stride": 16, "perplexity": 3.5, "loss": 1.25, "predictions": 32, "by_position": [1.5, None]}
FULL = Run(
    TEXT,
    "ab12",
    "finished",
    10,
    2.5,
    tuple(range(10)),
    (ENTRY, {"length": 32, "stride": 8, "missing": "It ends."}, {"length": 64, "stride": 64, "perplexity": None}),
    ({"step": 5, "length": 16, "stride": 16, "perplexity": 9.0},),
    environment={"torch": "2"},
)
ANSWERS = {"length": 8, "pairs": 2, "questions": 256, "accuracy": 0.5, "wrong_key": 0.25, "nearest": 0.75}
ASKED = Run(
    RECALL,
    status="finished",
    recall=(ANSWERS, ANSWERS | {"pairs": 4, "nearest": None}, {"length": 32, "pairs": 2, "missing": "It ends."}),
    interim_evaluations=(ANSWERS | {"step": 5},),
)
FIELDS = [name for name in FULL.to_dict() if name != "config"]

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
scalars |= st.sampled_from([10**400, 1e308, -1, 0, 16, 0.5, "finished", "\ud800"])
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner), max_leaves=6
)
names = st.sampled_from(
    ["length", "stride", "step", "perplexity", "accuracy", "missing", "by_position", "loss", "x", "pairs"]
)
entries = st.lists(
    st.dictionaries(names, scalars | st.lists(scalars, max_size=3))
    | st.builds(lambda n, v: ENTRY | {n: v}, names, scalars),
    max_size=3,
)


def read_back(folder: Path, run: Run, **changes: Any) -> Run | None:
    """What the store makes of a record in which some fields are something else."""
    store = RunStore(folder)
    path = store.path(run.hash)
    path.mkdir(parents=True, exist_ok=True)
    (path / "run.json").write_text(json.dumps({**run.to_dict(), **changes}))
    return store.get(run.hash)


def show(run: Run) -> None:
    """What the pages do with a run."""
    entry = measured.from_run(run)
    early_token_curse.both([entry])
    measured.recall_curves([entry])
    for protocol in measured.PROTOCOLS:
        for curve in measured.curves([entry], protocol):
            early_token_curse.changed(curve)
    training.results(run)
    json.dumps(run.to_dict(), allow_nan=False).encode()


@pytest.mark.parametrize("run", [FULL, ASKED])
def test_what_was_written_comes_back(tmp_path, run):
    record = read_back(tmp_path, run)
    assert record is not None
    assert json.loads(json.dumps(record.to_dict())) == json.loads(json.dumps(run.to_dict()))
    show(record)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("run", [FULL, ASKED])
@settings(deadline=None, max_examples=60)
@given(value=anything | entries)
def test_any_field_may_hold_anything(folder, field, run, value):
    record = read_back(folder, run, **{field: value})
    if record is not None:
        show(record)


@settings(deadline=None, max_examples=60)
@given(name=st.sampled_from(sorted(TEXT.to_dict())), value=anything)
def test_any_setting_may_hold_anything(folder, name, value):
    record = read_back(folder, FULL, config={**TEXT.to_dict(), name: value})
    if record is not None:
        show(record)


@settings(deadline=None, max_examples=40)
@given(value=anything)
def test_a_configuration_is_refused_with_a_value_error(folder, value):
    assert read_back(folder, FULL, config=value) is None
    for name in TEXT.to_dict():
        try:
            hash(TrainConfig.from_dict({name: value}).hash)
        except ValueError:
            continue


DAMAGED = [
    {"evaluations": [{"length": 128}]},
    {"evaluations": [None]},
    {"evaluations": [ENTRY | {"perplexity": "x"}]},
    {"evaluations": [ENTRY | {"perplexity": float("nan")}]},
    {"evaluations": [ENTRY | {"length": [1]}]},
    {"evaluations": [ENTRY | {"length": 10**30, "stride": 1}]},
    {"evaluations": [ENTRY | {"stride": 17}]},
    {"evaluations": [ENTRY | {"by_position": [0.0] * 17}]},
    {"evaluations": [ENTRY, ENTRY]},
    {"evaluations": {}},
    {"losses": ["a"]},
    {"losses": [0.0] * 11},
    {"losses": [10**400]},
    {"interim_evaluations": [{"length": 1}]},
    {"recall": [ANSWERS | {"accuracy": 1.5}]},
    {"recall": [{"length": 8, "accuracy": 0.5}]},
    {"recall": [{"length": 8, "pairs": 2, "accuracy": 0.5}]},
    {"recall": [ANSWERS | {"wrong_key": None}]},
    {"recall": [ANSWERS | {"nearest": -0.1}]},
    {"recall": [ANSWERS | {"pairs": 1000}]},
    {"recall": [ANSWERS | {"questions": 0}]},
    {"recall": [ANSWERS, ANSWERS]},
    {"corpus": []},
    {"corpus": "<b>"},
    {"status": "asleep"},
    {"status": ["finished"]},
    {"step": "1"},
    {"step": 11},
    {"seconds": "long"},
    {"seconds": float("inf")},
    {"error": 5},
    {"error": "\ud800"},
    {"made_with": []},
    {"made_with": {"torch": 2}},
    {"config": 5},
    {"config": {**TEXT.to_dict(), "corpus": 5}},
    {"config": {**TEXT.to_dict(), "method": ["alibi"]}},
    {"config": {**TEXT.to_dict(), "options": 5}},
    {"config": {**TEXT.to_dict(), "options": {"max_bias": float("nan")}}},
]


@pytest.mark.parametrize("changes", DAMAGED, ids=[json.dumps(changes)[:50] for changes in DAMAGED])
def test_a_damaged_field_counts_as_a_run_that_is_not_there(tmp_path, changes):
    other = replace(TEXT, seed=1)
    RunStore(tmp_path).save(Run(other))
    assert read_back(tmp_path, FULL, **changes) is None
    assert [run.hash for run in RunStore(tmp_path).runs()] == [other.hash]


@pytest.mark.parametrize("text", ["[" * 100_000, "5", "[]", "null", '{"config": null}', '"config"', "1" * 5000, "\x00"])
def test_a_record_may_be_no_record_at_all(tmp_path, text):
    read_back(tmp_path, FULL)
    (RunStore(tmp_path).path(TEXT.hash) / "run.json").write_text(text)
    assert RunStore(tmp_path).get(TEXT.hash) is None


def test_a_step_that_was_sampled_twice_counts_once(tmp_path):
    sample = {"step": 5, "length": 16, "stride": 16, "perplexity": 9.0}
    record = read_back(tmp_path, FULL, interim_evaluations=[sample, sample | {"perplexity": 8.0}])
    assert [entry["perplexity"] for entry in record.interim_evaluations] == [8.0]

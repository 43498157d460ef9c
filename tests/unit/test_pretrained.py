"""Training and measuring what is missing, interrupted and resumed; copying it; and deriving the copy's numbers again."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import BUILT_IN, Corpus
from alibi_viz.lm.runs import RunStore
from alibi_viz.results.pretrained import METHODS
from tools import measures, pretrained, verify
from tools.pretrained import configs, name

DRAW = random.Random(0)
TRAIN, HELD_OUT, VALIDATION = (bytes(DRAW.choices(b"abcdef \n", k=size)) for size in (4000, 1300, 400))
TEXT = Corpus(BUILT_IN, "text", TRAIN, HELD_OUT, VALIDATION)
TINY = TrainConfig(corpus=BUILT_IN, length=16, width=16, heads=2, batch=4, steps=90, warmup=4)
LLAMA = replace(TINY, block="llama")
RECALL = replace(TINY, corpus="recall", pairs=2)
LIVE = replace(TINY, steps=30)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four tiny runs, measured at few windows."""
    monkeypatch.setattr(pretrained, "configs", lambda: {TINY: "text", LLAMA: "blocks", RECALL: "recall", LIVE: "live"})
    for module in (pretrained, verify):
        monkeypatch.setattr(module, "corpus_for", lambda config: None if config.is_recall else TEXT)
    monkeypatch.setattr(pretrained, "CHUNK", 10)
    for setting, value in {"USUAL_LENGTH": 16, "TIMES": (0.5, 1, 2), "LONGER": (2, 4), "CONTEXTS": (1, 4)}.items():
        monkeypatch.setattr(measures, setting, value)
    monkeypatch.setattr(measures, "NEAR", (2, 8))
    monkeypatch.setattr(measures, "PREDICTIONS", 8)


def records(folder: Path) -> dict[str, Any]:
    found = {str(file.relative_to(folder)): json.loads(file.read_text()) for file in folder.glob("*/*.json")}
    return {
        name: {k: v for k, v in record.items() if k not in ("made_at", "measured_at", "training_seconds")}
        for name, record in found.items()
    }


@pytest.mark.usefixtures("tiny")
@pytest.mark.slow
def test_what_was_interrupted_ends_as_if_it_had_not_been(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretrained.main(str(tmp_path / "whole"))
    save, saved = RunStore.save, []

    def interrupted(self: RunStore, *arguments: Any) -> None:
        save(self, *arguments)
        saved.append(1)
        if len(saved) % 3 == 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(RunStore, "save", interrupted)
    while True:
        try:
            pretrained.main(str(tmp_path / "parts"))
            break
        except KeyboardInterrupt:
            continue
    assert len(saved) > 9
    whole = records(tmp_path / "whole" / "records")
    assert whole == records(tmp_path / "parts" / "records")
    assert {len(set(record) & {"recall", "nonoverlapping"}) for record in whole.values()} == {1}


@pytest.mark.usefixtures("tiny")
def test_a_part_that_a_record_lacks_is_measured_without_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretrained.main(str(tmp_path))
    path = tmp_path / "records" / "text" / "alibi-0.json"
    before, every = json.loads(path.read_text()), records(tmp_path / "records")
    path.write_text(json.dumps({part: value for part, value in before.items() if part != "heads"}))
    monkeypatch.setattr(pretrained, "train", None)
    pretrained.main(str(tmp_path))
    assert records(tmp_path / "records") == every


@pytest.mark.usefixtures("tiny")
@pytest.mark.slow
def test_numbers_are_derived_again_and_a_changed_one_is_noticed(tmp_path: Path) -> None:
    pretrained.main(str(tmp_path / "made"))
    pretrained.main(str(tmp_path / "made"), str(tmp_path / "shipped"))
    files = sorted((tmp_path / "shipped").glob("*/*.json"))
    assert len(files) == 4
    for file in files:
        record = json.loads(file.read_text())
        assert verify.problems_of(record, file.parent.name) == []
        if file.parent.name == "live":
            continue  # its weights are not shipped
        found = verify.differences(file, file.with_suffix(".safetensors"))
        assert set(found) == set(measures.parts(TrainConfig.from_dict(record["config"]), file.parent.name))
        tolerance = 0.02  # float16 changes more of models that are hardly trained
        assert all(value <= verify.CLOSE_IN.get(part, tolerance) for part, value in found.items())
    file = next(file for file in files if file.parent.name == "text")
    record = json.loads(file.read_text())
    record["nonoverlapping"][1]["loss"] += 0.5
    file.write_text(json.dumps(record))
    assert verify.differences(file, file.with_suffix(".safetensors"))["nonoverlapping"] > 0.4
    assert verify.problems_of(record, "text") == ["A perplexity is not that of its loss."]


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"hash": "0" * 16}, "hash"),
        ({"steps": 7}, "steps"),
        ({"bytes": 7}, "bytes"),
        ({"corpus": {"sha256": "0"}}, "another text"),
    ],
)
def test_a_record_that_contradicts_itself_is_noticed(tmp_path: Path, change: dict[str, Any], sentence: str) -> None:
    store = RunStore(tmp_path)
    pretrained.train(TINY, store, TEXT)
    run = store.get(TINY.hash)
    assert run is not None
    record = pretrained.record(TINY, run, TEXT) | {part: [] for part in measures.parts(TINY, "text")}
    assert verify.problems_of(record, "text") == []
    assert sentence in " ".join(verify.problems_of(record | change, "text"))


def test_every_run_has_a_record_of_its_own_and_the_leading_ones_come_first() -> None:
    runs = list(configs().items())
    assert len({(kind, name(config, kind)) for config, kind in runs}) == len(runs)
    leading = [(config.method, kind) for config, kind in runs[: len(pretrained.LEAD)]]
    assert leading == [(method, "text") for method in ("alibi", "rope", "sinusoidal", "t5", "learned", "none")]
    seeds = [config.seed for config, _ in runs]
    assert seeds[: seeds.index(1)] == [0] * seeds.index(1)
    assert {kind for config, kind in runs if config.seed == 0} == {kind for _, kind in runs}
    assert {config.method for config, kind in runs if kind == "text" and config.seed == 0} == set(METHODS)
    assert {config.batch * config.length for config, kind in runs} == {pretrained.TOKENS}
    assert {config.steps for config, kind in runs if kind not in ("recall", "twice", "live")} == {pretrained.STEPS}


def test_largest_difference() -> None:
    assert measures.largest_difference([{"a": 1.0, "b": 2}], [{"a": 1.5, "b": 2}]) == 0.5
    assert measures.largest_difference([1.0], [1.0, 2.0]) == float("inf")
    assert measures.largest_difference({"a": None}, {"a": 1.0}) == float("inf")
    assert measures.largest_difference({"a": 3}, {"a": 4}) == float("inf")
    assert measures.largest_difference((1.0, "x"), [1.0, "x"]) == 0.0

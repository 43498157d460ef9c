"""The Attention page with a trained model: every model and layer, own runs, long texts, nonsense."""

from __future__ import annotations

import pytest

from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.lm.training import build_model
from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained
from alibi_viz.ui.controls.content import PASSAGE
from tests.pages.apptest import hands, note, open_page, picture_problem, release, said, says, shown

TRAINED = {"content": "trained model"}
NOTES = {
    place: place for place in ("embeddings", "queries_and_keys", "nothing")
}  # where a method acts, and what is said


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("method", pretrained.METHODS)
def test_every_shipped_model_and_layer(method):
    for layer in ("1", "2"):
        at = open_page("attention", model=method, layer=layer, head="8", attention_open="row,heads", **TRAINED)
        assert not at.warning
        assert not at.info
        text = said(at)
        assert f"layer {layer}, head 8 of 8" in text
        assert note(at) == load("attention").entries("note")[NOTES.get(METHODS[method].acts_on, "bias")]
        assert ("has no vector" in text) == (method == "learned")
        assert says(text, "attention", "seen_beyond") == (method != "learned")


def test_a_preset_shows_a_trained_model_and_another_one_goes_back():
    at = open_page("attention")
    presets = dict(zip(load("attention").entries("try"), hands(at)["presets"], strict=True))
    release(at, **presets["trained"]["values"])
    assert (shown(at, "content"), shown(at, "model")) == ("trained model", "alibi")
    assert f"{len(PASSAGE)} bytes, layer 1, head 4 of 8" in said(at)
    release(at, model="rope")
    assert shown(at, "model") == "rope"
    release(at, **presets["same"]["values"])
    assert hands(at)["values"]["text"].startswith("the cat")


def test_an_own_run_is_offered_and_its_heads_and_layers_are_its_own(folder):
    config = TrainConfig(method="kerple", length=16, width=12, heads=3, layers=1, steps=4)
    RunStore(folder).finish(Run(config, status="finished"), dict(build_model(config).named_parameters()))
    at = open_page("attention", model=config.hash, layer="2", head="8", **TRAINED)
    assert not at.warning
    assert says(said(at), "attention", "made", method="KERPLE log", layers=1, heads=3, width=12, steps=4)
    assert "layer 1, head 3 of 3" in said(at)
    picked = next(hand for hand in hands(at)["hands"] if hand["key"] == "model")
    assert config.hash in dict(picked["options"])
    RunStore(folder).delete(config.hash)
    at.run()
    assert says(said(at), "attention", "missing_other")
    assert not at.exception


def test_short_long_empty_and_foreign_texts():
    at = open_page("attention", passage="x", **TRAINED)
    assert says(said(at), "attention", "seen_inside")
    release(at, passage="日本 naïve <b>$x$ " * 150)
    assert "uses the first 2,048 bytes" in said(at)
    release(at, passage="  ")
    release(at, passage="")
    assert "empty" in picture_problem(at)


def test_strength_is_alibis_alone():
    for model in ("alibi", "rope"):
        keys = {hand["key"] for hand in hands(open_page("attention", model=model, **TRAINED))["hands"]}
        assert ("strength" in keys) == (model == "alibi")


def test_damaged_and_missing_models_are_said_in_words(tmp_path, monkeypatch):
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    assert says(picture_problem(open_page("attention", **TRAINED)), "attention", "missing")
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "alibi-0.json").write_text('{"config": {}}')
    (tmp_path / "text" / "alibi-0.safetensors").write_bytes(b"no weights")
    assert says(picture_problem(open_page("attention", **TRAINED)), "attention", "missing")

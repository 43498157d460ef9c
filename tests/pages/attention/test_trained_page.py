"""The Attention page with a trained model: every model and layer, own runs, long texts, nonsense."""

from __future__ import annotations

import pytest

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.lm.training import build_model
from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained
from alibi_viz.results.measured import shipped
from alibi_viz.ui.controls.content import PASSAGE
from tests.pages.apptest import open_page, said, says

TRAINED = {"content": "trained model"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("method", pretrained.METHODS)
def test_every_shipped_model_and_layer(method):
    for layer in ("1", "2"):
        at = open_page("attention", model=method, layer=layer, head="8", attention_open="reading", **TRAINED)
        assert not at.warning
        assert not at.info
        text = said(at)
        assert f"layer {layer}, head 8 of 8" in text
        assert "nats a byte" in text
        assert says(text, "attention", "how.queries_and_keys") == (method == "rope")
        assert says(text, "attention", "how.embeddings") == (method in ("sinusoidal", "learned"))
        assert ("has no vector" in text) == (method == "learned")
        assert (says(text, "attention", "loss.beyond")) == (method != "learned")


@pytest.mark.parametrize("method", pretrained.METHODS)
def test_the_words_at_the_top_fit_any_method(method):
    """What a bias does is said in numbers; not every method adds one: then the page says so."""
    text = said(open_page("attention", model=method, **TRAINED))
    assert says(text, "attention", "note") == (METHODS[method].acts_on == "scores")
    assert says(text, "attention", "note") or f"**{METHODS[method].title}:**" in text or "no position method" in text
    assert "A bias on its scores shifts weight" in text


@pytest.mark.parametrize("passage", ["A short one.", PASSAGE])
def test_a_text_ranks_no_method_and_the_measured_order_is_told(passage):
    text = said(open_page("attention", passage=passage, attention_open="reading", **TRAINED))
    assert f"Predictions on this text: {len(passage) - 1}." in text
    point = shipped()[0].at(128)
    assert point is not None
    assert f"{point.predictions:,}" in text
    assert "best first, is: **RoPE" in " ".join(text.split())
    assert not says(said(open_page("attention")), "words", "ranking")


def test_a_button_shows_a_trained_model_and_another_one_goes_back():
    at = open_page("attention", attention_open="reading")
    assert "nats" not in said(at)
    at.button(key="try_attention_trained").click().run()
    assert not at.exception
    assert (at.session_state["content"], at.session_state["model"]) == ("trained model", "alibi")
    assert f"{len(PASSAGE)} bytes, layer 1, head 4 of 8" in said(at)
    at.selectbox(key="model_list").set_value("rope").run()
    assert at.session_state["model"] == "rope"
    at.button(key="try_attention_same").click().run()
    assert not at.exception
    assert "nats" not in said(at)
    assert at.text_area(key="text").value.startswith("the cat")


def test_an_own_run_is_offered_and_its_heads_and_layers_are_its_own(folder):
    config = TrainConfig(method="kerple", length=16, width=12, heads=3, layers=1, steps=4)
    RunStore(folder).finish(Run(config, status="finished"), dict(build_model(config).named_parameters()))
    at = open_page("attention", model=config.hash, layer="2", head="8", **TRAINED)
    assert not at.warning
    assert says(said(at), "attention", "made", method="KERPLE log", layers=1, heads=3, width=12, steps=4)
    assert "layer 1, head 3 of 3" in said(at)
    assert at.selectbox(key="model_list").value == config.hash
    RunStore(folder).delete(config.hash)
    at.run()
    assert says(said(at), "attention", "models.unknown")
    assert not at.exception


def test_short_long_empty_and_foreign_texts():
    at = open_page("attention", passage="x", attention_open="reading", **TRAINED)
    assert says(said(at), "attention", "seen.trained.inside")
    assert "nats" not in said(at)
    assert says(said(at), "attention", "loss.none")
    at.text_area(key="passage").set_value("日本 naïve <b>$x$ " * 150).run()
    assert not at.exception
    assert "uses the first 2,048 bytes" in said(at)
    at.text_area(key="passage").set_value("  ").run()
    assert not at.exception
    at.text_area(key="passage").set_value("").run()
    assert "empty" in at.warning[0].value
    at.text_area(key="passage").set_value("y" * 30_000).run()
    assert not at.exception
    assert "20,000" in said(at)


def test_strength_is_alibis_alone_and_its_loss_is_told():
    alibi, rope = (
        said(open_page("attention", strength="2", model=model, attention_open="reading", **TRAINED))
        for model in ("alibi", "rope")
    )
    assert says(alibi, "attention", "loss.strength.beyond", strength="2")
    assert not says(rope, "attention", "loss.strength.beyond")


def test_damaged_and_missing_models_are_said_in_words(tmp_path, monkeypatch):
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    assert says(open_page("attention", **TRAINED).warning[0].value, "attention", "models.none")
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "alibi-0.json").write_text('{"config": {}}')
    (tmp_path / "text" / "alibi-0.safetensors").write_bytes(b"no weights")
    assert "cannot be read" in open_page("attention", **TRAINED).warning[0].value.replace("\\", "")

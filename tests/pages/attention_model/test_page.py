"""The inside of a trained model as a reader opens it; and what it shows against the model's own full pass."""

import numpy as np
import pytest
import torch

from alibi_viz.attention.pictures import SCORE_LIMIT, row
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.lm.training import build_model
from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained, trained
from pages.attention_model import study as attention
from tests.cases import some
from tests.pages.apptest import open_page, picture, said, says, seen, shown

BYTES = b"A list keeps its items in order; a set does not. " * 7  # 343


def test_an_address_of_earlier_versions_opens_the_model_with_all_its_values():
    old = {"content": "trained model", "model": "t5", "layer": "2", "attention_open": "row", "passage": "One two."}
    at = open_page("attention", **old)
    assert not at.info
    assert [shown(at, key) for key in ("model", "layer", "head", "passage", "attention_model_open")] == [
        *("t5", "2", 2, "One two.", "row")
    ]
    assert says(said(at), "attention_model", "seen_inside", tokens=8, layer=2, head=2)


@pytest.mark.parametrize("method", some(pretrained.METHODS, "alibi", "learned", "forgetting"))
def test_every_shipped_model_opens(method):
    at = open_page("attention_model", model=method, layer="2", head="8", attention_model_open="row,heads")
    assert not at.warning
    assert not at.info
    text, message = said(at), picture(at)
    assert "layer 2, head 8 of 8" in text
    assert set(message["trained"]) == set(pretrained.METHODS), "which the browser has read"
    assert ("has no vector" in message["trained"][method]["cut"]) == (method == "learned")
    assert set(message["hands"]["answered"]) == set(message["hands"]["values"])
    assert says(text, "attention_model", "seen_beyond") == (method != "learned")


def test_an_own_run_is_offered_and_told_when_it_is_gone(tmp_path, monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    config = TrainConfig(method="kerple", length=16, width=12, heads=3, layers=1, steps=4)
    RunStore(tmp_path).finish(Run(config, status="finished"), dict(build_model(config).named_parameters()))
    at = open_page("attention_model", model=config.hash, layer="2", head="8")
    assert says(said(at), "attention_model", "made", method="KERPLE log", layers=1, heads=3, width=12, steps=4)
    assert "layer 1, head 3 of 3" in said(at)
    RunStore(tmp_path).delete(config.hash)
    at.run()
    assert not at.exception
    assert says(said(at), "attention_model", "missing_other")
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    assert says(picture(open_page("attention_model"))["problem"], "attention_model", "missing")


def of_model(method, layer=2):
    loaded = trained.load(method)
    return attention.Controls(loaded, BYTES[: loaded.max_bytes], layer, 3)


@pytest.mark.parametrize("method", pretrained.METHODS)
def test_every_cell_of_a_trained_model_is_that_of_its_full_pass(method):
    chosen = of_model(method)
    tokens = torch.frombuffer(bytearray(chosen.text), dtype=torch.uint8).long()[None]
    with torch.no_grad():
        whole = chosen.loaded.model.trace(tokens)[0][1]
    result, scores = attention.compute(chosen), whole.masked[0, 2]
    of_query = row(result, 70)
    np.testing.assert_allclose(result.stages.content, whole.content[0, 2], atol=1e-4)
    np.testing.assert_allclose(result.stages.scores, scores, rtol=1e-5, atol=1e-4)  # FoX takes up to 100 off
    assert result.share == pytest.approx(float(whole.weights[0, 2, -1, -128:].sum()), abs=1e-4)
    seen(result.stages.weights, whole.weights[0, 2], scores, atol=1e-5)
    np.testing.assert_allclose(of_query.weights, whole.weights[0, 2, 70], atol=1e-5)
    assert (
        (result.stages.bias is None) == (of_query.weights_without_bias is None) == (METHODS[method].acts_on != "scores")
    )
    if whole.bias is not None:
        atol = 2e-4 if METHODS[method].needs_input else 0  # that input is computed in pieces
        seen(result.stages.bias, whole.bias.expand_as(whole.masked)[0, 2], scores, atol=atol)
        plain = whole.content[0, 2, 70].masked_fill(scores[70].isneginf(), -torch.inf).softmax(-1)
        np.testing.assert_allclose(of_query.weights_without_bias, plain, atol=1e-5)
    allowed = np.abs(whole.content[0].numpy()[:, ~scores.isneginf().numpy()])
    assert np.percentile(allowed, 90) < result.limit < 2 * allowed.max() + SCORE_LIMIT, "the colours' range"

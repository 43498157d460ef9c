"""The Attention page as a reader opens it; and what it shows against the whole attention, or a model's own full pass."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from alibi_viz.content.synthetic import ATTRACTION, CONTENTS, Setting
from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.lm.training import build_model
from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained, trained
from alibi_viz.ui.controls.content import PASSAGE
from pages.attention import study as attention
from pages.compare import study as compare
from tests.pages.apptest import TRAINED, address, hands, note, open_page, picture, release, said, says, shown


@pytest.mark.parametrize("causal", ["true", "false"])
def test_what_is_said_of_cache_and_formula_is_of_the_pass_that_ran(causal):
    text = said(open_page("attention", content="random", attention_open="cache", causal=causal))
    assert says(text, "attention", "cache_causal", steps=16) == (causal == "true")
    if causal == "false":
        assert says(text, "attention", "cache_unmasked")
        assert float(re.search(r"by up to \*\*([\d.]+)\*\*", text)[1]) > 0.1
    formulas = re.findall(r"\$\$.*?\$\$", text)
    assert len(formulas) == 2
    assert all({"true": "(i - j)", "false": "|i - j|"}[causal] in formula for formula in formulas)


@pytest.mark.parametrize(("text", "kind"), [("one two.", "few"), ("one two three.", "bias")])
def test_no_share_is_claimed_where_no_token_is_far(text, kind):
    at = open_page("attention", text=text)
    assert "nan" not in said(at)
    assert note(at) == load("attention").entries("note")[kind]


def test_a_preset_keeps_the_text_and_one_with_its_own_sets_it():
    at = open_page("attention", text="a b c d")
    presets = dict(zip(load("attention").entries("try"), hands(at)["presets"], strict=True))
    for name in ("encoder", "long"):
        release(at, **presets[name]["values"])
        assert (shown(at, "text") == "a b c d") == (name == "encoder"), "a text that was set stays"
    release(at, **presets["trained"]["values"])
    assert (shown(at, "content"), shown(at, "model")) == ("trained model", "alibi")
    assert f"{len(PASSAGE)} bytes, layer 1, head 4 of 8" in said(at)


def test_what_cannot_be_shown_is_explained_and_nothing_is_lost():
    assert "cannot share" in picture(open_page("attention", kv_heads="3"))["problem"]
    at = release(open_page("attention", heads="200", strength="2"), text=" ", is_step=False)
    assert "empty" in picture(at)["problem"]
    release(at, text="x " * 5_000, is_step=False)
    assert says(said(at), "attention", "cut", used=2048)
    assert "slope 0." in picture(at)["views"][0]["panels"][1]["title"], "no model, whose slope the browser would know"
    assert (shown(at, "strength"), shown(at, "heads"), address(at)["heads"]) == (2, 128, "200")


@pytest.mark.parametrize("method", pretrained.METHODS)
def test_every_shipped_model_and_layer(method):
    for layer in ("1", "2"):
        at = open_page("attention", model=method, layer=layer, head="8", attention_open="row,heads", **TRAINED)
        assert not at.warning
        assert not at.info
        text = said(at)
        assert f"layer {layer}, head 8 of 8" in text
        assert ("has no vector" in text) == (method == "learned")
        assert says(text, "attention", "seen_beyond") == (method != "learned")


def test_an_own_run_is_offered_and_told_when_it_is_gone(tmp_path, monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    config = TrainConfig(method="kerple", length=16, width=12, heads=3, layers=1, steps=4)
    RunStore(tmp_path).finish(Run(config, status="finished"), dict(build_model(config).named_parameters()))
    at = open_page("attention", model=config.hash, layer="2", head="8", **TRAINED)
    assert says(said(at), "attention", "made", method="KERPLE log", layers=1, heads=3, width=12, steps=4)
    assert "layer 1, head 3 of 3" in said(at)
    RunStore(tmp_path).delete(config.hash)
    at.run()
    assert not at.exception
    assert says(said(at), "attention", "missing_other")
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    assert says(picture(open_page("attention", **TRAINED))["problem"], "attention", "missing")


TEXT = tuple("the cat sat on the mat and the dog sat on the rug".split())
ATTENTION = attention.Synthetic(Setting(heads=8, head_dim=16, content="random"), TEXT, 8, 3)
BYTES = b"A list keeps its items in order; a set does not. " * 7  # 343


def changed(**settings: object) -> attention.Synthetic:
    """ATTENTION with another setting."""
    return replace(ATTENTION, setting=replace(ATTENTION.setting, **settings))


def seen(picture: np.ndarray, whole: torch.Tensor, scores: torch.Tensor, atol: float = 1e-6) -> None:
    """The picture is the whole matrix where the mask lets a query look, and -inf elsewhere."""
    hidden = scores.isneginf().numpy()
    np.testing.assert_allclose(picture[~hidden], whole.numpy()[~hidden], atol=atol)
    assert np.isneginf(picture[hidden]).all()


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("kv_heads", [1, 4, 8])
@pytest.mark.parametrize("causal", [True, False])
def test_the_chosen_head_is_the_head_of_the_whole_attention(content, kv_heads, causal):
    controls = replace(changed(content=content), kv_heads=kv_heads, causal=causal)
    whole = attention.inputs(controls).trace()
    result, (step, thumbs) = attention.compute(controls), attention.every_head(controls, len(TEXT))
    assert step == 1
    scores = whole.masked[0, 2]
    plain = (scores - whole.bias[2]).softmax(-1)
    distance = torch.arange(len(TEXT))[:, None] - torch.arange(len(TEXT))
    seen(result.stages.bias, -distance.abs() / 8, scores)  # head 3 of 8
    seen(result.stages.weights, whole.weights[0, 2], scores)
    seen(result.stages.scores, scores, scores)
    seen(thumbs[5], whole.weights[0, 5], scores)
    np.testing.assert_allclose(result.stages.content, whole.content[0, 2], atol=1e-6)
    row = attention.row(result, 4)
    np.testing.assert_allclose(row.weights, whole.weights[0, 2, 4], atol=1e-6)
    np.testing.assert_allclose(row.weights_without_bias, plain[4], atol=1e-6)


def test_content_is_what_it_says_and_the_same_on_the_compare_page():
    ours, pairs = attention.compute(changed(content="same words attract")).stages, np.tril_indices(len(TEXT))
    same = np.array(TEXT)[:, None] == np.array(TEXT)
    assert np.array_equal(np.isclose(ours.content, ATTRACTION, atol=1e-5), same)
    assert ours.content.max() <= ATTRACTION + 1e-5
    other = compare.compute(compare.Controls(TEXT, ("alibi",), "same words attract", 3))
    np.testing.assert_allclose(other.content, ours.content[pairs], atol=1e-5)
    np.testing.assert_allclose(other.content + other.added[0].cells, ours.scores[pairs], atol=1e-5)
    assert np.abs(attention.compute(changed(content="equal")).stages.content).max() == 0


def test_long_texts_are_pooled():
    controls = replace(ATTENTION, tokens=tuple(f"w{i % 37}" for i in range(1000)))
    result = attention.compute(controls)
    assert result.step == 8
    whole = attention.inputs(controls, controls.head - 1).trace()
    scores = whole.masked[0, 0, ::8].unflatten(-1, (125, 8)).amax(-1)
    seen(result.stages.weights, whole.weights[0, 0][::8].unflatten(-1, (125, 8)).amax(-1), scores)
    step, thumbs = attention.every_head(controls, 1000)
    count, every = -(-1000 // step), attention.inputs(controls).trace().weights[0, 5].numpy()
    padded = np.pad(every, ((0, 0), (0, count * step - 1000)))[::step]
    visible = np.isfinite(thumbs[5])
    np.testing.assert_allclose(thumbs[5][visible], padded.reshape(count, count, step).max(-1)[visible], atol=1e-6)


@pytest.mark.parametrize("kv_heads", [2, 8])
def test_cache_and_fused_path_are_compared_with_the_pass_that_is_shown(kv_heads):
    for count in (1, 13, 300):
        causal = replace(ATTENTION, tokens=(TEXT * 30)[:count], kv_heads=kv_heads)
        assert max(attention.other_ways(causal, -(-count // 2))[:2]) < 1e-5
    shown = replace(ATTENTION, kv_heads=kv_heads, causal=False)
    x, count = attention.inputs(shown), len(TEXT)
    # Decoding by hand: each query meets the keys up to its own, and the symmetric bias.
    outputs = [
        torch.nn.functional.scaled_dot_product_attention(
            x.q[:, :, t : t + 1],
            x.k[:, :, : t + 1].repeat_interleave(8 // kv_heads, 1),
            x.v[:, :, : t + 1].repeat_interleave(8 // kv_heads, 1),
            attn_mask=x.method.score_bias(x.positions[t : t + 1], x.positions[: t + 1])[None],
        )
        for t in range(count)
    ]
    expected = float((torch.cat(outputs, 2) - x.trace().output).abs().max())
    assert expected > 0.1
    by_cache, fused, _ = attention.other_ways(shown, count)
    assert by_cache == pytest.approx(expected, abs=1e-5)
    assert fused < 1e-5


def of_model(method: str, layer: int = 2) -> attention.Trained:
    loaded = trained.load(method)
    return attention.Trained(loaded, BYTES[: loaded.max_bytes], layer, 3)


@pytest.mark.parametrize("method", pretrained.METHODS)
def test_every_cell_of_a_trained_model_is_that_of_its_full_pass(method):
    chosen = of_model(method)
    tokens = torch.frombuffer(bytearray(chosen.text), dtype=torch.uint8).long()[None]
    with torch.no_grad():
        whole = chosen.loaded.model.trace(tokens)[0][1]
    result, row, scores = attention.compute(chosen), attention.row(attention.compute(chosen), 70), whole.masked[0, 2]
    np.testing.assert_allclose(result.stages.content, whole.content[0, 2], atol=1e-4)
    np.testing.assert_allclose(result.stages.scores, scores, rtol=1e-5, atol=1e-4)  # FoX takes up to 100 off
    assert result.share == pytest.approx(float(whole.weights[0, 2, -1, -128:].sum()), abs=1e-4)
    seen(result.stages.weights, whole.weights[0, 2], scores, atol=1e-5)
    np.testing.assert_allclose(row.weights, whole.weights[0, 2, 70], atol=1e-5)
    assert (result.stages.bias is None) == (row.weights_without_bias is None) == (METHODS[method].acts_on != "scores")
    if whole.bias is not None:
        atol = 2e-4 if METHODS[method].needs_input else 0  # that input is computed in pieces
        seen(result.stages.bias, whole.bias.expand_as(whole.masked)[0, 2], scores, atol=atol)
        plain = whole.content[0, 2, 70].masked_fill(scores[70].isneginf(), -torch.inf).softmax(-1)
        np.testing.assert_allclose(row.weights_without_bias, plain, atol=1e-5)
    allowed = np.abs(whole.content[0].numpy()[:, ~scores.isneginf().numpy()])
    assert np.percentile(allowed, 90) < result.limit < 2 * allowed.max() + attention.SCORE_LIMIT, "the colours' range"


@pytest.mark.parametrize("layer", [1, 2])
def test_a_strength_is_drawn_in_advance_where_it_changes_the_bias_alone(layer):
    plain = attention.compute(of_model("alibi", layer))
    strong = attention.compute(replace(of_model("alibi", layer), strength=3.0))
    np.testing.assert_allclose(strong.stages.bias, 3 * plain.stages.bias)
    assert np.array_equal(plain.stages.content, strong.stages.content) == bool(plain.previews) == (layer == 1)
    assert not attention.compute(of_model("rope", layer)).previews

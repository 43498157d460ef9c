"""A trained model on the Attention page: what the screen shows against the model's own full pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from alibi_viz.attention.attention import Trace
from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained, trained
from pages.attention import study

TEXT = b"A list keeps its items in order; a set does not. " * 7  # 343 bytes


def controls(method: str, text: bytes = TEXT, layer: int = 2, head: int = 3) -> study.OfModel:
    loaded = trained.load(method)
    assert loaded is not None
    return study.OfModel(loaded, text[: loaded.max_bytes], layer, head)


def full_pass(chosen: study.OfModel) -> Trace:
    """Every stage of the layer, all heads, at once."""
    tokens = torch.frombuffer(bytearray(chosen.text), dtype=torch.uint8).long()[None]
    with torch.no_grad():
        stages: list[Trace] = chosen.loaded.model.trace(tokens)[0]
    return stages[chosen.layer - 1]


@pytest.mark.parametrize("method", pretrained.METHODS)
def test_every_cell_of_a_short_text_is_on_the_screen(method):
    chosen = controls(method)
    result, whole = study.study(chosen), full_pass(chosen)
    allowed = np.tri(len(chosen.text), dtype=bool)
    assert result.step == 1
    np.testing.assert_allclose(result.stages.content, whole.content[0, 2], atol=1e-4)
    np.testing.assert_allclose(result.stages.scores, whole.masked[0, 2], atol=1e-4)
    np.testing.assert_allclose(result.stages.weights[allowed], whole.weights[0, 2].numpy()[allowed], atol=1e-5)
    assert np.isneginf(result.stages.weights[~allowed]).all()
    assert (result.stages.bias is None) == (whole.bias is None) == (METHODS[method].acts_on != "scores")
    if whole.bias is not None:
        np.testing.assert_array_equal(result.stages.bias[allowed], whole.bias[2].numpy()[allowed])
        assert np.isneginf(result.stages.bias[~allowed]).all()
    assert (result.slope is None) == (result.content is None) == (method != "alibi")
    scores = np.abs(whole.content[0].numpy()[:, allowed])
    assert np.percentile(scores, 90) < result.limit < 2 * scores.max() + trained.LIMIT_STEP
    row = study.row(result, 70)
    np.testing.assert_allclose(row.weights, whole.weights[0, 2, 70], atol=1e-5)
    assert (row.weights_without_bias is None) == (row.bias is None) == (whole.bias is None)
    if row.weights_without_bias is not None:
        content = np.where(allowed[70], whole.content[0, 2, 70], -np.inf).astype(np.float64)
        np.testing.assert_allclose(row.weights_without_bias, np.exp(content) / np.exp(content).sum(), atol=1e-5)


def test_small_pictures_and_long_texts_show_the_largest_key_of_a_square():
    chosen = controls("rope")
    result, whole = study.study(chosen), study.inputs(chosen).trace().weights[0].numpy()
    step, thumbs = study.every_head(chosen, len(TEXT))
    assert step == 3
    filled = np.pad(whole, ((0, 0), (0, 0), (0, -len(TEXT) % 3)))
    wanted = filled[:, ::3].reshape(8, 115, 115, 3).max(-1)
    seen = np.isfinite(np.stack(thumbs))
    np.testing.assert_allclose(np.stack(thumbs)[seen], wanted[seen], atol=1e-6)
    long = controls("rope", TEXT * 3)
    result = study.study(long)
    assert result.step == 3
    assert result.stages.weights.shape == (343, 343)
    whole = study.inputs(long).trace().weights[0, 2].numpy()
    seen = np.isfinite(result.stages.weights)
    np.testing.assert_allclose(result.stages.weights[seen], whole[::3].reshape(343, 343, 3).max(-1)[seen], atol=1e-6)


def test_only_what_the_first_layer_of_alibi_shows_is_previewed():
    previews = {
        (method, layer): study.study(controls(method, layer=layer)).previews
        for method in pretrained.METHODS
        for layer in (1, 2)
    }
    assert [key for key, value in previews.items() if value] == [("alibi", 1)]
    assert not study.study(controls("alibi", TEXT * 3, layer=1)).previews, "pooled squares have no preview"


def test_a_strength_changes_the_first_layers_bias_alone_and_the_second_layers_content_too():
    for layer, same in ((1, True), (2, False)):
        plain = study.study(controls("alibi", layer=layer))
        strong = study.study(replace(controls("alibi", layer=layer), strength=3.0))
        assert np.array_equal(plain.stages.content, strong.stages.content) == same
        np.testing.assert_allclose(strong.stages.bias, 3 * plain.stages.bias)
        assert strong.limit == plain.limit


def test_learned_positions_beyond_their_table_refuse_in_words():
    with pytest.raises(ValueError, match="has no vector"):
        study.study(replace(controls("learned"), text=TEXT))

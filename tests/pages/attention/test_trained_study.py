"""A trained model on the Attention page: what the screen shows against the whole squares."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from alibi_viz import pretrained, trained
from pages.attention import trained_study as study

TEXT = b"A list keeps its items in order; a set does not. " * 7  # 343 bytes


def controls(method: str, text: bytes = TEXT, layer: int = 2, head: int = 3) -> study.Controls:
    loaded = trained.load(method)
    assert loaded is not None
    return study.Controls(loaded, text[: loaded.last], layer, head)


@pytest.mark.parametrize("method", pretrained.METHODS)
def test_every_cell_of_a_short_text_is_on_the_screen(method):
    chosen = controls(method)
    result, whole = study.study(chosen), trained.trace(method, chosen.text, 2)
    future = ~np.tri(len(chosen.text), dtype=bool)
    assert result.step == 1
    np.testing.assert_allclose(result.stages.content, whole.content[2], atol=1e-4)
    np.testing.assert_allclose(result.stages.scores, whole.masked[2], atol=1e-4)
    np.testing.assert_allclose(result.stages.weights[~future], whole.weights[2][~future], atol=1e-5)
    assert np.isneginf(result.stages.weights[future]).all()
    assert (result.stages.bias is None) == (whole.bias is None) == (method not in ("alibi", "t5"))
    if whole.bias is not None:
        np.testing.assert_array_equal(result.stages.bias[~future], whole.bias[2][~future])
        assert np.isneginf(result.stages.bias[future]).all()
    assert (result.slopes is None) == (method != "alibi")
    seen = np.abs(whole.content[:, ~future])
    assert np.percentile(seen, 90) < result.reach < 2 * seen.max() + study.UNIT
    row = study.row(chosen, 70)
    np.testing.assert_allclose(row.weights, whole.weights[2, 70], atol=1e-5)
    assert (row.plain is None) == (row.bias is None) == (whole.bias is None)
    if row.plain is not None:
        scores = np.where(future[70], -np.inf, whole.content[2, 70]).astype(np.float64)
        np.testing.assert_allclose(row.plain, np.exp(scores) / np.exp(scores).sum(), atol=1e-5)


def test_small_pictures_and_long_texts_show_the_largest_key_of_a_square():
    result, whole = study.study(controls("rope")), trained.trace("rope", TEXT, 2).weights
    assert result.thumb_step == 3
    filled = np.pad(whole, ((0, 0), (0, 0), (0, -len(TEXT) % 3)))
    wanted = filled[:, ::3].reshape(8, 115, 115, 3).max(-1)
    seen = np.isfinite(np.stack(result.thumbs))
    np.testing.assert_allclose(np.stack(result.thumbs)[seen], wanted[seen], atol=1e-6)
    long = controls("rope", TEXT * 3)
    result = study.study(long)
    assert result.step == 3
    assert result.stages.weights.shape == (343, 343)
    whole = trained.trace("rope", long.text, 2, 3).weights[0]
    seen = np.isfinite(result.stages.weights)
    np.testing.assert_allclose(result.stages.weights[seen], whole[::3].reshape(343, 343, 3).max(-1)[seen], atol=1e-6)


def test_numbers_of_what_you_see():
    chosen = controls("t5")
    found, whole = study.seen(chosen), trained.trace("t5", TEXT, 2)
    np.testing.assert_allclose(found.shares, whole.weights[:, -1, -128:].sum(1), atol=1e-5)
    assert found.inside == pytest.approx(float(whole.losses[1:129].mean()))
    assert found.beyond == pytest.approx(float(whole.losses[129:].mean()))
    assert found.counts == (128, len(TEXT) - 129)
    short = study.seen(replace(chosen, text=TEXT[:129]))
    assert (short.beyond, short.counts) == (None, (128, 0))
    one = study.seen(replace(chosen, text=b"x"))
    assert (one.inside, one.beyond) == (None, None)
    np.testing.assert_allclose(one.shares, 1)


def test_a_strength_changes_the_first_layers_bias_alone_and_the_second_layers_content_too():
    for layer, same in ((1, True), (2, False)):
        plain = study.study(controls("alibi", layer=layer))
        strong = study.study(replace(controls("alibi", layer=layer), strength=3.0))
        assert np.array_equal(plain.stages.content, strong.stages.content) == same
        np.testing.assert_allclose(strong.stages.bias, 3 * plain.stages.bias)
        assert strong.reach == plain.reach
    assert study.seen(replace(controls("alibi"), strength=3.0)).inside != study.seen(controls("alibi")).inside


def test_learned_positions_beyond_their_table_refuse_in_words():
    chosen = replace(controls("learned"), text=TEXT)
    for function in (study.study, study.seen):
        with pytest.raises(ValueError, match="has no vector"):
            function(chosen)

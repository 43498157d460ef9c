"""Tiny models of every family open, and their attention is bit for bit the one that transformers computes by itself."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from alibi_viz.checkpoints import local
from alibi_viz.checkpoints.folder import SETTING, folders
from tests.checkpoints.tiny import TEXT, ids_of, save, theirs

SCALINGS = {
    "linear": {"rope_type": "linear", "factor": 4.0},
    "llama3": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 16,
    },
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16},
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """The folder of models, with one model of every family."""
    root = tmp_path_factory.mktemp("models")
    for family in local.OPENED:
        save(root / family, family)
    return root


@pytest.fixture(autouse=True)
def _allowed(models, monkeypatch):
    monkeypatch.setenv(SETTING, str(models))


@pytest.mark.parametrize("family", local.OPENED)
def test_attention_is_that_of_transformers(models, family):
    reading = local.read(family, TEXT)
    ids = ids_of(TEXT)[: len(reading.tokens)]
    assert reading.attention.std() > 0.01, "the heads differ"
    np.testing.assert_array_equal(reading.attention, theirs(models / family, ids))
    assert reading.attention.shape == (3, 6, len(ids), len(ids))
    assert (reading.config.family, reading.given) == (family, len(TEXT.split()))
    assert reading.tokens[:3] == ("the", "cat", "sat")
    assert len(ids) == (16 if family == "gpt2" else reading.given), "a table of positions ends"


@pytest.mark.parametrize("scaling", SCALINGS)
def test_scaled_rope(models, scaling):
    save(models / scaling, "llama", rope_parameters=SCALINGS[scaling] | {"rope_theta": 500.0})
    np.testing.assert_array_equal(local.read(scaling, TEXT).attention, theirs(models / scaling, ids_of(TEXT)))


def test_mpt_with_another_largest_exponent_is_computed_with_it(models):
    """transformers ignores alibi_bias_max. With one content everywhere, attention is the softmax of the bias alone."""
    save(models / "far", "mpt", attn_config={"alibi_bias_max": 16})
    reading = local.read("far", "cat cat cat cat")
    slopes = torch.tensor(reading.config.slopes)
    bias = -slopes[:, None, None] * (torch.arange(4)[:, None] - torch.arange(4)).abs()
    expected = bias.masked_fill(torch.ones(4, 4).triu(1).bool(), -torch.inf).softmax(-1)
    np.testing.assert_allclose(reading.attention[0], expected, atol=1e-6)


def test_nothing_of_the_process_is_changed(models):
    dtype, state = torch.get_default_dtype(), torch.get_rng_state()
    local.read("bloom", "the cat")
    assert torch.get_default_dtype() == dtype
    assert torch.equal(torch.get_rng_state(), state), "no number is drawn that another reader would have had"


def test_many_heads_read_a_shorter_text():
    config = local.read("bloom", TEXT).config
    assert local.longest(config) == local.TOKENS
    many = type(config)(**{**vars(config), "heads": 1024, "layers": 1024})
    assert local.longest(many) ** 2 * 1024 * 1024 <= local.MOST_WEIGHTS


def test_only_what_is_in_the_folder_is_listed(models, monkeypatch):
    assert {"bloom", "t5"} <= set(folders())
    with pytest.raises(ValueError, match="no such folder"):
        local.read("../bloom", TEXT)
    monkeypatch.delenv(SETTING)
    assert folders() == ()
    with pytest.raises(ValueError, match="no such folder"):
        local.read("bloom", TEXT)

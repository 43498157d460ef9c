"""Tiny models of every family open, and their attention is bit for bit the one that transformers computes by itself."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from alibi_viz.checkpoints import local
from alibi_viz.checkpoints.folder import SETTING
from alibi_viz.checkpoints.tokenizing import encode
from tests.checkpoints.tiny import TEXT, ids_of, save, theirs


@pytest.fixture(scope="module", autouse=True)
def models(tmp_path_factory):
    """The folder of models, with one model of every family."""
    root = tmp_path_factory.mktemp("models")
    for family in local.OPENED:
        save(root / family, family)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SETTING, str(root))
        yield root


@pytest.mark.parametrize("family", local.OPENED)
def test_attention_is_that_of_transformers(models, family):
    reading = local.read(family, TEXT)
    ids = ids_of(TEXT)[: len(reading.tokens)]
    assert reading.attention.std() > 0.01, "the heads differ"
    if family != "falcon":  # see below
        np.testing.assert_array_equal(reading.attention, theirs(models / family, ids))
    assert reading.attention.shape == (3, 6, len(ids), len(ids))
    assert (reading.config.family, reading.given) == (family, len(TEXT.split()))
    assert reading.tokens[:3] == ("the", "cat", "sat")
    assert len(ids) == (16 if family == "gpt2" else reading.given), "a table of positions ends"


@pytest.mark.parametrize(("family", "changes"), [("mpt", {"attn_config": {"alibi_bias_max": 16}}), ("falcon", {})])
def test_a_bias_that_transformers_gets_wrong_is_right_here(models, family, changes):
    """It ignores MPT's alibi_bias_max, and its eager attention adds Falcon's bias twice. With one content everywhere,
    attention is the softmax of the bias alone."""
    save(models / "far", family, **changes)
    reading = local.read("far", "cat cat cat cat")
    slopes = torch.tensor(reading.config.slopes)
    bias = -slopes[:, None, None] * (torch.arange(4)[:, None] - torch.arange(4)).abs()
    expected = bias.masked_fill(torch.ones(4, 4).triu(1).bool(), -torch.inf).softmax(-1)
    np.testing.assert_allclose(reading.attention[0], expected, atol=1e-2 if family == "falcon" else 1e-6)  # bfloat16


def test_only_the_first_tokens_come_back_however_many_there_are(models):
    """A rule of a tokenizer can make a hundred thousand of one word."""
    special = {"SpecialToken": {"id": "[UNK]", "type_id": 0}}
    many = {"type": "TemplateProcessing", "single": [special] * 100_000, "pair": [special]}
    many["special_tokens"] = {"[UNK]": {"id": "[UNK]", "ids": [0], "tokens": ["[UNK]"]}}
    tokenizer = json.loads((models / "bloom" / "tokenizer.json").read_text()) | {"post_processor": many}
    found = encode(json.dumps(tokenizer).encode(), "the", 5)
    assert (len(found.ids), len(found.names), len(found.offsets), found.given) == (5, 5, 5, 100_000)


def test_nothing_of_the_process_is_changed(models):
    dtype, state = torch.get_default_dtype(), torch.get_rng_state()
    local.read("bloom", "the cat")
    assert torch.get_default_dtype() == dtype
    assert torch.equal(torch.get_rng_state(), state), "no number is drawn that another reader would have had"


def test_many_heads_read_a_shorter_text():
    config = replace(local.read("bloom", TEXT).config, heads=1024, layers=1024)
    assert local.longest(config) ** 2 * 1024 * 1024 <= local.MOST_WEIGHTS

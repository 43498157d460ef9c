"""Six tiny checkpoints open, and their attention, stage by stage, is the one that transformers computes."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from alibi_viz.attention import pictures
from alibi_viz.attention.inputs import position_alone
from alibi_viz.attention.reach import by_distance, reach
from alibi_viz.checkpoints import checkpoint as checkpoints
from alibi_viz.checkpoints.families import FAMILIES
from alibi_viz.checkpoints.folder import SETTING, folders
from alibi_viz.positions.alibi import slopes
from tests.checkpoints.tiny import TEXT, save, theirs

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
    """The folder of models, with one checkpoint of every family."""
    root = tmp_path_factory.mktemp("models")
    for family in FAMILIES:
        save(root / family, family)
    return root


@pytest.fixture(autouse=True)
def _allowed(models, monkeypatch):
    monkeypatch.setenv(SETTING, str(models))


def weights(opened, text) -> list[torch.Tensor]:
    layers = checkpoints.layers(opened, text.ids, opened.config.layers)
    return [found.trace().weights[0] for found in layers]


def same(folder, name):
    opened = checkpoints.load(name)
    text = checkpoints.encode(opened, TEXT)
    ours, expected = weights(opened, text), theirs(folder / name, text.ids)
    assert len(ours) == len(expected) == opened.config.layers
    for mine, other in zip(ours, expected, strict=True):
        assert other.std() > 0.01, "the heads differ"
        torch.testing.assert_close(mine, other, atol=1e-5, rtol=0)
    return opened, text


@pytest.mark.parametrize("family", FAMILIES)
def test_every_layer_and_head_is_what_transformers_computes(models, family):
    opened, text = same(models, family)
    assert opened.config.family == family
    assert text.labels[:3] == ("the", "cat", "sat")
    found = checkpoints.inputs(opened, text.ids, 2)
    stages = pictures.stages(found, 4)
    allowed = np.isfinite(stages.scores)
    rows = np.exp(stages.scores - stages.scores.max(1, keepdims=True))
    expected = rows / rows.sum(1, keepdims=True)
    np.testing.assert_allclose(stages.weights[allowed], expected[allowed], atol=1e-5)
    assert (stages.bias is not None) == (opened.method.acts_on == "scores")


@pytest.mark.parametrize("scaling", SCALINGS)
def test_scaled_rope(models, scaling):
    save(models / scaling, "llama", rope_parameters=SCALINGS[scaling] | {"rope_theta": 500.0})
    same(models, scaling)


def test_mpt_with_another_largest_exponent_is_computed_with_it(models):
    """transformers ignores alibi_bias_max: the model here has the one of its configuration, in every layer."""
    save(models / "far", "mpt", attn_config={"alibi_bias_max": 16})
    opened = checkpoints.load("far")
    text = checkpoints.encode(opened, TEXT)
    assert opened.config.slopes == tuple(slopes(6, max_bias=16.0))
    ours, plain = weights(opened, text), theirs(models / "far", text.ids)
    with torch.no_grad():
        their_own = (
            checkpoints.opened(opened).model(input_ids=torch.tensor([text.ids]), output_attentions=True).attentions
        )
    for mine, right, wrong in zip(ours, their_own, plain, strict=True):
        torch.testing.assert_close(mine, right[0], atol=1e-5, rtol=0)
        assert (mine - wrong).abs().max() > 0.01


def test_a_model_with_a_table_reads_as_far_as_its_table(models):
    opened = checkpoints.load("gpt2")
    text = checkpoints.encode(opened, TEXT)
    assert (len(text.ids), text.given) == (16, len(TEXT.split()))


def test_position_alone_is_the_bias_alone(models):
    opened = checkpoints.load("bloom")
    text = checkpoints.encode(opened, TEXT)
    alone = position_alone(checkpoints.inputs(opened, text.ids, 3))
    bias = alone.method.score_bias(alone.positions, alone.positions)
    hidden = torch.ones(len(text.ids), len(text.ids)).triu(1).bool()
    torch.testing.assert_close(alone.trace().weights[0], bias.masked_fill(hidden, -torch.inf).softmax(-1))


@pytest.mark.parametrize("family", ["bloom", "t5"])
def test_reach_is_counted_over_all_queries(models, family):
    opened = checkpoints.load(family)
    text = checkpoints.encode(opened, TEXT)
    found = checkpoints.inputs(opened, text.ids, 1)
    traced, count, measured = found.trace().weights[0], len(text.ids), reach(found)
    for head in (0, 5):
        pairs = [(abs(i - j), float(traced[head, i, j]) / count) for i in range(count) for j in range(count)]
        assert measured.mean[head] == pytest.approx(sum(d * w for d, w in pairs), rel=1e-5)
        held = [sum(w for d, w in pairs if d <= far) for far in range(count)]
        assert measured.holding[head] == next(far for far, share in enumerate(held) if share >= 0.9)
    torch.testing.assert_close(by_distance(found).sum(1), torch.ones(6).double())


def test_only_what_is_in_the_folder_is_listed(models, monkeypatch):
    assert {"bloom", "t5"} <= set(folders())
    with pytest.raises(ValueError, match="no such folder"):
        checkpoints.load("../bloom")
    monkeypatch.delenv(SETTING)
    assert folders() == ()
    with pytest.raises(ValueError, match="no such folder"):
        checkpoints.load("bloom")

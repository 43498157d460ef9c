"""What the lesson says of a configuration and of attention, against its own counting."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.checkpoints.config import from_dict
from alibi_viz.checkpoints.examples import EXAMPLES
from pages.models import study


def curves(name: str):
    return study.curves(EXAMPLES[name].read())


def test_curves_are_what_the_method_does():
    bloom = curves("bloom_560m")
    np.testing.assert_allclose(bloom.values[0], np.exp(-bloom.x * 2**-0.5), atol=1e-6)
    assert bloom.values.shape[0] == 16
    pythia = curves("pythia_70m")  # 48 of 64 numbers are not rotated: the score keeps their share
    assert pythia.values[0, -1] == pytest.approx(0.75, abs=0.25)
    assert curves("t5_small").values.max() == 15
    table = curves("gpt2")
    np.testing.assert_array_equal(table.values[0], table.x < 1024)


def test_without_positions_every_key_weighs_the_same():
    config = {"model_type": "mpt", "n_layers": 2, "n_heads": 8, "d_model": 64, "max_seq_len": 128}
    config = from_dict(config | {"learned_pos_emb": False, "attn_config": {"alibi": False}})
    assert set(study.curves(config).values.ravel()) == {1.0}


def test_learned_numbers():
    names = ("bloom_560m", "llama_3_8b", "t5_small", "gpt2")
    assert [study.parameters(EXAMPLES[name].read()) for name in names] == [0, 0, 32 * 8, 1024 * 768]


def test_distances_and_first_tokens_are_counted_over_all_queries():
    weights = np.random.default_rng(0).dirichlet(np.ones(7), size=(2, 3, 7)).astype(np.float32)
    mean, first = study.mean_distance(weights), study.first_token(weights)
    assert mean.shape == first.shape == (2, 3)
    pairs = [(abs(i - j) * weights[1, 2, i, j] / 7) for i in range(7) for j in range(7)]
    assert mean[1, 2] == pytest.approx(sum(pairs), rel=1e-5)
    assert first[1, 2] == pytest.approx(np.mean([weights[1, 2, i, 0] for i in range(1, 7)]))
    assert np.isnan(study.first_token(np.ones((4, 1, 1), np.float32))).all()


def test_a_small_picture_has_the_largest_weight_of_its_keys():
    weights = np.random.default_rng(0).random((2, 130, 130), dtype=np.float32)
    step, pictures = study.small(weights)
    assert (step, pictures[0].shape) == (3, (44, 44))
    assert pictures[1][2, 5] == weights[1, 6, 15:18].max()
    hidden = study.shown(weights, causal=True)
    assert np.isneginf(hidden[0, 3, 4])
    assert hidden[0, 4, 3] == weights[0, 4, 3]

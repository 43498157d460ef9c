"""What the lesson says of a configuration, against its own counting."""

from __future__ import annotations

import math

import numpy as np
import pytest

from alibi_viz.checkpoints.config import from_dict
from alibi_viz.checkpoints.examples import EXAMPLES
from pages.models.study import Controls, new_angles, study

ANSWERS = {
    "bloom_560m": "penalty",
    "llama_3_8b": "angle",
    "llama_3.1_8b": "known",  # scaled: the same angles, later
    "pythia_70m": "angle",
    "t5_small": "known",
    "gpt2": "no_vector",
}


def result(name: str):
    return study(Controls("x", EXAMPLES[name].read()))


@pytest.mark.parametrize("name", ANSWERS)
def test_the_answer_follows_from_the_method(name):
    assert result(name).beyond == ANSWERS[name]


def test_no_position_is_known():
    config = {"model_type": "mpt", "n_layers": 2, "n_heads": 8, "d_model": 64, "max_seq_len": 128}
    found = study(Controls("x", from_dict(config | {"learned_pos_emb": False, "attn_config": {"alibi": False}})))
    assert (found.beyond, found.parameters) == ("known", 0)
    assert set(found.curves.values.ravel()) == {1.0}


def test_new_angles_are_counted_pair_by_pair():
    config = EXAMPLES["llama_3_8b"].read()
    angles = [500_000 ** (-2 * i / 128) for i in range(64)]
    slow = [a for a in angles if 2 * math.pi / a > 8192]
    assert new_angles(config, 2 * 8192) == len(slow) > 0
    assert new_angles(config, 8191) == 0


def test_curves_are_what_the_method_does():
    bloom = result("bloom_560m").curves
    np.testing.assert_allclose(bloom.values[0], np.exp(-bloom.x * 2**-0.5), atol=1e-6)
    assert bloom.values.shape[0] == 16
    pythia = result("pythia_70m").curves  # 48 of 64 numbers are not rotated: the score keeps their share
    assert pythia.values[0, -1] == pytest.approx(0.75, abs=0.25)
    assert result("t5_small").curves.values.max() == 15
    table = result("gpt2").curves
    np.testing.assert_array_equal(table.values[0], table.x < 1024)


def test_learned_numbers():
    assert [result(name).parameters for name in ("bloom_560m", "llama_3_8b", "t5_small", "gpt2")] == [
        0,
        0,
        32 * 8,
        1024 * 768,
    ]

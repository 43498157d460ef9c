"""One attention over synthetic content: trained parameters are those of the shipped models."""

import dataclasses

import numpy as np
import torch
from safetensors import safe_open

from alibi_viz.content import synthetic
from alibi_viz.results.pretrained import weights_path

TRAINED = synthetic.Setting(heads=8, head_dim=16, train_length=128, weights="trained", embedding_width=64)


def stored(name: str, parameter: str) -> np.ndarray:
    """A parameter of a shipped model, read without the code under test."""
    with safe_open(str(weights_path(name)), "numpy") as file:
        return np.asarray(file.get_tensor(f"position.{parameter}"), np.float32)


def test_trained_parameters_are_those_of_the_shipped_models():
    np.testing.assert_array_equal(synthetic.build_method("kerple", TRAINED).p.numpy(), stored("kerple", "p"))
    t5 = synthetic.build_method("t5", TRAINED)
    far = t5.bias_by_distance(torch.tensor([0, 15, 31, 500]))
    np.testing.assert_allclose(far.T, stored("t5", "table.weight")[[0, 15, 31, 31]])
    table = synthetic.build_method("learned", TRAINED).table.weight.numpy()
    np.testing.assert_array_equal(table, stored("learned", "table.weight") * np.float32(8))  # as the model adds it
    short = synthetic.build_method("learned", dataclasses.replace(TRAINED, train_length=10)).table.weight.numpy()
    np.testing.assert_array_equal(short, table[:10])

"""One attention over synthetic content: what a method's parameters are, and what its vectors are."""

from __future__ import annotations

import dataclasses
import math
import shutil

import numpy as np
import pytest
import torch
from safetensors import safe_open

from alibi_viz.content import synthetic
from alibi_viz.files import read_weights, write_weights
from alibi_viz.positions import build
from alibi_viz.results import pretrained
from alibi_viz.results.pretrained import weights_path

WORDS = tuple("the cat sat on the mat and the dog sat on the rug".split())
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


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("t5", {"heads": 4}),
        ("fire", {"heads": 6}),
        ("learned", {"embedding_width": None}),
        ("learned", {"train_length": 129}),
        ("alibi", {}),
    ],
)
def test_what_does_not_fit_stays_at_initialization(name, change):
    asked = dataclasses.replace(TRAINED, **change)
    fresh = synthetic.build_method(name, dataclasses.replace(asked, weights="fresh")).state_dict()
    given = synthetic.build_method(name, asked).state_dict()
    assert synthetic.table_source(name, asked) is None
    assert all(torch.equal(given[key], fresh[key]) for key in fresh)


@pytest.mark.parametrize("spoil", ["missing", "shape", "nan"])
def test_a_spoilt_file_counts_as_no_model(spoil, monkeypatch, tmp_path):
    weights, text = read_weights(weights_path("t5"), 10**6), tmp_path / "text"
    text.mkdir()
    shutil.copy(pretrained.FOLDER / "text" / "t5-0.json", text)
    table = {"shape": torch.zeros(31, 8), "nan": torch.full((32, 8), math.nan)}.get(spoil)
    if table is not None:
        write_weights(text / "t5-0.safetensors", weights | {"position.table.weight": table})
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    assert synthetic.table_source("t5", TRAINED) is None
    assert synthetic.build_method("t5", TRAINED).max_distance == 128
    write_weights(text / "t5-0.safetensors", weights)
    assert synthetic.table_source("t5", TRAINED) is not None


def test_fresh_numbers_are_the_same_each_time_and_leave_the_generator_alone():
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    fresh = dataclasses.replace(TRAINED, weights="fresh")
    weights, again = (synthetic.build_method("fire", fresh).first.weight for _ in range(2))
    assert torch.equal(weights, again)
    assert torch.equal(torch.rand(3), expected)
    other = synthetic.build_method("fire", dataclasses.replace(fresh, seed=1)).first.weight
    assert not torch.equal(weights, other)


@pytest.mark.parametrize("heads", [1, 2, 8])
def test_identical_tokens_attract_in_every_head_and_added_vectors_are_mixed_by_each(heads):
    setting = synthetic.Setting(heads=heads, head_dim=16)
    x, same = synthetic.embed(WORDS, setting), np.equal.outer(WORDS, WORDS)
    positions = torch.arange(len(WORDS))
    trace = synthetic.attend(build("none", heads=heads, head_dim=16), setting, x, positions, x, positions)
    attracted = synthetic.ATTRACTION * (synthetic.directions(WORDS, setting) @ synthetic.directions(WORDS, setting).T)
    np.testing.assert_allclose(trace.content[0], attracted.expand_as(trace.content[0]), atol=1e-4)
    np.testing.assert_allclose(attracted[same], synthetic.ATTRACTION, rtol=1e-5)
    np.testing.assert_allclose(x.norm(dim=-1), setting.width**0.5, rtol=1e-5)
    added = torch.randn(1, 200, setting.width, generator=torch.Generator().manual_seed(0))
    lengths = {
        name: synthetic.project(y, setting, "q").norm(dim=-1) / y.norm(dim=-1)[:, None]
        for name, y in (("added", added), ("x", x))
    }
    np.testing.assert_allclose(lengths["added"].mean(-1), lengths["x"].mean(-1), rtol=0.1)
    if heads > 1:
        first, other = synthetic.project(added, setting, "q")[0, :2]
        alike = torch.nn.functional.cosine_similarity(first, other, dim=-1).mean()
        assert float(alike) == pytest.approx(1 / heads, abs=0.1)  # the part among the directions of tokens

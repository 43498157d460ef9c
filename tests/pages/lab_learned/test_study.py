"""A table of learned positions, and its end."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from alibi_viz.results import trained
from pages.lab_learned.study import LEAST_SHOWN, Controls, cosines_by_distance, study

ROWS = trained.load("learned").config.length


def test_learned_positions_end():
    result = study(Controls(16, 8, ROWS, 0))
    assert result.vector is None
    assert f"position {ROWS} has no vector" in result.refusal
    inside = study(Controls(16, 8, ROWS - 1, 0))
    np.testing.assert_array_equal(inside.vector, inside.trained.values[ROWS - 1])
    assert inside.start.values.shape == (16, 8)


def test_training_makes_neighbors_alike_and_the_start_does_not():
    result = study(Controls(512, 64, 0, 0))
    assert abs(result.start.neighbor_cosine) < 0.05
    near, far = result.trained.cosines[1:5], result.trained.cosines[ROWS // 2 : ROWS // 2 + 16]
    assert near.min() > 0.3 > far.max()


def test_without_the_shipped_model_a_sentence_says_so(monkeypatch):
    monkeypatch.setattr("pages.lab_learned.study.trained.load", lambda ref: None)
    with pytest.raises(ValueError, match="missing"):
        study(Controls(16, 8, 0, 0))


def test_the_table_starts_as_that_of_gpt_2():
    """wpe in openai/gpt-2, src/model.py: random_normal_initializer(stddev=0.01)."""
    table = study(Controls(512, 512, 0, 0)).start.values
    assert table.mean() == pytest.approx(0, abs=1e-4)
    assert table.std() == pytest.approx(0.01, rel=0.01)


def test_cosines_by_distance_are_means_over_all_pairs():
    table = torch.tensor([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [0.0, -1.0]])
    assert cosines_by_distance(table).tolist() == pytest.approx([1, (1 + 0 - 1) / 3, 0, 0])
    assert study(Controls(1, 8, 0, 0)).start.neighbor_cosine == 0


def test_the_picture_goes_beyond_the_end():
    table = study(Controls(16, 8, 0, 0)).start
    start, values = table.window(16)
    assert (start, values.shape) == (0, (20, 8))
    np.testing.assert_array_equal(values[:16], table.values)
    assert np.isneginf(values[16:]).all()


@pytest.mark.parametrize(("position", "first"), [(0, 0), (100, 60), (511, 452), (512, 452), (1_000_000, 452)])
def test_of_a_long_table_the_part_around_the_asked_position_is_shown(position, first):
    start, values = study(Controls(512, 4, 0, 0)).start.window(position)
    assert (start, len(values)) == (first, LEAST_SHOWN)
    assert start <= min(position, 531) < start + len(values)
    assert np.isneginf(values[-1]).all() == (first == 452)


@pytest.mark.parametrize("width", [1, 512])
def test_no_picture_is_larger_than_can_be_sent(width):
    for length in (1, 512):
        _, values = study(Controls(length, width, 0, 0)).start.window(0)
        assert min(length + 4, 80) <= len(values) <= 512

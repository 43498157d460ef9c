"""A table of learned positions, its end, and what training has made of it."""

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.results import trained
from pages.lab_learned.study import at_initialization, compute, cosines_by_distance
from tests.pages.apptest import note, open_page, picture

ROWS = trained.load("learned").config.length


@pytest.mark.parametrize("tried", [0, ROWS - 1, ROWS, 1_000_000])
def test_a_position_has_the_vector_of_the_model_or_none(tried):
    at, result = open_page("lab_learned", tried=str(tried)), compute(tried)
    assert note(at) == load("lab_learned").entries("note")["vector" if tried < ROWS else "refused"]
    if tried < ROWS:
        table = trained.load("learned").model.position.table.weight.detach().numpy()
        np.testing.assert_array_equal(result.vector, table[tried])
    else:
        assert result.vector is None
        said = picture(at)["note"]["numbers"].values()
        assert any(f"position {tried} has no vector" in number for number in said)


def test_training_makes_neighbors_alike_and_the_start_of_gpt_2_does_not():
    """wpe in openai/gpt-2, src/model.py: random_normal_initializer(stddev=0.01)."""
    start = at_initialization(512, 512, 0)
    assert (start.mean(), start.std()) == (pytest.approx(0, abs=1e-4), pytest.approx(0.01, rel=0.01))
    assert abs(cosines_by_distance(start)[1]) < 0.05
    cosines = cosines_by_distance(compute(0).trained)
    assert cosines[1:5].min() > 0.3 > cosines[ROWS // 2 : ROWS // 2 + 16].max()
    by_hand = np.float32([[1, 0], [2, 0], [0, 3], [0, -1]])
    assert cosines_by_distance(by_hand).tolist() == pytest.approx([1, (1 + 0 - 1) / 3, 0, 0])

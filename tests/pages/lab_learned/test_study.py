"""A table of learned positions, and its end."""

from __future__ import annotations

import numpy as np
import pytest

from pages.lab_learned.study import Controls, study


def test_learned_positions_end():
    result = study(Controls(16, 8, 16, 0))
    assert result.vector is None
    assert "position 16 has no vector" in result.refusal
    inside = study(Controls(16, 8, 15, 0))
    np.testing.assert_array_equal(inside.vector, inside.table[15])
    assert inside.parameters == 16 * 8
    assert abs(study(Controls(512, 64, 0, 0)).neighbor_cosine) < 0.05


def test_the_table_starts_as_that_of_gpt_2():
    """wpe in openai/gpt-2, src/model.py: random_normal_initializer(stddev=0.01)."""
    table = study(Controls(512, 512, 0, 0)).table
    assert table.mean() == pytest.approx(0, abs=1e-4)
    assert table.std() == pytest.approx(0.01, rel=0.01)

"""A table of learned positions, and its end."""

from __future__ import annotations

import numpy as np

from pages.lab_learned.study import Controls, study


def test_learned_positions_end():
    result = study(Controls(16, 8, 16, 0))
    assert result.vector is None
    assert "position 16 has no vector" in result.refusal
    inside = study(Controls(16, 8, 15, 0))
    np.testing.assert_array_equal(inside.vector, inside.table[15])
    assert inside.parameters == 16 * 8
    assert abs(study(Controls(512, 64, 0, 0)).neighbor_cosine) < 0.05

"""The slopes, against the paper's rule and against a sum of the weights."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pages.slopes.study import Controls, study


def test_slopes_of_the_paper():
    result = study(Controls(8, "paper", 8.0))
    assert result.slopes == [2.0**-h for h in range(1, 9)]
    assert result.half[0] == pytest.approx(math.log(2) / 0.5)
    weights = np.exp(-result.slopes[3] * np.arange(10_000))
    held = np.cumsum(weights) / weights.sum()
    assert result.reach[3] == int(np.argmax(held >= 0.9))


def test_own_slopes():
    result = study(Controls(8, "own list", 8.0, (0.5, 2**-0.5, 0.3, 0.0)))
    assert [str(e) for e in result.exponents] == ["1", "1/2", "None", "None"]
    assert result.half[3] == math.inf
    with pytest.raises(ValueError, match="at least one"):
        study(Controls(8, "own list", 8.0))

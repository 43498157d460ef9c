"""What the lesson on ALiBi today draws of the methods that came after it."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.positions.alibi import slopes
from pages.today import decays
from tests.pages.apptest import open_page, said, says


def test_the_factors_by_hand():
    found, far = decays.decays(), decays.DISTANCES.tolist().index(1024)
    for head, alibi, lightning in zip(decays.SHOWN, found["alibi"], found["lightning"], strict=True):
        assert alibi[0] == pytest.approx(np.exp(-slopes(8)[head - 1]))
        np.testing.assert_allclose(lightning**2, alibi, rtol=1e-9)  # halfway up the slopes are half
    assert [values[0] for values in found["retnet"]] == [31 / 32, 4095 / 4096]
    (forgetting,) = found["forgetting"]
    stops = 1024 // decays.SENTENCE
    assert forgetting[far] == pytest.approx(decays.GATE ** (1024 - stops) * decays.STOP**stops)
    assert (np.diff(forgetting) <= 0).all()


def test_the_section_says_that_the_gates_are_invented():
    assert says(said(open_page("today", today_open="decays")), "today", "decayed")

"""The RoPE lab as a reader opens it."""

from __future__ import annotations

import pytest

from alibi_viz.positions.rotary import SCALINGS
from tests.pages.apptest import open_page, said


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("dim", ["2", "7", "128"])
def test_every_scaling_at_the_extremes(scaling, dim):
    at = open_page("lab_rope", scaling=scaling, rope_dim=dim, position="16384", rope_trained="1", factor="128")
    assert ("above 2" in said(at)) == (scaling == "dynamic" and dim == "2")

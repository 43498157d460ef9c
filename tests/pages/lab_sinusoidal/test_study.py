"""The sinusoidal table and its dot products, against the formula."""

from __future__ import annotations

import math

import pytest

from pages.lab_sinusoidal.study import Controls, study


def test_sinusoidal_table_and_products():
    result = study(Controls(50, 16, 10_000.0, 3))
    assert result.table[7, 6] == pytest.approx(math.sin(7 / 10_000 ** (6 / 16)), abs=1e-6)
    assert result.wavelengths[3] == pytest.approx(2 * math.pi * 10_000 ** (6 / 16))
    product = sum(math.cos(9 / 10_000 ** (2 * i / 16)) for i in range(8)) / 8
    assert result.dot_products[9] == pytest.approx(product, abs=1e-6)
    assert result.dot_products[0] == pytest.approx(1)
    assert result.deviation < 1e-5

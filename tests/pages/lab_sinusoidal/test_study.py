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


def test_one_pair_repeats_and_many_do_not():
    """44 tokens are almost exactly 7 turns of the fastest pair: 44 / (2 pi) = 7.003."""
    one, many = study(Controls(100, 2, 10_000.0, 0)), study(Controls(100, 64, 10_000.0, 4))
    assert one.closest == 44
    assert one.dot_products[44] == pytest.approx(math.cos(44), abs=1e-5)
    assert many.closest == 1
    assert many.one_pair[9] == pytest.approx(math.cos(9 / 10_000 ** (8 / 64)), abs=1e-5)

"""Other shapes of ALiBi's penalty."""

from __future__ import annotations

import math

import pytest
import torch

from alibi_viz.attention.attention import trace_attention
from alibi_viz.attention.fused import fused_attention
from alibi_viz.positions.shapes import SHAPES, ShapedAlibi


def bias(shape: str, distance: list[int], slope: float = 0.25) -> list[float]:
    return ShapedAlibi(1, 4, 4, slopes=[slope], shape=shape).bias_by_distance(torch.tensor(distance))[0].tolist()


def test_the_shapes_by_hand() -> None:
    u = 0.25 * 12
    expected = {
        "none": 0.0,
        "linear": -u,
        "log": -math.log(1 + u),
        "root": 1 - math.sqrt(1 + 2 * u),
        "exponential": 1 - math.exp(u),
        "window": -math.inf,
    }
    assert set(expected) == set(SHAPES)
    for shape, value in expected.items():
        assert bias(shape, [12]) == [pytest.approx(value, rel=1e-6)]
        assert bias(shape, [0]) == [0.0]
        assert bias(shape, [-12]) == bias(shape, [12])
    assert bias("window", [3, 4, 5]) == [0.0, 0.0, -math.inf]


@pytest.mark.parametrize("shape", ["linear", "log", "root", "exponential"])
def test_they_start_alike(shape: str) -> None:
    assert bias(shape, [1], slope=1e-3)[0] == pytest.approx(-1e-3, rel=1e-3)


def test_the_exponential_stays_finite() -> None:
    assert math.isfinite(bias("exponential", [10**6])[0])


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_runs_in_both_paths(shape: str) -> None:
    q, k, v = torch.randn(3, 1, 2, 30, 8, generator=torch.Generator().manual_seed(0))
    method, positions = ShapedAlibi(2, 8, 16, shape=shape), torch.arange(30)
    trace = trace_attention(q, k, v, method, positions, positions)
    fused = fused_attention(q, k, v, method, positions, positions)
    assert (fused - trace.output).abs().max() < 1e-5
    assert torch.allclose(trace.weights.sum(-1), torch.ones(1, 2, 30), atol=1e-6)


def test_an_unknown_shape_raises() -> None:
    with pytest.raises(ValueError, match="shape"):
        ShapedAlibi(1, 4, 4, shape="cubic")

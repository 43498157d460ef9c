"""Weights trained with one layout of RoPE's pairs, read with the other."""

import copy
from collections.abc import Callable

import torch
from torch import Tensor

from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, causal_weights, floats, visible
from alibi_viz.pitfalls.models import held_out, loss_by_position, shipped
from alibi_viz.positions.base import angles
from alibi_viz.positions.rotary import Rotary, inv_freq, turn
from alibi_viz.results import trained

TOKENS = 48


def wrong(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack((first * cos - second * sin, second * cos + first * sin), -1).flatten(-2)


def right(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)


def check(version: Callable[[Tensor, Tensor, Tensor], Tensor]) -> None:
    """Rotated as the model was trained (here as Llama: number i with number i + d/2), not only by the same angles."""
    x = torch.randn(TOKENS, 16, generator=torch.Generator().manual_seed(0))
    angle = angles(torch.arange(TOKENS), inv_freq(16))
    expected = turn(x[None, None], angle, "half")[0, 0]
    torch.testing.assert_close(version(x, angle.cos().float(), angle.sin().float()), expected)


@torch.no_grad()
def _weights(version: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Tensor:
    """The first head of the first layer of the shipped model with RoPE, while it reads: [T, T]."""
    loaded, text = trained.load("rope"), bytes(held_out()[0, :TOKENS].tolist())
    assert loaded is not None, "measured before"
    inputs = trained.inputs(loaded, text, layer=1)
    d = inputs.q.shape[-1]
    angle = angles(inputs.positions, inv_freq(d))
    q, k = (version(side[0, 0], angle.cos().float(), angle.sin().float()) for side in (inputs.q, inputs.k))
    return causal_weights(q @ k.mT / d**0.5)


def measure() -> Comparison:
    model = copy.deepcopy(shipped("rope"))
    as_trained = loss_by_position(model).double().exp()
    assert isinstance(model.position, Rotary)
    model.position.layout = "interleaved"
    losses = [loss_by_position(model).double().exp(), as_trained]
    ends = [float(loss[-1]) for loss in losses]  # perplexity per byte
    damage = Damage(ends[0], ends[1], floats(range(1, len(losses[0]) + 1)), floats(losses[0]), floats(losses[1]))
    return Comparison(Pictures(visible(_weights(wrong)), visible(_weights(right)), domain=(0.0, 0.5)), damage)

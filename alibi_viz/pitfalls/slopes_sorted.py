"""The right slopes in another order: a trained head gets the slope of another head."""

import copy
from collections.abc import Callable

import torch
from torch import Tensor

from alibi_viz.lm.model import DecoderLM
from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, floats, picture
from alibi_viz.pitfalls.models import held_out, loss_by_position, shipped
from alibi_viz.positions.alibi import Alibi, slopes

COLUMNS = 48


def wrong(slopes: list[float]) -> list[float]:
    return sorted(slopes)


def right(slopes: list[float]) -> list[float]:
    return list(slopes)


def check(version: Callable[[list[float]], list[float]]) -> None:
    """Every head of a trained model keeps the slope that it was trained with."""
    for heads in (8, 12):
        assert version(slopes(heads)) == slopes(heads), f"{heads} heads: a head has the slope of another one"


def _model(version: Callable[[list[float]], list[float]]) -> DecoderLM:
    """The shipped model with ALiBi, and with its slopes as the version has them."""
    model = copy.deepcopy(shipped("alibi"))
    assert isinstance(model.position, Alibi)
    model.position.past = torch.tensor(version(model.position.past.tolist()))
    return model


@torch.no_grad()
def _by_distance(model: DecoderLM) -> Tensor:
    """Mean weight of the keys at each distance in the first layer, while it reads: float32 [H, COLUMNS]."""
    weights = model.trace(held_out()[:, :-1])[0][0].weights.mean(0)  # [H, T, T]
    return torch.stack([weights.diagonal(-d, 1, 2).mean(-1) for d in range(COLUMNS)], dim=1)


def measure() -> Comparison:
    models = _model(wrong), _model(right)
    losses = [loss_by_position(model).double() for model in models]
    ends = [float(loss[-1].exp()) for loss in losses]  # perplexity per byte
    positions = floats(range(1, len(losses[0]) + 1))
    damage = Damage(ends[0], ends[1], positions, floats(losses[0].exp()), floats(losses[1].exp()))
    return Comparison(
        Pictures(picture(_by_distance(models[0])), picture(_by_distance(models[1])), domain=(0.0, 0.4), row=1), damage
    )

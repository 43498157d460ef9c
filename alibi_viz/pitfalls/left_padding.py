"""Positions counted from the padding: methods that number positions read the text as if it began later."""

from collections.abc import Callable

import torch
from torch import Tensor

from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, floats, picture
from alibi_viz.pitfalls.models import held_out, shipped

TOKENS = 96  # of the text that is read
PADS = range(0, 129, 16)
BATCH, SLOTS = 12, 36  # of the picture


def wrong(is_padding: Tensor) -> Tensor:
    return torch.arange(is_padding.shape[-1]).expand(is_padding.shape)


def right(is_padding: Tensor) -> Tensor:
    return ((~is_padding).cumsum(-1) - 1).clamp(min=0)


def check(version: Callable[[Tensor], Tensor]) -> None:
    """A text has the same positions in a padded batch as alone."""
    for pads in (0, 1, 7):
        is_padding = torch.arange(20)[None] < pads
        torch.testing.assert_close(version(is_padding)[~is_padding], torch.arange(20 - pads))


@torch.no_grad()
def _loss(version: Callable[[Tensor], Tensor], pads: int) -> float:
    """Of the shipped sinusoidal model, nats per byte. Padding that no token attends to is left out of the pass."""
    tokens = held_out()[:, : TOKENS + 1]
    is_padding = torch.arange(pads + TOKENS)[None] < pads
    positions = version(is_padding)[~is_padding]
    logits = shipped("sinusoidal")(tokens[:, :-1], positions=positions)
    return float(torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()))


def _positions(version: Callable[[Tensor], Tensor]) -> Tensor:
    """A batch of texts of different lengths: the position of each token, -inf for padding, [BATCH, SLOTS]."""
    is_padding = torch.arange(SLOTS) < (torch.arange(BATCH) * 7 % 29)[:, None]
    return version(is_padding).float().masked_fill(is_padding, -torch.inf)


def measure() -> Comparison:
    losses = [floats([_loss(version, pads) for pads in PADS]) for version in (wrong, right)]
    damage = Damage(float(losses[0][-1]), float(losses[1][-1]), floats(PADS), losses[0], losses[1])
    pictures = picture(_positions(wrong)), picture(_positions(right))
    return Comparison(Pictures(pictures[0], pictures[1], quantity="bias", domain=(0.0, float(SLOTS))), damage)

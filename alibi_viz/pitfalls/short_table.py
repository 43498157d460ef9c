"""A text longer than the table of learned positions, and positions beyond it that all take its last vector."""

from collections.abc import Callable

import torch
from torch import Tensor

from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, floats, picture
from alibi_viz.pitfalls.models import held_out, shipped
from alibi_viz.positions.learned import Learned

LENGTHS = range(64, 257, 32)
WINDOWS = 16
COUNTED = 16  # bytes at the end of a text whose loss is measured
DRAWN = 48  # tokens at the end of a text whose position vectors are compared
BEYOND = 24  # so many of them are beyond the table


def wrong(tokens: Tensor, rows: int) -> tuple[Tensor, Tensor]:
    return tokens, torch.arange(len(tokens)).clamp(max=rows - 1)


def right(tokens: Tensor, rows: int) -> tuple[Tensor, Tensor]:
    return tokens[-rows:], torch.arange(len(tokens[-rows:]))


def check(version: Callable[[Tensor, int], tuple[Tensor, Tensor]]) -> None:
    """Two tokens never share a position vector, and none asks for a row that the table does not have."""
    for length in (10, 16, 17, 40):
        kept, positions = version(torch.arange(length), 16)
        assert len(positions) == len(kept), "a token has no position"
        assert positions.max() < 16, "a position has no vector"
        assert positions.unique().numel() == positions.numel(), "two tokens have the same position"


def _rows() -> int:
    return shipped("learned").position.max_length


@torch.no_grad()
def _loss(version: Callable[[Tensor, int], tuple[Tensor, Tensor]], length: int) -> float:
    """Of the last bytes of texts of this length, nats per byte."""
    text = held_out(WINDOWS, max(LENGTHS))[:, : length + 1]
    kept, positions = version(torch.arange(length), _rows())
    logits = shipped("learned")(text[:, kept], positions=positions)[:, -COUNTED:]
    return float(torch.nn.functional.cross_entropy(logits.flatten(0, 1), text[:, -COUNTED:].flatten()))


@torch.no_grad()
def _alike(version: Callable[[Tensor, int], tuple[Tensor, Tensor]]) -> Tensor:
    """Cosine of the position vectors of the last tokens of a text that is too long: [DRAWN, DRAWN]."""
    rows, method = _rows(), shipped("learned").position
    assert isinstance(method, Learned)
    _, positions = version(torch.arange(rows + BEYOND), rows)
    vectors = torch.nn.functional.normalize(method.table(positions[-DRAWN:]), dim=-1)
    return vectors @ vectors.T


def measure() -> Comparison:
    losses = [floats([_loss(version, length) for length in LENGTHS]) for version in (wrong, right)]
    damage = Damage(float(losses[0][-1]), float(losses[1][-1]), floats(LENGTHS), losses[0], losses[1])
    first = _rows() + BEYOND - DRAWN
    domain, place = (-1.0, 1.0), {"row": first, "col": first}
    return Comparison(Pictures(picture(_alike(wrong)), picture(_alike(right)), "content", domain, **place), damage)

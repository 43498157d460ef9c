"""A trained model that sees only near keys: sliding-window attention, with nothing trained anew.

Every layer hides the keys farther than a window. What a layer reads has itself read as far back, so two layers reach
twice the window.
"""

import copy

import torch
from torch import Tensor

from alibi_viz.lm.model import Block, DecoderLM
from alibi_viz.positions import PositionMethod
from alibi_viz.positions.base import distance


class Windowed(PositionMethod):
    """A position method, with the keys farther than `window` hidden before the softmax: the other weights grow to sum 1."""

    acts_on = "scores"

    def __init__(self, inner: PositionMethod, window: int) -> None:
        super().__init__(inner.heads, inner.head_dim, inner.width, inner.max_length)
        self.inner, self.window = inner, window
        self.title = inner.title  # type: ignore[misc]
        self.scales_scores = inner.scales_scores
        self.scaled_with_embeddings = inner.scaled_with_embeddings  # type: ignore[misc]
        self.has_position_table = inner.has_position_table  # type: ignore[misc]

    def add_to_embeddings(self, x: Tensor, positions: Tensor) -> Tensor:
        return self.inner.add_to_embeddings(x, positions)

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.inner.rotate(q, k, q_positions, k_positions)

    def score_bias(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        is_far = distance(q_positions, k_positions) > self.window  # [Tq, Tk]
        bias = self.inner.score_bias(q_positions, k_positions)
        if bias is None:
            bias = torch.zeros(self.heads, *is_far.shape, device=is_far.device)
        return bias.masked_fill(is_far, -torch.inf)


def windowed(model: DecoderLM, window: int) -> DecoderLM:
    """A copy of the model whose layers see no key farther than `window`."""
    changed = copy.deepcopy(model)
    changed.position = Windowed(changed.position, window)
    for block in changed.blocks:
        assert isinstance(block, Block)
        block.attention.position = changed.position
    return changed

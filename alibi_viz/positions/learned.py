"""Learned absolute positions: one trained vector for each position, added to the embeddings (GPT-2, BERT).

There is no vector beyond the table, so this method cannot be tested on longer sequences at all: it refuses in
words. The table starts as a normal distribution with standard deviation 0.02, as in GPT-2.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from alibi_viz.positions.base import PositionMethod


class Learned(PositionMethod):
    """A table of `max_length` rows of width D."""

    name = "learned"
    title = "Learned"
    acts_on = "embeddings"

    def __init__(self, heads: int, head_dim: int, width: int, max_length: int = 2048) -> None:
        super().__init__(heads, head_dim, width, max_length)
        self.table = nn.Embedding(self.max_length, self.width)
        nn.init.normal_(self.table.weight, std=0.02)

    def add_to_embeddings(self, x: Tensor, positions: Tensor) -> Tensor:
        """x [B, T, D], positions [T] or [B, T] -> [B, T, D].

        Raises:
            ValueError: if a position is negative or not below `max_length`.
        """
        if positions.numel():
            lowest, highest = (int(v) for v in torch.aminmax(positions))
            if lowest < 0 or highest >= self.max_length:
                wrong = lowest if lowest < 0 else highest
                raise ValueError(
                    f"Learned positions go from 0 to {self.max_length - 1}; position {wrong} has no vector."
                )
        return x + self.table(positions).to(x.dtype)

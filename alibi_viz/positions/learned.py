"""Learned absolute positions: one trained vector a position, added to the embeddings (GPT-2, BERT).

Source: OpenAI's code of GPT-2 (github.com/openai/gpt-2, src/model.py). The table starts from a normal distribution with
standard deviation 0.01, as there (0.01 for positions, 0.02 for tokens; transformers draws both with 0.02).

There is no vector beyond the table, so a longer sequence raises ValueError: this method cannot extrapolate at all.
"""

import torch
from torch import Tensor, nn

from alibi_viz.positions.base import PositionMethod
from alibi_viz.rules import TITLES

START_STD = 0.01


class Learned(PositionMethod):
    """A table of `max_length` rows of width D."""

    name = "learned"
    title = TITLES["learned"]
    order = 10
    formula = r"x_p + E_p"
    acts_on = "embeddings"
    has_position_table = True
    scaled_with_embeddings = True

    def __init__(self, heads: int, head_dim: int, width: int, max_length: int = 2048) -> None:
        super().__init__(heads, head_dim, width, max_length)
        self.table = nn.Embedding(self.max_length, self.width)
        nn.init.normal_(self.table.weight, std=START_STD)

    def init_for_language_model(self) -> None:
        """Standard deviation 1/sqrt(D), as the embeddings of `lm.model` have: at 0.02 the table would be drowned."""
        nn.init.normal_(self.table.weight, std=self.width**-0.5)

    def add_to_embeddings(self, x: Tensor, positions: Tensor) -> Tensor:
        """x [B, T, D], positions [T] or [B, T] -> [B, T, D]. Raises ValueError for a position outside the table."""
        if positions.numel():
            lowest, highest = (int(v) for v in torch.aminmax(positions))
            if lowest < 0 or highest >= self.max_length:
                raise self.no_vector(lowest if lowest < 0 else highest)
        return x + self.table(positions).to(x.dtype)

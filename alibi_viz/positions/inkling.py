"""Inkling's bias: a bank of learned profiles over the distance, which every query mixes in its own way.

Source: `InklingRelativeLogits` and `InklingAttention` in transformers 5.23, the model of Thinking Machines (2026). In head
h the token i, whose layer input is x_i, has relative states r_i = R_h x_i, d_rel numbers. The bias of a key at distance n
is r_i.P[:, n] for 0 <= n < rel_extent, and 0 beyond. P is shared by the heads of a layer.

Notable choices:
- Inkling has more around it: normed queries and keys, short convolutions, a window in five of six layers, and scores that
  it scales in long texts. Here it is the bias alone, so that a comparison changes nothing else.
- It depends on the query, so it has no row of keys: the fused path gets the whole matrix, by torch's gather.
- Profiles start with standard deviation 0.02, as theirs do, and R so that the states of a normed input have size 1.
- Inkling's rel_extent is 1,024 in its layers without a window. In training it is L/4 here: a model that never saw
  distances beyond it would not know what 0 means there.
"""

import copy
from collections.abc import Mapping
from typing import Any, Self

import torch
from torch import Tensor, nn

from alibi_viz.checks import whole_number
from alibi_viz.positions.base import PositionMethod, distance


class Inkling(PositionMethod):
    """Inkling's bias; d_rel x (D x H + rel_extent) parameters a layer. ValueError for a bias before it was `given` its
    input, or for a number out of range."""

    name = "inkling"
    title = "Inkling bias"
    order = 110
    formula = r"+ \, (R_h x_i) \cdot P_{i - j} \text{ for } i - j < n, \text{ else } + 0"
    acts_on = "scores"
    needs_input = True
    states: Tensor | None = None  # r of the queries, float32 [B, H, Tq, d_rel]

    def __init__(
        self,
        heads: int,
        head_dim: int,
        width: int,
        max_length: int = 2048,
        *,
        d_rel: int = 16,  # profiles
        rel_extent: int = 1024,  # distances that they have a number for, in tokens
    ) -> None:
        super().__init__(heads, head_dim, width, max_length)
        self.d_rel, self.rel_extent = whole_number(d_rel, "d_rel"), whole_number(rel_extent, "rel_extent")
        self.r_proj = nn.Linear(self.width, self.heads * self.d_rel, bias=False)
        self.proj = nn.Parameter(torch.empty(self.d_rel, self.rel_extent))
        nn.init.normal_(self.r_proj.weight, std=self.width**-0.5)
        nn.init.normal_(self.proj, std=0.02)

    @classmethod
    def training_options(cls, train_length: int, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """`rel_extent` is L/4 if not given."""
        return {"rel_extent": max(train_length // 4, 1)} | dict(options or {})

    def given(self, x: Tensor, kept: Tensor | None = None) -> Self:
        method = copy.copy(self)
        method.states = self.r_proj(x).float().unflatten(-1, (self.heads, self.d_rel)).transpose(1, 2)
        return method

    def for_queries(self, indices: Tensor) -> Self:
        method = copy.copy(self)
        assert self.states is not None
        method.states = self.states[:, :, indices]
        return method

    def score_bias(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        if self.states is None:
            raise ValueError(f"{self.title} reads what a layer reads: give it that first, with `given`.")
        mixed = self.states @ self.proj.float()  # [B, H, Tq, rel_extent]
        far = distance(q_positions, k_positions)
        far = far[:, None] if far.ndim == 3 else far  # [B, 1, Tq, Tk] or [Tq, Tk]
        bias = mixed.gather(-1, far.clamp(0, self.rel_extent - 1).expand(*mixed.shape[:2], *far.shape[-2:]))
        return bias.masked_fill((far < 0) | (far >= self.rel_extent), 0.0)

"""Forgetting attention (FoX): ALiBi whose slope every token chooses, by a gate that lets what stands before it fade.

Source: Lin, Nikishin, He and Courville 2025, "Forgetting Transformer: Softmax Attention with a Forget Gate" (arXiv
2503.02130), and the authors' code. In head h the token l, whose layer input is x_l, has the gate f_l = sigmoid(w_h.x_l +
b_h). The score of query i and key j is q_i.k_j / sqrt(d) + ln f_(j+1) + ... + ln f_i.

Notable choices:
- With running sums C_i = ln f_1 + ... + ln f_i the bias is C_i - C_j. All keys of a query share C_i, which softmax cancels:
  -C_j is one row of keys for all queries, as m j is ALiBi's. So the fused path needs no T x T matrix.
- Where all gates are e^-m, it is ALiBi with the slope m. Gates start so here, with w = 0; the authors' start with b = 0 and
  a random w. Their other additions (FoX "Pro": norms, an output gate, shifted keys) are left out.
- Every layer has its own gates. They read its input after the norm, as queries and keys do, and have no positions.
- Sums are float64, since they grow with the text. Differences are taken there and cast to float32 last. The row of keys
  keeps fewer digits: with gates as trained here (means over the held-out text from 0.16 up) the two paths of a layer, whose
  outputs reach 12, differ by 1e-5 at 128 tokens and 3e-4 at 2 048; losses of one window agree to 2e-6.
"""

import copy
from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from alibi_viz import rules
from alibi_viz.positions.base import PositionMethod


class Forgetting(PositionMethod):
    """FoX; (D + 1) x H parameters a layer. No options. Raises ValueError for a bias before it was `given` its input."""

    name = "forgetting"
    title = "FoX"
    order = 100
    formula = r"+ \sum_{l=j+1}^{i} \ln f_l, \quad f_l = \sigma(w_h \cdot x_l + b_h)"
    acts_on = "scores"
    has_key_bias = True
    needs_input = True
    kept: Tensor | None = None  # C of all tokens, float64 [B, H, Tk]
    queries: Tensor  # C of the queries, float64 [B, H, Tq]

    def __init__(self, heads: int, head_dim: int, width: int, max_length: int = 2048) -> None:
        super().__init__(heads, head_dim, width, max_length)
        self.gate = nn.Linear(self.width, self.heads)
        nn.init.zeros_(self.gate.weight)
        slopes = torch.tensor(rules.slopes(self.heads), dtype=torch.float64)
        with torch.no_grad():  # the logit of e^-m
            self.gate.bias.copy_(-torch.expm1(slopes).log())

    def log_gates(self, x: Tensor) -> Tensor:
        """ln f of every token: x [B, T, D] -> float64 [B, H, T], below 0. Apple's mps has no float64: float32 there."""
        dtype = torch.float32 if x.device.type == "mps" else torch.float64
        return F.logsigmoid(self.gate(x).to(dtype)).transpose(1, 2)

    def given(self, x: Tensor, kept: Tensor | None = None) -> Self:
        sums = self.log_gates(x).cumsum(-1)
        method = copy.copy(self)
        method.queries = sums if kept is None else kept[..., -1:] + sums
        method.kept = sums if kept is None else torch.cat((kept, method.queries), dim=-1)
        return method

    def for_queries(self, indices: Tensor) -> Self:
        method = copy.copy(self)
        method.queries = self.queries[..., indices]
        return method

    def sums(self) -> Tensor:
        """C of all keys: float64 [B, H, Tk]."""
        if self.kept is None:
            raise ValueError(f"{self.title} reads what a layer reads: give it that first, with `given`.")
        return self.kept

    def score_bias(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """C_i - C_j, float32 [B, H, Tq, Tk]. Not the positions count, but the tokens between."""
        sums = self.sums()
        return (self.queries[..., :, None] - sums[..., None, :]).float()

    def key_bias(self, k_positions: Tensor) -> Tensor:
        """C_c - C_j, float32 [B, H, Tk], with c the key in the middle: small numbers are rounded less."""
        sums = self.sums()
        middle = (sums.shape[-1] - 1) // 2
        return (sums[..., middle : middle + 1].detach() - sums).float()

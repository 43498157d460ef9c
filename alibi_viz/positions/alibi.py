"""ALiBi: a fixed penalty on every score, linear in the distance, with one slope per head.

Source: Press, Smith and Lewis 2022 (arXiv 2108.12409), section 3, and the authors' `get_slopes`. The score of query i and
key j is q_i.k_j / sqrt(d) - m_h (i - j); the penalty itself is not divided by sqrt(d) (footnote 10).

Notable choices:
- Slopes are float64 numbers (`rules`), the bias float32 from distances (m*j in bfloat16 loses whole tokens).
- Four forms. Under a causal mask all four give the same softmax for equal slopes; without one they differ.
    causal      -m (i - j)   the formula as it stands; for the future it is a REWARD, which the mask must hide
    symmetric   -m |i - j|   encoders
    two_sided   -m |i - j|   encoders, with other slopes for the future
    key_only    m j          one row for all queries (the authors' code, BLOOM, MPT)
"""

from collections.abc import Sequence
from typing import Any, Literal

import torch
from torch import Tensor, nn

from alibi_viz import rules
from alibi_viz.checks import finite_number, one_of
from alibi_viz.positions.base import DistanceBias


class Alibi(DistanceBias):
    """ALiBi. ValueError for a number out of range, an unknown rule or form, or future slopes not with two_sided."""

    name = "alibi"
    title = rules.TITLES["alibi"]
    order = 50
    formula = r"- m_h \, (i - j)"
    has_key_bias = True
    strength: float = 1.0
    past: Tensor  # [H], without strength; a parameter if trainable, else a buffer
    future: Tensor  # the same for keys after the query; two-sided form only

    def __init__(
        self,
        heads: int,
        head_dim: int,
        width: int,
        max_length: int = 2048,
        *,
        slopes: Sequence[float] | None = None,  # one per head; None follows `rule` and `max_bias`
        rule: str = "code",
        max_bias: float = 8.0,
        form: Literal["causal", "symmetric", "two_sided", "key_only"] = "causal",
        future_slopes: Sequence[float] | None = None,  # "two_sided": of keys after the query; None: as for the past
        trainable: bool = False,  # the paper found that learned slopes extrapolate worse and cost 3% speed
        strength: float = 1.0,  # multiplies every slope; 0 switches ALiBi off
    ) -> None:
        super().__init__(heads, head_dim, width, max_length)
        self.form = one_of(form, "form", ("causal", "symmetric", "two_sided", "key_only"))
        if future_slopes is not None and form != "two_sided":
            raise ValueError("future_slopes need form='two_sided'.")
        self.strength = finite_number(strength, "strength")
        past = rules.slopes(heads, rule if slopes is None else "custom", max_bias, slopes)
        values = {"past": past}
        if form == "two_sided":
            values["future"] = (
                past if future_slopes is None else rules.one_per_head(future_slopes, heads, "future_slopes")
            )
        for name, numbers in values.items():
            tensor = torch.tensor(numbers, dtype=torch.float32)
            if trainable:
                self.register_parameter(name, nn.Parameter(tensor))
            else:
                self.register_buffer(name, tensor, persistent=False)  # no checkpoint needs to store it

    def _apply(self, fn, recurse=True):  # type: ignore[no-untyped-def]
        """Fixed slopes follow the model to its device, not to its dtype: bfloat16 would move 2^-0.5 by 0.1%."""
        float32 = dict(self._buffers)
        super()._apply(fn, recurse)
        for name, slopes in float32.items():
            self._buffers[name] = slopes.to(self._buffers[name].device)
        return self

    @classmethod
    def longer_options(cls, train_length: int, times: float) -> dict[str, dict[str, Any]]:
        """Slopes divided by `times`: the farthest key has the penalty that it had in training."""
        return {"interpolated": {"strength": 1 / times}}

    @property
    def slopes(self) -> Tensor:
        """Slopes in effect, strength included: float32 [H]."""
        return self.past.float() * self.strength

    def extra_repr(self) -> str:
        values = self.slopes.tolist()
        return f"heads={self.heads}, slopes {values[0]:.4g} … {values[-1]:.4g}, form={self.form!r}"

    def linear_slopes(self) -> Tensor | None:
        """`slopes` for every form but the key-only one, whose bias grows with the key's position instead."""
        return None if self.form == "key_only" else self.slopes

    def bias_by_distance(self, distance: Tensor) -> Tensor:
        """distance int64 [...] -> float32 [H, ...]. Raises ValueError for the key-only form."""
        if self.form == "key_only":
            raise ValueError("The key-only form depends on the key's position, not on the distance.")
        shape = (-1,) + (1,) * distance.ndim
        slopes = self.slopes.view(shape)
        if self.form == "causal":
            return -slopes * distance
        if self.form == "two_sided":
            slopes = torch.where(distance >= 0, slopes, (self.future.float() * self.strength).view(shape))
        return -slopes * distance.abs()

    def score_bias(self, q_positions: Tensor, k_positions: Tensor) -> Tensor | None:
        if self.form != "key_only":
            return super().score_bias(q_positions, k_positions)
        row = self.slopes[:, None, None] * k_positions[..., None, None, :]  # [H, 1, Tk] or [B, H, 1, Tk]
        batch = q_positions.shape[:-1] if q_positions.ndim > k_positions.ndim else row.shape[:-3]
        return row.expand(*batch, self.heads, q_positions.shape[-1], k_positions.shape[-1])

    def key_bias(self, k_positions: Tensor) -> Tensor | None:
        """m_h (j - c) with c the middle position, for all four forms: they agree on keys at or before the query."""
        # Any c would do; the middle one keeps the numbers small, and with them the rounding of the fused path.
        if k_positions.numel():
            low, high = k_positions.amin(-1, keepdim=True), k_positions.amax(-1, keepdim=True)
            k_positions = k_positions - (low + high) // 2
        return self.slopes[:, None] * k_positions[..., None, :]

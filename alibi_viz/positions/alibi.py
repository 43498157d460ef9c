"""ALiBi: a fixed penalty on every score, linear in the distance, with one slope per head.

Source: Press, Smith and Lewis 2022 (arXiv 2108.12409), section 3, and the authors' `get_slopes`. The score of query i and
key j is q_i.k_j / sqrt(d) - m_h (i - j); the penalty itself is not divided by sqrt(d) (footnote 10).

Notable choices:
- Two published rules, which are one where the heads are a power of two. "code", the default, is the authors' code, whose
  slopes BLOOM, MPT and Baichuan load: the slopes of the power of two below, then every other slope of twice that power.
  They are NOT sorted, so head numbers agree with trained models. "sentence" is the paper's sentence in section 3: for n
  heads a geometric sequence that starts at 2^(-8/n), with that as its ratio. A model needs the rule of its training.
- Exponents are exact fractions, slopes float64, the bias float32 from distances (m*j in bfloat16 loses whole tokens).
- Four forms. Under a causal mask all four give the same softmax for equal slopes; without one they differ.
    causal      -m (i - j)   the formula as it stands; for the future it is a REWARD, which the mask must hide
    symmetric   -m |i - j|   encoders
    two_sided   -m |i - j|   encoders, with other slopes for the future
    key_only    m j          one row for all queries (the authors' code, BLOOM, MPT)
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import torch
from torch import Tensor, nn

from alibi_viz.checks import finite_number, one_of, whole_number
from alibi_viz.positions.base import DistanceBias


def slope_families(heads: int) -> list[int]:
    """Family of every head by the authors' code: 0 for the power-of-two slopes, 1 for the extra ones."""
    power = 2 ** (whole_number(heads, "heads").bit_length() - 1)  # the largest power of two not above heads
    return [0] * power + [1] * (heads - power)


def slope_exponents(heads: int, rule: str = "code", max_bias: float = 8.0) -> list[Fraction]:
    """Exact exponents e with slope = 2^-e, in head order, for n heads.

    The rule is "code" (the authors' code), "sentence" (the paper's: max_bias h/n for every n) or "blog" (h, whatever n);
    `max_bias` is the largest exponent but for "blog" (8 in the paper; MPT calls it alibi_bias_max).
    Raises ValueError for a number out of range, or a rule without exponents.
    """
    heads = whole_number(heads, "heads")
    # The decimal as typed: 0.1 means 1/10 here, not the float nearest to it.
    top = Fraction(str(finite_number(max_bias, "max_bias", positive=True)))
    if rule == "blog":
        return [Fraction(h) for h in range(1, heads + 1)]
    if rule == "sentence":
        return [top * h / heads for h in range(1, heads + 1)]
    if rule == "code":
        power = slope_families(heads).count(0)
        first = [top * h / power for h in range(1, power + 1)]
        return first + [top * h / (2 * power) for h in range(1, 2 * (heads - power), 2)]
    raise ValueError(
        f"The slope rule must be 'code', 'sentence' or 'blog' (or 'custom', with its slopes), not {rule!r}."
    )


def slopes(heads: int, rule: str = "code", max_bias: float = 8.0, custom: Sequence[float] | None = None) -> list[float]:
    """The slope of every head, in head order, in float64, by a rule of `slope_exponents` or the "custom" slopes given.

    A negative slope rewards distance: a known mistake, allowed so that it can be shown. Raises ValueError for a number
    out of range, an unknown rule, or custom slopes that are missing or not one per head.
    """
    if rule != "custom":
        return [2.0 ** -float(exponent) for exponent in slope_exponents(heads, rule, max_bias)]
    if custom is None:
        raise ValueError("The slope rule 'custom' needs the slopes themselves.")
    return _one_per_head(custom, whole_number(heads, "heads"), "custom slopes")


_slopes = slopes  # for the class, where an argument has this name


def _one_per_head(values: Sequence[float], heads: int, name: str) -> list[float]:
    if isinstance(values, str) or len(values) != heads:
        raise ValueError(f"{name} must be {heads} numbers, one a head, not {values!r}.")
    return [finite_number(value, f"Every number of {name}") for value in values]


def half_weight_distance(slope: float) -> float:
    """Distance in tokens at which the weight has halved, for equal content: ln 2 / m. Infinite for m <= 0."""
    return math.log(2) / slope if slope > 0 else math.inf


def distance_holding(slope: float, share: float = 0.9) -> float:
    """Smallest whole distance D such that keys 0..D tokens away hold `share` of the weight; infinite for m <= 0."""
    # For equal content and an endless past the weights are a geometric series: 1 - e^(-m (D + 1)) >= share.
    needed = -math.log1p(-share) / slope if slope > 0 else math.inf
    return float(max(math.ceil(needed) - 1, 0)) if math.isfinite(needed) else math.inf


class Alibi(DistanceBias):
    """ALiBi. ValueError for a number out of range, an unknown rule or form, or future slopes not with two_sided."""

    name = "alibi"
    title = "ALiBi"
    order = 50
    formula = r"- m_h \, (i - j)"
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
        past = _slopes(heads, rule if slopes is None else "custom", max_bias, slopes)
        values = {"past": past}
        if form == "two_sided":
            values["future"] = past if future_slopes is None else _one_per_head(future_slopes, heads, "future_slopes")
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

"""Rotary positions (RoPE): queries and keys are rotated by an angle that grows with the position.

Source: Su et al. 2021 (arXiv 2104.09864), equation 34. After rotation, q.k depends on the distance alone.

Notable choices:
- Two layouts. "half" rotates the pairs (i, i + d/2), as Llama does ("rotate half"); "interleaved" rotates (2i, 2i + 1), as
  GPT-J, x-transformers and rotary-embedding-torch do. A permutation of the projection's rows converts one to the other;
  mixing them without it gives wrong scores silently.
- Angles in float64 (see base.angles), the rotation itself in float32, the result cast back to the dtype of q and k.
- Scaling changes the frequencies (`scaled_inv_freq`), so that a model reads texts beyond its training length; YaRN also
  makes queries and keys a little longer. Dynamic scaling depends on the length of the text so far, so that a key cached
  after rotation gets the wrong angle when the text grows: cache keys before rotation there.
"""

import math
from typing import Any, Literal

import torch
from torch import Tensor

from alibi_viz.checks import finite_number, one_of, whole_number
from alibi_viz.lessons.problems import Problem
from alibi_viz.positions.base import PositionMethod, angles
from alibi_viz.rules import LLAMA3_HIGH, LLAMA3_LOW, ROPE_SCALINGS, TITLES, YARN_FAST, YARN_SLOW


def inv_freq(head_dim: int, base: float = 10000.0) -> Tensor:
    """Radians per token, one per pair: base^(-2i/d), i = 0 .. d/2 - 1, float64 [d/2]."""
    return base ** -(torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)


def scaled_inv_freq(
    head_dim: int, base: float, scaling: str, factor: float, original_length: int, tokens: int
) -> tuple[Tensor, float]:
    """Frequencies of a scaled variant, as in transformers' ROPE_INIT_FUNCTIONS.

        none     nothing changes
        linear   position interpolation (Chen et al. 2023, arXiv 2306.15595): every frequency / factor
        dynamic  NTK-aware (u/bloc97 and, dynamic, u/emozilla, Reddit r/LocalLLaMA 2023, as cited in the paper of YaRN):
                 a larger base, as soon as the text is longer than the original length
        yarn     Peng et al. 2023 (arXiv 2309.00071): fast pairs stay, slow ones are divided, a ramp between (`kept_share`)
        llama3   Llama 3.1: the same idea, with another ramp

    The text may become `factor` times longer (1 changes nothing) than `original_length`, the training length in tokens;
    `tokens` is its length now, which only "dynamic" uses. Returns radians per token, float64 [d/2], and the number that
    multiplies queries and keys (1 but for yarn).
    """
    plain = inv_freq(head_dim, base)
    if scaling == "none":
        return plain, 1.0
    if scaling == "dynamic":
        return inv_freq(head_dim, dynamic_base(head_dim, base, factor, original_length, tokens)), 1.0
    kept = kept_share(head_dim, base, scaling, original_length)
    stretch = 0.1 * math.log(factor) + 1 if scaling == "yarn" else 1.0
    return plain * kept + plain / factor * (1 - kept), stretch


def dynamic_base(head_dim: int, base: float, factor: float, original_length: int, tokens: int) -> float:
    """The base that dynamic scaling has in a text of so many tokens."""
    stretch = factor * max(tokens, original_length) / original_length - (factor - 1)
    return base * float(stretch ** (head_dim / (head_dim - 2)))


def kept_share(head_dim: int, base: float, scaling: str, original_length: int) -> Tensor:
    """How much of a pair's frequency is kept, while the rest is divided by the factor: 1 kept, 0 divided, float64 [d/2].

    For "linear" it is 0. The ramp of "llama3" is linear in the pair's rotations within the original length. That of
    "yarn" is linear in the pair's number, as in its authors' code and in transformers; their paper writes it in rotations.
    """
    if scaling == "yarn":
        low, high = yarn_ramp(head_dim, base, original_length)
        return 1 - ((torch.arange(head_dim // 2, dtype=torch.float64) - low) / (high - low)).clamp(0, 1)
    if scaling == "llama3":
        rotations = original_length * inv_freq(head_dim, base) / (2 * math.pi)
        return ((rotations - LLAMA3_LOW) / (LLAMA3_HIGH - LLAMA3_LOW)).clamp(0, 1)
    return torch.zeros(head_dim // 2, dtype=torch.float64)


def yarn_ramp(head_dim: int, base: float, original_length: int) -> tuple[float, float]:
    """Numbers of the pairs between which YaRN's ramp falls: up to the first they are kept, from the second on divided."""
    fast, slow = (  # index (not whole) of the pair that makes so many rotations within the original length
        head_dim * math.log(original_length / (rotations * 2 * math.pi)) / (2 * math.log(base))
        for rotations in (YARN_FAST, YARN_SLOW)
    )
    low, high = max(math.floor(fast), 0), min(math.ceil(slow), head_dim - 1)
    return low, high if high != low else low + 0.001


def turn(x: Tensor, angle: Tensor, layout: str = "half") -> Tensor:
    """Rotate every pair of x [B, H, T, d] by its angle, [T, d/2] or [B, T, d/2] radians; same shape."""
    if angle.ndim == 3:
        angle = angle[:, None]  # one numbering a sequence, the same in every head
    half, pairs = layout == "half", x.float()
    first, second = pairs.chunk(2, dim=-1) if half else (pairs[..., 0::2], pairs[..., 1::2])  # [..., d/2] each
    cos, sin = angle.cos().float().to(x.device), angle.sin().float().to(x.device)
    first, second = first * cos - second * sin, second * cos + first * sin
    return (torch.cat((first, second), -1) if half else torch.stack((first, second), -1).flatten(-2)).to(x.dtype)


class Rotary(PositionMethod):
    """RoPE. Raises ValueError if head_dim is odd (pairs need two numbers), or an option is unknown or out of range."""

    name = "rope"
    title = TITLES["rope"]
    order = 30
    formula = (
        r"z_m \, e^{\mathrm{i} p \theta_m} \text{ for each pair } z_m \text{ of } q, k; \; \theta_m = 10000^{-2m/d}"
    )
    acts_on = "queries_and_keys"

    def __init__(
        self,
        heads: int,
        head_dim: int,
        width: int,
        max_length: int = 2048,
        *,
        base: float = 10000.0,  # the slowest pair rotates once in about 2 pi base tokens (Llama 3: 500000)
        layout: Literal["half", "interleaved"] = "half",  # Llama, GPT-J
        scaling: Literal["none", "linear", "dynamic", "yarn", "llama3"] = "none",  # see `scaled_inv_freq`
        factor: float = 8.0,  # how much longer than `original_length` the text may become; at least 1
        original_length: int | None = None,  # training length in tokens; None: max_length
        rotary_dim: int | None = None,  # numbers of a head that are rotated, the first ones (GPT-NeoX); None: all
    ) -> None:
        super().__init__(heads, head_dim, width, max_length)
        self.rotary_dim = whole_number(self.head_dim if rotary_dim is None else rotary_dim, "rotary_dim", 2, head_dim)
        if self.rotary_dim % 2:
            name = "head_dim" if rotary_dim is None else "rotary_dim"
            raise Problem("methods.odd", name=name, given=self.rotary_dim)
        self.layout = one_of(layout, "layout", ("half", "interleaved"))
        self.scaling = one_of(scaling, "scaling", ROPE_SCALINGS)
        if scaling == "dynamic" and self.rotary_dim == 2:
            raise Problem("methods.dynamic")
        self.base = finite_number(base, "base", positive=True)
        if scaling == "yarn" and self.base <= 1:
            raise ValueError(f"YaRN needs a base above 1, not {base!r}.")
        self.factor = finite_number(factor, "factor", positive=True)
        if self.factor < 1:
            raise ValueError(f"factor must be at least 1, not {factor!r}.")
        length = max_length if original_length is None else original_length
        self.original_length = whole_number(length, "original_length")

    @classmethod
    def longer_options(cls, train_length: int, times: float) -> dict[str, dict[str, Any]]:
        """Position interpolation, dynamic NTK (factor 1: the base grows by s^(d/(d-2)) in a text of s lengths) and YaRN."""
        of = {"original_length": train_length}
        return {
            "linear": {**of, "scaling": "linear", "factor": times},
            "dynamic": {**of, "scaling": "dynamic", "factor": 1.0},
            "yarn": {**of, "scaling": "yarn", "factor": times},
        }

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        tokens = 1
        if self.scaling == "dynamic":  # the length of the text so far
            tokens += max((int(p.max()) for p in (q_positions, k_positions) if p.numel()), default=0)
        frequencies, stretch = self.frequencies(tokens)
        if stretch != 1:  # scores grow by its square
            q, k = q * stretch, k * stretch
        q_angle = angles(q_positions, frequencies)
        k_angle = q_angle if k_positions is q_positions else angles(k_positions, frequencies)
        return self._turn(q, q_angle), self._turn(k, k_angle)

    def _turn(self, x: Tensor, angle: Tensor) -> Tensor:
        """Rotate the first `rotary_dim` numbers of every head; the others stay."""
        if self.rotary_dim == self.head_dim:
            return turn(x, angle, self.layout)
        first, rest = x.split((self.rotary_dim, self.head_dim - self.rotary_dim), dim=-1)
        return torch.cat((turn(first, angle, self.layout), rest), dim=-1)

    def frequencies(self, tokens: int = 1) -> tuple[Tensor, float]:
        """`scaled_inv_freq` of this method for a text of so many tokens."""
        return scaled_inv_freq(self.rotary_dim, self.base, self.scaling, self.factor, self.original_length, tokens)

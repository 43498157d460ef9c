"""What can be said of positions by numbers and names alone: the rules of ALiBi's slopes, the constants of RoPE's scalings,
the names of the methods that published models have. Without torch, so that the library's core is small.

Source of the slopes: Press, Smith and Lewis 2022 (arXiv 2108.12409), section 3, and the authors' `get_slopes`.

Notable choices:
- Two published rules, which are one where the heads are a power of two. "code", the default, is the authors' code, whose
  slopes BLOOM, MPT and Baichuan load: the slopes of the power of two below, then every other slope of twice that power.
  They are NOT sorted, so head numbers agree with trained models. "sentence" is the paper's sentence in section 3: for n
  heads a geometric sequence that starts at 2^(-8/n), with that as its ratio. A model needs the rule of its training.
- Exponents are exact fractions, slopes float64.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from alibi_viz.checks import finite_number, whole_number

#: Of the methods that this app computes, those of published models; the classes have their titles from here.
TITLES = {
    "none": "No positions",
    "learned": "Learned",
    "sinusoidal": "Sinusoidal",
    "rope": "RoPE",
    "t5": "T5 bias",
    "alibi": "ALiBi",
}
ROPE_SCALINGS = ("none", "linear", "dynamic", "yarn", "llama3")
YARN_FAST, YARN_SLOW = 32.0, 1.0  # rotations within the original length: more: a pair is kept; fewer: it is stretched
LLAMA3_LOW, LLAMA3_HIGH = 1.0, 4.0  # the same for llama3


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
    return one_per_head(custom, whole_number(heads, "heads"), "custom slopes")


def one_per_head(values: Sequence[float], heads: int, name: str) -> list[float]:
    """The values as floats. Raises ValueError if they are not one a head, or not finite."""
    if isinstance(values, str | float | int) or len(values) != heads:
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

"""No positions at all (NoPE): the causal mask is the only thing that tells one order from another.

Source: Haviv et al. 2022, "Transformer Language Models without Positional Encodings Still Learn Positional Information".
Without a causal mask the output does not depend on the order of the keys at all.
"""

from alibi_viz.positions.base import PositionMethod
from alibi_viz.rules import TITLES


class NoPosition(PositionMethod):
    """Adds nothing anywhere."""

    name = "none"
    title = TITLES["none"]
    order = 0
    formula = r"\frac{q_i \cdot k_j}{\sqrt{d}}"

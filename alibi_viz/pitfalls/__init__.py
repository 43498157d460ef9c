"""Mistakes that people made with positions, each beside the right version: see `base` for what one consists of.

Where each really happened is told in the lesson; tests/unit/test_pitfalls.py runs every check on both versions.
"""

from alibi_viz.pitfalls import (
    cache_offset,
    is_causal,
    key_bfloat16,
    left_padding,
    masked_rows,
    no_mask,
    rope_layouts,
    short_table,
    sign,
    slopes_blog,
    slopes_power,
    slopes_sorted,
    sqrt_d,
    t5_scaled,
)
from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, Pitfall

__all__ = ["PITFALLS", "Comparison", "Damage", "Pictures", "Pitfall"]

_MODULES = (
    *(slopes_power, slopes_blog, slopes_sorted, sign, sqrt_d, no_mask, cache_offset, key_bfloat16, masked_rows),
    *(left_padding, is_causal, rope_layouts, short_table, t5_scaled),
)
#: Name -> pitfall, in the order in which they are shown.
PITFALLS: dict[str, Pitfall] = {module.__name__.rpartition(".")[2]: module for module in _MODULES}

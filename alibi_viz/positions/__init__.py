"""Position methods, one file each, and the registry that names them."""

from __future__ import annotations

import inspect
from typing import Any

from alibi_viz.positions.alibi import Alibi
from alibi_viz.positions.base import DistanceBias, PositionMethod, whole_number
from alibi_viz.positions.fire import Fire
from alibi_viz.positions.kerple import Kerple, KerplePower
from alibi_viz.positions.learned import Learned
from alibi_viz.positions.none import NoPosition
from alibi_viz.positions.rotary import Rotary
from alibi_viz.positions.sandwich import Sandwich
from alibi_viz.positions.sinusoidal import Sinusoidal
from alibi_viz.positions.t5 import T5Bias

METHODS: dict[str, type[PositionMethod]] = {
    method.name: method
    for method in (NoPosition, Learned, Sinusoidal, Rotary, T5Bias, Alibi, Kerple, KerplePower, Sandwich, Fire)
}

__all__ = ["METHODS", "DistanceBias", "PositionMethod", "build"]


def build(
    name: str,
    *,
    heads: int,
    head_dim: int,
    width: int | None = None,
    max_length: int = 2048,
    **options: Any,
) -> PositionMethod:
    """Build the position method registered as `name`.

    Args:
        name: a key of METHODS.
        heads, head_dim, max_length: see PositionMethod.
        width: width D of the embeddings; heads * head_dim if None.
        options: the method's own options, such as `rule` for ALiBi.

    Raises:
        ValueError: for an unknown name or option, or a bad number, with one clear sentence.
    """
    if name not in METHODS:
        raise ValueError(f"The position method must be one of {', '.join(METHODS)}, not {name!r}.")
    method = METHODS[name]
    known = [
        option.name
        for option in inspect.signature(method).parameters.values()
        if option.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    for option in options:
        if option not in known:
            offered = f"its options are {', '.join(known)}" if known else "it has no options"
            raise ValueError(f"{method.title} has no option {option!r}; {offered}.")
    if width is None:
        width = whole_number(heads, "heads") * whole_number(head_dim, "head_dim")
    return method(heads, head_dim, width, max_length=max_length, **options)

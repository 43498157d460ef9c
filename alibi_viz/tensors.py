"""Of the names of `import alibi_viz` those that compute with torch: bias, trace.

Notable choices:
- What comes from outside is checked: numbers, shapes, sizes.
- Shapes: B batch, H query heads, Hkv key heads, Tq queries, Tk keys, d width of a head.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from alibi_viz.attention.attention import Trace, trace_attention
from alibi_viz.checks import whole_number
from alibi_viz.positions import PositionMethod, build

MOST_CELLS = 2**28  # of a bias: 1 GiB
Numbers = Tensor | np.ndarray | Sequence[Any]


def bias(
    heads: int,
    queries: int,
    keys: int | None = None,
    *,
    form: str = "causal",
    rule: str = "code",
    max_bias: float = 8.0,
) -> Tensor:
    """ALiBi's bias, float32 [heads, queries, keys]; the queries are the last of the keys (None: as many). No mask.

    form: "causal" -m (i - j), "symmetric" -m |i - j|, "two_sided" the same, "key_only" m j.
    Raises ValueError for a number out of range, or an unknown form or rule.

    >>> bias(8, 4)[0]
    tensor([[-0.0000,  0.5000,  1.0000,  1.5000],
            [-0.5000, -0.0000,  0.5000,  1.0000],
            [-1.0000, -0.5000, -0.0000,  0.5000],
            [-1.5000, -1.0000, -0.5000, -0.0000]])
    >>> bias(12, 1, 512).shape  # one step of decoding
    torch.Size([12, 1, 512])
    """
    heads, queries = whole_number(heads, "heads"), whole_number(queries, "queries")
    keys = queries if keys is None else whole_number(keys, "keys", least=queries)
    if heads * queries * keys > MOST_CELLS:
        raise ValueError(
            f"A bias of {heads} x {queries:,} x {keys:,} numbers is too large; the limit is {MOST_CELLS:,}."
        )
    method = build("alibi", heads=heads, head_dim=1, form=form, rule=rule, max_bias=max_bias)
    values = method.score_bias(torch.arange(keys - queries, keys), torch.arange(keys))
    assert values is not None
    return values


def trace(
    q: Numbers,  # [B, H, Tq, d]
    k: Numbers,  # [B, Hkv, Tk, d]
    v: Numbers,  # [B, Hkv, Tk, d]
    position: str | PositionMethod = "alibi",  # a key of METHODS, or a method that was built
    *,
    q_positions: Numbers | None = None,  # int64 [Tq] or [B, Tq]; None: the last of the keys
    k_positions: Numbers | None = None,  # int64 [Tk] or [B, Tk]; None: from 0
    causal: bool = True,
    key_padding_mask: Numbers | None = None,  # bool [B, Tk], True = padding
) -> Trace:
    """One attention with every stage: content, bias, masked scores, weights, output. Raises ValueError for bad shapes.

    Arrays and lists of numbers are taken as float32.

    >>> x = torch.ones(1, 2, 3, 4)  # the same content everywhere
    >>> stages = trace(x, x, x)
    >>> stages
    Trace(B=1, H=2, Tq=3, Tk=3, d=4, bias [2, 3, 3])
    >>> stages.weights[0, 0]
    tensor([[1.0000, 0.0000, 0.0000],
            [0.4844, 0.5156, 0.0000],
            [0.3127, 0.3329, 0.3544]])
    """
    q, k, v = (_tensor(x, np.float32, "q, k and v must be numbers") for x in (q, k, v))
    if q_positions is not None:
        q_positions = _tensor(q_positions, np.int64, "q_positions must be whole numbers")
    if k_positions is not None:
        k_positions = _tensor(k_positions, np.int64, "k_positions must be whole numbers")
    if key_padding_mask is not None:
        key_padding_mask = _tensor(key_padding_mask, np.bool_, "key_padding_mask must be true or false")
    if not q.ndim == k.ndim == v.ndim == 4 or k.shape != v.shape or q.shape[::3] != k.shape[::3]:
        shapes = ", ".join(str(list(x.shape)) for x in (q, k, v))
        raise ValueError(f"q must be [B, H, Tq, d], k and v [B, Hkv, Tk, d]; they are {shapes}.")
    if isinstance(position, str):
        position = build(position, heads=q.shape[1], head_dim=q.shape[3], max_length=k.shape[2])
    if k_positions is None:
        k_positions = torch.arange(k.shape[2], device=k.device)
    if q_positions is None:
        if q.shape[2] > k.shape[2]:
            raise ValueError("There are more queries than keys: say where they stand (q_positions, k_positions).")
        q_positions = k_positions[..., k.shape[2] - q.shape[2] :]
    return trace_attention(
        q, k, v, position, q_positions, k_positions, causal=causal, key_padding_mask=key_padding_mask
    )


def _tensor(values: Numbers, dtype: type[np.generic], must: str) -> Tensor:
    """A tensor as it is; of an array or a list, a copy. Raises ValueError, in one sentence, for what is no such numbers."""
    if isinstance(values, Tensor):
        return values
    try:
        return torch.from_numpy(np.array(values, order="C").astype(dtype, casting="same_kind"))  # never read-only
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{must}: a tensor, an array, or lists of one length.") from None

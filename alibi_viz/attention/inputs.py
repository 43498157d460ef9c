"""What one attention works on, whatever the content: queries, keys and values of one sequence, and a position method."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from torch import Tensor

from alibi_viz.attention.attention import Trace, trace_attention
from alibi_viz.positions import PositionMethod

ROWS = 128  # queries at a time: no T x T matrix of a long text is ever held for all heads


@dataclass(frozen=True)
class AttentionInputs:
    """One sequence of T tokens. Queries and keys are not rotated yet."""

    q: Tensor  # [1, H, T, d]
    k: Tensor  # [1, Hkv, T, d]
    v: Tensor  # [1, Hkv, T, d]
    method: PositionMethod  # given its input where it needs that
    positions: Tensor  # int64 [T]
    causal: bool = True

    def trace(self, rows: Tensor | None = None) -> Trace:
        """Every stage of every head, for all queries or for those at the indices `rows`."""
        q = self.q if rows is None else self.q[:, :, rows]
        q_positions = self.positions if rows is None else self.positions[rows]
        method = self.method if rows is None else self.method.for_queries(rows)
        return trace_attention(q, self.k, self.v, method, q_positions, self.positions, causal=self.causal)

    def blocks(self, step: int = 1) -> Iterator[Trace]:
        """The traces of every `step`-th query, ROWS queries at a time."""
        for rows in self.positions[::step].split(ROWS):
            yield self.trace(rows)


def position_alone(attention: AttentionInputs) -> AttentionInputs:
    """The same attention without content: every token has the mean query and the mean key of its head.

    What is left is what the method does to scores. A method that acts on embeddings leaves nothing: its positions are part
    of the content by then.
    """
    q, k = (x.mean(2, keepdim=True).expand_as(x) for x in (attention.q, attention.k))
    return replace(attention, q=q, k=k)

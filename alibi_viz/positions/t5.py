"""T5's relative bias: a learned number for each head and each bucket of distances, added to the scores.

Source: Raffel et al. 2020, section 2.1; the buckets are those of transformers,
T5Attention._relative_position_bucket.

Notable choices:
- Near distances have a bucket each, far ones share buckets that widen like a logarithm, and everything from
  `max_distance` on falls into the last: beyond it all distances look the same.
- T5 does not divide scores by sqrt(d) (its initialisation absorbs it). With `faithful=False` (the default)
  they are divided as for every other method, so that a comparison changes the bias alone; `faithful=True` is
  T5's own.
- In T5 only the first layer owns a table and all layers use it: share one T5Bias among the layers for that.
- The table starts as a normal distribution with standard deviation 1/sqrt(D), as T5 itself starts.
- An untrained bucket is noise: a model trained on sequences shorter than `max_distance` has some (worth
  showing).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from alibi_viz.positions.base import DistanceBias, whole_number


def relative_position_bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    """Bucket of every relative position, KEY minus QUERY as in T5 (the past is negative): int64, same shape.

    The logarithm is taken in float32, as in transformers: the few distances on an edge fall on the same side.
    """
    bucket = torch.zeros_like(relative_position)
    if bidirectional:
        num_buckets //= 2
        bucket = bucket + (relative_position > 0).long() * num_buckets
        distance = relative_position.abs()
    else:
        distance = (-relative_position).clamp(min=0)  # the future shares bucket 0; the causal mask hides it
    exact = num_buckets // 2
    ratio = torch.log(distance.clamp(min=1).float() / exact) / math.log(max_distance / exact)
    far = (exact + (ratio * (num_buckets - exact)).long()).clamp(max=num_buckets - 1)
    return bucket + torch.where(distance < exact, distance, far)


class T5Bias(DistanceBias):
    """Args beside the common ones:

        num_buckets: rows of the table (32 in T5); max_distance: in tokens, where the last bucket begins (128
            in T5).
        bidirectional: half of the buckets for the future (encoders).
        faithful: leave scores undivided by sqrt(d), as T5 does.

    Raises:
        ValueError: if there are too few buckets, or max_distance does not lie beyond the exact ones.
    """

    name = "t5"
    title = "T5 bias"

    def __init__(
        self,
        heads: int,
        head_dim: int,
        width: int,
        max_length: int = 2048,
        *,
        num_buckets: int = 32,
        max_distance: int = 128,
        bidirectional: bool = False,
        faithful: bool = False,
    ) -> None:
        super().__init__(heads, head_dim, width, max_length)
        self.num_buckets = whole_number(num_buckets, "num_buckets", 4 if bidirectional else 2)
        self.max_distance = whole_number(max_distance, "max_distance")
        exact = num_buckets // (4 if bidirectional else 2)
        if max_distance <= exact:
            raise ValueError(
                f"max_distance must be above {exact}, the number of distances with a bucket of their own, "
                f"not {max_distance}."
            )
        self.bidirectional = bidirectional
        self.scales_scores = not faithful
        self.table = nn.Embedding(num_buckets, self.heads)
        nn.init.normal_(self.table.weight, std=self.width**-0.5)

    def bias_by_distance(self, distance: Tensor) -> Tensor:
        bucket = relative_position_bucket(-distance, self.bidirectional, self.num_buckets, self.max_distance)
        return self.table(bucket).float().movedim(-1, 0)  # [..., H] -> [H, ...]

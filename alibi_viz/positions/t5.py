"""T5's relative bias: a learned number for each head and each bucket of distances, added to the scores.

Source: Raffel et al. 2020, section 2.1; the buckets are those of transformers, T5Attention._relative_position_bucket.

Notable choices:
- Near distances have a bucket each, far ones share buckets that widen like a logarithm. The last bucket begins before
  `max_distance` (`last_bucket_start`: at 113 of 128 with 32 buckets, at 91 in both directions); all beyond look the same.
- T5 does not divide scores by sqrt(d) (its initialization absorbs it). By default they are divided as for every other
  method, so that a comparison changes the bias alone; `faithful=True` is T5's own.
- In T5 only the first layer owns a table and all layers use it: share one T5Bias among the layers for that.
- The table starts from a normal distribution with standard deviation 1/sqrt(D), as in T5.
- A bucket that training never reaches stays noise: a model trained on sequences too short for the last has some.
"""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from alibi_viz.checks import whole_number
from alibi_viz.lessons.problems import Problem
from alibi_viz.positions.base import DistanceBias
from alibi_viz.rules import TITLES


def _exact_distances(num_buckets: int, bidirectional: bool) -> int:
    """How many near distances have a bucket of their own: half of the buckets of one direction."""
    return num_buckets // (4 if bidirectional else 2)


def relative_position_bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    """Bucket of every relative position, KEY minus QUERY as in T5 (the past is negative): int64, same shape."""
    bucket = torch.zeros_like(relative_position)
    if bidirectional:
        num_buckets //= 2
        bucket = bucket + (relative_position > 0).long() * num_buckets
        distance = relative_position.abs()
    else:
        distance = (-relative_position).clamp(min=0)  # the future shares bucket 0; the causal mask hides it
    exact = num_buckets // 2
    # In float32, as in transformers: the few distances on an edge fall on the same side.
    ratio = torch.log(distance.clamp(min=1).float() / exact) / math.log(max_distance / exact)
    far = (exact + (ratio * (num_buckets - exact)).long()).clamp(max=num_buckets - 1)
    return bucket + torch.where(distance < exact, distance, far)


class T5Bias(DistanceBias):
    """T5's bias. Raises ValueError for too few buckets, or a `max_distance` that is not beyond the exact distances."""

    name = "t5"
    title = TITLES["t5"]
    order = 40
    formula = r"+ \, b_h[\text{bucket}(i - j)]"

    def __init__(
        self,
        heads: int,
        head_dim: int,
        width: int,
        max_length: int = 2048,
        *,
        num_buckets: int = 32,  # rows of the table
        max_distance: int = 128,  # tokens, sets how fast buckets widen; the last begins at or before it
        bidirectional: bool = False,  # half of the buckets for the future (encoders)
        faithful: bool = False,  # leave scores undivided by sqrt(d), as T5 does
    ) -> None:
        super().__init__(heads, head_dim, width, max_length)
        self.num_buckets = whole_number(num_buckets, "num_buckets", 4 if bidirectional else 2)
        self.max_distance = whole_number(max_distance, "max_distance")
        exact = _exact_distances(num_buckets, bidirectional)
        if max_distance <= exact:
            raise Problem("methods.max_distance", exact=exact, given=max_distance)
        self.bidirectional = bidirectional
        self.scales_scores = not faithful
        self.table = nn.Embedding(num_buckets, self.heads)
        nn.init.normal_(self.table.weight, std=self.width**-0.5)

    @classmethod
    def training_options(cls, train_length: int, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """`max_distance` is L/4 if not given, as 128 is to 512 in the ALiBi paper, but beyond the exact distances.

        At L = 128 that is 32, with 32 buckets nearly a table of distances.
        """
        chosen = dict(options or {})
        if "max_distance" not in chosen:  # left at 128, a model trained at L <= 128 would never train its last buckets
            exact = _exact_distances(int(chosen.get("num_buckets", 32)), bool(chosen.get("bidirectional")))
            chosen["max_distance"] = max(train_length // 4, exact + 1)
        return chosen

    def bucket(self, distance: Tensor) -> Tensor:
        """Row of the table for every distance, query minus key: int64, same shape."""
        return relative_position_bucket(-distance, self.bidirectional, self.num_buckets, self.max_distance)

    @property
    def last_bucket_start(self) -> int:
        """Smallest distance, back from the query, that falls into the last bucket."""
        buckets = self.bucket(torch.arange(self.max_distance + 1))
        return int((buckets == buckets[-1]).nonzero()[0])

    def bias_by_distance(self, distance: Tensor) -> Tensor:
        return self.table(self.bucket(distance)).float().movedim(-1, 0)  # [..., H] -> [H, ...]

"""The tiny language model: a decoder over bytes, with any position method of the registry.

    byte -> embedding (+ positions) -> [norm, attention, norm, two-layer perceptron] x layers -> norm -> 256 scores

Notable choices:
- Only the position method differs between two models of one seed: it is built apart from the other weights, which
  therefore start equal.
- The embeddings start with standard deviation 1/sqrt(D) and are multiplied by sqrt(D), as in Vaswani et al. 2017,
  section 3.4: beside sines of size 1, embeddings of size 0.02 would hardly be heard (sinusoidal, 150 steps: perplexity
  12.9 so, 25.5 with 0.02 and no factor; ALiBi 10.9 and 11.8). Learned positions start at the same size and are scaled
  with them: left at GPT-2's 0.02 they are not heard either. The embeddings are also the output matrix.
- Layer norms come before each part (as in GPT-2), no bias vectors in the matrices (as in MPT), GELU.
- Any length: no method but "learned" holds a table of positions, and that one refuses in words.
- Three projections for q, k and v instead of a joined one: measured the same on a CPU (44.7 and 44.3 ms a step).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from alibi_viz.attention.attention import Attention, Trace
from alibi_viz.attention.kv_cache import KVCache, next_positions
from alibi_viz.positions import PositionMethod, build
from alibi_viz.positions.learned import Learned
from alibi_viz.positions.t5 import T5Bias, relative_position_bucket

VOCABULARY = 256  # bytes


class Block(nn.Module):
    """One layer: attention, then a perceptron of four times the width, each added to its input."""

    def __init__(self, width: int, heads: int, position: PositionMethod) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = Attention(width, heads, position)
        self.perceptron_norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def forward(self, x: Tensor, positions: Tensor | None = None, cache: KVCache | None = None) -> Tensor:
        """x [B, T, D] -> [B, T, D]"""
        x = x + self.attention(self.attention_norm(x), positions=positions, cache=cache)
        return self._perceptron(x)

    def trace(self, x: Tensor) -> tuple[Trace, Tensor]:
        """Every stage of the attention, and the layer's output [B, T, D]."""
        stages, attended = self.attention.trace(self.attention_norm(x))
        return stages, self._perceptron(x + attended)

    def _perceptron(self, x: Tensor) -> Tensor:
        return x + self.down(F.gelu(self.up(self.perceptron_norm(x))))


class DecoderLM(nn.Module):
    """Args:

        method: a key of positions.METHODS.
        length: training length L in tokens: the size of the learned table, and T5's max distance is L/4.
        width, layers, heads: shape of the model; the width must be a multiple of the heads.
        options: the position method's own options.

    Raises:
        ValueError: if the numbers do not fit together, or the method or an option is unknown.
    """

    def __init__(
        self,
        method: str,
        *,
        length: int = 128,
        width: int = 64,
        layers: int = 2,
        heads: int = 8,
        options: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        if width % heads:
            raise ValueError(f"The width must be a multiple of the heads, not {width} and {heads}.")
        position = position_for(method, length=length, width=width, heads=heads, options=options)
        self.width = width
        self.position = position
        self.embedding = nn.Embedding(VOCABULARY, width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        self.blocks = nn.ModuleList(Block(width, heads, position) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(
        self, tokens: Tensor, *, positions: Tensor | None = None, caches: Sequence[KVCache] | None = None
    ) -> Tensor:
        """tokens int64 [B, T] -> scores of the next token [B, T, 256].

        Args:
            positions: int64 [T]; None counts from 0, or on from the caches.
            caches: one KVCache a layer, filled by the call.

        Raises:
            ValueError: where learned positions have no vector, or the caches are not one a layer.
        """
        if caches is not None and len(caches) != len(self.blocks):
            raise ValueError(f"There must be one cache for each of the {len(self.blocks)} layers, not {len(caches)}.")
        x = self._embed(tokens, positions, caches[0] if caches else None)
        for index, block in enumerate(self.blocks):
            x = block(x, positions, caches[index] if caches else None)
        return self._scores(x)

    def trace(self, tokens: Tensor) -> tuple[list[Trace], Tensor]:
        """Every stage of every layer, and the scores [B, T, 256]."""
        x = self._embed(tokens, None, None)
        stages = []
        for block in self.blocks:
            assert isinstance(block, Block)
            stage, x = block.trace(x)
            stages.append(stage)
        return stages, self._scores(x)

    def before(
        self, tokens: Tensor, layer: int, *, positions: Tensor, caches: Sequence[KVCache] | None = None
    ) -> Tensor:
        """What layer `layer` (0 is the first) reads, [B, T, D]. Arguments as for `forward`."""
        x = self._embed(tokens, positions, None)
        for index, block in enumerate(self.blocks[:layer]):
            x = block(x, positions, caches[index] if caches else None)
        return x

    def _embed(self, tokens: Tensor, positions: Tensor | None, cache: KVCache | None) -> Tensor:
        if positions is None:
            positions = next_positions(tokens.shape[1], cache=cache, device=tokens.device)
        x, scale = self.embedding(tokens), self.width**0.5  # [B, T, D]
        if self.position.name == "learned":  # vectors of the same kind as the embeddings, scaled as they are
            return self.position.add_to_embeddings(x, positions) * scale
        return self.position.add_to_embeddings(x * scale, positions)

    def _scores(self, x: Tensor) -> Tensor:
        return F.linear(self.norm(x), self.embedding.weight)  # [B, T, 256]


def position_for(
    method: str, *, length: int, width: int, heads: int, options: dict[str, Any] | None = None
) -> PositionMethod:
    """The position method as `DecoderLM` uses it, drawn from random numbers of its own.

    T5's max distance is L/4 if not given, as 128 to 512 in the ALiBi paper: left at 128, a model trained at L <= 128
    would never train its last buckets. It cannot be less than 17, since 16 distances have a bucket of their own.
    """
    options = dict(options or {})
    if method == "t5" and "max_distance" not in options:
        exact = int(options.get("num_buckets", 32)) // (4 if options.get("bidirectional") else 2)
        options["max_distance"] = max(length // 4, exact + 1)
    seed = int(torch.randint(2**31, ()))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        position = build(method, heads=heads, head_dim=width // heads, width=width, max_length=length, **options)
        if isinstance(position, Learned):
            nn.init.normal_(position.table.weight, std=width**-0.5)
        return position


def used_buckets(position: T5Bias, length: int) -> list[bool]:
    """For every bucket of T5's table, whether sequences of `length` tokens use it.

    What a long test uses and a short training did not is noise as it was drawn. Some buckets lie between two whole
    distances and are used at no length.
    """
    distances = torch.arange(length)
    used = relative_position_bucket(-distances, position.bidirectional, position.num_buckets, position.max_distance)
    return torch.bincount(used, minlength=position.num_buckets).bool().tolist()

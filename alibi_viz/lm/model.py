"""The tiny language model: a decoder over bytes, with a position method of the registry.

    byte -> embedding (+ positions) -> [norm, attention, norm, MLP] x layers -> norm -> 256 next-token logits

The layers are of one kind: "gpt", described below, with any method, or "llama" (`lm.llama`), with RoPE or ALiBi.

Notable choices:
- Only the position method differs between two models of one seed: it is built from random numbers of its own, so the other
  weights start equal.
- The embeddings start with standard deviation 1/sqrt(D) and are multiplied by sqrt(D), as in Vaswani et al. 2017, section
  3.4: beside sines of size 1, embeddings of size 0.02 would hardly count (sinusoidal, 150 steps: perplexity 12.9 so, 25.5
  with 0.02 and no factor; ALiBi 10.9 and 11.8). Learned positions start and are scaled alike. The output matrix is tied.
- Layer norms come before each part (as in GPT-2), no bias vectors in the matrices (as in MPT), GELU.
- Three projections for q, k and v instead of a joined one: measured the same on a CPU (44.7 and 44.3 ms a step).
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from alibi_viz.attention.attention import Attention, Trace
from alibi_viz.attention.kv_cache import KVCache, next_positions
from alibi_viz.lm.llama import LlamaBlock
from alibi_viz.positions import METHODS, PositionMethod, build

VOCABULARY = 256  # bytes


class Block(nn.Module):
    """One layer: attention, then an MLP of four times the width, each added to its input."""

    norm = nn.LayerNorm

    def __init__(self, width: int, heads: int, position: PositionMethod) -> None:
        super().__init__()
        self.attention_norm = self.norm(width)
        self.attention = Attention(width, heads, position, head_dim=position.head_dim)
        self.perceptron_norm = self.norm(width)  # the MLP's; the name is a key of saved checkpoints
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    @staticmethod
    def shared_inputs(position: PositionMethod, positions: Tensor, given: Tensor | None) -> Tensor | None:
        """What every layer takes beside x: the positions that were given. None: attention counts faster by itself."""
        return given

    def forward(self, x: Tensor, positions: Tensor | None = None, cache: KVCache | None = None) -> Tensor:
        """x [B, T, D] -> [B, T, D]"""
        return self._mlp(x + self.attention(self.attention_norm(x), positions=positions, cache=cache))

    def trace(self, x: Tensor) -> tuple[Trace, Tensor]:
        """Every stage of the attention, and the layer's output [B, T, D]."""
        stages, attended = self.attention.trace(self.attention_norm(x))
        return stages, self._mlp(x + attended)

    def _mlp(self, x: Tensor) -> Tensor:
        return x + self.down(F.gelu(self.up(self.perceptron_norm(x))))


LAYERS: dict[str, type[Block] | type[LlamaBlock]] = {"gpt": Block, "llama": LlamaBlock}


class DecoderLM(nn.Module):
    """The model. Raises ValueError if the method or an option is unknown."""

    def __init__(
        self,
        method: str,  # a key of positions.METHODS
        *,
        train_length: int = 128,  # L in tokens, which may set options of the method and the size of its table
        width: int = 64,
        layers: int = 2,
        heads: int = 8,
        head_dim: int = 0,  # d; 0: width / heads, which must then be whole
        options: Mapping[str, Any] | None = None,  # the method's own
        block: str = "gpt",  # a key of LAYERS
    ) -> None:
        super().__init__()
        if method in METHODS:  # else `build` raises
            options = METHODS[method].training_options(train_length, options)
        shape = {"width": width, "heads": heads, "head_dim": head_dim or width // heads, "max_length": train_length}
        seed = int(torch.randint(2**31, ()))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            position = build(method, **shape, **(options or {}))
            position.init_for_language_model()
        self.width, self.position, self.layer = width, position, LAYERS[block]
        self.embedding = nn.Embedding(VOCABULARY, width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        self.blocks = nn.ModuleList(self.layer(width, heads, of_layer) for of_layer in position.for_layers(layers))
        self.norm = self.layer.norm(width)

    def forward(
        self, tokens: Tensor, *, positions: Tensor | None = None, caches: Sequence[KVCache] | None = None
    ) -> Tensor:
        """tokens int64 [B, T] -> next-token logits [B, T, 256].

        Positions are int64 [T]; None counts from 0, or on from the caches, one a layer, which the call fills. Raises
        ValueError for a position beyond the method's table.
        """
        return self._logits(self.before(tokens, len(self.blocks), positions=positions, caches=caches))

    def before(
        self, tokens: Tensor, layer: int, *, positions: Tensor | None = None, caches: Sequence[KVCache] | None = None
    ) -> Tensor:
        """Input of layer `layer` (0 is the first), [B, T, D]. Arguments as for `forward`."""
        first = caches[0] if caches else None
        counted = next_positions(tokens.shape[1], cache=first, device=tokens.device) if positions is None else positions
        x, shared = self._embed(tokens, counted), self.layer.shared_inputs(self.position, counted, positions)
        for index, block in enumerate(self.blocks[:layer]):
            x = block(x, shared, caches[index] if caches else None)
        return x

    def read(self, tokens: Tensor, caches: Sequence[KVCache]) -> None:
        """Fill the caches with tokens int64 [B, T], without logits: half the work of `forward` in a model of two layers.

        Of a last layer of the kind "gpt" only keys and values are computed.
        """
        last = self.blocks[-1]
        x = self.before(tokens, len(self.blocks) - isinstance(last, Block), caches=caches)
        if isinstance(last, Block):
            last.attention.read(last.attention_norm(x), caches[-1])

    def trace(self, tokens: Tensor) -> tuple[list[Trace], Tensor]:
        """Every stage of every layer, and the logits [B, T, 256]; for layers of the kind "gpt"."""
        x = self._embed(tokens, next_positions(tokens.shape[1], device=tokens.device))
        stages = []
        for block in self.blocks:
            assert isinstance(block, Block)
            stage, x = block.trace(x)
            stages.append(stage)
        return stages, self._logits(x)

    def _embed(self, tokens: Tensor, positions: Tensor) -> Tensor:
        x, scale = self.embedding(tokens), self.width**0.5  # [B, T, D]
        if self.position.scaled_with_embeddings:
            return self.position.add_to_embeddings(x, positions) * scale
        return self.position.add_to_embeddings(x * scale, positions)

    def _logits(self, x: Tensor) -> Tensor:
        return F.linear(self.norm(x), self.embedding.weight)  # [B, T, 256]


def windowed(model: DecoderLM, window: int) -> DecoderLM:
    """A copy whose layers see no key farther than `window`: the other weights grow to sum 1. Nothing is trained anew.

    What a layer reads has itself read as far back, so two layers reach twice the window.
    """
    changed = copy.deepcopy(model)
    for block in changed.blocks:
        assert isinstance(block, Block)
        position = block.attention.position
        position.window = window if position.window is None else min(position.window, window)
    return changed

"""The one interface of every position method.

Shapes: B batch, T tokens (Tq queries, Tk keys), H query heads, Hkv key heads, d head width, D embedding width.

Notable choices:
- A method acts in at most one of three places (embeddings, queries and keys, scores) and says which in `acts_on`.
- Positions are always passed in, never counted inside, so KV cache, left padding, offsets and length extrapolation are
  no special cases. They are int64 tensors, [T] (one numbering for the whole batch) or [B, T].
- A bias that depends on the content too says `needs_input`. `given` takes the layer's input and returns a method that is
  asked for biases like any other, so neither the traced nor the fused path knows of it.
- Biases are built in float32 (from distances relative to the query, which stay small) and cast last, by attention.
- What other code must know about a method is an attribute or method here, so that none asks for its name or type.
"""

import copy
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import torch
from torch import Tensor, nn

from alibi_viz.checks import whole_number
from alibi_viz.lessons.problems import Problem

ActsOn = Literal["nothing", "embeddings", "queries_and_keys", "scores"]


def angles(positions: Tensor, frequencies: Tensor) -> Tensor:
    """Angle of every position at every frequency, in radians: [T] or [B, T] -> [T, F] or [B, T, F], float64.

    Why float64: the angle of the fastest frequency is the position itself, and float32 rounds it by position * 6e-8.
    Measured with base 10000, d = 64, cos is wrong by up to 7e-5 at position 2 048, 0.005 at 131 072, 0.04 at 1 048 576;
    float64 costs about twice the time (0.8 against 0.3 ms for 4 096 positions). Apple's mps has none and uses the CPU.
    """
    device = torch.device("cpu") if positions.device.type == "mps" else positions.device
    return positions.to(device, torch.float64)[..., None] * frequencies.to(device, torch.float64)


def distance(q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """Query position minus key position, int64: [Tq, Tk], or [B, Tq, Tk] if either argument is [B, T]."""
    return q_positions[..., :, None] - k_positions[..., None, :]


class PositionMethod(nn.Module):
    """How a Transformer knows the order of its tokens. The base class does nothing; a method overrides what it needs.

    For H query heads (biases follow these, also with grouped queries) of width d, embeddings of width D, and, where a
    method has a table of positions, `max_length` of them. Raises ValueError for a number that is not whole or below 1.
    """

    name: ClassVar[str]  # the registry's key; a subclass without its own is not registered
    title: ClassVar[str]
    order: ClassVar[int]  # rank in the registry, and so in every list and legend
    formula: ClassVar[str]  # LaTeX: what becomes of a vector at p, or is added to the score of query i and key j
    acts_on: ClassVar[ActsOn] = "nothing"
    revision: ClassVar[int] = 0  # in the hash of runs; raise it when a method's training would give other weights
    has_position_table: ClassVar[bool] = False  # one learned vector a position, none beyond the training length
    # A language model that multiplies its embeddings by sqrt(D) multiplies what this method adds to them as well.
    scaled_with_embeddings: ClassVar[bool] = False
    scales_scores: bool = True  # False: the scores are q.k itself, not q.k/sqrt(d) (T5)
    has_key_bias: ClassVar[bool] = False  # `key_bias` gives a row
    needs_input: ClassVar[bool] = False  # its bias depends on the layer's input too: see `given`
    kept: Tensor | None = None  # of a method that was given its input: what it needs of these tokens, for the next ones
    window: int | None = None  # keys farther back are hidden from every query; None: none is
    strength: float | None = None  # factor on the whole bias, which may be changed; None: the method has no such factor

    def __init__(self, heads: int, head_dim: int, width: int, max_length: int = 2048) -> None:
        super().__init__()
        self.heads, self.head_dim = whole_number(heads, "heads"), whole_number(head_dim, "head_dim")
        self.width, self.max_length = whole_number(width, "width"), whole_number(max_length, "max_length")

    def add_to_embeddings(self, x: Tensor, positions: Tensor) -> Tensor:
        """x [B, T, D], positions [T] or [B, T] -> [B, T, D]. Called once, by the model."""
        return x

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        """q [B, H, Tq, d], k [B, Hkv, Tk, d] -> the same shapes and dtypes."""
        return q, k

    def score_bias(self, q_positions: Tensor, k_positions: Tensor) -> Tensor | None:
        """Added to scores: float32 [H, Tq, Tk] ([B, H, Tq, Tk] if positions are [B, T]), or None. It masks nothing."""
        return None

    def key_bias(self, k_positions: Tensor) -> Tensor | None:
        """Float32 [H, Tk] ([B, H, Tk]), equal to `score_bias` under a causal mask up to a constant per query, or None.

        Softmax cancels the constant, so with such a row the fused path needs no T x T matrix.
        """
        return None

    def given(self, x: Tensor, kept: Tensor | None = None) -> Self:
        """This method for the tokens of a layer's input x [B, T, D]: queries are these, keys those before them and these.

        kept: of the method that was given the tokens before. Itself where `needs_input` does not hold.
        """
        return self

    def for_queries(self, indices: Tensor) -> Self:
        """The same for some of the queries alone, int64 [Tq]."""
        return self

    def for_layers(self, layers: int) -> "list[PositionMethod]":
        """The method of each layer of a model. One for all, but that each reads its own input with its own parameters."""
        return [self, *(copy.deepcopy(self) if self.needs_input else self for _ in range(layers - 1))]

    @property
    def needs_matrix(self) -> bool:
        """Whether attention needs a number for each pair of a query and a key."""
        return self.window is not None or (self.acts_on == "scores" and not self.has_key_bias)

    @property
    def max_position(self) -> int | None:
        """How many positions have a vector: 0 .. max_position - 1. None: every position can be used."""
        return self.max_length if self.has_position_table else None

    def no_vector(self, position: int) -> Problem:
        """Why `position`, outside the table, cannot be used."""
        return Problem("methods.no_vector", method=self.title, last=self.max_length - 1, position=position)

    def linear_slopes(self) -> Tensor | None:
        """Slopes m, float32 [H], where the bias of a key at distance n >= 0 is -m n; None for every other bias."""
        return None

    @classmethod
    def training_options(cls, train_length: int, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """`options` for `build`, completed by those that follow from the training length L."""
        return dict(options or {})

    @classmethod
    def longer_options(cls, train_length: int, times: float) -> dict[str, dict[str, Any]]:
        """Options that let a trained model read `times` its training length without training, by the name of the way."""
        return {}

    def extra_repr(self) -> str:
        """In the line that PyTorch prints of a module."""
        return f"heads={self.heads}, head_dim={self.head_dim}"

    def init_for_language_model(self) -> None:
        """Draw again the parameters whose initial size depends on the model around them."""


class DistanceBias(PositionMethod):
    """A bias that depends on the distance alone: write `bias_by_distance`, inherit `score_bias`."""

    acts_on = "scores"

    def bias_by_distance(self, distance: Tensor) -> Tensor:
        """int64 [...], query position minus key position (above 0: the past) -> float32 [H, ...]."""
        raise NotImplementedError

    def score_bias(self, q_positions: Tensor, k_positions: Tensor) -> Tensor | None:
        if _is_counted(q_positions) and _is_counted(k_positions):  # every distance once: a third of the time
            nearest, farthest = int(q_positions[0] - k_positions[-1]), int(q_positions[-1] - k_positions[0])
            bias = self.bias_by_distance(torch.arange(farthest, nearest - 1, -1)).contiguous()  # [H, Tq + Tk - 1]
            return bias.unfold(-1, len(k_positions), 1).flip(-2)  # a row of keys each, the last query's first
        bias = self.bias_by_distance(distance(q_positions, k_positions))
        return bias.movedim(0, -3)  # [H, B, Tq, Tk] -> [B, H, Tq, Tk]; [H, Tq, Tk] stays


def _is_counted(positions: Tensor) -> bool:
    """Several positions, one after the other. A GPU is not asked: it would have to be waited for."""
    if positions.device.type != "cpu" or positions.ndim != 1 or len(positions) < 2:
        return False
    return bool((positions.diff() == 1).all())

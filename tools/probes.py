"""What a trained model does with its heads and its context: it is changed in one respect.

Notable choices:
- Nothing is trained, and no function changes the model that it gets: what is changed is a copy.
- A head is left out by zeros where the output projection reads it: the others stay as they are.
- A window hides the keys behind it before the softmax, as sliding-window attention does; the other weights grow to sum 1.
"""

import copy
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.lm.evaluation import TOKENS, evaluate
from alibi_viz.lm.llama import LlamaBlock
from alibi_viz.lm.model import Block, DecoderLM
from alibi_viz.positions import PositionMethod
from alibi_viz.positions.alibi import Alibi
from alibi_viz.positions.base import distance


def losses_without_heads(model: DecoderLM, text: bytes, length: int) -> list[list[float]]:
    """Nats per byte, nonoverlapping, without each head: one list a layer, one loss a head."""
    changed = copy.deepcopy(model)
    losses = []
    for block in changed.blocks:
        projection = _output_projection(block)
        weight, of_layer = projection.weight.detach().clone(), list[float]()
        for columns in torch.arange(weight.shape[1]).split(model.position.head_dim):
            projection.weight.data[:, columns] = 0
            of_layer.append(_loss(changed, text, length))
            projection.weight.data.copy_(weight)
        losses.append(of_layer)
    return losses


def losses_by_window(model: DecoderLM, text: bytes, length: int, windows: Sequence[int]) -> list[float]:
    """Nats per byte, nonoverlapping at this length, where queries see keys at distances up to each window alone."""
    return [_loss(with_window(model, window), text, length) for window in windows]


def with_window(model: DecoderLM, window: int) -> DecoderLM:
    """The model with all keys farther than `window` hidden. Raises ValueError for layers that compute their own bias."""
    changed = copy.deepcopy(model)
    changed.position = _Windowed(changed.position, window)
    for block in changed.blocks:
        if not isinstance(block, Block):
            raise ValueError("A window needs layers whose attention takes a position method.")
        block.attention.position = changed.position
    return changed


def flattened(model: DecoderLM, factor: float, *, gentle: bool = False) -> DecoderLM:
    """The model with ALiBi's slopes multiplied: all of them, or the gentle half alone, which sees the farthest.

    Raises ValueError for another method.
    """
    changed = copy.deepcopy(model)
    if not isinstance(changed.position, Alibi):
        raise ValueError("Only ALiBi has slopes.")
    slopes = changed.position.past
    factors = torch.full_like(slopes, factor)
    if gentle:
        factors[slopes.argsort(descending=True)[: len(slopes) // 2]] = 1.0
    changed.position.past = slopes * factors
    return changed


@torch.inference_mode()
def context_losses(model: DecoderLM, text: bytes, contexts: Sequence[int], predictions: int) -> list[float]:
    """Loss of the same predictions from the last 1, 2, ... bytes alone: how far back the model really looks.

    contexts: bytes of context, each at least 1; a model's table must hold them. The predictions are spread evenly over
    the text, and each has the longest context before it. Returns nats per byte, a mean for every context. Raises
    ValueError if the text is too short.
    """
    longest, device = max(contexts), model.embedding.weight.device
    if len(text) <= longest:
        raise ValueError(f"The text must be longer than {longest:,} bytes.")
    data = torch.frombuffer(bytearray(text), dtype=torch.uint8).long().to(device)
    targets = torch.linspace(longest, len(text) - 1, predictions, dtype=torch.float64).long().to(device)
    means = []
    for context in contexts:
        offsets, total = torch.arange(-context, 0, device=device), 0.0
        for part in targets.split(max(1, TOKENS // context)):
            logits = _last_logits(model, data[part[:, None] + offsets])
            total += float(F.cross_entropy(logits, data[part], reduction="sum"))
        means.append(total / predictions)
    return means


def _last_logits(model: DecoderLM, rows: Tensor) -> Tensor:
    """Logits after the last byte of each row: int64 [W, T] -> [W, 256]."""
    caches = [KVCache() for _ in model.blocks]
    if rows.shape[1] > 1:
        model.read(rows[:, :-1], caches)
    return model(rows[:, -1:], caches=caches)[:, -1]


def _loss(model: DecoderLM, text: bytes, length: int) -> float:
    result = evaluate(model, text, length)
    if "missing" in result:
        raise ValueError(result["missing"])
    return float(result["loss"])


def _output_projection(block: nn.Module) -> nn.Linear:
    """The matrix that mixes the heads of a layer."""
    if isinstance(block, LlamaBlock):
        return block.attention.o_proj
    assert isinstance(block, Block)
    return block.attention.to_out


class _Windowed(PositionMethod):
    """A position method, with the keys farther than `window` hidden."""

    acts_on = "scores"

    def __init__(self, inner: PositionMethod, window: int) -> None:
        super().__init__(inner.heads, inner.head_dim, inner.width, inner.max_length)
        self.inner, self.window = inner, window
        self.scales_scores = inner.scales_scores
        self.scaled_with_embeddings = inner.scaled_with_embeddings  # type: ignore[misc]
        self.has_position_table = inner.has_position_table  # type: ignore[misc]

    def add_to_embeddings(self, x: Tensor, positions: Tensor) -> Tensor:
        return self.inner.add_to_embeddings(x, positions)

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.inner.rotate(q, k, q_positions, k_positions)

    def score_bias(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        is_far = distance(q_positions, k_positions) > self.window  # [Tq, Tk]
        bias = self.inner.score_bias(q_positions, k_positions)
        if bias is None:
            bias = torch.zeros(self.heads, *is_far.shape, device=is_far.device)
        return bias.masked_fill(is_far, -torch.inf)

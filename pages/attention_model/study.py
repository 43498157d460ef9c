"""One layer of a trained model that reads a text, stage by stage, as it fits on the screen.

Notable choices:
- Up to SCREEN bytes, so that a text can go beyond the training length and still be read cell by cell, every cell is on the
  screen. Above that a square stands for one query and the largest of its keys.
- The browser previews a dragged strength in the first layer alone: in later layers the content itself changes with the
  strength, and PyTorch must say how.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from alibi_viz.attention import pictures
from alibi_viz.attention.inputs import AttentionInputs, position_alone
from alibi_viz.attention.pictures import SCORE_LIMIT, Head
from alibi_viz.results import trained
from alibi_viz.results.trained import Loaded

SCREEN = 384  # squares a side
QUERIES = 128  # the last ones, which see the most, set the colours of the scores


@dataclass(frozen=True)
class Controls:
    """One head of a model, and what it reads."""

    loaded: Loaded
    text: bytes
    layer: int  # 1 .. layers
    head: int  # 1 .. heads
    strength: float = 1.0  # multiplies ALiBi's slopes in every layer; other methods have none


@dataclass(frozen=True)
class Result(Head):
    """The head, and what the sentences say of the training."""

    train_length: int  # bytes
    share: float  # of the weight of the last byte, on the last train_length bytes
    alone: np.ndarray | None  # weights by position alone, where the method adds no bias


@lru_cache(maxsize=8)  # four pictures of 384 x 384: 2.4 MB an entry
@torch.no_grad()
def compute(chosen: Controls) -> Result:
    """All that the matrices show. Raises ValueError, in one sentence, for a text that the model cannot read."""
    loaded, text, head = chosen.loaded, chosen.text, chosen.head - 1
    attention, length = inputs(chosen), loaded.config.length
    step = math.ceil(len(text) / SCREEN)
    stages = pictures.stages(attention, head, step)
    is_computable = loaded.slopes is not None and step == 1
    return Result(
        tokens=trained.labels(text),
        attention=attention,
        index=head,
        head=chosen.head,
        heads=loaded.config.heads,
        slope=loaded.slopes[head] if loaded.slopes else None,
        strength=chosen.strength,
        query=len(text) - 1,
        stages=stages,
        step=step,
        limit=score_limit(loaded, chosen.layer),
        is_computable=is_computable,
        previews=is_computable and chosen.layer == 1,
        train_length=length,
        share=float(attention.trace(attention.positions[-1:]).weights[0, head, 0, -length:].sum()),
        alone=pictures.stages(position_alone(attention), head, step).weights if stages.bias is None else None,
    )


def inputs(chosen: Controls) -> AttentionInputs:
    """Queries, keys and values of every head of the layer."""
    return trained.inputs(chosen.loaded, chosen.text, chosen.layer, chosen.strength)


@lru_cache(maxsize=64)
@torch.no_grad()
def score_limit(loaded: Loaded, layer: int) -> float:
    """The 99th percentile of the scores that all heads see, as trained, in the text to begin with; rounded up.

    One scale will not do: trained scores of RoPE are ten times those of ALiBi.
    """
    attention = trained.inputs(loaded, trained.PASSAGE.encode()[: loaded.max_bytes], layer)
    last = attention.trace(attention.positions[-QUERIES:])
    scores = last.content[~last.masked.isneginf()].abs()
    return SCORE_LIMIT * max(1, math.ceil(float(np.percentile(scores.numpy(), 99)) / SCORE_LIMIT))

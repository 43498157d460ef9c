"""One head of a checkpoint that reads a text: what every lesson that shows a checkpoint draws."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from alibi_viz.attention import pictures
from alibi_viz.attention.inputs import AttentionInputs, position_alone
from alibi_viz.attention.pictures import Stages
from alibi_viz.checkpoints.checkpoint import Checkpoint, EncodedText, inputs, layers


@dataclass(frozen=True)
class ReadingHead:
    """Which head of which layer of a checkpoint, and the text that it reads."""

    checkpoint: Checkpoint
    text: EncodedText
    layer: int  # 1 .. layers
    head: int  # 1 .. heads

    def inputs(self) -> AttentionInputs:
        """Queries, keys and values of the layer. Raises ValueError for a layer that the model does not have."""
        return inputs(self.checkpoint, self.text.ids, self.layer)

    def layers(self) -> Iterator[AttentionInputs]:
        """The same of every layer, all from one pass."""
        return layers(self.checkpoint, self.text.ids, self.checkpoint.config.layers or 0)


@dataclass(frozen=True)
class HeadReading:
    """What the head does with the text, and the same head without content."""

    stages: Stages
    alone: Stages
    limit: float  # the color scale of scores goes from -limit to limit


@lru_cache(maxsize=8)
@torch.no_grad()
def read(head: ReadingHead) -> HeadReading:
    """Raises ValueError for a layer that the model does not have."""
    attention = head.inputs()
    shown, alone = (pictures.stages(x, head.head - 1) for x in (attention, position_alone(attention)))
    scores = shown.scores[np.isfinite(shown.scores)]
    return HeadReading(shown, alone, max(1.0, float(np.ceil(np.percentile(np.abs(scores), 99)))))

"""The trained models that come with the project, for pitfalls whose damage is a loss."""

from functools import lru_cache

import torch
from torch import Tensor

from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.evaluation import per_token_loss
from alibi_viz.lm.model import DecoderLM
from alibi_viz.results import trained

WINDOWS, BYTES = 8, 128  # of the held-out text; BYTES is the training length of the shipped models


def shipped(method: str) -> DecoderLM:
    """The shipped model of this method, which all share: copy it before you change it.

    Raises ValueError if its file is not there.
    """
    loaded = trained.load(method)
    if loaded is None:
        raise ValueError(f"The trained model “{method}” is not there.")
    return loaded.model


@lru_cache(maxsize=4)
def held_out(windows: int = WINDOWS, size: int = BYTES) -> Tensor:
    """Windows of the held-out text, int64 [windows, size + 1]: each byte but the first is predicted."""
    text = torch.frombuffer(bytearray(python_text().held_out), dtype=torch.uint8).long()
    return text[: windows * (size + 1)].view(windows, size + 1)


@torch.no_grad()
def loss_by_position(model: DecoderLM) -> Tensor:
    """Mean loss so far, in nats per byte, at each position of the held-out windows: float32 [BYTES]."""
    tokens = held_out()
    losses = per_token_loss(model, tokens[:, :-1], tokens[:, 1:]).mean(0)
    return losses.cumsum(0) / torch.arange(1, len(losses) + 1)

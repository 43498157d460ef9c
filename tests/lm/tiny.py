"""A tiny language model that is not trained."""

from typing import Any

import torch

from alibi_viz.lm.model import DecoderLM


def tiny(method: str, length: int = 24, **options: Any) -> DecoderLM:
    """With weights three times as large as at the start, where attention hardly counts."""
    torch.manual_seed(3)
    model = DecoderLM(method, train_length=length, **{"width": 16, "heads": 2, "layers": 2} | options)
    for parameter in model.parameters():
        parameter.data *= 3 if parameter.ndim > 1 else 1
    return model.eval().requires_grad_(False)

"""The learned-positions lab: a table of fresh vectors, and nothing beyond its end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from alibi_viz.positions.learned import Learned
from alibi_viz.synthetic import Setting, built, count_parameters

LONGEST = 512


@dataclass(frozen=True)
class Controls:
    trained: int  # rows of the table
    width: int
    tried: int  # a position that the reader asks for
    seed: int


@dataclass(frozen=True)
class Result:
    table: np.ndarray  # float32 [trained, width], fresh
    learned: int
    vector: np.ndarray | None  # float32 [width] of the tried position; None where there is none
    refusal: str  # what the method says then
    alike: float  # mean cosine of neighbours: near 0 before training


@torch.no_grad()
def study(controls: Controls) -> Result:
    """Build the table and ask for one position."""
    setting = Setting(heads=1, head_dim=controls.width, trained=controls.trained, seed=controls.seed)
    method = built("learned", setting)
    assert isinstance(method, Learned)
    nothing, refusal, vector = torch.zeros(1, 1, controls.width), "", None
    try:
        vector = method.add_to_embeddings(nothing, torch.tensor([controls.tried]))[0, 0].numpy()
    except ValueError as refused:
        refusal = str(refused)
    table = method.table.weight
    unit = table / table.norm(dim=1, keepdim=True)
    alike = float((unit[1:] * unit[:-1]).sum(1).mean()) if controls.trained > 1 else 0.0
    return Result(table.numpy(), count_parameters(method), vector, refusal, alike)

"""The lab of learned positions: a table of vectors at initialization, and nothing beyond its end."""

from dataclasses import dataclass

import numpy as np
import torch

from alibi_viz.synthetic import Setting, build_method, count_parameters

LARGEST = 512  # rows, and columns, of the table


@dataclass(frozen=True)
class Controls:
    train_length: int  # rows of the table
    width: int
    position: int  # the one to ask for
    seed: int


@dataclass(frozen=True)
class Result:
    controls: Controls
    table: np.ndarray  # float32 [train_length, width]
    parameters: int
    vector: np.ndarray | None  # float32 [width] of the asked position; None where there is none
    refusal: str  # what the method says then
    neighbor_cosine: float  # mean cosine of neighboring positions: near 0 before training


@torch.no_grad()
def study(controls: Controls) -> Result:
    """Build the table and ask for one position."""
    setting = Setting(heads=1, head_dim=controls.width, train_length=controls.train_length, seed=controls.seed)
    method, zero, vector, refusal = build_method("learned", setting), torch.zeros(1, 1, controls.width), None, ""
    table = method.add_to_embeddings(zero, torch.arange(controls.train_length))[0]
    try:
        vector = method.add_to_embeddings(zero, torch.tensor([controls.position]))[0, 0].numpy()
    except ValueError as error:
        refusal = str(error)
    cosine = torch.cosine_similarity(table[1:], table[:-1]).mean().item() if len(table) > 1 else 0.0
    return Result(controls, table.numpy(), count_parameters(method), vector, refusal, cosine)

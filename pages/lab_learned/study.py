"""The lab of learned positions: a table of vectors at initialization, and nothing beyond its end."""

from dataclasses import dataclass

import numpy as np
import torch

from alibi_viz.content.synthetic import Setting, build_method, count_parameters

LARGEST = 512  # rows, and columns, of the table
LEAST_SHOWN, MOST_SHOWN = 80, 512  # positions in the picture, if the table has so many


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
    cosines: np.ndarray  # float64 [train_length]: mean cosine of two positions so far apart: near 0 before training

    @property
    def neighbor_cosine(self) -> float:
        """Mean cosine of neighboring positions; 0 where there are none."""
        return float(self.cosines[1]) if len(self.cosines) > 1 else 0.0

    def window(self) -> tuple[int, np.ndarray]:
        """The first position of the picture, and its values [positions, width]: -inf where no vector is.

        It shows some positions beyond the end. A long table is not drawn as a thin strip: of it, the picture shows the
        part around the asked position, or the end.
        """
        length, width = self.table.shape
        shown = min(MOST_SHOWN, max(LEAST_SHOWN, 2 * width))
        beyond = np.full((max(min(length, shown) // 4, 4), width), -np.inf, dtype=np.float32)
        values = np.concatenate((self.table, beyond))
        start = max(0, min(self.controls.position - shown // 2, len(values) - shown))
        return start, values[start : start + shown]


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
    return Result(controls, table.numpy(), count_parameters(method), vector, refusal, cosines_by_distance(table))


def cosines_by_distance(table: torch.Tensor) -> np.ndarray:
    """Mean cosine of two rows of a table [T, D], for every distance between them: float64 [T]."""
    units = torch.nn.functional.normalize(table.double(), dim=-1)
    cosines = units @ units.T
    return np.array([cosines.diagonal(distance).mean().item() for distance in range(len(table))])

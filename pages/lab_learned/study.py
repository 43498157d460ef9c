"""The lab of learned positions: the table of a trained model, nothing beyond its end, and a table before training."""

from dataclasses import dataclass

import numpy as np
import torch

from alibi_viz.content.synthetic import Setting, build_method
from alibi_viz.positions.base import PositionMethod
from alibi_viz.results import trained

LARGEST = 512  # rows, and columns, of a table before training
LEAST_SHOWN, MOST_SHOWN = 80, 512  # positions in the picture, if the table has so many


@dataclass(frozen=True)
class Controls:
    rows: int  # of the table before training
    width: int
    position: int  # the one to ask the trained table for
    seed: int


@dataclass(frozen=True)
class Table:
    values: np.ndarray  # float32 [rows, width]
    cosines: np.ndarray  # float64 [rows]: mean cosine of two positions so far apart

    @property
    def neighbor_cosine(self) -> float:
        """Mean cosine of neighboring positions; 0 where there are none."""
        return float(self.cosines[1]) if len(self.cosines) > 1 else 0.0

    def window(self, position: int) -> tuple[int, np.ndarray]:
        """The first position of the picture, and its values [positions, width]: -inf where no vector is.

        It shows some positions beyond the end. A long table is not drawn as a thin strip: of it, the picture shows the
        part around this position, or the end.
        """
        length, width = self.values.shape
        shown = min(MOST_SHOWN, max(LEAST_SHOWN, 2 * width))
        beyond = np.full((max(min(length, shown) // 4, 4), width), -np.inf, dtype=np.float32)
        values = np.concatenate((self.values, beyond))
        start = max(0, min(position - shown // 2, len(values) - shown))
        return start, values[start : start + shown]


@dataclass(frozen=True)
class Result:
    controls: Controls
    trained: Table  # of the shipped model
    start: Table  # at initialization
    vector: np.ndarray | None  # float32 [width] of the asked position; None where there is none
    refusal: str  # what the method says then


@torch.no_grad()
def study(controls: Controls) -> Result:
    """Both tables, and one position asked for. Raises ValueError, in one sentence, where the shipped model is missing."""
    loaded = trained.load("learned")
    if loaded is None:
        raise ValueError("The shipped model with learned positions is missing. `make pretrained` makes it again.")
    setting = Setting(heads=1, head_dim=controls.width, train_length=controls.rows, seed=controls.seed)
    tables = _table(loaded.model.position), _table(build_method("learned", setting))
    try:
        vector = _vectors(loaded.model.position, torch.tensor([controls.position]))[0].numpy()
    except ValueError as error:
        return Result(controls, *tables, None, str(error))
    return Result(controls, *tables, vector, "")


def _table(method: PositionMethod) -> Table:
    values = _vectors(method, torch.arange(method.max_length))
    return Table(values.numpy(), cosines_by_distance(values))


def _vectors(method: PositionMethod, positions: torch.Tensor) -> torch.Tensor:
    """What the method adds at these positions: float32 [T, D]."""
    return method.add_to_embeddings(torch.zeros(1, len(positions), method.width), positions)[0]


def cosines_by_distance(table: torch.Tensor) -> np.ndarray:
    """Mean cosine of two rows of a table [T, D], for every distance between them: float64 [T]."""
    units = torch.nn.functional.normalize(table.double(), dim=-1)
    cosines = units @ units.T
    return np.array([cosines.diagonal(distance).mean().item() for distance in range(len(table))])

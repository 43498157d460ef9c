"""Learned positions: the table of a trained model, nothing beyond its end, and a table before training."""

from dataclasses import dataclass

import numpy as np
import torch

from alibi_viz.content.synthetic import Setting, build_method
from alibi_viz.positions.base import PositionMethod
from alibi_viz.results import trained

LARGEST = 512  # rows, and columns, of a table before training
LEAST_SHOWN, MOST_SHOWN = 80, 512  # positions in the picture, if the table has so many


@dataclass(frozen=True)
class Result:
    trained: np.ndarray  # float32 [rows, width]: the table of the shipped model
    vector: np.ndarray | None  # float32 [width] of the asked position; None where there is none
    refusal: ValueError | None  # what the method says then


def compute(position: int) -> Result:
    """The trained table, asked for one position."""
    loaded = trained.load("learned")
    assert loaded is not None
    method = loaded.model.position
    try:
        return Result(_table(method), _vectors(method, torch.tensor([position]))[0], None)
    except ValueError as error:
        return Result(_table(method), None, error)


def at_initialization(rows: int, width: int, seed: int) -> np.ndarray:
    """A table before training: float32 [rows, width]."""
    return _table(build_method("learned", Setting(heads=1, head_dim=width, train_length=rows, seed=seed)))


def _table(method: PositionMethod) -> np.ndarray:
    return _vectors(method, torch.arange(method.max_length))


@torch.no_grad()
def _vectors(method: PositionMethod, positions: torch.Tensor) -> np.ndarray:
    """What the method adds at these positions: float32 [T, D]."""
    return method.add_to_embeddings(torch.zeros(1, len(positions), method.width), positions)[0].numpy()


def window(table: np.ndarray, position: int) -> tuple[int, np.ndarray]:
    """The first position of the picture, and its values [positions, width]: -inf where no vector is.

    It shows some positions beyond the end. A long table is not drawn as a thin strip: of it, the picture shows the part
    around this position, or the end.
    """
    length, width = table.shape
    shown = min(MOST_SHOWN, max(LEAST_SHOWN, 2 * width))
    beyond = np.full((max(min(length, shown) // 4, 4), width), -np.inf, dtype=np.float32)
    values = np.concatenate((table, beyond))
    start = max(0, min(position - shown // 2, len(values) - shown))
    return start, values[start : start + shown]


def cosines_by_distance(table: np.ndarray) -> np.ndarray:
    """Mean cosine of two rows of a table [T, D], for every distance between them: float64 [T]."""
    units = torch.nn.functional.normalize(torch.from_numpy(table).double(), dim=-1)
    cosines = (units @ units.T).numpy()
    return np.array([cosines.diagonal(distance).mean() for distance in range(len(table))])

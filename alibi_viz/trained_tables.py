"""Compare: learned numbers of the shipped models, where they fit the page's controls.

Notable choices:
- The model's layers share one position object, so a model holds one table, and no layer has to be chosen.
- A method is rebuilt as the model built it (T5's max distance is L/4 there): the same table with other buckets would
  give other biases.
- The model adds learned positions to embeddings before it multiplies both by sqrt(D). The words of this page have that
  final size already, so the table alone is multiplied. Unscaled it would hardly be heard.
- A file that is missing or damaged counts as no model: the page then shows fresh numbers and says so.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from alibi_viz import pretrained, trained
from alibi_viz.positions import PositionMethod
from alibi_viz.positions.t5 import T5Bias

Misfit = Literal["", "run", "heads", "width", "positions"]
TABLE = "table.weight"


def shipped(name: str) -> trained.Loaded | None:
    """The model of this method that comes with the project, if its method has learned numbers; else None."""
    found = trained.load(name) if name in pretrained.METHODS else None
    return found if found and TABLE in found.model.position.state_dict() else None


def misfit(name: str, heads: int, width: int, rows: int) -> Misfit:
    """Why the trained numbers cannot be used here; empty when they can. `rows`: positions that a table must have."""
    found = shipped(name)
    if found is None:
        return "run"
    if name == "t5":  # a column for each head; the width does not enter
        return "" if heads == found.config.heads else "heads"
    if width != found.config.width:
        return "width"
    return "" if rows <= found.config.length else "positions"


def options(name: str) -> dict[str, int]:
    """What the method must be built with for the trained table to mean what it meant in training."""
    found = shipped(name)
    as_trained = found.model.position if found else None
    if isinstance(as_trained, T5Bias):
        return {"num_buckets": as_trained.num_buckets, "max_distance": as_trained.max_distance}
    return {}


@torch.no_grad()
def fill(method: PositionMethod) -> None:
    """Put the trained numbers into a method that they fit. A shorter table of positions takes the first rows."""
    found = shipped(method.name)
    if found is None:
        raise ValueError(f"No trained numbers of {method.title} are shipped.")
    scale = found.config.width**0.5 if method.name == "learned" else 1.0
    table: Tensor = found.model.position.state_dict()[TABLE]
    method.load_state_dict({TABLE: table[: len(method.state_dict()[TABLE])] * scale})

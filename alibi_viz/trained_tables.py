"""Learned tables of the shipped models, for methods that are shown on other content.

Notable choices:
- The layers of a model share one position object, so a model has one table, and no layer has to be chosen.
- A method is rebuilt with the options that it had in training: the same table with other T5 buckets would give other
  biases.
- A model that multiplies its embeddings by sqrt(D) multiplies such a table with them. The synthetic embeddings have that
  final size already, so the table alone is multiplied; unscaled it would hardly be heard.
- A file that is missing or damaged counts as no model: the method then stays at initialization, and the page says so.
"""

from typing import Any, Literal

import torch
from torch import Tensor

from alibi_viz import pretrained, trained
from alibi_viz.positions import PositionMethod

Misfit = Literal["", "run", "heads", "width", "positions"]
TABLE = "table.weight"


def shipped(name: str) -> trained.Loaded | None:
    """The shipped model of this method, if the method has a table; else None."""
    loaded = trained.load(name) if name in pretrained.METHODS else None
    return loaded if loaded and TABLE in loaded.model.position.state_dict() else None


def misfit(name: str, heads: int, width: int, rows: int) -> Misfit:
    """Why the trained table cannot be used here; empty when it can. `rows`: positions that a position table must have."""
    loaded = shipped(name)
    if loaded is None:
        return "run"
    if not loaded.model.position.has_position_table:  # a column for each head; the width does not enter
        return "" if heads == loaded.config.heads else "heads"
    if width != loaded.config.width:
        return "width"
    return "" if rows <= loaded.config.length else "positions"


def options(name: str) -> dict[str, Any]:
    """The options that the method was built with in training."""
    loaded = shipped(name)
    return loaded.model.position.training_options(loaded.config.length, dict(loaded.config.options)) if loaded else {}


@torch.no_grad()
def fill(method: PositionMethod) -> None:
    """Put the trained table into a method that it fits. A table with fewer rows takes the first ones."""
    loaded = shipped(method.name)
    if loaded is None:
        raise ValueError(f"No trained table of {method.title} is shipped.")
    scale = loaded.config.width**0.5 if method.scaled_with_embeddings else 1.0
    table: Tensor = loaded.model.position.state_dict()[TABLE]
    method.load_state_dict({TABLE: table[: len(method.state_dict()[TABLE])] * scale})

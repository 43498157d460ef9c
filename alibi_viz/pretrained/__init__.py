"""Small runs shipped with the project, as data: made by `make pretrained`, no number typed by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from torch import Tensor

from alibi_viz.files import read_weights

FOLDER = Path(__file__).parent
METHODS = ("alibi", "rope", "t5", "sinusoidal", "learned", "none")
SEEDS = (0, 1, 2)


def load(method: str, seed: int, folder: Path = FOLDER) -> dict[str, Any] | None:
    """One shipped run as its JSON says it, or None if it is not there."""
    try:
        return dict(json.loads((folder / f"{method}-{seed}.json").read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None


def load_all(folder: Path = FOLDER) -> list[dict[str, Any]]:
    """Every shipped run that is there, method by method."""
    found = [load(method, seed, folder) for method in METHODS for seed in SEEDS]
    return [run for run in found if run is not None]


def weights(method: str, folder: Path = FOLDER) -> dict[str, Tensor] | None:
    """Weights of the first seed by parameter name, float32 (stored as float16), or None if they are not there."""
    try:
        return read_weights(folder / f"{method}.safetensors")
    except (OSError, ValueError):
        return None

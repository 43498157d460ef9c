"""Small runs shipped with the project, as data: made by `make pretrained`, no number typed by hand.

Two sets of the same methods and seeds: language models on the built-in text, and models trained on the recall task.
"""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
METHODS = ("alibi", "rope", "t5", "sinusoidal", "learned", "none")
SEEDS = (0, 1, 2)


def path(method: str, seed: int, *, recall: bool = False) -> Path:
    """The file of one run."""
    return FOLDER / f"{'recall-' if recall else ''}{method}-{seed}.json"


def load(method: str, seed: int, *, recall: bool = False) -> dict[str, Any] | None:
    """One shipped run as plain data, or None if it is missing or damaged."""
    try:
        return dict(json.loads(path(method, seed, recall=recall).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None


def load_all(*, recall: bool = False) -> list[dict[str, Any]]:
    """Every run of one set that is there, method by method."""
    return [run for method in METHODS for seed in SEEDS if (run := load(method, seed, recall=recall)) is not None]

"""Is the order of the methods settled? Where seeds agree, and did when they had half the training.

Notable choices:
- The order at the end is that of the held-out loss at L, nonoverlapping.
- The order at half of the constant learning rate is that of the validation losses there: a mean over one stretch, since
  single losses go up and down by more than methods differ.
- Runs are compared seed by seed: they share their batches.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from alibi_viz.lm.config import VALIDATIONS

Record = Mapping[str, Any]


def final_loss(record: Record) -> float:
    """Nats per byte of the held-out text at the training length. Raises ValueError if the record has none."""
    length = record["config"]["length"]
    losses = [entry["loss"] for entry in record["nonoverlapping"] if entry["length"] == length and "loss" in entry]
    if not losses:
        raise ValueError("The record has no loss at its training length.")
    return float(losses[0])


def halfway_loss(record: Record) -> float:
    """Nats per byte of the validation text around half of the constant rate. Raises ValueError for too short a run."""
    count = len(record["validation"]) * record["plateau_end"] // record["steps"] // 2
    losses = record["validation"][count - VALIDATIONS // 2 : count + VALIDATIONS // 2]
    if len(losses) < VALIDATIONS:
        raise ValueError("The run is too short to be looked at halfway.")
    return sum(losses) / VALIDATIONS


def settled_pairs(records: Sequence[Record]) -> list[tuple[str, str]]:
    """Pairs of methods, the better one first, whose order is the same for every seed, at the end and halfway.

    Raises ValueError if a method has other seeds than the others.
    """
    by_method: dict[str, dict[int, Record]] = {}
    for record in records:
        by_method.setdefault(record["config"]["method"], {})[record["config"]["seed"]] = record
    if len({frozenset(runs) for runs in by_method.values()}) > 1:
        raise ValueError("Every method must have the same seeds.")
    pairs = []
    for one, other in combinations(by_method, 2):
        leads = {
            loss(by_method[one][seed]) < loss(by_method[other][seed])
            for seed in by_method[one]
            for loss in (final_loss, halfway_loss)
        }
        if len(leads) == 1:
            pairs.append((one, other) if leads.pop() else (other, one))
    return pairs

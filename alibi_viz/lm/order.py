"""Is the order of the methods settled? Where seeds agree, and runs of twice the steps do too.

Notable choices:
- The order is that of the held-out loss at L, in sliding windows.
- Runs are compared seed by seed: they share their batches.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

Record = Mapping[str, Any]
ENOUGH = 3  # runs: what one or two say may be chance


def final_loss(record: Record) -> float:
    """Nats per byte of the held-out text at the training length. Raises ValueError if the record has none."""
    length = record["config"]["length"]
    losses = [entry["loss"] for entry in record["sliding"] if entry["length"] == length and "loss" in entry]
    if not losses:
        raise ValueError("The record has no loss at its training length.")
    return float(losses[0])


def settled_pairs(records: Sequence[Record]) -> list[tuple[str, str]]:
    """Pairs of methods, the better one first, whose order is the same in every run that both have: seeds, and steps.

    A pair with fewer than `ENOUGH` such runs is not settled.
    """
    by_method: dict[str, dict[tuple[int, int], float]] = {}  # (steps, seed) -> loss
    for record in records:
        config = record["config"]
        by_method.setdefault(config["method"], {})[config["steps"], config["seed"]] = final_loss(record)
    pairs = []
    for one, other in combinations(by_method, 2):
        shared = by_method[one].keys() & by_method[other].keys()
        leads = {by_method[one][run] < by_method[other][run] for run in shared}
        if len(leads) == 1 and len(shared) >= ENOUGH:
            pairs.append((one, other) if leads.pop() else (other, one))
    return pairs

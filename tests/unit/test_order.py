"""Which pairs of methods keep their order: at the end and halfway, for every seed."""

from __future__ import annotations

from typing import Any

import pytest

from alibi_viz.lm.order import final_loss, halfway_loss, settled_pairs


def run(method: str, seed: int, final: float, halfway: float) -> dict[str, Any]:
    """A run whose rate was constant for 40 of 50 validation losses: half of it is the 20th."""
    validation = [9.0] * 16 + [halfway - 0.1] * 4 + [halfway + 0.1] * 4 + [1.0] * 26
    return {
        "config": {"method": method, "seed": seed, "length": 128},
        "nonoverlapping": [
            {"length": 64, "loss": 99.0},
            {"length": 128, "loss": final},
            {"length": 256, "missing": "x"},
        ],
        "validation": validation,
        "plateau_end": 10_000,
        "steps": 12_500,
    }


def test_the_losses_that_are_compared() -> None:
    record = run("alibi", 0, 1.5, 2.5)
    assert final_loss(record) == 1.5
    assert halfway_loss(record) == pytest.approx(2.5)
    with pytest.raises(ValueError, match="no loss"):
        final_loss({**record, "nonoverlapping": record["nonoverlapping"][:1]})
    with pytest.raises(ValueError, match="too short"):
        halfway_loss({**record, "validation": [1.0] * 4})


def test_a_pair_is_settled_if_every_seed_says_so_at_both_times() -> None:
    runs = [run("a", 0, 2.0, 3.0), run("a", 1, 2.1, 3.1), run("b", 0, 1.0, 2.0), run("b", 1, 1.1, 2.1)]
    assert settled_pairs(runs) == [("b", "a")]
    assert settled_pairs([*runs[:3], run("b", 1, 2.2, 2.1)]) == []  # one seed ends in another order
    assert settled_pairs([*runs[:3], run("b", 1, 1.1, 3.2)]) == []  # one seed was in another order halfway
    third = [run("c", seed, 1.05 if seed else 0.9, 2.05) for seed in (0, 1)]  # between the two at the end
    assert settled_pairs([*runs, *third]) == [("b", "a"), ("c", "a")]


def test_every_method_needs_the_same_seeds() -> None:
    with pytest.raises(ValueError, match="same seeds"):
        settled_pairs([run("a", 0, 2.0, 3.0), run("b", 1, 1.0, 2.0)])

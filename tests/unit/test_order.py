"""Which pairs of methods keep their order: for every seed, and with half the steps."""

from __future__ import annotations

from typing import Any

import pytest

from alibi_viz.lm.order import final_loss, settled_pairs


def run(method: str, seed: int, loss: float, steps: int = 20) -> dict[str, Any]:
    entries = [{"length": 64, "loss": 99.0}, {"length": 128, "loss": loss}, {"length": 256, "missing": "x"}]
    return {"config": {"method": method, "seed": seed, "steps": steps, "length": 128}, "nonoverlapping": entries}


def test_the_loss_that_is_compared() -> None:
    record = run("alibi", 0, 1.5)
    assert final_loss(record) == 1.5
    with pytest.raises(ValueError, match="no loss"):
        final_loss({**record, "nonoverlapping": record["nonoverlapping"][:1]})


def test_a_pair_is_settled_if_every_seed_says_so_with_half_the_steps_too() -> None:
    runs = [run("a", 0, 2.0), run("a", 1, 2.1), run("b", 0, 1.0), run("b", 1, 1.1)]
    assert settled_pairs(runs) == [("b", "a")]
    assert settled_pairs([*runs[:3], run("b", 1, 2.2)]) == []  # one seed has another order
    half = [run("a", 0, 3.0, steps=10), run("b", 0, 2.0, steps=10)]
    assert settled_pairs([*runs, *half]) == [("b", "a")]
    assert settled_pairs([*runs, half[0], run("b", 0, 3.1, steps=10)]) == []  # another order with half the steps
    between = [run("c", seed, 1.15 if seed else 0.9) for seed in (0, 1)]
    assert settled_pairs([*runs, *between]) == [("b", "a"), ("c", "a")]
    assert settled_pairs([*runs, *between, *half]) == [("b", "a"), ("c", "a")]  # none of c has half the steps


def test_every_method_needs_the_same_seeds() -> None:
    with pytest.raises(ValueError, match="same seeds"):
        settled_pairs([run("a", 0, 2.0), run("b", 1, 1.0)])

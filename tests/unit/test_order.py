"""Which pairs of methods keep their order: for every seed, and with twice the steps."""

from __future__ import annotations

from typing import Any

import pytest

from alibi_viz.lm.order import final_loss, settled_pairs


def run(method: str, seed: int, loss: float, steps: int = 20) -> dict[str, Any]:
    entries = [{"length": 64, "loss": 99.0}, {"length": 128, "loss": loss}, {"length": 256, "missing": "x"}]
    return {"config": {"method": method, "seed": seed, "steps": steps, "length": 128}, "sliding": entries}


def test_the_loss_that_is_compared() -> None:
    record = run("alibi", 0, 1.5)
    assert final_loss(record) == 1.5
    with pytest.raises(ValueError, match="no loss"):
        final_loss({**record, "sliding": record["sliding"][:1]})


def test_a_pair_is_settled_if_every_seed_says_so_with_twice_the_steps_too() -> None:
    runs = [run("a", seed, 2.0 + seed / 10) for seed in range(3)] + [run("b", seed, 1.0) for seed in range(3)]
    assert settled_pairs(runs) == [("b", "a")]
    assert settled_pairs([*runs[:5], run("b", 2, 2.3)]) == []  # one seed has another order
    twice = [run("a", 0, 1.9, steps=40), run("b", 0, 0.9, steps=40)]
    assert settled_pairs([*runs, *twice]) == [("b", "a")]
    assert settled_pairs([*runs, twice[0], run("b", 0, 1.95, steps=40)]) == []  # another order with twice the steps
    assert settled_pairs([*runs, run("c", 0, 1.5)]) == [("b", "a")]  # one run of c says little


def test_runs_that_only_one_of_two_has_say_nothing() -> None:
    runs = [run("a", seed, 2.0) for seed in range(3)] + [run("b", seed, 1.0) for seed in (1, 2, 3)]
    assert settled_pairs(runs) == []

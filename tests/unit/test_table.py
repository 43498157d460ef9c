"""The shipped runs as tables: every number is the record's; what a mean, a rise and a break are."""

from __future__ import annotations

import json
import math

import pandas as pd
import pytest

from alibi_viz.results import pretrained, table
from alibi_viz.results.table import Break


def rows(*seeds: dict[int, float], method: str = "alibi", per_word: float = 5.0) -> pd.DataFrame:
    """A table of losses by length, a run each; L is 16."""
    frame = pd.DataFrame(
        {"method": method, "seed": seed, "length": length, "loss": loss, "train_length": 16}
        for seed, losses in enumerate(seeds)
        for length, loss in losses.items()
    )
    own = frame[frame.length == 16].set_index("seed").loss
    return frame.assign(rise=(frame.loss - frame.seed.map(own)) * per_word)


def test_every_loss_is_that_of_its_record():
    files = [json.loads(file.read_text()) for file in (pretrained.FOLDER / "text").glob("*.json")]
    stored = {
        (file["config"]["method"], file["config"]["seed"], protocol, entry["length"]): entry["loss"]
        for file in files
        for protocol in ("nonoverlapping", "sliding")
        for entry in file[protocol]
        if "loss" in entry
    }
    every = table.losses()
    shown = every.set_index(["method", "seed", "protocol", "length"]).loss.to_dict()
    assert shown == stored
    assert [*every.method.cat.categories] == [*pretrained.METHODS]
    assert (every[every.length == every.train_length].rise == 0).all()
    assert every[every.method == "learned"].length.max() == 128, "what cannot be read has no row"


def test_a_mean_is_that_of_the_seeds_and_a_rise_has_the_spread_of_differences():
    """Two seeds that differ at L and rise alike have no spread left."""
    two = rows({16: 1.0, 32: 1.5}, {16: 1.2, 32: 1.7})
    plain, above = table.lines(two)[0], table.lines(two, value="rise")[0]
    assert (plain.y.tolist(), plain.low.tolist(), plain.high.tolist()) == (
        pytest.approx([1.1, 1.6]),
        [1.0, 1.5],
        [1.2, 1.7],
    )
    for values in (above.low, above.high, above.y):
        assert values.tolist() == pytest.approx([0.0, 2.5])


def test_a_break_is_the_first_window_a_tenth_of_a_nat_per_word_worse():
    worse = rows({8: 9.0, 16: 1.0, 32: 1.018, 64: 1.03, 128: 2.0})
    assert table.breaks(worse) == {"alibi": Break(4.0, 2.0)}
    assert table.breaks(rows({8: 9.0, 16: 1.0, 32: 0.9, 64: 1.019})) == {"alibi": Break(None, 4.0)}
    assert table.breaks(rows({8: 2.0, 16: 1.0})) == {}, "it was not measured beyond L"


def test_positions_of_a_window_add_up_to_its_loss():
    mean = table.by_position(128).groupby(["method", "seed"], observed=True).loss.mean()
    every = table.losses()
    whole = every[(every.protocol == "nonoverlapping") & (every.length == 128)].set_index(["method", "seed"]).loss
    assert len(mean) == len(whole)
    assert all(math.isclose(mean[run], whole[run], abs_tol=0.01) for run in mean.index)  # the last window is shorter


def test_learned_positions_end():
    ends = {line.method for line in table.lines(table.losses()) if line.ends}
    assert ends == {"learned"}

"""The shipped runs as tables: every number is the record's, and what is drawn of the seeds of a method."""

from __future__ import annotations

import json

import pytest

from alibi_viz.results import pretrained, table


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


@pytest.mark.parametrize("value", ["loss", "rise"])
def test_a_line_is_the_mean_of_the_seeds_and_its_band_their_range(value):
    """Of a rise: seeds that differ at L and rise alike have no spread left."""
    every = table.losses()
    alibi = every[(every.method == "alibi") & (every.protocol == "sliding")]
    (line,) = table.lines(alibi, value=value)
    seeds = alibi.pivot_table(index="length", columns="seed", values=value)
    for drawn, expected in (
        (line.y, seeds.mean(axis=1)),
        (line.low, seeds.min(axis=1)),
        (line.high, seeds.max(axis=1)),
    ):
        assert drawn.tolist() == pytest.approx(expected.tolist())

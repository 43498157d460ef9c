"""The shipped runs as tables: every number is the record's, and what is drawn of the seeds of a method."""

import json
from math import exp
from statistics import fmean

import pytest

from alibi_viz.classroom import drawing
from alibi_viz.results import pretrained, table
from alibi_viz.results.comparison import WORSE
from alibi_viz.results.facts import load_facts
from pages.compare import study as compare


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
    (record,) = (file for file in files if (file["config"]["method"], file["config"]["seed"]) == ("alibi", 0))
    (entry,) = (entry for entry in record["nonoverlapping"] if entry["length"] == 256)
    of_run = table.by_position(256).query("method == 'alibi' and seed == 0")
    losses = dict(enumerate(entry["by_position"], start=1))  # at position 1 it has read one byte
    assert of_run.set_index("position").loss.to_dict() == losses


def test_every_page_has_one_perplexity_of_several_seeds():
    """e to their mean loss: the mean of the perplexities would be 0.9 more here."""
    files = [json.loads(file.read_text()) for file in (pretrained.FOLDER / "text").glob("sinusoidal-*.json")]
    seeds = [entry["loss"] for file in files for entry in file["sliding"] if entry["length"] == 2048]
    expected = exp(fmean(seeds))
    assert fmean(map(exp, seeds)) > expected + 0.5
    (curve,) = table.lines(table.losses(protocol="sliding").query("method == 'sinusoidal'"))
    (scene,) = (line for line in drawing.lines() if line.method == "sinusoidal")
    shown = {
        "extrapolation": curve.y[-1],
        "story": scene.values[-1],
        "compare": compare.perplexity("sinusoidal")[16],
        "playground": load_facts("playground")["lines"]["en"]["sinusoidal"]["values"][-1],
        "note": table.at(table.losses(protocol="sliding").query("length == 2048"))["sinusoidal"],
    }
    assert shown == pytest.approx(dict.fromkeys(shown, expected), rel=1e-5), "shipped facts have six digits"
    assert "perplexity" not in table.losses(), "nobody can average it otherwise"
    ratio = table.at(table.losses(protocol="nonoverlapping").query("length == 2048"), "ratio")
    said = load_facts("extrapolation")["paper"]["nonoverlapping"]["far"]
    assert ratio["sinusoidal"] == pytest.approx(said["sinusoidal"], rel=1e-5)


def test_one_rule_in_three_units():
    """What breaks a model, in nats per word and as perplexity: per byte it is less, by the bytes in a word."""
    byte, word = table.higher(WORSE)
    per_word = json.loads((pretrained.FOLDER / "text" / "alibi-0.json").read_text())["corpus"]["bytes_per_word"]
    assert (1 + byte) ** per_word == pytest.approx(1 + word) == pytest.approx(exp(WORSE))


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

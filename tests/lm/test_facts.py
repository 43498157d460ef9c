"""What the lessons say of the shipped runs: the file is what the records give, and the claims of the sentences hold."""

import json
from functools import cache
from math import exp
from statistics import fmean

import pytest

from alibi_viz.results import facts, pretrained
from alibi_viz.results.facts import load_facts
from tools import facts as derived
from tools import verify

L = 128


@pytest.fixture(scope="module")
def result():
    return dict(load_facts("extrapolation"))


@cache
def files():
    return [json.loads(path.read_text()) for path in (pretrained.FOLDER / "text").glob("*.json")]


def mean_loss(method, length, protocol):
    runs = [run for run in files() if run["config"]["method"] == method]
    return fmean(e["loss"] for run in runs for e in run[protocol] if e["length"] == length and "loss" in e)


def test_the_file_is_what_the_records_give():
    assert derived.differences(derived.derive(), json.loads(facts.FILE.read_text())) == []


def test_what_the_story_claims():
    facts = load_facts("story")
    assert facts["far"]["same"] == ["alibi"]
    assert facts["far"]["better"] == [], "the longer text makes none better"
    assert "rope" in facts["far"]["worse"]
    for near in facts["near"].values():
        assert near["itself"]["better"] == ["rope"], "RoPE's words come back"
        assert near["itself"]["same"] == ["alibi"]
    assert {facts["context"]["verdicts"][n] for n in ("128", "256", "512")} == {"same"}
    assert facts["context"]["verdicts"]["32"] == "worse", "these models live on what is near, not on a few bytes"
    low, high = facts["context"]["change"]
    assert low < exp(entries_of("contexts", 512) - entries_of("contexts", 128)) - 1 < high


def entries_of(part, context):
    (record,) = (run for run in files() if run["config"]["method"] == "alibi" and run["config"]["seed"] == 0)
    return float(next(entry["loss"] for entry in record[part] if entry["context"] == context))


def test_blocks_have_the_mean_of_all():
    for run in files():
        for part in ("nonoverlapping", "sliding", "contexts", "near_keys"):
            for entry in run.get(part, ()):
                assert ("by_block" in entry) == ("loss" in entry and run["config"]["seed"] == 0)
                if "by_block" in entry:
                    assert fmean(entry["by_block"]) == pytest.approx(entry["loss"], abs=2e-4)


def test_what_the_sentences_of_the_result_claim(result):
    for protocol in ("sliding", "nonoverlapping"):
        here = result[protocol]
        assert "alibi" in here["held"]
        assert here["unread"] == ["learned"]
        assert min(here["breaks"], key=here["breaks"].__getitem__) == "sinusoidal"
        assert "alibi" in here["verdicts"]["same" if protocol == "sliding" else "better"]
    assert abs(result["sliding"]["rise"]["alibi"]) < 0.02, "it gains nothing"
    assert result["nonoverlapping"]["rise"]["alibi"] < -0.1
    assert result["fire_start"] == L / 4
    assert 0.95 * L < result["fire_threshold"] < L, "almost no query of training divides by its position"
    for length in ("512", "1024"):
        assert min(result["paper"][length]["breaks"], key=result["paper"][length]["breaks"].get) == "sinusoidal"
        assert "alibi" not in result["paper"][length]["breaks"]
    paper = result["lengths"]["paper"]
    assert paper["alibi"] < paper["best"] < paper["sinusoidal"]
    own = list(result["lengths"]["own"]["sinusoidal"].values())
    assert own[-1] > min(own), "here they do not improve with L"
    assert result["lengths"]["speed"] < 0.1
    test, books = result["test"], result["books"]
    assert test["alibi"]["test"] < test["short"]["test"] < test["sinusoidal"]["test"]
    assert books["far"]["alibi"] < books["far"]["short"] < books["at"]["short"] < books["far"]["sinusoidal"]
    larger = result["larger"]
    assert larger["alibi"]["at_1024"] < larger["alibi"]["at_2048"] < larger["alibi"]["at_512"]
    made = result["made"]
    assert made["apart"] + len(made["same"]) + len(made["open"]) == made["pairs"] == 15


def test_what_why_it_breaks_claims():
    facts = load_facts("why")
    read = facts["readings"]
    assert read["rope"]["clamped"] < 1.05 * read["rope"]["thinned_clamped"], "more keys cost little"
    for method, entropy in read["entropy"].items():
        assert entropy["many"] > 1.25 * entropy["few"], f"the weights of {method} spread"
    assert read["none"]["thinned"] > 1.5 * read["none"]["all"], "gaps make no positions worse"
    assert read["alibi"]["clamped"] > read["alibi"]["all"], "clamping raises the weights of far keys"
    heads = facts["heads"]
    assert heads["alibi"] > 5 * heads["other"] > 5 * heads["alibi_whole"]
    assert heads["rope"] < 1.25 * heads["rope_whole"]
    alibi, rope = facts["stretched"]["alibi"], facts["stretched"]["rope"]
    assert alibi["interpolated"]["at_4"] > 1.5 * alibi["trained"]["at_4"], "worse than as trained"
    assert alibi["interpolated"]["at"] > 1.5 * alibi["trained"]["at"], "already at L"
    assert alibi["gentle half"]["at_4"] == pytest.approx(alibi["trained"]["at_4"], rel=0.02)
    assert min(rope, key=lambda way: rope[way]["at_4"]) == "yarn"
    layers = list(facts["depth"]["at"].values())
    assert layers == sorted(layers, reverse=True), "more layers find the order within L"
    assert all(facts["depth"]["far"][n] > 1.5 * value for n, value in facts["depth"]["at"].items())


def test_alibi_gives_far_keys_a_tenth_of_its_weight_over_all_heads():
    """Not the 61 % of the gentlest head: the story says both."""
    (record,) = (run for run in files() if run["config"]["method"] == "alibi" and run["config"]["seed"] == 0)
    shares = [share for layer in record["weights_beyond"] for share in layer]
    assert len(shares) == 16
    assert load_facts("why")["readings"]["alibi_share"] == pytest.approx(fmean(shares), abs=1e-5)
    assert fmean(shares) == pytest.approx(0.1, abs=0.01)
    assert max(shares) < 0.5


def test_what_longer_windows_claims():
    facts = load_facts("early_token_curse")
    changes = {kind: load_facts("extrapolation")[kind]["verdicts"] for kind in ("nonoverlapping", "sliding")}
    assert "alibi" in changes["nonoverlapping"]["better"]
    assert "alibi" in changes["sliding"]["same"]
    assert changes["sliding"]["better"] == []
    for kind in ("nonoverlapping", "sliding"):
        stored = {name: exp(mean_loss("alibi", n, kind)) for name, n in (("at", L), ("far", 2048))}
        assert facts["alibi"][kind] == pytest.approx(stored, abs=1e-4)
    assert facts["context"]["verdicts"]["better"] == [], "none is better with more bytes than L"
    for rows in facts["paper"].values():
        assert rows["nonoverlapping"]["change"] < 0 < rows["alibi"]["change"] < rows["t5"]["change"]
        assert rows["sinusoidal"]["change"] > 10, "far above the chart"


@pytest.mark.slow
def test_the_shipped_weights_give_every_shipped_number():
    assert verify.main() == 0

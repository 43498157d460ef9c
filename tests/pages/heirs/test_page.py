"""The stairs of the trained FoX over a reader's words: their numbers against the model's own, and what the page says."""

import numpy as np
import pytest
import torch

from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.training import build_model
from alibi_viz.results import trained
from alibi_viz.results.facts import load_facts
from alibi_viz.rules import slopes
from pages.heirs import page, study
from pages.heirs.study import HEADS, LAYERS, Controls
from tests.pages.apptest import hands, open_page, picture, said, says
from tools.byte_kinds import KINDS, kinds_of

LESSON = load("heirs")
SENTENCE = load("shared").entry("examples", "sentence")
TEXTS = (SENTENCE, 'He said: "no."  Then he left, at 10.', "猫坐在垫子上。", "a", "word " * 100, "x" * 2_000)


@pytest.mark.parametrize("text", TEXTS)
def test_the_weight_of_a_word_is_that_of_its_bytes_in_the_model(text):
    given = study.text_of(text)
    starts, loaded = [0, *given.ends[:-1]], trained.load(study.MODEL)
    assert len(given.read) == given.ends[-1]
    assert given.read in text.strip().encode()
    for layer in range(1, LAYERS + 1):
        inputs = trained.inputs(loaded, given.read, layer)
        weights = inputs.trace(torch.tensor([len(given.read) - 1])).weights[0, :, 0].numpy()
        for head in range(1, HEADS + 1):
            found = study.compute(Controls(given, layer, head, "fox", 0.25, ()))
            np.testing.assert_allclose(found.weights, np.add.reduceat(weights[head - 1], starts), atol=1e-5)


@pytest.mark.parametrize(("stairs", "steps"), [("fox", {4: 0.0, 9: 3.5}), ("alibi", dict.fromkeys(range(1, 17), 0.4))])
def test_a_step_takes_from_all_words_before_it(stairs, steps):
    given = study.text_of(SENTENCE)
    before = study.compute(Controls(given, 2, 4, "fox", 0.4, ()))
    after = study.compute(Controls(given, 2, 4, stairs, 0.4, tuple(steps.items())))
    change = np.zeros(len(before.steps))
    for place, step in steps.items():
        change[: place - 1] += step - before.steps[place - 1]
    expected = before.weights * np.exp(-change)
    np.testing.assert_allclose(after.weights, expected / expected.sum(), rtol=1e-6)


def test_what_cannot_be_shown_gets_a_sentence_and_the_nearest_picture():
    at = open_page("heirs", fox_steps="1:2, 5:nan, 7:0.5")
    assert LESSON.entry("notes", "steps") in at.info[0].value
    assert hands(at)["values"]["fox_steps"] == "7:0.5"
    for text in (" ", "word " * 100):
        at = open_page("heirs", text=text)
        (line,) = (hand for hand in hands(at)["hands"] if hand["kind"] == "line")
        assert line["refusal"], "which the browser says"
        assert picture(at)["tokens"] == list(study.text_of(text if text.strip() else SENTENCE).words)


def test_without_the_model_a_sentence_stands_in_place_of_the_stairs(monkeypatch):
    monkeypatch.setattr(trained, "load", lambda ref, store=None: None)
    assert says(said(open_page("heirs")), "heirs", "notes.missing")


def test_what_the_presets_claim_of_heads():
    given = study.text_of(SENTENCE)
    gates = study.heads_of(given).gates.numpy()

    def row(preset):
        values = page.PRESET_VALUES[preset]
        return (int(values["layer"]) - 1) * HEADS + int(values["head"]) - 1

    blanks = np.frombuffer(given.read, np.uint8) == ord(" ")
    assert gates[row("blank")][blanks].sum() > 0.95 * gates[row("blank")].sum(), "closes at each blank"
    assert gates[row("open")].sum() < 0.1, "hardly forgets"
    steps = study.compute(Controls(given, 2, 4, "fox", 0.25, ())).steps
    assert 1 - np.exp(-steps.max()) < 0.5, "fades word by word"


def test_what_the_page_says_of_bytes():
    """Each number under the measure that it is of: a mean over bytes, or a share of all that is forgotten."""
    facts = load_facts("heirs")
    means = {kind: float(np.mean(steps)) for kind, steps in facts["steps"].items()}
    forgotten = {kind: mean * facts["of_bytes"][kind] for kind, mean in means.items()}
    for kind, share in facts["of_steps"].items():
        assert share == pytest.approx(forgotten[kind] / sum(forgotten.values()), rel=1e-3)
    assert sum(facts["of_bytes"].values()) == pytest.approx(1, abs=1e-5)
    assert max(forgotten, key=forgotten.__getitem__) == "letter", "they have the most"
    assert max(means, key=means.__getitem__) != "letter", "and no large step"
    assert facts["line_ends"]["share"] > 0.8, "almost alone"
    numbers = {f"{kind}_step": means[kind] for kind in ("line_end", "sentence_end", "blank", "quote", "letter")}
    kinds = ("letter", "blank", "first_letter", "line_end", "sentence_end")
    numbers |= {f"{kind}_share": facts["of_steps"][kind] for kind in kinds}
    numbers |= {"letter_bytes": facts["of_bytes"]["letter"], "bytes": facts["bytes"]}
    assert says(said(open_page("heirs", heirs_open="kinds")), "heirs", "kinds", **numbers)


def test_a_gate_sees_the_byte_alone_in_layer_1_and_its_context_in_layer_2():
    text = python_text().held_out[:2_048]
    spread = []
    for layer in study.layers_of(study.MODEL, text):
        gates, read = -torch.diff(layer.method.sums()[0]), np.frombuffer(text, np.uint8)[1:]
        of_byte = [gates[:, torch.from_numpy(read == byte)] for byte in np.unique(read)]
        spread.append([float((steps.amax(1) - steps.amin(1)).max()) for steps in of_byte])
    first, second = (np.array(of_layer) for of_layer in spread)
    assert first.max() < 1e-5, "a table of 256 numbers a head"
    assert np.median(second) > 0.1
    assert page.PRESET_VALUES["blank"]["layer"] == 1, "the preset whose head is such a table"
    at = open_page("heirs")
    assert says(said(at), "heirs", "formula")


@pytest.mark.parametrize("lesson", ["heirs", "extrapolation"])
def test_where_the_heirs_are_judged_it_stands_what_of_them_was_left_out(lesson):
    more = load_facts("heirs")["more_parameters"]
    for method, share in more.items():
        own = sum(values.numel() for values in trained.shipped(method).parameters())
        assert share == pytest.approx(own / TrainConfig(method="alibi").parameters - 1, abs=1e-5)
    assert says(said(open_page(lesson)), "shared", "reduced", **more)


def test_what_was_left_out_of_the_heirs():
    """The sentences of `reduced`, against the models."""
    layers = trained.shipped("hybrid").position.for_layers(LAYERS)
    assert sum(layer.acts_on == "queries_and_keys" for layer in layers) == LAYERS / 2, "half of its layers"
    fresh = build_model(TrainConfig(method="forgetting")).blocks[0].attention.position
    gates = torch.sigmoid(fresh.gate.bias.double())
    np.testing.assert_allclose(-gates.log().detach(), slopes(HEADS), rtol=1e-5)
    assert not fresh.gate.weight.any(), "it begins as ALiBi"


def test_each_byte_is_of_one_kind():
    text = b'It\'s "so", a1 (Ab).\n'
    names = [KINDS[kind] for kind in kinds_of(text)]
    expected = (
        "first_letter letter sign first_letter blank quote first_letter letter quote comma blank first_letter digit "
    )
    assert names == (expected + "blank opening first_letter letter closing sentence_end line_end").split()


def test_the_relatives_read_the_same_words():
    given = study.text_of(SENTENCE)
    method = study.layers_of("inkling", given.read)[1].method
    last = torch.tensor([len(given.read) - 1])
    bias = method.for_queries(last).score_bias(last, torch.arange(len(given.read)))[0, 3, 0].numpy()
    profiles = study.profiles(given, 2, 4)
    np.testing.assert_allclose(profiles.sum(0), bias[::-1][: profiles.shape[1]], atol=1e-6)
    near, far = study.near_and_far(given)
    rows, cols = np.indices(near.shape)
    assert (np.isneginf(near) == ((cols > rows) | (rows - cols > study.window()))).all()
    assert (np.isneginf(far) == (cols > rows)).all()
    text = said(open_page("heirs", heirs_open="inkling,hybrid"))
    assert says(text, "heirs", "inkling", count=len(profiles))
    assert says(text, "heirs", "hybrid", window=study.window())

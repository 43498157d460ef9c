"""The Attention page with a local checkpoint: its stages, beside what its positions alone would give; and bad addresses."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.checkpoints import checkpoint, folder
from alibi_viz.checkpoints.reading_head import ReadingHead
from pages.attention.study import MOST_THUMBS, Local, alone, row, study
from tests.checkpoints.tiny import SIZES, TEXT, save, theirs
from tests.pages.apptest import open_page, said

URL = {"content": "trained model", "model": "folder", "model_text": TEXT}
LAYER, HEAD = 2, 5


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    for family in SIZES:
        save(root / family, family)
    return root


@pytest.fixture(autouse=True)
def setting(monkeypatch, models):
    monkeypatch.setenv(folder.SETTING, str(models))


def local(family: str, head: int = HEAD) -> Local:
    opened = checkpoint.load(family)
    return Local(ReadingHead(opened, checkpoint.encode(opened, TEXT), LAYER, head))


@pytest.mark.parametrize("family", SIZES)
def test_every_picture_has_the_weights_that_transformers_computes(family, models):
    controls = local(family)
    found, count = study(controls), len(controls.labels)
    weights = theirs(models / family, controls.reading.text.ids)[LAYER - 1].numpy()
    shown = found.stages.weights
    np.testing.assert_allclose(np.where(np.isneginf(shown), 0, shown), weights[HEAD - 1], atol=1e-5)
    np.testing.assert_allclose(row(controls, count - 1).weights, weights[HEAD - 1, -1], atol=1e-5)
    assert len(found.thumbs) == controls.config.heads <= MOST_THUMBS
    assert alone(controls).shape == shown.shape == (count, count)


def test_positions_alone_of_alibi_are_its_slopes():
    controls = local("bloom")
    slopes, count = controls.config.slopes, len(controls.labels)
    assert slopes is not None
    distance = np.arange(count)[:, None] - np.arange(count)
    scores = np.where(distance >= 0, -slopes[HEAD - 1] * distance, -np.inf)
    expected = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    shown = alone(controls)
    np.testing.assert_allclose(np.where(np.isneginf(shown), 0, shown), expected, atol=1e-6)


def test_a_checkpoint_is_a_choice_and_the_same_keys_open_it_on_both_pages():
    at = open_page("attention", **URL | {"model": "alibi"})
    at.selectbox(key="model_list").set_value("folder/llama").run()
    assert not at.exception
    assert (at.session_state["model"], at.session_state["model_folder"]) == ("folder", "llama")
    assert "layer 1 of 3, head 1 of 6" in said(at)
    (link,) = [link.proto for link in at.get("page_link") if "model_folder" in link.proto.query_string]
    assert (link.page, link.query_string) == ("models", "model_source=folder&model_folder=llama")
    at.button(key="try_attention_same").click().run()
    assert not at.exception
    assert at.text_area(key="text").value.startswith("the cat")


def test_every_section_opens_and_says_what_the_page_leaves_out():
    url = URL | {"model_text": TEXT * 30, "model_layer": str(LAYER), "model_head": str(HEAD)}
    at = open_page("attention", model_folder="t5", **url)
    assert not at.warning
    assert f"t5: 256 tokens, layer {LAYER} of 3, head {HEAD} of 6" in said(at)
    assert "Only the encoder is shown" in said(at)
    assert "The model reads the first 256" in said(at)
    for opened in ("row", "heads", "code"):
        at = open_page("attention", model_folder="mpt", attention_open=opened, **url)
        assert not at.warning


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ({"model_folder": "../llama"}, "There is no local checkpoint “../llama”"),
        ({"model_folder": "llama", "model_text": " "}, "The text is empty"),
        ({"model_folder": "llama", "model_layer": "99"}, "layer 3 of 3"),
    ],
)
def test_a_bad_address_gets_a_sentence(url, sentence):
    assert sentence in said(open_page("attention", **URL | url))


def test_without_transformers_or_a_folder_another_model_is_shown(monkeypatch):
    monkeypatch.setattr(checkpoint, "installed", lambda: False)
    at = open_page("attention", **URL, model_folder="llama")
    assert "“folder” is not here" in said(at)
    assert "layer 1, head 2 of 8" in said(at)

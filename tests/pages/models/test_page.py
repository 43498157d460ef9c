"""The lesson as a reader opens it: a published model, a pasted file, a bad one, and a local model."""

from __future__ import annotations

import json

import pytest

from alibi_viz.checkpoints import folder, local
from alibi_viz.checkpoints.examples import EXAMPLES
from alibi_viz.ui.controls.params import clean
from tests.checkpoints.tiny import TEXT, save
from tests.pages.apptest import hands, open_page, params, picture_problem, release, said, says

MINE = {"model_type": "mpt", "n_layers": 4, "n_heads": 12, "d_model": 96, "max_seq_len": 512}
MINE |= {"attn_config": {"alibi": True}}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    for family in ("bloom", "t5"):
        save(root / family, family)
    return root


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_published_model_has_its_words(name):
    at = open_page("models", model_example=name, models_open="facts")
    assert not at.warning
    text, found = said(at), EXAMPLES[name].read()
    assert f"{found.layers} layers" in text
    assert str(found.heads) in at.dataframe[0].value.to_csv()


def test_a_pasted_file_is_read_on_many_lines():
    at = open_page("models", model_source="config")
    at.text_area(key="widget_model_config").set_value(json.dumps(MINE, indent=2)).run()
    assert not at.exception
    assert not at.warning
    assert "4 layers with 12 heads" in said(at)
    assert "left out" not in said(at), "a line end is no character that is lost"


@pytest.mark.parametrize(
    ("text", "words"), [("{", "not JSON"), ('{"model_type": "<b>"}', "does not say"), ("  ", "Paste")]
)
def test_a_bad_file_loses_nothing(text, words):
    at = open_page("models", model_source="config")
    at.text_area(key="widget_model_config").set_value(text).run()
    assert not at.exception
    assert words in at.warning[0].value
    assert at.text_area(key="widget_model_config").value == text
    at.text_area(key="widget_model_config").set_value(json.dumps(MINE)).run()
    assert not at.warning


def test_without_a_folder_the_page_says_how_to_set_one(monkeypatch, tmp_path):
    at = open_page("models", model_source="folder")
    assert says(at.warning[0].value, "models", "folder_unset", setting=folder.SETTING)
    assert says(said(at), "models", "how", setting=folder.SETTING)
    monkeypatch.setenv(folder.SETTING, str(tmp_path))
    at = open_page("models", model_source="folder")
    assert says(at.warning[0].value, "models", "folder_none", setting=folder.SETTING)


def test_a_local_model_opens_with_its_heads(monkeypatch, models):
    monkeypatch.setenv(folder.SETTING, str(models))
    url = {"model_source": "folder", "model_text": TEXT, "model_layer": "2", "head": "5"}
    at = open_page("models", model_folder="bloom", models_open="reach", **url)
    assert not at.warning
    held = hands(at)["values"]
    assert (held["model_folder"], held["model_layer"], held["head"]) == ("bloom", 2, 5)
    attention = local.read("bloom", TEXT).attention
    sinks = (attention[:, :, 1:, 0].mean(-1) > 0.5).sum(1)
    assert says(said(at), "models", "seen_local", sinks=int(sinks[1]), all_sinks=int(sinks.sum()))
    assert len([part for part in at.get("bidi_component") if b"models_reach" in part.proto.bytes]) == 1
    release(at, head=6, model_layer=3)
    assert hands(at)["values"]["head"] == 6
    assert "Only the encoder is shown" in said(open_page("models", model_folder="t5", **url))


def test_what_the_address_asks_for_in_vain_is_said(monkeypatch, models):
    monkeypatch.setenv(folder.SETTING, str(models))
    at = open_page("models", model_source="folder", model_folder="../bloom", model_text=TEXT, model_layer="99")
    assert says(said(at), "models", "labels.other_folder", used="bloom")
    assert hands(at)["values"]["model_layer"] == 3
    release(at, model_text=" ")
    assert "empty" in picture_problem(at)
    assert {hand["key"] for hand in hands(at)["hands"]} >= {"model_source", "model_folder", "model_text"}


def test_without_transformers_the_configuration_is_read(monkeypatch, models):
    monkeypatch.setenv(folder.SETTING, str(models))
    monkeypatch.setattr(local, "installed", lambda: False)
    at = open_page("models", model_source="folder", model_folder="bloom")
    assert not at.warning
    assert says(said(at), "models", "how", setting=folder.SETTING)
    assert "3 layers with 6 heads" in said(at)


@pytest.mark.parametrize("name", EXAMPLES)
def test_links_set_controls_that_the_other_lessons_have(name):
    at = open_page("models", model_example=name, models_open="facts")
    links = [link.proto for link in at.get("page_link") if link.proto.query_string]
    assert links
    for link in links:
        table = {param.key: param for param in params(link.page)}
        query = dict(pair.split("=") for pair in link.query_string.split("&"))
        for key, value in query.items():
            text = value.replace("%2C", ",")
            assert clean(table[key], text).problem in (None, "too_large"), (link.page, key, value)


@pytest.mark.parametrize(
    ("more", "remark"),
    [
        ({"model_type": "new_one", "rope_theta": 5e5}, "unknown"),
        ({"model_type": "llama", "rope_parameters": {"rope_type": "alibi"}}, "rope_off"),
        ({"model_type": "gemma3_text", "head_dim": 256}, "local_base"),
        ({"model_type": "bert", "position_embedding_type": "alibi"}, "encoder"),
        ({"model_type": "bloom", "auto_map": {"AutoConfig": "x.y"}}, "code"),
        ({"model_type": "smollm3", "no_rope_layers": [1, 0]}, "nope"),
        ({"model_type": "mistral", "sliding_window": 64}, "window"),
    ],
)
def test_what_a_file_alone_does_not_show_is_said(more, remark):
    sizes = {"num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 64, "max_position_embeddings": 512}
    at = open_page("models", model_source="config", model_config=json.dumps(sizes | more))
    assert not at.exception
    assert says(said(at), "models", f"remark_{remark}")


@pytest.mark.parametrize(
    "more",
    [
        {"model_type": "llama", "rope_scaling": {"type": "longrope", "factor": 2.0}},
        {"model_type": "xlnet"},
        {"model_type": "granitemoehybrid", "position_embedding_type": "nope", "layer_types": ["mamba", "attention"]},
    ],
)
def test_what_is_not_computed_is_named_without_a_curve(more):
    sizes = {"num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 64, "max_position_embeddings": 512}
    at = open_page("models", model_source="config", model_config=json.dumps(sizes | more))
    assert not at.exception
    assert not at.warning
    assert says(said(at), "models", "note_named")


def test_a_file_without_layers_and_lengths_is_read():
    raw = {"model_type": "bloom", "num_attention_heads": 40, "hidden_size": 5120}
    at = open_page("models", model_source="config", model_config=json.dumps(raw), models_open="facts")
    assert not at.exception
    assert not at.warning
    assert "40 heads in each layer" in said(at)

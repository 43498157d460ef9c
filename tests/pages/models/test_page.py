"""The lesson of models as a reader opens it: published, pasted, bad and local ones; and its numbers against a count."""

import json

import numpy as np
import pytest

from alibi_viz.checkpoints import folder, local
from alibi_viz.checkpoints.examples import EXAMPLES
from pages.models import study
from tests.checkpoints.tiny import TEXT, save
from tests.pages.apptest import hands, open_page, picture, release, said, says

MINE = {"model_type": "mpt", "n_layers": 4, "n_heads": 12, "d_model": 96, "max_seq_len": 512}
MINE |= {"attn_config": {"alibi": True}}
YARN = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 64}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_published_model_has_its_words_and_links_to_other_lessons(name):
    at = open_page("models", model_example=name, models_open="facts")
    assert not at.warning
    found = EXAMPLES[name].read()
    assert f"{found.layers} layers" in said(at)
    assert str(found.heads) in at.dataframe[0].value.to_csv()
    assert any(link.proto.query_string for link in at.get("page_link"))


def test_a_pasted_file_is_read_and_a_bad_one_loses_nothing():
    at = open_page("models", model_source="config")
    for text, words in (("{", "not JSON"), ('{"model_type": "<b>"}', "does not say"), ("  ", "Paste")):
        at.text_area(key="widget_model_config").set_value(text).run()
        assert not at.exception
        assert words in at.warning[0].value
        assert at.text_area(key="widget_model_config").value == text
    at.text_area(key="widget_model_config").set_value(json.dumps(MINE, indent=2)).run()
    assert not at.warning
    assert "4 layers with 12 heads" in said(at)
    assert "left out" not in said(at), "a line end is no character that is lost"


@pytest.mark.parametrize(
    ("more", "section"),
    [
        ({"model_type": "new_one", "rope_theta": 5e5}, "remark_unknown"),
        ({"model_type": "gemma3_text", "head_dim": 256}, "remark_local_base"),
        ({"model_type": "bloom", "auto_map": {"AutoConfig": "x.y"}}, "remark_code"),
        ({"model_type": "mistral", "sliding_window": 64}, "remark_window"),
        ({"model_type": "llama", "is_causal": False}, "remark_unread"),
        ({"model_type": "olmo3", "sliding_window": 64, "rope_scaling": YARN}, "remark_unscaled"),
        ({"model_type": "xlnet"}, "note_named"),
    ],
)
def test_what_a_file_alone_does_not_show_is_said(more, section):
    sizes = {"num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 64, "max_position_embeddings": 512}
    at = open_page("models", model_source="config", model_config=json.dumps(sizes | more))
    assert not at.exception
    assert not at.warning
    assert says(said(at), "models", section)


def test_a_local_model_opens_with_its_heads_and_without_transformers_its_file_is_read(monkeypatch, tmp_path):
    at = open_page("models", model_source="folder")
    assert says(at.warning[0].value, "models", "folder_unset", setting=folder.SETTING)
    assert "“gone” is not one" in said(open_page("models", model_source="folder", model_folder="gone"))
    monkeypatch.setenv(folder.SETTING, str(tmp_path))
    assert says(open_page("models", model_source="folder").warning[0].value, "models", "folder_none")
    for family in ("bloom", "t5"):
        save(tmp_path / family, family)
    url = {"model_source": "folder", "model_text": TEXT, "model_layer": "2", "head": "5"}
    at = open_page("models", model_folder="bloom", models_open="reach", **url)
    assert not at.warning
    held = hands(at)["values"]
    assert (held["model_folder"], held["model_layer"], held["head"]) == ("bloom", 2, 5)
    sinks = (local.read("bloom", TEXT).attention[:, :, 1:, 0].mean(-1) > 0.5).sum(1)
    assert says(said(at), "models", "seen_local", sinks=int(sinks[1]), all_sinks=int(sinks.sum()))
    at = open_page("models", **url | {"model_folder": "../bloom", "model_layer": "99"})
    assert says(said(at), "models", "labels.other_folder", used="bloom")
    assert hands(at)["values"]["model_layer"] == 3
    assert "empty" in picture(release(at, model_text=" "))["problem"]
    assert "only the encoder is shown" in said(open_page("models", model_folder="t5", **url))
    monkeypatch.setattr(local, "installed", lambda: False)
    at = open_page("models", model_source="folder", model_folder="bloom")
    assert not at.warning
    assert "3 layers with 6 heads" in said(at)


def test_curves_and_learned_numbers_are_those_of_the_method():
    found = {name: EXAMPLES[name].read() for name in ("bloom_560m", "gpt2", "t5_small", "pythia_70m")}
    bloom, gpt2, t5, pythia = map(study.curves, found.values())
    np.testing.assert_allclose(bloom.values[0], np.exp(-bloom.x * 2**-0.5), atol=1e-6)
    assert bloom.values.shape[0] == 16
    np.testing.assert_array_equal(gpt2.values[0], gpt2.x < 1024)
    assert t5.values.max() == 15
    assert pythia.values[0, -1] == pytest.approx(0.75, abs=0.25), "48 of 64 numbers are not rotated"
    assert [study.parameters(one) for one in found.values()] == [0, 1024 * 768, 32 * 8, 0]


def test_distances_and_first_tokens_are_counted_over_all_queries():
    weights = np.random.default_rng(0).dirichlet(np.ones(7), size=(2, 3, 7)).astype(np.float32)
    pairs = [(abs(i - j) * weights[1, 2, i, j] / 7) for i in range(7) for j in range(7)]
    assert study.mean_distance(weights)[1, 2] == pytest.approx(sum(pairs), rel=1e-5)
    assert study.first_token(weights)[1, 2] == pytest.approx(weights[1, 2, 1:, 0].mean())
    assert np.isnan(study.first_token(np.ones((4, 1, 1), np.float32))).all()


def test_a_small_picture_has_the_largest_weight_of_its_keys():
    weights = np.random.default_rng(0).random((2, 130, 130), dtype=np.float32)
    step, pictures = study.small(weights)
    assert (step, pictures[0].shape) == (3, (44, 44))
    assert pictures[1][2, 5] == weights[1, 6, 15:18].max()
    hidden = study.masked(weights, causal=True)
    assert np.isneginf(hidden[0, 3, 4])
    assert hidden[0, 4, 3] == weights[0, 4, 3]

"""The lesson “use” as a reader opens it."""

from __future__ import annotations

from pathlib import Path

import pytest

from alibi_viz.drop_in import drop_in
from alibi_viz.files import read_weights
from alibi_viz.lessons import load
from alibi_viz.results import pretrained
from pages.use.controls import VIEWS
from tests.pages.apptest import open_page, said, says, visible


@pytest.mark.parametrize("show", VIEWS)
def test_every_view_has_its_picture(show):
    at = open_page("use", use_show=show)
    assert not at.info
    assert len(at.get("plotly_chart")) == 1
    assert says(said(at), "use", "seen")


def test_the_sources_and_the_file():
    at = open_page("use", use_open="source")
    (table,) = (part.proto.body for part in at.get("html") if part.proto.body.startswith("<table"))
    assert table.count("<tr>") > 40
    assert "RopeAttention" in table
    assert "AlibiAttention" in table
    button = next(part for part in at.get("download_button") if part.proto.label == load("use").label("download"))
    assert button.proto.url.endswith(".py")
    assert "def alibi_slopes" in " ".join(code.value for code in at.code)


def test_memory_follows_its_tokens():
    at = open_page("use", use_open="memory", use_tokens="4096")
    assert "4,096 tokens" in said(at)
    assert "1\u00a0GiB" in visible(at)  # 32 x 4096 x 4096 x 2


def test_padding_and_transformers_are_shown():
    at = open_page("use", use_open="padding")
    table = at.dataframe[0].value
    assert table.iloc[0, 1:].tolist() == ["0", "0"]
    assert all(value != "0" for value in table.iloc[2, 1:])
    at = open_page("use", use_open="transformers")
    file = Path(drop_in.__file__).with_name("drop_in_transformers.py")
    assert at.code[0].value == file.read_text(encoding="utf-8").strip()


def test_the_same_runs_can_be_trained_here():
    at = open_page("use", use_open="run")
    weights = read_weights(pretrained.weights_path("alibi", "blocks", 8), 10**7)
    assert f"{sum(tensor.numel() for tensor in weights.values()):,} parameters" in said(at)
    train = open_page("train", train="alibi,rope", train_block="llama", train_heads="8", train_show="loss")
    assert not train.warning
    refused = open_page("train", train="alibi,t5", train_block="llama")
    assert "rope, alibi" in refused.warning[0].value.replace("\\", "")


def test_the_kernels_of_others_have_their_code():
    at = open_page("use", use_open="kernels")
    assert not at.exception
    code = " ".join(block.value for block in at.code)
    for name in ("sdpa", "flex_attention", "flash_attn", "xformers"):
        assert f"def with_{name}(" in code
        assert says(said(at), "use", f"kernels.{name}")

"""What the timeline says of the libraries transformers and torch, against those that are installed."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

from pages.today import study

if not (found := find_spec("transformers")):
    pytest.skip("transformers is not installed", allow_module_level=True)
MODELS = Path(found.origin).parent / "models"
CODE = {
    folder.name: "".join(file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.py")))
    for folder in MODELS.iterdir()
    if folder.is_dir()
}


def test_these_model_types_alone_have_alibi_in_their_code():
    assert sorted(name for name, code in CODE.items() if "alibi" in code.lower()) == study.file()["library"]["alibi"]


def test_the_classes_that_were_read_are_there():
    named = {
        name
        for entry in study.file()["entries"]
        for name in re.findall(r"[Cc]lass (\w+) of the library transformers", entry["source"])
    }
    assert named
    every = "".join(CODE.values())
    assert not [name for name in named if f"class {name}(" not in every]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("mistral_large4", 'no_rope_layer_interval", 4'),  # every fourth layer has no positions
        ("gemma4", '"rope_type": "proportional", "partial_rotary_factor": 0.25'),  # a quarter of the pairs
        ("granitemoehybrid", "position_embedding_type: str | None = None"),
        ("kimi_linear", "with NoPE"),
        ("inkling", "rel_extent"),
        ("inkling2", "self.sink_proj = nn.Linear(config.hidden_size, self.num_heads"),  # a sink for each query
        ("gpt_oss", "self.sinks = nn.Parameter"),
    ],
)
def test_the_code_says_what_an_entry_says_of_it(model, said):
    assert said in CODE[model]


def test_inkling_2_rotates_in_its_image_encoder_alone():
    code = (MODELS / "inkling2" / "modeling_inkling2.py").read_text(encoding="utf-8")
    rotating = [name for name, body in re.findall(r"^class (\w+)(.*?)^(?=\S)", code, re.M | re.S) if "rotary" in body]
    assert rotating
    assert all(name.startswith("Inkling2Vision") for name in rotating)


def test_flash_attention_4_takes_no_slopes_and_flex_attention_runs_on_it():
    code = {
        name: (Path(torch.__file__).parent / "nn" / "attention" / f"{name}.py").read_text(encoding="utf-8")
        for name in ("_fa4", "flex_attention")
    }
    assert "alibi_slopes not supported" in code["_fa4"]
    assert '"FLASH"' in code["flex_attention"], "the back end that calls it"

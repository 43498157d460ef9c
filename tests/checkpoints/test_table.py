"""Families of published models: each config.json gets the right name, or “not known”; what is not computed is named."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from alibi_viz.checkpoints.config import ModelConfig, from_dict
from alibi_viz.checkpoints.examples import EXAMPLES
from alibi_viz.checkpoints.table import FAMILIES
from alibi_viz.rules import slopes
from tests.parity import published

TABLE = json.loads(Path(__file__).with_name("published_configs.json").read_text(encoding="utf-8"))


class Published(NamedTuple):
    """A row of the table: a configuration, and what is right to say of it."""

    name: str
    method: str | None
    right: dict[str, Any]
    source: str
    config: dict[str, Any] = {}  # noqa: RUF012  # it is only read
    known: bool = True

    def expected(self) -> dict[str, Any]:
        right = {name: tuple(value) if isinstance(value, list) else value for name, value in self.right.items()}
        return right | ({"slopes": tuple(slopes(**right["slopes"]))} if "slopes" in right else {})


def sizes(model_type: str, **more: Any) -> dict[str, Any]:
    raw = {"model_type": model_type, "num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 64}
    return raw | {"max_position_embeddings": 512} | more


CLASS_ROWS = [
    Published(name, group["method"], right, group["source"])
    for group in TABLE["classes"]
    for name, right in group["types"].items()
]
FILES = [Published(**row) for row in TABLE["files"]]
CONFIGS = {row.name: row.config for row in FILES}
SAYS_NOTHING = [
    {"model_type": "mpt", "d_model": 64, "n_heads": 8, "n_layers": 2},  # its own code: learned; transformers: ALiBi
    CONFIGS["baichuan-13b"] | {"hidden_size": 1024},
    sizes("esm", rope_theta=1e4, position_embedding_type="absolute"),
    sizes("new", alibi=False),
]
#: What a file may say that its type does not do, as it is listed.
STRANGE: list[tuple[str, dict[str, Any], str]] = [
    ("llama", {"use_alibi": True}, "use_alibi = true"),
    ("llama", {"is_causal": False}, "is_causal = false"),
    ("llama", {"no_rope_layers": [1, 0]}, "no_rope_layers"),
    ("llama", {"sliding_window": 128}, "sliding_window = 128"),
    ("llama", {"layer_types": ["full_attention", "sliding_attention"]}, "layer_types"),
    ("llama", {"partial_rotary_factor": 0.5}, "partial_rotary_factor = 0.5"),
    ("llama", {"rotary_pct": 0.25}, "rotary_pct = 0.25"),
    ("llama", {"rope_local_base_freq": 2e4}, "rope_local_base_freq = 20000.0"),
    ("llama", {"rope_parameters": {"rope_theta": 1e6}, "rope_theta": 1e4}, "rope_theta = 10000.0"),
    ("llama", {"rope_scaling": {"rope_type": "default", "mrope_section": [1]}}, "rope_parameters.mrope_section"),
    ("llama", {"auto_map": {"AutoModelForCausalLM": "modeling_own.M"}}, "auto_map"),
    ("llama", {"my_new_rope_trick": 3}, "my_new_rope_trick = 3"),
    ("gpt2", {"position_embedding_type": "rope"}, 'position_embedding_type = "rope"'),
    ("mistral", {"position_embedding_type": "nope"}, 'position_embedding_type = "nope"'),
    ("bloom", {"alibi": False}, "alibi = false"),
    ("bloom", {"alibi_bias_max": 16}, "alibi_bias_max = 16"),
    ("falcon", {"alibi_bias_max": 16}, "alibi_bias_max = 16"),
    ("llama", {"xpos": True}, "xpos = true"),
    ("llama", {"pe_type": "nope"}, 'pe_type = "nope"'),
    ("llama", {"attention_bias_type": "alibi"}, 'attention_bias_type = "alibi"'),
    ("llama", {"mixers": ["alibi", "none"]}, "mixers"),
    ("gpt2", {"use_sinusoidal": True}, "use_sinusoidal = true"),
    ("RefinedWeb", {"auto_map": {"AutoModelForCausalLM": "modeling_own.M"}}, "auto_map"),
    ("xlm-roberta", {"position_embedding_type": "rotary"}, 'position_embedding_type = "rotary"'),
    ("bloom", {"is_causal": False}, "is_causal = false"),
    ("bert", {"auto_map": {"AutoModel": "modeling_own.M"}}, "auto_map"),
    ("nomic_bert", {"causal": True}, "causal = true"),
    (
        "gemma3_text",
        {"rope_parameters": {"full_attention": {}, "sliding_attention": {"mscale_": 1}}},
        "sliding_attention.mscale_ = 1",
    ),
    ("deepseek_v3", {"rope_interleave": False}, "rope_interleave = false"),
    ("new", {"rope_theta": 1e4, "causal": False}, "causal = false"),
]


def check(raw: dict[str, Any], row: Published) -> ModelConfig:
    found = from_dict(raw)
    assert (found.method, found.known) == (row.method, row.known), found.unread
    for name, expected in row.expected().items():
        assert (getattr(found, name) if hasattr(found, name) else found.options.get(name)) == expected, name
    assert not (found.known and found.unread)
    if found.not_computed:
        with pytest.raises(ValueError, match=re.escape(found.not_computed[0])):
            found.build()
    elif found.method != "learned":
        assert found.build().heads == found.heads
    return found


@pytest.mark.parametrize("row", CLASS_ROWS, ids=lambda row: row.name)
def test_a_family_is_read_as_its_class_computes_it_also_where_a_file_is_silent(row: Published) -> None:
    """Without the base, the rotated part and the pattern, what is read is what the class takes."""
    theirs = published.AutoConfig.for_model(row.name)
    raw = theirs.to_dict()
    found, theirs = check(raw, row), getattr(theirs, "text_config", theirs)
    assert (found.heads, found.width) == (theirs.num_attention_heads, theirs.hidden_size)
    assert found.layers in (None, theirs.num_hidden_layers)
    assert found.kv_heads == (getattr(theirs, "num_key_value_heads", None) or found.kv_heads)
    if row.name in ("bloom", "dbrx"):  # whose usual numbers stand elsewhere
        return
    silent = {"sliding_window_pattern"} | set(() if row.name in TABLE["asked"] else TABLE["silent"])
    less = from_dict({name: value for name, value in raw.get("text_config", raw).items() if name not in silent})
    for name in ("options", "local_base", "window", "window_layers", "nope_layers", "kv_heads"):
        assert getattr(less, name) == getattr(found, name), name


@pytest.mark.parametrize("row", FILES, ids=lambda row: row.name)
def test_the_fields_of_published_files(row: Published) -> None:
    if row.method is None:
        with pytest.raises(ValueError, match="its config"):
            from_dict(row.config)
    else:
        check(row.config, row)


def test_the_table_tries_every_row() -> None:
    rows = [*CLASS_ROWS, *FILES]
    assert all(row.source for row in rows)
    tried = {raw.get("text_config", raw)["model_type"] for raw in (row.config for row in FILES)}
    tried |= {
        published.AutoConfig.for_model(row.name).to_dict().get("text_config", {}).get("model_type")
        for row in CLASS_ROWS
    }
    assert {*FAMILIES} <= tried | {row.name for row in CLASS_ROWS} | {"deberta", "glm4_moe", "inkling2_text"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_known(name: str) -> None:
    found = EXAMPLES[name].read()
    assert (found.known, found.unread) == (True, ())


@pytest.mark.parametrize(("model_type", "more", "listed"), STRANGE)
def test_a_field_about_position_that_is_not_read_is_listed_and_the_file_not_known(
    model_type: str, more: dict[str, Any], listed: str
) -> None:
    raw = sizes(model_type)
    plain = from_dict(raw if model_type in FAMILIES else raw | {"rope_theta": 1e4})
    assert plain.unread == ()
    found = from_dict(raw | more)
    assert (found.unread, found.known) == ((listed,), False)
    assert found.method == plain.method
    assert found.facts()["unread"] == [listed]
    assert listed in json.dumps(found.facts(), ensure_ascii=False).replace('\\"', '"')
    assert listed in repr(found)


def test_also_what_stands_beside_the_part_for_text_is_read_or_listed() -> None:
    found = from_dict(CONFIGS["Llama-4-Scout"] | {"auto_map": {"AutoModel": "modeling_own.M"}})
    assert (found.unread, found.known) == (("auto_map",), False)


@pytest.mark.parametrize("raw", SAYS_NOTHING)
def test_what_names_no_single_method_is_refused(raw: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="its config"):
        from_dict(raw)

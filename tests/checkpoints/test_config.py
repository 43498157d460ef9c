"""What a config.json says, held against transformers' own reading of it and of every family; and what is refused."""

import json
import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.checkpoints.config import LONGEST, from_dict, read
from alibi_viz.checkpoints.examples import EXAMPLES
from alibi_viz.checkpoints.table import FAMILIES
from alibi_viz.positions.rotary import Rotary
from alibi_viz.rules import slopes
from tests.parity import published

SIZES = {"num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 64}
LLAMA: dict[str, Any] = SIZES | {"model_type": "llama"}


def test_the_slopes_are_those_that_bloom_and_mpt_compute_and_falcon_divides_them():
    for heads in (6, 16):
        file = {"n_layer": 2, "n_head": heads, "hidden_size": 8 * heads}
        bloom = published.build_alibi_tensor(torch.ones(1, 2), heads, torch.float32).view(heads, 2)[:, 1]
        torch.testing.assert_close(torch.tensor(from_dict(file | {"model_type": "bloom"}).slopes), bloom)
        file |= {"model_type": "mpt", "attn_config": {"alibi": True, "alibi_bias_max": 16}}
        mpt = -published.build_mpt_alibi_tensor(heads, 2, alibi_bias_max=16)[:, 0, 0]
        torch.testing.assert_close(torch.tensor(from_dict(file).slopes), mpt)
    for model_type in ("falcon", "RefinedWeb", "RefinedWebModel"):
        falcon = from_dict(SIZES | {"model_type": model_type, "alibi": True})
        assert falcon.slopes == tuple(m / math.sqrt(8) for m in slopes(8))
        assert falcon.divided


@pytest.mark.parametrize("spelling", ["rope_scaling", "rope_parameters"])
@pytest.mark.parametrize("kind", ["linear", "yarn", "llama3", "dynamic"])
def test_scaled_rope_has_the_frequencies_of_transformers_in_both_spellings(kind, spelling):
    raw = LLAMA | {"hidden_size": 512, "max_position_embeddings": 4096, "rope_theta": 1234.0}
    scaling = {"factor": 4.0, "original_max_position_embeddings": 1024}
    scaling |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0} if kind == "llama3" else {}
    name = "type" if spelling == "rope_scaling" and kind == "linear" else "rope_type"
    own = {"rope_theta": 1234.0} if spelling == "rope_parameters" else {}
    found = from_dict(raw | {spelling: scaling | own | {name: kind}})
    method = found.build()
    assert isinstance(method, Rotary)
    assert (found.train_length, found.options["base"]) == (1024, 1234.0)
    if kind != "dynamic":  # whose base follows the length of the text, from max_position_embeddings on
        parameters = scaling | {"rope_type": kind, "rope_theta": 1234.0}
        config = published.LlamaConfig(
            hidden_size=512, num_attention_heads=8, max_position_embeddings=4096, rope_parameters=parameters
        )
        expected, factor = published.ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"))
        frequencies, stretch = method.frequencies()
        torch.testing.assert_close(frequencies.float(), expected)
        assert stretch == pytest.approx(factor)


def linear(most, factor, base):
    return {"max_position_embeddings": most, "rope_theta": base, "rope_scaling": {"type": "linear", "factor": factor}}


NO_LENGTH = {"train_length": None, "scaled_length": None, "known": True}
OF_8192 = {"max_position_embeddings": 8192}
BOTH_LENGTHS = ("max_position_embeddings = 8192", "model_max_length = 131072")
#: What stands in a file beside Llama's sizes -> what is said of it.
SAID: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (linear(32768, 8.0, 1e4), {"train_length": 4096, "scaled_length": 32768, "known": True}),  # LLaMA-2-7B-32K
    (linear(4096, 4.0, 1e4), {"train_length": 4096, "scaled_length": 16384, "known": True}),  # Vicuna 16K
    (linear(4096, 2.0, 1e4), NO_LENGTH),  # Llama made longer, or Llama 2
    (linear(32768, 4.0, 1e6), NO_LENGTH),  # Mistral made longer, or a shorter model
    (linear(32768, 8.0, 1e6), NO_LENGTH),
    (OF_8192 | {"model_max_length": 131072}, {"train_length": None, "unread": BOTH_LENGTHS}),
    (OF_8192 | {"model_max_length": 8192}, {"unread": ()}),
    ({f"rope_{n}": n for n in range(30)}, {"unread": (*(f"rope_{n} = {n}" for n in range(20)), "10 more")}),
    ({}, {"causal": True}),
    ({"is_causal": False}, {"causal": False}),
    ({"model_type": "new", "rope_theta": 1e4, "causal": False}, {"causal": None, "unread": ("causal = false",)}),
    ({"model_type": "bloom", "is_causal": False}, {"form": None}),  # of its class: it depends on the key alone
    ({"rope_parameters": {"rope_type": "alibi"}}, {"method": "alibi", "rope_off": True, "slopes": tuple(slopes(8))}),
    ({"model_type": "a/<b>", "rope_theta": 5e5}, {"known": False, "family": "a__b_", "method": "rope", "base": 5e5}),
]


@pytest.mark.parametrize(("more", "said"), SAID)
def test_what_a_file_says_is_said_and_no_more(more, said):
    found = from_dict(LLAMA | more)
    assert {name: getattr(found, name, found.options.get(name)) for name in said} == said


@pytest.mark.parametrize(("name", "kind"), [("t5_small", "T5Config"), ("gpt2", "GPT2Config")])
def test_an_example_has_the_defaults_that_its_source_names(name, kind):
    assert EXAMPLES[name].config.items() <= getattr(published, kind)().to_dict().items()


BAD = [
    ("[]", "in braces"),
    ('{"a": ' + "9" * 5000 + "}", "not JSON, as line 1, character"),
    (b'{"a": "\xff"}', "line 1, character 8"),
    ('{"a": "\ud800"}', "line 1, character 8"),
    ('{"a": NaN}', "line 1, character 7"),
    ('{"a":' * 300 + "1" + "}" * 300, "not JSON"),
    (" " * (LONGEST + 1), "at most 65,536"),
    (json.dumps(SIZES), "which model it is for"),
    (json.dumps({"model_type": "bloom"}), "does not say"),
    (json.dumps(LLAMA | {"num_attention_heads": "8"}), "“num_attention_heads”: this is not"),
    (json.dumps(LLAMA | {"num_attention_heads": 10**9}), "at most 1,024"),
    (json.dumps(LLAMA | {"num_attention_heads": 7}), "do not divide"),
    (json.dumps(LLAMA | {"num_key_value_heads": 3}), "cannot share"),
    (json.dumps(LLAMA | {"head_dim": 7}), "must be even"),
    (json.dumps(LLAMA | {"model_type": "gptj", "rotary_dim": 10}), "between 2 and 8"),
    (json.dumps(LLAMA | {"head_dim": 2, "rope_scaling": {"type": "dynamic", "factor": 2.0}}), "above 2"),
    (json.dumps(LLAMA | {"model_type": "t5", "relative_attention_max_distance": 8}), "must be above 8"),
    (json.dumps(LLAMA | {"layer_types": ["x"]}), "lists 1 layers of 2"),
    (json.dumps(LLAMA | {"rope_scaling": {"type": "linear"}}), "has no factor"),
    (json.dumps(LLAMA | {"rope_scaling": {"type": "linear", "factor": 1e7}}), "factor = 1e\\+07"),
    (json.dumps(LLAMA | {"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}), "max_position_embeddings"),
]


@pytest.mark.parametrize(("text", "words"), BAD)
def test_a_bad_file_gets_one_sentence(text, words):
    with pytest.raises(ValueError, match=words) as raised:
        read(text)
    sentence = str(raised.value)
    assert sentence.endswith(".")
    assert len(sentence) < 250
    assert "\n" not in sentence
    assert not re.search(r"[a-z]{2,} [a-z]{2,}", raised.value.sentence("zh")), "no English of a library is left in it"


_VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
_INNER = st.sampled_from(["rope_type", "type", "factor", "rope_theta", "alibi", "alibi_bias_max", "rope", "kv_n_heads"])
_LISTED = ["layer_types", "attention_layers", "no_rope_layers", "rope_scaling", "auto_map", "is_causal", "n_ctx"]
_JSON = _VALUES | st.lists(_VALUES, max_size=3) | st.dictionaries(_INNER, _VALUES | st.just("linear"), max_size=4)
_KEYS = sorted(
    {key for example in EXAMPLES.values() for key in example.config} | {"alibi", "rope_parameters", *_LISTED}
)


@given(st.sampled_from(sorted(EXAMPLES)), st.dictionaries(st.sampled_from(_KEYS), _JSON, max_size=3))
def test_any_value_of_any_field_is_read_and_can_be_built_or_is_refused(name, changes):
    refusal = ""
    try:
        found = from_dict(EXAMPLES[name].config | changes)
    except ValueError as error:
        refusal = str(error)
    assert "\n" not in refusal
    if not refusal:
        assert found.heads % found.kv_heads == 0
        if not found.not_computed and found.method != "learned":  # whose table may be large
            found.build()


@pytest.mark.parametrize("listed", [None, [], [0, 1], list(range(12))])
def test_the_layers_with_a_window_are_those_that_inkling_lists(listed):
    raw = {"model_type": "inkling_text", "sliding_window": 512, "num_hidden_layers": 12, "num_attention_heads": 8}
    raw |= {"hidden_size": 64, "local_layer_ids": listed}
    theirs = published.AutoConfig.for_model(**raw).layer_types
    found = from_dict(raw)
    assert found.unread == ()
    assert found.window_layers == tuple(at for at, kind in enumerate(theirs, start=1) if kind == "hybrid_sliding")


TABLE = json.loads(Path(__file__).with_name("published_configs.json").read_text(encoding="utf-8"))


class Published(NamedTuple):
    name: str
    method: str | None
    right: dict[str, Any]
    source: str
    config: dict[str, Any] = {}  # noqa: RUF012  # it is only read
    known: bool = True

    def expected(self):
        right = {name: tuple(value) if isinstance(value, list) else value for name, value in self.right.items()}
        return right | ({"slopes": tuple(slopes(**right["slopes"]))} if "slopes" in right else {})


def sizes(model_type, **more):
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


def check(raw, row):
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
def test_a_family_is_read_as_its_class_computes_it_also_where_a_file_is_silent(row):
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
def test_the_fields_of_published_files(row):
    if row.method is None:
        with pytest.raises(ValueError, match="its config"):
            from_dict(row.config)
    else:
        check(row.config, row)


def test_the_table_tries_every_row():
    rows = [*CLASS_ROWS, *FILES]
    assert all(row.source for row in rows)
    tried = {raw.get("text_config", raw)["model_type"] for raw in (row.config for row in FILES)}
    tried |= {
        published.AutoConfig.for_model(row.name).to_dict().get("text_config", {}).get("model_type")
        for row in CLASS_ROWS
    }
    assert {*FAMILIES} <= tried | {row.name for row in CLASS_ROWS} | {"deberta", "glm4_moe", "inkling2_text"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_known(name):
    found = EXAMPLES[name].read()
    assert (found.known, found.unread) == (True, ())


@pytest.mark.parametrize(("model_type", "more", "listed"), STRANGE)
def test_a_field_about_position_that_is_not_read_is_listed_and_the_file_not_known(model_type, more, listed):
    raw = sizes(model_type)
    plain = from_dict(raw if model_type in FAMILIES else raw | {"rope_theta": 1e4})
    assert plain.unread == ()
    found = from_dict(raw | more)
    assert (found.unread, found.known) == ((listed,), False)
    assert found.method == plain.method
    assert found.facts()["unread"] == [listed]
    assert listed in json.dumps(found.facts(), ensure_ascii=False).replace('\\"', '"')
    assert listed in repr(found)


def test_also_what_stands_beside_the_part_for_text_is_read_or_listed():
    found = from_dict(CONFIGS["Llama-4-Scout"] | {"auto_map": {"AutoModel": "modeling_own.M"}})
    assert (found.unread, found.known) == (("auto_map",), False)


@pytest.mark.parametrize("raw", SAYS_NOTHING)
def test_what_names_no_single_method_is_refused(raw):
    with pytest.raises(ValueError, match="its config"):
        from_dict(raw)

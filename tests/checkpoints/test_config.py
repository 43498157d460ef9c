"""What a config.json says, held against transformers' own reading of it; and what is refused, in one sentence."""

from __future__ import annotations

import json
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.checkpoints.config import LONGEST, from_dict, read
from alibi_viz.checkpoints.examples import EXAMPLES
from alibi_viz.positions.alibi import slopes
from alibi_viz.positions.rotary import Rotary
from tests.checkpoints.published import PUBLISHED
from tests.parity import published

#: Examples whose numbers are said to be the defaults of a class of transformers.
DEFAULTS = {"t5_small": "T5Config", "gpt2": "GPT2Config"}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_model_is_read(name):
    model = PUBLISHED[name]
    found = from_dict(model.config)
    assert model.source.startswith("https://")
    assert (found.method, found.heads, found.kv_heads, found.head_dim) == model[1:5]
    assert (found.slopes[0] if found.slopes else found.options["base"]) == model.number
    if found.slopes:
        assert list(found.slopes) == slopes(found.heads)
    assert found.known
    assert found.runs_code == ("auto_map" in model.config)


def test_what_only_some_files_say():
    assert from_dict(PUBLISHED["phi-2"].config).options["rotary_dim"] == 32
    assert from_dict(PUBLISHED["mistral-7b-v0.1"].config).window == 4096
    jina = from_dict(PUBLISHED["jina-embeddings-v2-base-en"].config)
    assert (jina.causal, jina.options["form"]) == (False, "symmetric")
    assert (
        from_dict(PUBLISHED["jina-embeddings-v2-base-en"].config | {"position_embedding_type": "absolute"}).method
        == "learned"
    )
    seven = PUBLISHED["baichuan2-13b"].config | {"hidden_size": 4096, "num_attention_heads": 32}
    assert from_dict(seven).method == "rope", "7B is told apart by its width"
    both = from_dict({"model_type": "gemma3", "text_config": PUBLISHED["gemma-3-1b-it"].config})
    assert (both.family, both.options["base"]) == ("gemma3", 1e6)


@pytest.mark.parametrize("off", [{"rope_type": "alibi"}, {"rope_type": "linear", "factor": 1e30, "rope_theta": 1e4}])
def test_a_llama_with_the_drop_in_has_alibi(off):
    found = from_dict(LLAMA | {"rope_parameters": off})
    assert (found.method, found.rope_off, found.slopes) == ("alibi", True, tuple(slopes(8)))
    with pytest.raises(ValueError, match="factor = 1e\\+07"):
        from_dict(LLAMA | {"rope_parameters": {"rope_type": "linear", "factor": 1e7}})


def test_an_unknown_type_says_what_its_file_says():
    raw = LLAMA | {"model_type": "a/<b>", "rope_theta": 5e5}
    found = from_dict(raw)
    assert (found.known, found.family, found.method, found.options["base"]) == (False, "a__b_", "rope", 5e5)
    for alibi in ({"alibi": True}, {"position_embedding_type": "alibi"}):
        assert from_dict(raw | alibi).slopes == tuple(slopes(8))
    with pytest.raises(ValueError, match="says nothing of positions"):
        from_dict(LLAMA | {"model_type": "new"})


@pytest.mark.parametrize("name", DEFAULTS)
def test_an_example_has_the_defaults_that_its_source_names(name):
    defaults = getattr(published, DEFAULTS[name])().to_dict()
    for key, value in EXAMPLES[name].config.items():
        assert defaults[key] == value, key


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_reads(name):
    example = EXAMPLES[name]
    found = example.read()
    assert found.heads % found.kv_heads == 0
    assert example.source
    assert json.loads(json.dumps(example.config)) == example.config


@pytest.mark.parametrize("heads", [6, 16, 32])
def test_slopes_of_bloom_and_mpt(heads):
    config = {"model_type": "bloom", "n_layer": 2, "n_head": heads, "hidden_size": 8 * heads}
    bloom = published.build_alibi_tensor(torch.ones(1, 2), heads, torch.float32).view(heads, 2)[:, 1]
    torch.testing.assert_close(torch.tensor(from_dict(config).slopes), bloom)
    config = {"model_type": "mpt", "n_layers": 2, "n_heads": heads, "d_model": 8 * heads}
    found = from_dict(config | {"attn_config": {"alibi": True, "alibi_bias_max": 16}}).slopes
    mpt = -published.build_mpt_alibi_tensor(heads, 2, alibi_bias_max=16)[:, 0, 0]
    torch.testing.assert_close(torch.tensor(found), mpt)


def test_falcon_divides_its_bias():
    config = {"model_type": "falcon", "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64}
    found = from_dict(config | {"alibi": True})
    assert found.slopes == tuple(m / math.sqrt(16) for m in slopes(4))
    assert from_dict(config).method == "rope"
    assert (from_dict(config).kv_heads, from_dict(config | {"multi_query": False}).kv_heads) == (1, 4)
    assert from_dict(config | {"new_decoder_architecture": True, "num_kv_heads": 2}).kv_heads == 2


@pytest.mark.parametrize("spelling", ["rope_scaling", "rope_parameters"])
@pytest.mark.parametrize("kind", ["linear", "yarn", "llama3", "dynamic"])
def test_rope_scaling_in_both_spellings(kind, spelling):
    raw = {"model_type": "llama", "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 256}
    raw |= {"max_position_embeddings": 4096, "rope_theta": 1234.0}
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
            hidden_size=256, num_attention_heads=4, max_position_embeddings=4096, rope_parameters=parameters
        )
        expected, factor = published.ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"))
        frequencies, stretch = method.frequencies()
        torch.testing.assert_close(frequencies.float(), expected)
        assert stretch == pytest.approx(factor)


def test_a_part_of_a_head_is_rotated():
    found = from_dict(published.GPTNeoXConfig(hidden_size=128, num_attention_heads=2).to_dict()).build()
    x = torch.randn(1, 2, 5, 64)
    rotated = found.rotate(x, x, torch.arange(5), torch.arange(5))[0]
    assert torch.equal(rotated[..., 16:], x[..., 16:])
    assert not torch.equal(rotated[..., :16], x[..., :16])
    torch.testing.assert_close(rotated.norm(dim=-1), x.norm(dim=-1))


LLAMA_SIZES = {"num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 64}
BLOOM = {"model_type": "bloom", "n_layer": 2, "n_head": 8, "hidden_size": 64}
LLAMA = {"model_type": "llama", "num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 64}
BAD = [
    ("", "not JSON"),
    ("[]", "in braces"),
    ('{"a": 1, "a": 2}', "twice: “a”"),
    ('{"a": NaN}', "cannot be read"),
    ('{"a": ' + "9" * 5000 + "}", "cannot be read"),
    (b'{"a": "\xff"}', "cannot be read"),
    ("[" * 30_000 + "]" * 30_000, "nested too deeply"),
    ('{"a":' * 60 + "1" + "}" * 60, "nested too deeply"),
    (" " * (LONGEST + 1), "at most 65,536"),
    (json.dumps({"hidden_size": 3}), "which model it is for"),
    (json.dumps(LLAMA_SIZES | {"model_type": "x" * 500}), "not known to this app"),
    (json.dumps({"model_type": "bloom"}), "does not say"),
    (json.dumps(BLOOM | {"n_head": "8"}), "valid integer"),
    (json.dumps(BLOOM | {"n_head": True}), "valid integer"),
    (json.dumps(BLOOM | {"n_head": 10**9}), "less than or equal to 1024"),
    (json.dumps(BLOOM | {"n_head": 7}), "do not divide"),
    (json.dumps(LLAMA | {"num_key_value_heads": 3}), "cannot share"),
    (json.dumps(LLAMA | {"head_dim": 7}), "must be even"),
    (json.dumps(LLAMA | {"rope_scaling": {"type": "linear"}}), "has no factor"),
    (json.dumps(LLAMA | {"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}), "max_position_embeddings"),
    (json.dumps(LLAMA | {"rope_theta": 0}), "greater than 1"),
]


@pytest.mark.parametrize(("text", "words"), BAD)
def test_a_bad_file_gets_one_sentence(text, words):
    with pytest.raises(ValueError, match=words) as raised:
        read(text)
    sentence = str(raised.value)
    assert sentence.endswith(".")
    assert len(sentence) < 250
    assert "\n" not in sentence


_VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
_INNER = st.sampled_from(["rope_type", "type", "factor", "rope_theta", "alibi", "alibi_bias_max", "rope", "kv_n_heads"])
_JSON = _VALUES | st.lists(_VALUES, max_size=3) | st.dictionaries(_INNER, _VALUES | st.just("linear"), max_size=4)
_KEYS = sorted({key for example in EXAMPLES.values() for key in example.config} | {"alibi", "rope_parameters"})


@given(st.sampled_from(sorted(EXAMPLES)), st.dictionaries(st.sampled_from(_KEYS), _JSON, max_size=3))
def test_any_value_of_any_field_is_read_or_refused(name, changes):
    refusal = ""
    try:
        found = from_dict(EXAMPLES[name].config | changes)
    except ValueError as error:
        refusal = str(error)
    assert "\n" not in refusal
    assert refusal or found.heads % found.kv_heads == 0

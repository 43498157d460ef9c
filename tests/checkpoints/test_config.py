"""What a config.json says, held against transformers' own reading of it; and what is refused, in one sentence."""

import json
import math
import re
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.checkpoints.config import LONGEST, from_dict, read
from alibi_viz.checkpoints.examples import EXAMPLES
from alibi_viz.positions.rotary import Rotary
from alibi_viz.rules import slopes
from tests.parity import published

SIZES = {"num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 64}
LLAMA: dict[str, Any] = SIZES | {"model_type": "llama"}


def test_the_slopes_are_those_that_bloom_and_mpt_compute_and_falcon_divides_them() -> None:
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
def test_scaled_rope_has_the_frequencies_of_transformers_in_both_spellings(kind: str, spelling: str) -> None:
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


@pytest.mark.parametrize(
    ("most", "factor", "base", "lengths"),
    [
        (32768, 8.0, 1e4, (4096, 32768)),  # as LLaMA-2-7B-32K
        (4096, 4.0, 1e4, (4096, 16384)),  # as Vicuna 16K
        (4096, 2.0, 1e4, (None, None)),  # Llama made longer, or Llama 2
        (32768, 4.0, 1e6, (None, None)),  # Mistral made longer, or a shorter model
        (32768, 8.0, 1e6, (None, None)),
    ],
)
def test_the_lengths_of_linear_scaling_are_said_where_they_are_known(
    most: int, factor: float, base: float, lengths: tuple[int | None, int | None]
) -> None:
    scaling = {"type": "linear", "factor": factor}
    found = from_dict(LLAMA | {"max_position_embeddings": most, "rope_theta": base, "rope_scaling": scaling})
    assert (found.train_length, found.scaled_length) == lengths
    assert found.known


def test_two_lengths_that_contradict_each_other_are_both_listed_and_none_is_said() -> None:
    found = from_dict(LLAMA | {"max_position_embeddings": 8192, "model_max_length": 131072})
    assert found.train_length is None
    assert found.unread == ("max_position_embeddings = 8192", "model_max_length = 131072")
    assert from_dict(LLAMA | {"max_position_embeddings": 8192, "model_max_length": 8192}).unread == ()


def test_of_many_fields_the_first_are_listed() -> None:
    found = from_dict(LLAMA | {f"rope_{number}": number for number in range(30)})
    assert (len(found.unread), found.unread[-1]) == (21, "10 more")


def test_a_decoder_that_says_it_is_not_causal_is_not_and_an_unknown_type_says_nothing_of_it() -> None:
    assert from_dict(LLAMA).causal is True
    assert from_dict(LLAMA | {"is_causal": False}).causal is False
    found = from_dict(LLAMA | {"model_type": "new", "rope_theta": 1e4, "causal": False})
    assert found.causal is None
    assert found.unread == ("causal = false",)


def test_bloom_without_a_causal_mask_keeps_the_form_of_its_class() -> None:
    """Whose bias rewards the future then: it depends on the key alone."""
    found = from_dict(SIZES | {"model_type": "bloom", "is_causal": False})
    assert "form" not in found.options


def test_a_llama_with_the_drop_in_has_alibi() -> None:
    found = from_dict(LLAMA | {"rope_parameters": {"rope_type": "alibi"}})
    assert (found.method, found.rope_off, found.slopes) == ("alibi", True, tuple(slopes(8)))


def test_an_unknown_type_says_what_its_file_says() -> None:
    found = from_dict(LLAMA | {"model_type": "a/<b>", "rope_theta": 5e5})
    assert (found.known, found.family, found.method, found.options["base"]) == (False, "a__b_", "rope", 5e5)


@pytest.mark.parametrize(("name", "kind"), [("t5_small", "T5Config"), ("gpt2", "GPT2Config")])
def test_an_example_has_the_defaults_that_its_source_names(name: str, kind: str) -> None:
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
def test_a_bad_file_gets_one_sentence(text: str | bytes, words: str) -> None:
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
def test_any_value_of_any_field_is_read_and_can_be_built_or_is_refused(name: str, changes: dict[str, Any]) -> None:
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
def test_the_layers_with_a_window_are_those_that_inkling_lists(listed: list[int] | None) -> None:
    raw = {"model_type": "inkling_text", "sliding_window": 512, "num_hidden_layers": 12, "num_attention_heads": 8}
    raw |= {"hidden_size": 64, "local_layer_ids": listed}
    theirs = published.AutoConfig.for_model(**raw).layer_types
    found = from_dict(raw)
    assert found.unread == ()
    assert found.window_layers == tuple(at for at, kind in enumerate(theirs, start=1) if kind == "hybrid_sliding")

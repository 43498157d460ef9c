"""What `drop_in_transformers` says of the model types of `transformers`: right, or refused, and never silently wrong."""

import importlib
import re

import pytest
import torch

from alibi_viz import check_model
from alibi_viz.drop_in.drop_in import alibi_slopes
from tests.cases import some
from tests.parity import published

HEADS, MOST = 4, 2 * 10**7  # heads, and weights of a model that is built
#: What makes a model small, by the names that configs have for it.
SIZES = {
    64: "hidden_size n_embd d_model vocab_size vocab_size_per_layer_input intermediate_size ffn_dim word_embed_proj_dim "
    "max_position_embeddings n_positions n_ctx max_seq_len",
    32: "moe_intermediate_size kv_lora_rank q_lora_rank",
    16: "sliding_window hidden_size_per_layer_input v_head_dim",
    8: "rotary_dim laurel_rank qk_rope_head_dim qk_nope_head_dim",
    HEADS: "num_attention_heads n_head n_heads num_heads num_hidden_layers n_layer n_layers num_layers num_experts "
    "num_local_experts n_routed_experts moe_num_experts",
    2: "num_key_value_heads num_experts_per_tok eos_token_id",
    1: "n_group topk_group n_shared_experts first_k_dense_replace bos_token_id",
    0: "pad_token_id num_kv_shared_layers",
}
SMALL = {name: size for size, names in SIZES.items() for name in names.split()}
SMALL |= {"attention_types": [[["global", "local"], 2]]}
LATENT = {"num_key_value_heads": HEADS}  # latent attention (DeepSeek): every head has keys of its own

RIGHT = "llama mistral mixtral qwen2 qwen3 gemma olmo2 gpt_neox gpt_neox_japanese".split()
RIGHT += "phi stablelm persimmon nemotron glm".split()  # part of a head is rotated
RIGHT += "cohere2 smollm3 exaone4 llama4_text".split()  # some layers have no RoPE
RIGHT += ["deepseek_v3"]  # latent attention
BY_LAYER_TYPE = "gemma3_text olmo3 gemma4_text modernbert-decoder".split()
#: One of each kind: `make test` has these alone.
FIRST = ("llama", "gemma", "gpt_neox", "phi", "cohere2", "deepseek_v3", "gemma3_text", "modernbert-decoder")
REFUSED = {
    "gpt2": "GPT2Config declares no rope_parameters",  # a learned table, as the next three
    "opt": "OPTConfig declares no rope_parameters",
    "bert": "BertConfig declares no rope_parameters",
    "biogpt": "BioGptConfig declares no rope_parameters",
    "bloom": "BloomConfig declares no rope_parameters",  # ALiBi already, as MPT
    "mpt": "MptConfig declares no rope_parameters",
    "bart": "BartConfig declares no rope_parameters",
    "gemma3_text": "RoPE is still on in this config for full_attention, sliding_attention",
    "olmo3": "RoPE is still on in this config for full_attention, sliding_attention",
    "gpt_oss": "GptOssAttention adds s_aux",  # attention sinks
    "gemma2": "does not support `softcap`",
    "falcon": "'alibi'",  # a KeyError of transformers, as the next two: their attention is chosen from a list
    "gptj": "'alibi'",
    "gpt_neo": "'alibi'",
    "phi3": "type field must be one of",  # as the docstring quotes it, and the next one
    "phimoe": "short_mscale field must be a number",
}


def tiny(family, options):
    """A small model of the family with random weights. Raises ValueError if it would be large."""
    kind = type(published.AutoConfig.for_model(family))
    names = {name for base in kind.__mro__ for name in getattr(base, "__annotations__", {})} | {*kind.attribute_map}
    sizes = SMALL | (LATENT if "qk_rope_head_dim" in names else {} if "head_dim" not in names else {"head_dim": 16})
    config = published.AutoConfig.for_model(family, **{n: size for n, size in sizes.items() if n in names}, **options)
    with torch.device("meta"):
        model = published.AutoModelForCausalLM.from_config(config, attn_implementation="alibi")
    if sum(weight.numel() for weight in model.parameters()) > MOST:
        raise ValueError("The model is large.")
    torch.manual_seed(0)
    return published.AutoModelForCausalLM.from_config(config, attn_implementation="alibi").eval()


def checked(model):
    """With the windows that its config declares."""
    types, width = getattr(model.config, "layer_types", None), getattr(model.config, "sliding_window", None)
    return check_model(model, window=[width if "sliding" in kind else None for kind in types] if types else width)


@pytest.mark.parametrize("family", some([*RIGHT, *BY_LAYER_TYPE], *FIRST))
def test_these_are_right(ours, family):
    model = tiny(family, ours.ALIBI_BY_LAYER_TYPE if family in BY_LAYER_TYPE else ours.ALIBI)
    ours.check_positions(model)
    found = checked(model)
    assert found.status == "clean"
    kinds = tuple(kind for kind in found.kinds if kind not in ("window", "normalised"))
    assert kinds == ("causal", "linear", "code", "padding_same", "cache_same", "long_same")
    assert found.slopes == pytest.approx(alibi_slopes(HEADS), rel=1e-3)


@pytest.mark.parametrize("family", REFUSED)
def test_these_are_refused(ours, family):
    """Ours in one sentence."""
    with pytest.raises(Exception, match=REFUSED[family]) as raised:
        tiny(family, ours.ALIBI)(torch.arange(1, 9)[None])
    if "drop_in" in str(raised.traceback[-1].path):
        assert re.fullmatch(r"[^\n]+\.", str(raised.value))


@pytest.mark.parametrize("family", ["phi3", "phimoe"])
def test_a_dictionary_that_nothing_reads_is_no_switch(ours, family):
    """These configs take it beside RoPE's own type, which stays on."""
    with pytest.raises(ValueError, match="RoPE is still on"):
        tiny(family, ours.ALIBI_BY_LAYER_TYPE)(torch.arange(1, 9)[None])


def test_a_model_that_ignores_the_name_is_found_by_its_check(ours):
    """CPM-Ant asks no one for its attention: nothing of ours is called."""
    model = tiny("cpmant", {"dim_model": 64, "dim_ff": 64, "dim_head": 16} | dict(ours.ALIBI))
    with pytest.raises(ValueError, match="CpmAntConfig declares no rope_parameters"):
        ours.check_positions(model)


@pytest.mark.slow
def test_no_model_type_of_transformers_is_wrong_without_a_word(ours):
    """All that can be built small: right with one of the two options, refused, or with recurrent layers beside ALiBi."""
    mapping = importlib.import_module("transformers.models.auto.modeling_auto").MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    right, recurrent, wrong = [], [], {}
    # Patches of bytes; minutes on a CPU; a cache that is cut where its mask is not.
    left_out = {"blt", "kimi_linear", "moshi"}
    for family in sorted({*mapping} - left_out):
        for options in (ours.ALIBI, ours.ALIBI_BY_LAYER_TYPE):
            try:
                model = tiny(family, options)
                ours.check_positions(model)
            except Exception:  # refused, by us or by transformers
                continue
            found = checked(model)
            if found.status == "clean":
                right.append(family)
            elif {"linear", "absolute"} <= {*found.kinds} and "rotated" not in found.kinds:
                recurrent.append(family)
            elif not {"not_run", "unseen", "group_order"} & {*found.kinds}:  # DiffLlama shares values by turns
                wrong[family] = found.kinds
    assert not wrong
    assert len({*right}) > 50
    assert {"lfm3", "qwen3_next"} <= {*recurrent}

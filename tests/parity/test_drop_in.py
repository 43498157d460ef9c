"""The blocks to take away, against `transformers`: what they say of its model types is right or refused, never wrong."""

import importlib
import re

import pytest
import torch

from alibi_viz import check_model
from alibi_viz.checkpoints.config import read
from alibi_viz.drop_in.drop_in import RopeAttention, alibi_slopes, rope_cos_sin
from tests.cases import some
from tests.parity import published

SHAPE = {"hidden_size": 48, "num_attention_heads": 6, "num_key_value_heads": 2}
TOKENS = 21


def tiny_llama(**options):
    torch.manual_seed(0)
    sizes = {"vocab_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "pad_token_id": 0, "eos_token_id": None}
    return published.LlamaForCausalLM(
        published.LlamaConfig(**SHAPE, **sizes, max_position_embeddings=64, **options)
    ).eval()


@pytest.fixture(scope="module")
def alibi_llama(ours):
    return tiny_llama(**ours.ALIBI)


def prompt(batch=2):
    return torch.randint(1, 64, (batch, TOKENS), generator=torch.Generator().manual_seed(1))


def test_the_rope_block_is_llama_s():
    config = published.LlamaConfig(**SHAPE, attn_implementation="sdpa")
    theirs = published.LlamaAttention(config, layer_idx=0).eval()
    ours = RopeAttention(48, 6, 2).eval()
    ours.load_state_dict(theirs.state_dict(), strict=True)
    x, positions = torch.randn(2, TOKENS, 48), torch.arange(TOKENS)
    cos_sin = published.LlamaRotaryEmbedding(config)(x, positions[None])
    for own, other in zip(rope_cos_sin(positions, 8), cos_sin, strict=True):
        torch.testing.assert_close(own, other[0], atol=1e-6, rtol=0)
    expected = theirs(x, position_embeddings=cos_sin)[0]
    torch.testing.assert_close(ours(x, cos_sin)[0], expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("how", [{"use_cache": False}, {"cache_implementation": "static"}])
def test_generation_gives_the_same_text_with_every_cache(alibi_llama, how):
    options = {"max_new_tokens": 12, "do_sample": False, "attention_mask": torch.ones(2, TOKENS, dtype=torch.long)}
    expected = alibi_llama.generate(prompt(), **options)
    assert torch.equal(alibi_llama.generate(prompt(), **options, **how), expected)


def test_a_saved_model_needs_the_name_again(alibi_llama, tmp_path):
    alibi_llama.save_pretrained(tmp_path)
    expected = alibi_llama(prompt()).logits
    again = published.LlamaForCausalLM.from_pretrained(tmp_path, attn_implementation="alibi").eval()
    torch.testing.assert_close(again(prompt()).logits, expected)
    with pytest.raises(ValueError, match='load it with attn_implementation="alibi"'):
        published.LlamaForCausalLM.from_pretrained(tmp_path)
    found = read((tmp_path / "config.json").read_text())
    assert (found.method, found.rope_off, found.known) == ("alibi", True, True)
    assert list(found.slopes) == alibi_slopes(6)


def test_an_encoder_has_the_symmetric_bias(ours):
    """With padding and without, where transformers would make no mask at all. Read backwards, a text gives the same."""
    encoder = tiny_llama(is_causal=False, **ours.ALIBI).model
    tokens, mask = prompt(), torch.ones(2, TOKENS, dtype=torch.long)
    states = encoder(tokens).last_hidden_state
    torch.testing.assert_close(encoder(tokens.flip(1)).last_hidden_state.flip(1), states, atol=1e-5, rtol=0)
    mask[0, :7] = 0
    padded = encoder(tokens, attention_mask=mask).last_hidden_state
    torch.testing.assert_close(padded[1], states[1], atol=1e-5, rtol=0)
    torch.testing.assert_close(padded[:1, 7:], encoder(tokens[:1, 7:]).last_hidden_state, atol=1e-5, rtol=0)
    found = check_model(encoder, causal=False)
    assert (found.status, "symmetric" in found.kinds) == ("clean", True)


def test_a_mask_without_a_bias_is_refused(alibi_llama):
    """One that is ready, [B, 1, T, T], is taken by transformers as it is: ALiBi would be lost."""
    ready = torch.zeros(2, 1, TOKENS, TOKENS).masked_fill(torch.ones(TOKENS, TOKENS).triu(1).bool(), -torch.inf)
    with pytest.raises(ValueError, match="no ALiBi in the mask"):
        alibi_llama(prompt(), attention_mask=ready)


def test_a_config_gets_a_dictionary_of_its_own(ours):
    """Phi writes its share of rotated numbers into it."""
    published.PhiConfig(**ours.ALIBI)
    assert "partial_rotary_factor" not in published.LlamaConfig(**ours.ALIBI).rope_parameters


def test_rope_that_a_module_has_on_its_own_is_found(ours):
    model = tiny_llama(**ours.ALIBI)
    ours.check_positions(model)
    model.model.rotary_emb.inv_freq += 1
    with pytest.raises(ValueError, match=r"model\.rotary_emb\.inv_freq is not zero"):
        ours.check_positions(model)


@pytest.mark.parametrize("heads", [6, 8])
def test_alibi_bias_max_is_mpt_s(ours, heads, tmp_path):
    """Up to a constant a row, and after the config was saved and read."""
    assert [ours.alibi_slopes(n, 16) for n in range(1, 65)] == [alibi_slopes(n, 16) for n in range(1, 65)]
    theirs = published.build_mpt_alibi_tensor(heads, TOKENS, alibi_bias_max=16).view(heads, 1, TOKENS)
    shape = SHAPE | {"num_attention_heads": heads}
    published.LlamaConfig(**shape, alibi_bias_max=16, **ours.ALIBI).save_pretrained(tmp_path)
    config = published.LlamaConfig.from_pretrained(tmp_path)
    options = {"device": torch.device("cpu"), "dtype": torch.float32, "config": config}
    bias = ours.alibi_mask(1, TOKENS, TOKENS, **options)[0]
    shifted = theirs - theirs.expand(heads, TOKENS, TOKENS).diagonal(dim1=1, dim2=2)[..., None]
    torch.testing.assert_close(bias.tril(), shifted.tril(), atol=1e-5, rtol=1e-5)
    found = read((tmp_path / "config.json").read_text())
    assert list(found.slopes) == pytest.approx(alibi_slopes(heads, 16))


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

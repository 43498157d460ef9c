"""Families of published models: each config.json gets the right name, or “not known”; what is not computed is named."""

from __future__ import annotations

import re
from typing import Any

import pytest

from alibi_viz.checkpoints.config import from_dict
from alibi_viz.checkpoints.table import FAMILIES
from alibi_viz.positions.alibi import slopes
from tests.parity import published

EVERY_4TH = tuple(range(4, 49, 4))
#: The model types whose classes in transformers have this method. Each was read in its modeling file.
CLASSES = {
    "alibi": "bloom mpt",
    "rope": """falcon llama mistral ministral mixtral qwen2 qwen2_moe qwen3 qwen3_moe gemma gemma2 gemma3 phi phi3 phimoe
        gpt_neox stablelm persimmon nemotron granite granitemoe starcoder2 olmo olmo2 olmo3 olmoe dbrx gpt_oss gptj codegen
        cohere cohere2 glm glm4 helium deepseek_v2 deepseek_v3 modernbert smollm3 exaone4 llama4""",
    "learned": "bert gpt2 gpt_neo gpt_bigcode opt roberta xlm-roberta camembert",
    "t5": "t5 mt5",
    "relative": "xlnet",
    "none": "granitemoehybrid",
}
#: What else is read of a class's own numbers, where it is its own.
FACTS: dict[str, dict[str, object]] = {
    "mpt": {"train_length": 2048},
    "falcon": {"kv_heads": 1},
    "bert": {"causal": False, "train_length": 512},
    "granitemoehybrid": {"not_computed": ("linear_attention layers",), "nope_layers": ()},
    "llama": {"base": 1e4, "window": None},
    "mistral": {"window": 4096, "window_layers": tuple(range(1, 33))},
    "gemma": {"head_dim": 256},
    "gemma2": {"window_layers": tuple(range(1, 27, 2))},
    "gemma3": {"base": 1e6, "local_base": 1e4, "window": 4096},
    "phi": {"rotary_dim": 32},
    "gpt_neox": {"rotary_dim": 24},
    "gpt_oss": {"base": 1.5e5, "not_computed": ("truncate = false",), "window_layers": tuple(range(1, 37, 2))},
    "gptj": {"rotary_dim": 64, "layout": "interleaved", "not_computed": ()},
    "cohere": {"base": 5e5, "layout": "interleaved"},
    "cohere2": {"nope_layers": EVERY_4TH[:10], "window": 4096},
    "glm": {"rotary_dim": 64, "layout": "interleaved"},
    "deepseek_v2": {"head_dim": 192, "rotary_dim": 64},
    "deepseek_v3": {"head_dim": 192, "not_computed": ("multi-head latent attention (MLA)",)},
    "modernbert": {"base": 1.6e5, "local_base": 1e4, "window": 128, "causal": False},
    "smollm3": {"nope_layers": EVERY_4TH[:9], "window": None},
    "llama4": {"nope_layers": EVERY_4TH, "window": 8192, "not_computed": ("attn_temperature_tuning",)},
    "gpt_neo": {"window": 256, "window_layers": tuple(range(2, 25, 2))},
    "gpt_bigcode": {"kv_heads": 1},
    "roberta": {"train_length": 510, "causal": False},
    "t5": {"num_buckets": 32, "max_distance": 128},
    "xlnet": {"not_computed": ("Relative positions (XLNet, DeBERTa)",)},
}
SILENT = {"rope_parameters", "rotary_dim", "layer_types", "no_rope_layers", "no_rope_layer_interval"}


def sizes(model_type: str, layers: int, heads: int, width: int, length: int, **more: Any) -> dict[str, Any]:
    named = {"model_type": model_type, "num_hidden_layers": layers, "num_attention_heads": heads, "hidden_size": width}
    return named | {"max_position_embeddings": length} | more


BAICHUAN = {"model_type": "baichuan", "num_attention_heads": 40, "hidden_size": 5120, "model_max_length": 4096}
BERT = sizes("bert", 12, 12, 768, 512, position_embedding_type="absolute")
MISTRAL = sizes("mistral", 32, 32, 4096, 32768, num_key_value_heads=8, rope_theta=1e4, sliding_window=4096)
REPLIT = {"model_type": "mpt", "d_model": 3072, "n_heads": 24, "n_layers": 32, "max_seq_len": 4096}
REPLIT |= {"attn_config": {"alibi": True, "alibi_bias_max": 8, "attn_type": "grouped_query_attention", "kv_n_heads": 8}}
DEEPSEEK = sizes("deepseek_v3", 61, 128, 7168, 163840, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64)
YARN = {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "mscale": 1.0, "mscale_all_dim": 1.0}
LLAMA_4 = sizes("llama4_text", 48, 40, 5120, 10485760, num_key_value_heads=8, rope_theta=5e5, no_rope_layers=[])
LLAMA_31 = {"rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0, "factor": 8.0}
LLAMA_31 |= {"original_max_position_embeddings": 8192, "rope_theta": 1e4}
GEMMA_3 = {"model_type": "gemma3_text", "hidden_size": 2560, "num_hidden_layers": 34, "sliding_window": 1024}
GEMMA_3 |= {"rope_scaling": {"factor": 8.0, "rope_type": "linear"}}
GRANITE_4 = sizes("granitemoehybrid", 4, 4, 64, 256, position_embedding_type="nope", rope_theta=10000)
GRANITE_4 |= {"layer_types": ["mamba", "attention", "mamba", "mamba"]}
PHI_3 = sizes("phi3", 32, 32, 3072, 131072, original_max_position_embeddings=4096, rope_scaling={"type": "longrope"})
#: The fields of published files, in the spelling of their time -> what is read. Sources: litgpt/config.py of LitGPT (which
#: names each config.json), the repositories of llm-foundry, MosaicBERT, candle (Jina v2), mlx-lm and DISC-FinLLM
#: (Baichuan2), and the modeling files of transformers.
FILES: list[tuple[dict[str, Any], str, dict[str, object]]] = [
    (BAICHUAN, "alibi", {"heads": 40, "layers": None, "train_length": 4096, "slopes": tuple(slopes(40))}),
    (BAICHUAN | {"num_attention_heads": 32, "hidden_size": 4096}, "rope", {"head_dim": 128}),
    (BAICHUAN | {"auto_map": {"AutoModelForCausalLM": "modeling_baichuan.M"}}, "alibi", {"runs_code": True}),
    (BERT, "learned", {"train_length": 512}),
    (BERT | {"alibi_starting_size": 512}, "alibi", {"form": "symmetric", "slopes": tuple(slopes(12))}),  # MosaicBERT
    (BERT | {"position_embedding_type": "alibi"}, "alibi", {"causal": False, "form": "symmetric"}),  # Jina v2
    (BERT | {"position_embedding_type": "relative_key"}, "relative", {}),
    (REPLIT, "alibi", {"kv_heads": 8}),
    (sizes("falcon", 24, 32, 2048, 2048, alibi=True, multi_query=False), "alibi", {"kv_heads": 32}),
    (MISTRAL, "rope", {"kv_heads": 8, "head_dim": 128, "base": 1e4, "window": 4096}),
    (MISTRAL | {"num_hidden_layers": None}, "rope", {"window": 4096, "window_layers": None}),
    (sizes("qwen2", 24, 14, 896, 32768, num_key_value_heads=2, rope_theta=1e6), "rope", {"kv_heads": 2, "base": 1e6}),
    (sizes("phi", 32, 32, 2560, 2048, partial_rotary_factor=0.4), "rope", {"head_dim": 80, "rotary_dim": 32}),
    (DEEPSEEK | {"rope_scaling": YARN}, "rope", {"train_length": 4096, "scaled_length": 163840, "scaling": "yarn"}),
    (LLAMA_4 | {"rope_scaling": LLAMA_31 | {"high_freq_factor": 1.0}}, "rope", {"scaled_length": 10485760}),
    ({"model_type": "llama4", "text_config": LLAMA_4}, "rope", {"nope_layers": EVERY_4TH}),
    (sizes("llama", 32, 32, 4096, 131072, rope_scaling=LLAMA_31), "rope", {"train_length": 8192}),
    ({"model_type": "gemma3", "text_config": GEMMA_3}, "rope", {"heads": 8, "kv_heads": 4, "train_length": None}),
    (GEMMA_3 | {"use_bidirectional_attention": True}, "rope", {"causal": False, "scaled_length": 131072}),
    (PHI_3, "rope", {"train_length": 4096, "scaled_length": 131072, "not_computed": ("rope_type = longrope",)}),
    (GRANITE_4, "none", {"nope_layers": (2,), "not_computed": ("mamba layers",)}),
    (GRANITE_4 | {"position_embedding_type": "rope", "layer_types": ["attention"] * 4}, "rope", {"not_computed": ()}),
    (sizes("deberta-v2", 12, 12, 768, 512, relative_attention=True), "relative", {}),
    ({"model_type": "llava", "text_config": MISTRAL}, "rope", {"family": "llava"}),
]
#: What names another method than its type has, or no type that the table has: its method, and not known.
NOT_KNOWN = [
    (sizes("llama", 2, 8, 64, 512, use_alibi=True), "alibi"),
    (sizes("gpt2", 2, 8, 64, 512, position_embedding_type="rope"), "rope"),
    (sizes("mistral", 2, 8, 64, 512, position_embedding_type="nope"), "none"),
    (sizes("btlm", 2, 8, 64, 512, position_embedding_type="alibi"), "alibi"),
]
SAYS_NOTHING = [
    {"model_type": "mpt", "d_model": 64, "n_heads": 8, "n_layers": 2},  # its own code: learned; transformers: ALiBi
    BAICHUAN | {"hidden_size": 1024},
    sizes("esm", 2, 8, 64, 512, rope_theta=1e4, position_embedding_type="absolute"),
    sizes("new", 2, 8, 64, 512, alibi=False),
]


def check(raw: dict[str, Any], method: str, facts: dict[str, object]) -> None:
    found = from_dict(raw)
    assert (found.method, found.known) == (method, True)
    for name, expected in facts.items():
        assert (getattr(found, name) if hasattr(found, name) else found.options.get(name)) == expected, name
    if found.not_computed:
        with pytest.raises(ValueError, match=re.escape(found.not_computed[0])):
            found.build()
    elif method != "learned":
        assert found.build().heads == found.heads


@pytest.mark.parametrize(("model_type", "method"), [(name, key) for key in CLASSES for name in CLASSES[key].split()])
def test_a_family_is_read_as_its_class_computes_it_also_where_a_file_is_silent(model_type: str, method: str) -> None:
    """Without the base, the rotated part and the pattern, what is read is what the class takes."""
    theirs = published.AutoConfig.for_model(model_type)
    raw = theirs.to_dict()
    check(raw, method, FACTS.get(model_type, {}))
    found, theirs = from_dict(raw), getattr(theirs, "text_config", theirs)
    sized = (theirs.num_hidden_layers, theirs.num_attention_heads, theirs.hidden_size)
    assert (found.layers, found.heads, found.width) == sized
    assert found.kv_heads == (getattr(theirs, "num_key_value_heads", None) or found.kv_heads)
    if model_type in ("bloom", "dbrx"):  # whose usual numbers stand elsewhere
        return
    own = model_type in ("gpt_oss", "gpt_neo", "granitemoehybrid")  # the class itself asks for these fields
    silent = {"sliding_window_pattern"} | (set() if own else SILENT)
    less = from_dict({name: value for name, value in raw.get("text_config", raw).items() if name not in silent})
    for name in ("options", "local_base", "window", "window_layers", "nope_layers", "kv_heads"):
        assert getattr(less, name) == getattr(found, name), name


@pytest.mark.parametrize("number", range(len(FILES)))
def test_the_fields_of_published_files(number: int) -> None:
    check(*FILES[number])


def test_every_row_of_the_table_is_tried() -> None:
    files = {raw.get("text_config", raw)["model_type"] for raw, _, _ in FILES}
    assert {*FAMILIES} <= {*" ".join(CLASSES.values()).split()} | files | {"deberta"}


@pytest.mark.parametrize(("raw", "method"), NOT_KNOWN)
def test_what_contradicts_its_type_is_not_known(raw: dict[str, Any], method: str) -> None:
    found = from_dict(raw)
    assert (found.method, found.known) == (method, False)


@pytest.mark.parametrize("raw", SAYS_NOTHING)
def test_what_names_no_single_method_is_refused(raw: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="its config"):
        from_dict(raw)

"""Thirty families and more: each config.json gets the right name, or “not known”; what is not computed is named."""

from __future__ import annotations

import re

import pytest

from alibi_viz.checkpoints.config import from_dict
from alibi_viz.checkpoints.table import FAMILIES
from alibi_viz.positions.alibi import slopes
from tests.checkpoints.published import PUBLISHED, sizes
from tests.parity import published

EVERY_4TH = tuple(range(4, 49, 4))


def as_written(model_type: str, **fields: object) -> dict:
    """A configuration as the class of transformers writes it."""
    return published.AutoConfig.for_model(model_type, **fields).to_dict()


SCALED = {"rope_theta": 1e4, "factor": 8.0, "original_max_position_embeddings": 8192}
#: model type -> the method, and what else is read of its class's own numbers. Each was read in its modeling file.
WRITTEN: dict[str, tuple[str, dict[str, object]]] = {
    "bloom": ("alibi", {"heads": 8}),
    "mpt": ("alibi", {"train_length": 2048}),
    "falcon": ("rope", {"kv_heads": 1}),
    "bert": ("learned", {"causal": False, "train_length": 512}),
    "granitemoehybrid": ("none", {"not_computed": ("linear_attention layers",), "nope_layers": ()}),
    "llama": ("rope", {"base": 1e4, "window": None}),
    "mistral": ("rope", {"window": 4096, "window_layers": tuple(range(1, 33))}),
    "ministral": ("rope", {"window": 4096}),
    "mixtral": ("rope", {"base": 1e6, "window": None}),
    "qwen2": ("rope", {"window": None}),
    "qwen2_moe": ("rope", {"window": None}),
    "qwen3": ("rope", {"window": None}),
    "qwen3_moe": ("rope", {"kv_heads": 4}),
    "gemma": ("rope", {"head_dim": 256}),
    "gemma2": ("rope", {"window_layers": tuple(range(1, 27, 2))}),
    "gemma3": ("rope", {"base": 1e6, "local_base": 1e4, "window": 4096}),
    "phi": ("rope", {"rotary_dim": 32}),
    "phi3": ("rope", {"train_length": 4096}),
    "phimoe": ("rope", {"base": 1e6}),
    "gpt_neox": ("rope", {"rotary_dim": 24}),
    "stablelm": ("rope", {"rotary_dim": 20}),
    "persimmon": ("rope", {"rotary_dim": 32}),
    "nemotron": ("rope", {"rotary_dim": 64}),
    "granite": ("rope", {}),
    "granitemoe": ("rope", {}),
    "starcoder2": ("rope", {"kv_heads": 2}),
    "olmo": ("rope", {}),
    "olmo2": ("rope", {}),
    "olmo3": ("rope", {"base": 5e5, "window": 4096, "local_base": None}),
    "olmoe": ("rope", {}),
    "dbrx": ("rope", {"kv_heads": 1}),
    "gpt_oss": (
        "rope",
        {"base": 1.5e5, "not_computed": ("truncate = false",), "window_layers": tuple(range(1, 37, 2))},
    ),
    "gptj": ("rope", {"rotary_dim": 64, "layout": "interleaved", "not_computed": ()}),
    "codegen": ("rope", {"rotary_dim": 64, "layout": "interleaved"}),
    "cohere": ("rope", {"base": 5e5, "layout": "interleaved"}),
    "cohere2": ("rope", {"nope_layers": EVERY_4TH[:10], "window": 4096}),
    "glm": ("rope", {"rotary_dim": 64, "layout": "interleaved"}),
    "glm4": ("rope", {"rotary_dim": 64, "kv_heads": 2}),
    "helium": ("rope", {"base": 1e5, "layout": "interleaved"}),
    "deepseek_v2": ("rope", {"head_dim": 192, "rotary_dim": 64}),
    "deepseek_v3": ("rope", {"head_dim": 192, "not_computed": ("multi-head latent attention (MLA)",)}),
    "modernbert": ("rope", {"base": 1.6e5, "local_base": 1e4, "window": 128, "causal": False}),
    "smollm3": ("rope", {"nope_layers": EVERY_4TH[:9], "window": None}),
    "exaone4": ("rope", {"nope_layers": EVERY_4TH[:8]}),
    "llama4": ("rope", {"nope_layers": EVERY_4TH, "window": 8192, "not_computed": ("attn_temperature_tuning",)}),
    "gpt2": ("learned", {"train_length": 1024}),
    "gpt_neo": ("learned", {"window": 256, "window_layers": tuple(range(2, 25, 2))}),
    "gpt_bigcode": ("learned", {"kv_heads": 1}),
    "opt": ("learned", {"train_length": 2048}),
    "roberta": ("learned", {"train_length": 510}),
    "xlm-roberta": ("learned", {"causal": False}),
    "camembert": ("learned", {"causal": False}),
    "t5": ("t5", {"num_buckets": 32, "max_distance": 128}),
    "mt5": ("t5", {"heads": 6}),
    "xlnet": ("relative", {"not_computed": ("Relative positions (XLNet, DeBERTa)",)}),
}
LLAMA_4 = sizes("llama4_text", 48, 40, 5120, 10485760, num_key_value_heads=8, rope_theta=5e5, no_rope_layers=[])
DEEPSEEK = sizes("deepseek_v3", 61, 128, 7168, 163840, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64)
YARN = {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "mscale": 1.0, "mscale_all_dim": 1.0}
MODERNBERT = sizes("modernbert", 22, 12, 768, 8192, position_embedding_type="absolute", global_rope_theta=160000.0)
MODERNBERT |= {"local_rope_theta": 10000.0, "local_attention": 128, "global_attn_every_n_layers": 3}
BERT = sizes("bert", 12, 12, 768, 512, position_embedding_type="absolute")
BAICHUAN = {"model_type": "baichuan", "num_attention_heads": 40, "hidden_size": 5120, "model_max_length": 4096}
GRANITE_4 = sizes("granitemoehybrid", 4, 4, 64, 256, position_embedding_type="nope", rope_theta=10000)
GRANITE_4 |= {"layer_types": ["mamba", "attention", "mamba", "mamba"]}
REPLIT = {"model_type": "mpt", "d_model": 3072, "n_heads": 24, "n_layers": 32, "max_seq_len": 4096}
REPLIT |= {"attn_config": {"alibi": True, "alibi_bias_max": 8, "attn_type": "grouped_query_attention", "kv_n_heads": 8}}
LLAMA_31 = {"rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0, **SCALED}
GEMMA_3 = {"model_type": "gemma3_text", "hidden_size": 2560, "num_hidden_layers": 34, "sliding_window": 1024}
GEMMA_3 |= {"rope_scaling": {"factor": 8.0, "rope_type": "linear"}}
#: The fields of published files, in the spelling of their time -> what is read. Sources: tests/checkpoints/published.py,
#: the repositories of llm-foundry, MosaicBERT, candle and mlx-lm, and the modeling files of transformers.
FILES: list[tuple[dict, str, dict[str, object]]] = [
    (BAICHUAN, "alibi", {"heads": 40, "layers": None, "train_length": 4096, "slopes": tuple(slopes(40))}),
    (BAICHUAN | {"num_attention_heads": 32, "hidden_size": 4096}, "rope", {"head_dim": 128}),
    (BERT, "learned", {"train_length": 512}),
    (BERT | {"alibi_starting_size": 512}, "alibi", {"form": "symmetric", "slopes": tuple(slopes(12))}),  # MosaicBERT
    (BERT | {"position_embedding_type": "alibi"}, "alibi", {"causal": False}),  # Jina v2
    (BERT | {"position_embedding_type": "relative_key"}, "relative", {}),
    (
        MODERNBERT,
        "rope",
        {"base": 1.6e5, "local_base": 1e4, "window_layers": tuple(n for n in range(1, 23) if (n - 1) % 3)},
    ),
    (REPLIT, "alibi", {"kv_heads": 8}),
    (sizes("falcon", 24, 32, 2048, 2048, alibi=True, multi_query=False), "alibi", {"kv_heads": 32}),
    (DEEPSEEK | {"rope_scaling": YARN}, "rope", {"train_length": 4096, "scaled_length": 163840, "scaling": "yarn"}),
    (LLAMA_4 | {"rope_scaling": LLAMA_31 | {"high_freq_factor": 1.0}}, "rope", {"scaled_length": 10485760}),
    ({"model_type": "llama4", "text_config": LLAMA_4}, "rope", {"nope_layers": EVERY_4TH}),
    (
        sizes("llama", 32, 32, 4096, 131072, rope_scaling=LLAMA_31),
        "rope",
        {"train_length": 8192, "scaled_length": 131072},
    ),
    (
        sizes(
            "qwen2", 28, 28, 3584, 32768, rope_scaling=YARN | {"mscale": None, "mscale_all_dim": None, "factor": 4.0}
        ),
        "rope",
        {},
    ),
    (
        {"model_type": "gemma3", "text_config": GEMMA_3},
        "rope",
        {"heads": 8, "kv_heads": 4, "head_dim": 256, "base": 1e6},
    ),
    (
        {"model_type": "gemma3", "text_config": GEMMA_3},
        "rope",
        {"train_length": None, "scaled_length": 131072, "window": 1024},
    ),
    (
        sizes("gemma3_text", 24, 3, 768, 2048, num_key_value_heads=1, use_bidirectional_attention=True),
        "rope",
        {"causal": False},
    ),
    (
        sizes("phi3", 32, 32, 3072, 131072, original_max_position_embeddings=4096, rope_scaling={"type": "longrope"}),
        "rope",
        {"train_length": 4096, "scaled_length": 131072, "not_computed": ("rope_type = longrope",)},
    ),
    (GRANITE_4, "none", {"nope_layers": (2,), "not_computed": ("mamba layers",)}),
    (GRANITE_4 | {"position_embedding_type": "rope", "layer_types": ["attention"] * 4}, "rope", {"not_computed": ()}),
    (sizes("smollm3", 36, 16, 2048, 65536, rope_theta=5e6), "rope", {"base": 5e6, "nope_layers": EVERY_4TH[:9]}),
    (sizes("cohere2", 32, 32, 4096, 8192, sliding_window=4096), "rope", {"nope_layers": EVERY_4TH[:8]}),
    (sizes("deberta-v2", 12, 12, 768, 512, relative_attention=True), "relative", {"known": True}),
    ({"model_type": "llava", "text_config": sizes("mistral", 4, 4, 64, 512)}, "rope", {"family": "llava"}),
    (
        {"model_type": "gptj", "n_embd": 4096, "n_head": 16, "n_layer": 28, "n_positions": 2048},
        "rope",
        {"rotary_dim": 64},
    ),
    (
        PUBLISHED["mistral-7b-v0.1"].config | {"num_hidden_layers": None},
        "rope",
        {"window": 4096, "window_layers": None},
    ),
]
#: What names another method than its type has, or no type that the table has: its method, and not known.
NOT_KNOWN = [
    (sizes("llama", 2, 8, 64, 512, use_alibi=True), "alibi"),
    (sizes("bloom", 2, 8, 64, 512, rope_theta=1e4), "rope"),
    (sizes("bert", 2, 8, 64, 512, rope_theta=1e4), "rope"),
    (sizes("gpt2", 2, 8, 64, 512, position_embedding_type="rope"), "rope"),
    (sizes("mistral", 2, 8, 64, 512, position_embedding_type="nope"), "none"),
    (sizes("t5", 2, 8, 64, 512, alibi=True), "alibi"),
    (sizes("btlm", 2, 8, 64, 512, position_embedding_type="alibi"), "alibi"),
]
SAYS_NOTHING = [
    BERT | {"rope_theta": 1e4},
    {"model_type": "mpt", "d_model": 64, "n_heads": 8, "n_layers": 2},  # its own code: learned; transformers: ALiBi
    BAICHUAN | {"hidden_size": 1024},
    sizes("esm", 2, 8, 64, 512, rope_theta=1e4, position_embedding_type="absolute"),
    sizes("deberta", 2, 8, 64, 512),
    sizes("new", 2, 8, 64, 512, alibi=False),
]


def check(raw: dict, method: str, facts: dict[str, object]) -> None:
    found = from_dict(raw)
    assert (found.method, found.known) == (method, True)
    for name, expected in facts.items():
        assert (getattr(found, name) if hasattr(found, name) else found.options.get(name)) == expected, name
    if found.not_computed:
        with pytest.raises(ValueError, match=re.escape(found.not_computed[0])):
            found.build()
    elif method != "learned":
        assert found.build().heads == found.heads


@pytest.mark.parametrize("model_type", WRITTEN)
def test_the_classes_of_transformers(model_type):
    check(as_written(model_type), *WRITTEN[model_type])
    found, config = from_dict(as_written(model_type)), published.AutoConfig.for_model(model_type)
    config = getattr(config, "text_config", config)
    assert (found.layers, found.heads) == (config.num_hidden_layers, config.num_attention_heads)
    assert found.width == config.hidden_size
    if getattr(config, "num_key_value_heads", None):
        assert found.kv_heads == config.num_key_value_heads


def test_every_row_is_tried():
    files = {raw["model_type"] for raw, _, _ in FILES} | {
        raw["text_config"]["model_type"] for raw, *_ in FILES if "text_config" in raw
    }
    assert {*FAMILIES} <= {*WRITTEN} | files | {"deberta"}


@pytest.mark.parametrize("number", range(len(FILES)))
def test_the_fields_of_published_files(number):
    check(*FILES[number])


@pytest.mark.parametrize(("raw", "method"), NOT_KNOWN)
def test_what_contradicts_its_type_is_not_known(raw, method):
    found = from_dict(raw)
    assert (found.method, found.known) == (method, False)


@pytest.mark.parametrize("raw", SAYS_NOTHING)
def test_what_names_no_single_method_is_refused(raw):
    with pytest.raises(ValueError, match="its config"):
        from_dict(raw)


@pytest.mark.parametrize("model_type", sorted({*WRITTEN} - {"bloom", "dbrx"}))  # whose usual numbers stand elsewhere
def test_a_silent_file_gets_the_numbers_of_its_class(model_type):
    """Without the base, the rotated part and the pattern, what is read is what the class takes."""
    written = as_written(model_type)
    part = written.get("text_config", written)
    silent = {
        "rope_parameters",
        "rotary_dim",
        "layer_types",
        "no_rope_layers",
        "no_rope_layer_interval",
        "sliding_window_pattern",
    }
    if model_type in ("gpt_oss", "gpt_neo", "granitemoehybrid"):
        silent = {"sliding_window_pattern"}
    found, expected = from_dict({name: part[name] for name in part if name not in silent}), from_dict(written)
    for name in ("options", "local_base", "window", "window_layers", "nope_layers", "kv_heads"):
        assert getattr(found, name) == getattr(expected, name), name


def test_lists_of_another_length_are_refused():
    for name in ("layer_types", "no_rope_layers"):
        with pytest.raises(ValueError, match="lists 1 layers of 36"):
            from_dict(sizes("smollm3", 36, 16, 2048, 65536) | {name: ["x"] if name == "layer_types" else [1]})

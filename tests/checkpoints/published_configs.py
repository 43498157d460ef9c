"""Configurations, what is right to say of each, and where that was read: the table of test_table.py.

`CLASSES`: model types of transformers 5.23.0. Their configuration is what the class of the type has without a file; what
is right was read in its modeling file. `FILES`: the fields about position of published files, in the spelling of their
time. A field that nobody has seen in a file is not here. None in place of a method: the file is refused.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from alibi_viz.rules import slopes


class Published(NamedTuple):
    name: str
    config: dict[str, Any]
    method: str | None
    right: dict[str, object]  # attributes of ModelConfig or numbers of its method
    source: str
    known: bool = True


def every(step: int, layers: int, first: int | None = None) -> tuple[int, ...]:
    """Each step-th layer, from `first` on (None: from `step`)."""
    return tuple(range(first or step, layers + 1, step))


def but(step: int, layers: int) -> tuple[int, ...]:
    """All but each step-th layer."""
    return tuple(layer for layer in range(1, layers + 1) if layer % step)


def sizes(model_type: str, layers: int, heads: int, width: int, length: int, **more: Any) -> dict[str, Any]:
    named = {"model_type": model_type, "num_hidden_layers": layers, "num_attention_heads": heads, "hidden_size": width}
    return named | {"max_position_embeddings": length} | more


# ---------------------------------------------------------------------------------------------------------------------
# Classes: what the modeling file of a type does -> the types, and what is read of each beside its method.
NOTHING: dict[str, object] = {}
CLASSES: dict[tuple[str, str], dict[str, dict[str, object]]] = {
    ("alibi", "build_alibi_tensor or build_mpt_alibi_tensor, added to the scores of every layer"): {
        "bloom": NOTHING,
        "mpt": {"train_length": 2048, "ignored": ()},
    },
    ("rope", "apply_rotary_pos_emb on all numbers of a head, halves as pairs, in every layer"): {
        "falcon": {"kv_heads": 1},
        "llama": {"base": 1e4, "window": None, "nope_layers": (), "causal": True},
        "granite": {"base": 1e4},
        "granitemoe": {"base": 1e4},
        "granitemoeshared": {"base": 1e4},
        "olmo": {"base": 1e4},
        "olmo2": {"base": 1e4},
        "olmoe": {"base": 1e4},
        "dbrx": {"kv_heads": 1},
        "arcee": {"base": 1e4, "train_length": 4096},
        "hyperclovax": {"base": 1e4},
        "jais2": {"base": 1e4, "heads": 26, "train_length": 8192},
        "bitnet": {"base": 5e5},
        "flex_olmo": {"base": 5e5},
        "seed_oss": {"head_dim": 128, "train_length": 524288},
        "gemma": {"head_dim": 256},
    },
    ("rope", "the same; `sliding_window` is a mask of the layers of `layer_types`, or of all"): {
        "mistral": {"window": 4096, "window_layers": every(1, 32)},
        "ministral": NOTHING,
        "mixtral": {"base": 1e6},
        "phimoe": {"base": 1e6},
        "phi3": NOTHING,
        "starcoder2": NOTHING,
        "qwen2": {"window": None},
        "qwen2_moe": {"window": None},
        "qwen3": {"window": None},
        "qwen3_moe": {"window": None},
        "gemma2": {"window_layers": every(2, 26, 1)},
        "vaultgemma": {"window_layers": every(2, 26, 1), "head_dim": 256},
        "gemma3": {"base": 1e6, "local_base": 1e4, "window": 4096},
        "gemma3n": {"base": 1e6, "local_base": 1e4, "window": 512, "window_layers": but(5, 35)},
        "olmo3": {"base": 5e5, "window_layers": but(4, 32)},
        "gpt_oss": {"base": 1.5e5, "not_computed": ("truncate = false",), "window_layers": every(2, 36, 1)},
        "ministral3": {
            "train_length": 16384,
            "scaled_length": 262144,
            "not_computed": ("mscale_all_dim = 1.0", "mscale = 1.0", "llama_4_scaling_beta = 0.1"),
        },
        "gemma4": {
            "base": 1e6,
            "local_base": 1e4,
            "window_layers": but(6, 30),
            "not_computed": ("heads of 512 in layers without the window", "rope_type = proportional"),
        },
    },
    ("rope", "a part of each head is rotated, halves as pairs"): {
        "phi": {"rotary_dim": 32},
        "persimmon": {"rotary_dim": 32},
        "nemotron": {"rotary_dim": 64},
        "gpt_neox": {"rotary_dim": 24},
        "stablelm": {"rotary_dim": 20},
        "qwen3_next": {"rotary_dim": 64, "not_computed": ("linear_attention layers",)},
    },
    ("rope", "x[..., 0::2] and x[..., 1::2] are the pairs"): {
        "gptj": {"rotary_dim": 64, "layout": "interleaved", "not_computed": ()},
        "codegen": {"layout": "interleaved"},
        "cohere": {"base": 5e5, "layout": "interleaved"},
        "glm": {"rotary_dim": 64, "layout": "interleaved"},
        "glm4": {"rotary_dim": 64, "layout": "interleaved"},
        "helium": {"base": 1e5, "layout": "interleaved"},
        "ernie4_5": {"base": 5e5, "layout": "interleaved"},
        "ernie4_5_moe": {"base": 5e5, "layout": "interleaved"},
        "deepseek_v2": {"head_dim": 192, "rotary_dim": 64},
        "deepseek_v3": {"head_dim": 192, "not_computed": ("multi-head latent attention (MLA)",)},
    },
    ("rope", "is_causal = False in the attention"): {
        "modernbert": {"base": 1.6e5, "local_base": 1e4, "window": 128, "causal": False},
        "nomic_bert": {"base": 1e3, "causal": False, "train_length": 2048},
    },
    ("rope", "apply_rotary_pos_emb under a condition on the layer; the others have no positions"): {
        "smollm3": {"nope_layers": every(4, 36), "window": None},  # if self.use_rope
        "llama4": {"nope_layers": every(4, 48), "window": 8192, "not_computed": ("attn_temperature_tuning",)},
        "cohere2": {"nope_layers": every(4, 40), "window": 4096},  # if self.sliding_window is not None
        "exaone4": {"nope_layers": every(4, 32), "window": 4096},  # if sliding_window is None or is_sliding
        "exaone_moe": {"window": 4096},
        "afmoe": {"nope_layers": every(4, 32), "window": 1024, "window_layers": but(4, 32)},  # if is_local_attention
        "granite_swa": {"nope_layers": (), "window": 128, "base": 1e4},  # theta_i of the layer, if not 0
        "granitemoe_swa": {"nope_layers": (), "base": 1e4},
        "muse_spark": {"nope_layers": every(4, 62, 2), "window": 2048, "base": 5e5},
        "mistral_large4": {
            "nope_layers": every(4, 72),
            "not_computed": (
                "a learned factor of every RoPE frequency",
                "scores scaled by the logarithm of the position",
                "indexed_attention layers",
                "attention_factor = 1.0",
                "multi-head latent attention (MLA)",
            ),
        },
    },
    ("none", "nothing rotates, and no table of positions"): {
        "granitemoehybrid": {"not_computed": ("linear_attention layers",), "nope_layers": ()},
        "kimi_linear": {
            "nope_layers": every(4, 27, 5),
            "not_computed": ("linear_attention layers",),
            "train_length": 1048576,
        },
        "nemotron_h": NOTHING,
    },
    ("learned", "nn.Embedding of positions, added to the words'"): {
        "gpt2": {"train_length": 1024},
        "openai-gpt": {"train_length": 512},
        "opt": NOTHING,
        "biogpt": {"train_length": 1024},
        "gpt_neo": {"window": 256, "window_layers": every(2, 24)},
        "gpt_bigcode": {"kv_heads": 1},
    },
    ("learned", "the same, and no causal mask; of RoBERTa's table the first two rows are for padding"): {
        "bert": {"causal": False, "train_length": 512},
        "ernie": {"causal": False, "train_length": 512},
        "megatron-bert": {"causal": False, "train_length": 512},
        "roberta": {"train_length": 510, "causal": False},
        "xlm-roberta": {"train_length": 510},
        "camembert": {"train_length": 510},
        "roberta-prelayernorm": {"train_length": 510},
        "data2vec-text": {"train_length": 510},
        "xlm-roberta-xl": {"train_length": 512},
    },
    ("t5", "_relative_position_bucket; the table of the first layer serves all"): {
        "t5": {"num_buckets": 32, "max_distance": 128},
        "mt5": {"num_buckets": 32},
    },
    ("relative", "rel_shift of scores with sinusoidal relative positions"): {
        "xlnet": {"not_computed": ("Relative positions (XLNet, DeBERTa)",)},
    },
    ("mixed", "RelativeLogits: `relative_states @ proj`, zero beyond `rel_extent`; no rotary module"): {
        "inkling_mm_model": {"window": 512, "window_layers": but(6, 66), "train_length": 131072},
        "inkling2": {"window": 1024, "window_layers": but(6, 48), "train_length": 1048576},
    },
}
#: Fields of a class's own numbers without which the same must be read; those that some classes themselves ask for.
SILENT = {
    "rope_parameters",
    "rotary_dim",
    "layer_types",
    "no_rope_layers",
    "no_rope_layer_interval",
    "layer_rope_theta",
}
ASKED = {"gpt_neo", "granitemoehybrid", "qwen3_next", "kimi_linear", "nemotron_h"}

# ---------------------------------------------------------------------------------------------------------------------
MLC = "MLC-LLM, python/mlc_llm/model/model_preset.py"
LITGPT = "LitGPT, litgpt/config.py, which names each config.json"
FOUNDRY = "llm-foundry, llmfoundry/models/utils/config_defaults.py and mpt/modeling_mpt.py"
CANDLE, MOSAIC_BERT = "candle, jina_bert.rs", "MosaicBERT, bert_layers.py"
CLASS = "the defaults of its class in transformers 5.23.0"

CODE = {"auto_map": {"AutoModelForCausalLM": "modeling_own.M"}}
LINEAR = {"type": "linear", "factor": 4.0}
LLAMA_31 = {
    "rope_type": "llama3",
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
QWEN = {"use_sliding_window": False, "sliding_window": 32768, "rope_theta": 1e6}
YARN = {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "beta_fast": 32, "beta_slow": 1}
BAICHUAN = {"model_type": "baichuan", "num_attention_heads": 40, "hidden_size": 5120, "model_max_length": 4096}
BERT = sizes("bert", 12, 12, 768, 512, position_embedding_type="absolute")
MISTRAL = sizes("mistral", 32, 32, 4096, 32768, num_key_value_heads=8, rope_theta=1e4, sliding_window=4096)
MPT = {"model_type": "mpt", "d_model": 4096, "n_heads": 32, "n_layers": 32, "max_seq_len": 2048}
MPT_ROPE = {"alibi": False, "rope": True, "rope_theta": 10000, "sliding_window_size": -1}
MPT_PLAIN = {
    "rope_dail_config": {"type": "original", "pos_idx_in_fp32": True, "xpos_scale_base": 512},
    "rope_hf_config": {"type": "no_scaling", "factor": 1.0},
}
LLAMA_4 = sizes("llama4_text", 48, 40, 5120, 10485760, num_key_value_heads=8, rope_theta=5e5, no_rope_layers=[])
GEMMA_3 = {"model_type": "gemma3_text", "hidden_size": 2560, "num_hidden_layers": 34, "sliding_window": 1024}
GEMMA_3 |= {"rope_scaling": {"factor": 8.0, "rope_type": "linear"}}
GRANITE_4 = sizes("granitemoehybrid", 4, 4, 64, 256, position_embedding_type="nope", rope_theta=10000)
GRANITE_4 |= {"layer_types": ["mamba", "attention", "mamba", "mamba"]}
LONGROPE = {"type": "longrope", "short_factor": [1.0], "long_factor": [1.0]}
PHI_3 = {
    "original_max_position_embeddings": 4096,
    "rope_scaling": LONGROPE,
    "rope_theta": 1e4,
    "sliding_window": 262144,
}
MINISTRAL_3 = sizes("ministral3", 26, 32, 3072, 262144, head_dim=128, num_key_value_heads=8, sliding_window=None)
MINISTRAL_3 |= {
    "rope_parameters": {"type": "yarn", "rope_type": "yarn", "rope_theta": 1000000.0, "factor": 16.0}
    | {"original_max_position_embeddings": 16384, "llama_4_scaling_beta": 0.1, "mscale": 1.0, "mscale_all_dim": 1.0}
}
NOMIC = {"model_type": "nomic_bert", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 8192, "causal": False}
NOMIC |= {"max_position_embeddings": 2048, "max_trained_positions": 2048, "rotary_emb_base": 1000}
NOMIC |= {"rotary_emb_fraction": 1.0, "rotary_emb_interleaved": False, "rope_parameters": {"rope_theta": 1000.0}}
KIMI = {"kda_layers": [1, 2, 3], "full_attn_layers": [4], "head_dim": 128, "num_heads": 32, "short_conv_kernel_size": 4}
CHUNKS = {"chunk_size": 262144, "local_size": 8192, "original_max_position_embeddings": 262144}
QWEN_7B = sizes("qwen2", 28, 28, 3584, 131072, num_key_value_heads=4, max_window_layers=28)

FILES = [
    # ALiBi
    Published(
        "bloom-560m",
        {"model_type": "bloom", "n_embed": 1024, "n_layer": 24, "num_attention_heads": 16, "offset_alibi": 100},
        "alibi",
        {"slopes": tuple(slopes(16)), "train_length": None, "causal": True},
        "PaddleNLP, bloom/configuration.py",
    ),
    Published(
        "mpt-7b", MPT | CODE | {"attn_config": {"alibi": True}}, "alibi", {"runs_code": True, "ignored": ()}, FOUNDRY
    ),
    Published(
        "mpt-7b-storywriter",
        MPT | {"max_seq_len": 65536, "attn_config": {"alibi": True, "alibi_bias_max": 16}},
        "alibi",
        {"slopes": tuple(slopes(32, max_bias=16)), "ignored": ("alibi_bias_max",)},
        "its configuration, seen in an excerpt; modeling_mpt.py of transformers, MptModel.forward",
    ),
    Published(
        "replit-code-v1.5-3b",
        {"model_type": "mpt", "d_model": 3072, "n_heads": 24, "n_layers": 32, "max_seq_len": 4096}
        | {
            "attn_config": {"alibi": True, "alibi_bias_max": 8, "attn_type": "grouped_query_attention", "kv_n_heads": 8}
        },
        "alibi",
        {"kv_heads": 8},
        "candle, mpt.rs",
    ),
    Published(
        "MPT of llm-foundry", MPT | {"attn_config": MPT_PLAIN | {"alibi": True}}, "alibi", {"unread": ()}, FOUNDRY
    ),
    Published(
        "baichuan-13b",
        BAICHUAN,
        "alibi",
        {"heads": 40, "layers": None, "train_length": 4096, "slopes": tuple(slopes(40))},
        "DISC-FinLLM, its modeling_baichuan.py",
    ),
    Published(
        "baichuan2-13b with its code",
        BAICHUAN | {"auto_map": {"AutoModelForCausalLM": "modeling_baichuan.M"}},
        "alibi",
        {"runs_code": True, "unread": ()},
        "DISC-FinLLM, its modeling_baichuan.py",
    ),
    Published(
        "mosaic-bert",
        BERT | {"alibi_starting_size": 512},
        "alibi",
        {"form": "symmetric", "slopes": tuple(slopes(12)), "causal": False},
        MOSAIC_BERT,
    ),
    Published(
        "jina-embeddings-v2-base-en",
        BERT | {"position_embedding_type": "alibi"},
        "alibi",
        {"causal": False, "form": "symmetric"},
        CANDLE,
    ),
    Published(
        "falcon-rw-1b",
        sizes("falcon", 24, 32, 2048, 2048, alibi=True, multi_query=False),
        "alibi",
        {"kv_heads": 32},
        "modeling_falcon.py, FalconModel",
    ),
    # RoPE
    Published(
        "falcon-7b", sizes("falcon", 32, 71, 4544, 2048, multi_query=True, alibi=False), "rope", {"kv_heads": 1}, LITGPT
    ),
    Published(
        "mpt with RoPE", MPT | {"attn_config": MPT_ROPE | MPT_PLAIN}, "rope", {"base": 1e4, "unread": ()}, FOUNDRY
    ),
    Published(
        "CodeLlama-7b",
        sizes("llama", 32, 32, 4096, 16384, rope_theta=1e6),
        "rope",
        {"base": 1e6, "train_length": 16384},
        MLC,
    ),
    Published(
        "TinyLlama-1.1B",
        sizes("llama", 22, 32, 2048, 2048, num_key_value_heads=4, rope_theta=1e4),
        "rope",
        {"kv_heads": 4},
        MLC,
    ),
    Published(
        "SmolLM2-135M",
        sizes("llama", 30, 9, 576, 8192, num_key_value_heads=3, rope_theta=100000, rope_interleaved=False),
        "rope",
        {"base": 1e5, "layout": None},
        MLC,
    ),
    Published(
        "Llama-3.1-70B",
        sizes("llama", 80, 64, 8192, 131072, rope_theta=5e5, rope_scaling=LLAMA_31 | {"factor": 8.0}),
        "rope",
        {"train_length": 8192, "scaled_length": 131072, "base": 5e5},
        MLC,
    ),
    Published(
        "Llama-3.2-1B",
        sizes("llama", 16, 32, 2048, 131072, head_dim=64, rope_theta=5e5, rope_scaling=LLAMA_31 | {"factor": 32.0}),
        "rope",
        {"factor": 32.0, "scaled_length": 131072},
        MLC,
    ),
    Published(
        "LLaMA-2-7B-32K",
        sizes("llama", 32, 32, 4096, 32768, rope_scaling=LINEAR | {"factor": 8.0}),
        "rope",
        {"train_length": 4096, "scaled_length": 32768},
        "llama.cpp 2544 (the scaling; “the original model has a context length of 4k”), axolotl 343 (the length)",
    ),
    Published(
        "chinese-alpaca-2-13b-16k",
        sizes("llama", 40, 40, 5120, 16384, rope_scaling=LINEAR),
        "rope",
        {"train_length": 4096, "scaled_length": 16384},
        "LLaMA-Factory 1298, which has its whole config.json",
    ),
    Published(
        "deepseek-coder-6.7b-base",
        sizes("llama", 32, 32, 4096, 16384, rope_theta=1e5, rope_scaling=LINEAR),
        "rope",
        {"train_length": 4096, "scaled_length": 16384},
        "as reported to this project; Xinference's list of models has its context of 16,384 tokens",
    ),
    Published(
        "vicuna-7b-v1.5-16k",
        sizes("llama", 32, 32, 4096, 4096, max_sequence_length=16384, rope_scaling=LINEAR),
        "rope",
        {"train_length": 4096, "scaled_length": 16384},
        f"a copy of its config.json on GitHub; {LITGPT} (16,384 tokens, factor 4)",
    ),
    Published(
        "Mistral-7B-v0.1", MISTRAL, "rope", {"kv_heads": 8, "head_dim": 128, "base": 1e4, "window": 4096}, LITGPT
    ),
    Published(
        "Mistral-7B-v0.3",
        sizes("mistral", 32, 32, 4096, 32768, num_key_value_heads=8, rope_theta=1e6, sliding_window=None),
        "rope",
        {"window": None, "base": 1e6},
        MLC,
    ),
    Published(
        "Mixtral-8x7B-v0.1",
        sizes("mixtral", 32, 32, 4096, 32768, num_key_value_heads=8, rope_theta=1e6, sliding_window=None),
        "rope",
        {"window": None},
        MLC,
    ),
    Published(
        "starcoder2-7b",
        sizes("starcoder2", 32, 36, 4608, 16384, num_key_value_heads=4, rope_theta=1e6, sliding_window=4096),
        "rope",
        {"window": 4096, "window_layers": every(1, 32)},
        MLC,
    ),
    Published("pythia-70m", sizes("gpt_neox", 6, 8, 512, 2048, rotary_pct=0.25), "rope", {"rotary_dim": 16}, LITGPT),
    Published(
        "RedPajama-INCITE-3B",
        sizes("gpt_neox", 32, 32, 2560, 2048, rotary_emb_base=10000, rotary_pct=1.0),
        "rope",
        {"rotary_dim": None, "head_dim": 80},
        MLC,
    ),
    Published(
        "stablelm-3b-4e1t",
        sizes("stablelm", 32, 32, 2560, 4096, partial_rotary_factor=0.25, rope_theta=10000),
        "rope",
        {"rotary_dim": 20},
        MLC,
    ),
    Published(
        "phi-2",
        sizes("phi", 32, 32, 2560, 2048, partial_rotary_factor=0.4),
        "rope",
        {"head_dim": 80, "rotary_dim": 32},
        LITGPT,
    ),
    Published(
        "gpt-j-6b",
        {
            "model_type": "gptj",
            "n_embd": 4096,
            "n_head": 16,
            "n_layer": 28,
            "n_positions": 2048,
            "rotary": True,
            "rotary_dim": 64,
        },
        "rope",
        {"rotary_dim": 64, "layout": "interleaved"},
        MLC,
    ),
    Published(
        "Qwen1.5-1.8B-Chat",
        sizes("qwen2", 24, 16, 2048, 4096, max_window_layers=21, **QWEN),
        "rope",
        {"window": None, "base": 1e6},
        MLC,
    ),
    Published(
        "Qwen2-0.5B",
        sizes("qwen2", 24, 14, 896, 32768, num_key_value_heads=2, max_window_layers=24, **QWEN),
        "rope",
        {"kv_heads": 2},
        MLC,
    ),
    Published(
        "Qwen2.5-3B",
        sizes("qwen2", 36, 16, 2048, 32768, num_key_value_heads=2, max_window_layers=70, **QWEN),
        "rope",
        {"window": None},
        MLC,
    ),
    Published(
        "Qwen1.5-MoE-A2.7B",
        sizes("qwen2_moe", 24, 16, 2048, 32768, max_window_layers=21, **QWEN),
        "rope",
        {"window": None},
        MLC,
    ),
    Published(
        "Qwen3-0.6B",
        sizes(
            "qwen3",
            28,
            16,
            1024,
            40960,
            head_dim=128,
            max_window_layers=28,
            use_sliding_window=False,
            rope_theta=1000000,
        ),
        "rope",
        {"head_dim": 128, "window": None},
        MLC,
    ),
    Published(
        "gemma-2b", sizes("gemma", 18, 8, 2048, 8192, head_dim=256, rope_theta=1e4), "rope", {"head_dim": 256}, MLC
    ),
    Published(
        "gemma-2-27b",
        sizes("gemma2", 46, 32, 4608, 8192, head_dim=128, rope_theta=1e4, sliding_window=4096),
        "rope",
        {"window": 4096, "window_layers": every(2, 46, 1), "head_dim": 128},
        MLC,
    ),
    Published(
        "gemma-3-1b-it",
        sizes("gemma3_text", 26, 4, 1152, 32768, head_dim=256, rope_local_base_freq=10000, rope_theta=1000000)
        | {"sliding_window": 512, "sliding_window_pattern": 6, "num_key_value_heads": 1},
        "rope",
        {"base": 1e6, "local_base": 1e4, "window_layers": but(6, 26), "train_length": 32768},
        MLC,
    ),
    Published(
        "gemma-3-4b",
        {"model_type": "gemma3", "text_config": GEMMA_3},
        "rope",
        {"heads": 8, "kv_heads": 4, "train_length": None, "scaled_length": 131072, "unscaled_layers": but(6, 34)},
        f"{LITGPT}; configuration_gemma3.py: `rope_scaling` goes to full_attention alone",
    ),
    Published(
        "embeddinggemma",
        GEMMA_3 | {"use_bidirectional_attention": True},
        "rope",
        {"causal": False},
        "configuration_gemma3.py",
    ),
    Published(
        "Olmo 3, of eight layers",
        sizes("olmo3", 8, 32, 4096, 65536, num_key_value_heads=32, rope_theta=500000, sliding_window=4096)
        | {"layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"] * 2}
        | {"rope_scaling": {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 8192}},
        "rope",
        {"train_length": 8192, "scaled_length": 65536, "unscaled_layers": (1, 2, 3, 5, 6, 7), "local_base": None},
        "configuration_olmo3.py, convert_rope_params_to_dict; vLLM, olmo2.py: “only applied on full attention layers”",
    ),
    Published(
        "DeepSeek-V2-Lite",
        sizes("deepseek_v2", 27, 16, 2048, 163840, qk_nope_head_dim=128, qk_rope_head_dim=64, rope_theta=10000)
        | {"rope_scaling": YARN | {"mscale": 0.707, "mscale_all_dim": 0.707}},
        "rope",
        {"train_length": 4096, "scaled_length": 163840, "rotary_dim": 64, "layout": "interleaved"},
        MLC,
    ),
    Published(
        "DeepSeek-V3",
        sizes("deepseek_v3", 61, 128, 7168, 163840, qk_nope_head_dim=128, qk_rope_head_dim=64)
        | {"rope_scaling": YARN | {"mscale": 1.0, "mscale_all_dim": 1.0}},
        "rope",
        {"train_length": 4096, "scaled_length": 163840, "scaling": "yarn"},
        LITGPT,
    ),
    Published(
        "Phi-3.5-mini without its code",
        sizes("phi3", 32, 32, 3072, 131072, **PHI_3),
        "rope",
        {"train_length": 4096, "scaled_length": 131072, "not_computed": ("rope_type = longrope",), "unread": ()},
        MLC,
    ),
    Published(
        "Ministral-3-3B-2512",
        {"model_type": "mistral3", "text_config": MINISTRAL_3, "vision_config": {"rope_theta": 10000.0}},
        "rope",
        {"head_dim": 128, "train_length": 16384, "scaled_length": 262144, "unread": ()},
        MLC,
    ),
    Published(
        "aya-23-8B",
        sizes("cohere", 32, 32, 4096, 8192, num_key_value_heads=8, rope_theta=10000),
        "rope",
        {"base": 1e4, "layout": "interleaved"},
        MLC,
    ),
    Published(
        "Baichuan2-7B",
        sizes("baichuan", 32, 32, 4096, 4096, model_max_length=4096),
        "rope",
        {"head_dim": 128, "train_length": 4096},
        MLC,
    ),
    Published(
        "llava-1.6-mistral", {"model_type": "llava", "text_config": MISTRAL}, "rope", {"family": "llava"}, LITGPT
    ),
    Published(
        "granite-4.0 with RoPE",
        GRANITE_4 | {"position_embedding_type": "rope", "layer_types": ["attention"] * 4},
        "rope",
        {"not_computed": ()},
        "modeling_granitemoehybrid.py",
    ),
    # RoPE in some layers, or none
    Published(
        "Llama-4-Scout",
        {"model_type": "llama4", "text_config": LLAMA_4 | {"rope_scaling": LLAMA_31 | {"factor": 8.0}}},
        "rope",
        {"nope_layers": every(4, 48), "train_length": 8192, "scaled_length": 10485760},
        "mlx-lm, llama4.py",
    ),
    Published(
        "Mistral Large 4 with a list",
        sizes(
            "mistral_large4_text",
            4,
            64,
            6144,
            1048576,
            no_rope_layers=[1, 1, 1, 0],
            qk_nope_head_dim=64,
            qk_rope_head_dim=64,
        ),
        "rope",
        {"nope_layers": (4,), "head_dim": 128, "rotary_dim": 64},
        "modeling_mistral_large4.py: self.use_rope = config.no_rope_layers[layer_idx]",
    ),
    Published(
        "granite-4.0-h",
        GRANITE_4,
        "none",
        {"nope_layers": (2,), "not_computed": ("mamba layers",)},
        "modeling_granitemoehybrid.py",
    ),
    # A learned table, relative positions
    Published(
        "gpt2-medium",
        {"model_type": "gpt2", "n_ctx": 1024, "n_embd": 1024, "n_head": 16, "n_layer": 24, "n_positions": 1024},
        "learned",
        {"train_length": 1024, "causal": True},
        MLC,
    ),
    Published(
        "gpt_bigcode of 1B",
        {
            "model_type": "gpt_bigcode",
            "n_embd": 2048,
            "n_head": 16,
            "n_layer": 24,
            "n_positions": 2048,
            "multi_query": True,
        },
        "learned",
        {"kv_heads": 1},
        MLC,
    ),
    Published("snowflake-arctic-embed-m", BERT, "learned", {"train_length": 512, "causal": False}, MLC),
    Published(
        "BERT with relative_key",
        BERT | {"position_embedding_type": "relative_key"},
        "relative",
        {},
        "BertConfig of transformers 4",
    ),
    Published(
        "deberta-v3-base",
        sizes("deberta-v2", 12, 12, 768, 512, relative_attention=True, position_buckets=256, max_relative_positions=-1)
        | {"position_biased_input": False},
        "relative",
        {"not_computed": ("Relative positions (XLNet, DeBERTa)",)},
        "modeling_deberta_v2.py, DisentangledSelfAttention",
    ),
    Published(
        "t5-small",
        {"model_type": "t5", "d_model": 512, "d_kv": 64, "num_layers": 6, "num_heads": 8, "n_positions": 512},
        "t5",
        {"num_buckets": 32, "causal": False},
        CLASS,
    ),
    # What the file says and this app does not follow
    Published(
        "gte-Qwen2-7B-instruct",
        QWEN_7B | CODE | {"is_causal": False, "sliding_window": 131072, "use_sliding_window": False},
        "rope",
        {"causal": False, "unread": ("auto_map", "is_causal = false")},
        "vLLM 14609, and masking_utils.py: is_causal is followed",
        known=False,
    ),
    Published(
        "Qwen2.5-7B-Instruct-1M",
        QWEN_7B | {"max_position_embeddings": 1010000, "rope_theta": 1e7, "dual_chunk_attention_config": CHUNKS},
        "rope",
        {"train_length": 262144, "scaled_length": 1010000, "unread": ("dual_chunk_attention_config",)},
        "a copy of its config.json on GitHub; vLLM 6139 (what the chunks are)",
        known=False,
    ),
    Published(
        "c4ai-command-r-v01",
        sizes("cohere", 40, 64, 8192, 8192, rope_theta=8e6, model_max_length=131072),
        "rope",
        {"train_length": None, "unread": ("max_position_embeddings = 8192", "model_max_length = 131072")},
        f"ExLlamaV2 404 (“it's a 128k model”); {CLASS} (the sizes)",
        known=False,
    ),
    Published(
        "nomic-embed-text-v1.5",
        NOMIC,
        "rope",
        {"causal": False, "base": 1e3, "train_length": None},
        "its config.json, quoted in a request to vLLM: trained on 2,048 tokens, n_positions is 8,192",
        known=False,
    ),
    Published(
        "MPT with scaled RoPE",
        MPT | {"attn_config": MPT_ROPE | {"rope_impl": "hf", "rope_hf_config": {"type": "linear", "factor": 2.0}}},
        "rope",
        {"unread": ("rope_hf_config",)},
        FOUNDRY,
        known=False,
    ),
    Published(
        "MPT with xPos",
        MPT
        | {
            "attn_config": MPT_ROPE
            | {"rope_dail_config": {"type": "xpos", "pos_idx_in_fp32": True, "xpos_scale_base": 512}}
        },
        "rope",
        {"unread": ("rope_dail_config",)},
        FOUNDRY,
        known=False,
    ),
    Published(
        "MPT with a window",
        MPT | {"attn_config": {"alibi": True, "sliding_window_size": 1024}},
        "alibi",
        {"unread": ("sliding_window_size = 1024",)},
        FOUNDRY,
        known=False,
    ),
    Published(
        "Kimi-Linear with the file's own list",
        sizes("kimi_linear", 4, 32, 2304, 1048576, linear_attn_config=KIMI, rope_theta=10000.0, qk_nope_head_dim=128)
        | {"qk_rope_head_dim": 64},
        "none",
        {"unread": ("linear_attn_config",)},
        "modeling_kimi_linear.py: k_rot is never rotated",
        known=False,
    ),
    Published(
        "Phi-4-mini",
        sizes("phi3", 32, 24, 3072, 131072, partial_rotary_factor=0.75, full_attn_mod=1, **PHI_3, **CODE),
        "rope",
        {"rotary_dim": 96, "unread": ("full_attn_mod = 1", "auto_map")},
        MLC,
        known=False,
    ),
    Published(
        "phi-2 before transformers had it",
        {"model_type": "phi-msft", "n_embd": 2560, "n_head": 32, "n_layer": 32, "n_positions": 2048, "rotary_dim": 32}
        | CODE,
        "rope",
        {"rotary_dim": 32, "causal": None, "unread": ("auto_map",)},
        MLC,
        known=False,
    ),
    Published(
        "Qwen-1.8B",
        sizes("qwen", 24, 16, 2048, 8192, rotary_emb_base=10000, rotary_pct=1.0, seq_length=8192)
        | {"use_dynamic_ntk": True, "use_logn_attn": True},
        "rope",
        {"unread": ("use_dynamic_ntk = true", "use_logn_attn = true"), "causal": None, "train_length": 8192},
        MLC,
        known=False,
    ),
    Published(
        "Orion-14B",
        sizes("orion", 40, 40, 5120, 4096, max_sequence_length=4096, rope_theta=1e4, **CODE),
        "rope",
        {"train_length": 4096, "unread": ("auto_map",)},
        MLC,
        known=False,
    ),
    Published(
        "internlm2-7b",
        sizes("internlm2", 32, 32, 4096, 32768, rope_theta=1000000),
        "rope",
        {"causal": None},
        MLC,
        known=False,
    ),
    Published(
        "MiniCPM-2B-128k",
        sizes("minicpm", 40, 36, 2304, 65536, max_length=131072, rope_theta=1e6)
        | {"rope_scaling": {"type": "dynamic", "factor": 4.0}},
        "rope",
        {"train_length": 65536},
        MLC,
        known=False,
    ),
    Published(
        "deepseek-moe-16b", sizes("deepseek", 28, 16, 2048, 4096, rope_theta=10000), "rope", {}, MLC, known=False
    ),
    Published("internlm-7b", sizes("internlm", 32, 32, 4096, 2048), None, {}, MLC, known=False),
    Published(
        "chatglm3-6b",
        {
            "model_type": "chatglm",
            "num_attention_heads": 32,
            "hidden_size": 4096,
            "num_layers": 28,
            "original_rope": True,
        },
        None,
        {},
        MLC,
        known=False,
    ),
]

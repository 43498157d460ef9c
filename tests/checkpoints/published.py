"""Configurations of published models, as far as they speak of positions, each with where its numbers were read.

LitGPT names, beside each entry of litgpt/config.py, the config.json from which it took it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

LITGPT = "https://github.com/Lightning-AI/litgpt/blob/0006c973aa7d6ace293e2a5fedaf1f8f804f960c/litgpt/config.py"


class Published(NamedTuple):
    """A config.json, what is read from it, and its source. number: RoPE's base, or ALiBi's first slope."""

    config: dict[str, Any]
    method: str
    heads: int
    kv_heads: int
    head_dim: int
    number: float
    source: str


def sizes(model_type: str, layers: int, heads: int, width: int, length: int, **more: Any) -> dict[str, Any]:
    named = {"model_type": model_type, "num_hidden_layers": layers, "num_attention_heads": heads, "hidden_size": width}
    return named | {"max_position_embeddings": length} | more


PUBLISHED: dict[str, Published] = {
    "mistral-7b-v0.1": Published(
        sizes("mistral", 32, 32, 4096, 32768, num_key_value_heads=8, rope_theta=10000.0, sliding_window=4096),
        *("rope", 32, 8, 128, 1e4, LITGPT),
    ),
    "gemma-7b": Published(
        sizes("gemma", 28, 16, 3072, 8192, num_key_value_heads=16, head_dim=256, rope_theta=10000.0),
        *("rope", 16, 16, 256, 1e4, LITGPT),
    ),
    "qwen2.5-0.5b": Published(
        sizes("qwen2", 24, 14, 896, 32768, num_key_value_heads=2, rope_theta=1000000.0, use_sliding_window=False),
        *("rope", 14, 2, 64, 1e6, LITGPT),
    ),
    "baichuan2-13b": Published(
        {
            "model_type": "baichuan",
            "hidden_size": 5120,
            "num_hidden_layers": 40,
            "num_attention_heads": 40,
            "model_max_length": 4096,
            "auto_map": {
                "AutoConfig": "configuration_baichuan.BaichuanConfig",
                "AutoModelForCausalLM": "modeling_baichuan.BaichuanForCausalLM",
            },
        },
        *("alibi", 40, 40, 128, 2**-0.25),
        "https://github.com/FudanDISC/DISC-FinLLM: the config.json of a Baichuan2-13B-Chat, quoted in a README",
    ),
    "jina-embeddings-v2-base-en": Published(
        sizes("bert", 12, 12, 768, 512, position_embedding_type="alibi"),
        *("alibi", 12, 12, 64, 2**-1.0),
        "https://github.com/huggingface/candle/blob/0849ef0fc3b7d38f6bed906c343ec02a92019cae/"
        "candle-transformers/src/models/jina_bert.rs, Config::v2_base",
    ),
    "gemma-2-2b": Published(
        sizes(
            "gemma2", 26, 8, 2304, 8192, num_key_value_heads=4, head_dim=256, sliding_window=4096, rope_theta=10000.0
        ),
        *("rope", 8, 4, 256, 1e4, LITGPT),
    ),
    "gemma-3-1b-it": Published(
        sizes(
            *("gemma3_text", 26, 4, 1152, 131072),
            num_key_value_heads=1,
            head_dim=256,
            sliding_window=512,
            rope_theta=1000000.0,
            rope_local_base_freq=10000.0,
        ),
        *("rope", 4, 1, 256, 1e6, LITGPT),
    ),
    "qwen3-0.6b": Published(
        sizes("qwen3", 28, 16, 1024, 40960, num_key_value_heads=8, head_dim=128, rope_theta=1000000.0),
        *("rope", 16, 8, 128, 1e6, LITGPT),
    ),
    "mixtral-8x7b-v0.1": Published(
        sizes("mixtral", 32, 32, 4096, 32768, num_key_value_heads=8, rope_theta=1000000.0),
        *("rope", 32, 8, 128, 1e6, LITGPT),
    ),
    "phi-2": Published(
        sizes("phi", 32, 32, 2560, 2048, partial_rotary_factor=0.4, rope_theta=10000.0),
        *("rope", 32, 32, 80, 1e4, LITGPT),
    ),
}

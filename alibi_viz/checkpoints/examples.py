"""Published configurations, as far as they say something about positions, each with where its numbers were read.

None was read from its own page: `excerpt` marks numbers that were quoted elsewhere, the others were read in a copy or in a
library that names the file it took them from. Numbers that were only recalled are not here.
"""

from dataclasses import dataclass
from typing import Any

from alibi_viz.checkpoints.config import ModelConfig, from_dict

_LITGPT = "as LitGPT’s litgpt/config.py takes it from config.json"
_DEFAULTS = "the defaults of transformers 5.23.0, which name this checkpoint"
_EXCERPT = "seen in an excerpt"


@dataclass(frozen=True)
class Example:
    """A published model: its name on its hub, what its config.json says about positions, and where that was read."""

    title: str
    name: str
    config: dict[str, Any]
    source: str

    def read(self) -> ModelConfig:
        return from_dict(self.config)


def _sizes(model_type: str, layers: int, heads: int, width: int, length: int, **more: Any) -> dict[str, Any]:
    named = {"model_type": model_type, "num_hidden_layers": layers, "num_attention_heads": heads, "hidden_size": width}
    return named | {"max_position_embeddings": length} | more


_LLAMA_31 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
_LLAMA_31 |= {"original_max_position_embeddings": 8192}
_LLAMA_3: dict[str, Any] = {"num_key_value_heads": 8, "rope_theta": 500000.0}
_MPT: dict[str, Any] = {"model_type": "mpt", "d_model": 4096, "n_heads": 32, "n_layers": 32}

EXAMPLES: dict[str, Example] = {
    "bloom_560m": Example(
        *("BLOOM 560M", "bigscience/bloom-560m"),
        {"model_type": "bloom", "n_embed": 1024, "n_layer": 24, "num_attention_heads": 16, "seq_length": 2048},
        f"its configuration, {_EXCERPT}",
    ),
    "mpt_7b_instruct": Example(
        *("MPT 7B Instruct", "mosaicml/mpt-7b-instruct"),
        _MPT | {"max_seq_len": 2048, "attn_config": {"alibi": True, "alibi_bias_max": 8}},
        "its config.json, read in a published copy",
    ),
    "mpt_7b_storywriter": Example(
        *("MPT 7B StoryWriter", "mosaicml/mpt-7b-storywriter"),
        _MPT | {"max_seq_len": 65536, "attn_config": {"alibi": True, "alibi_bias_max": 16}},
        f"its configuration, {_EXCERPT}",
    ),
    "llama_3_8b": Example(
        "Llama 3 8B", "meta-llama/Meta-Llama-3-8B", _sizes("llama", 32, 32, 4096, 8192, **_LLAMA_3), _LITGPT
    ),
    "llama_3.1_8b": Example(
        *("Llama 3.1 8B", "meta-llama/Meta-Llama-3.1-8B"),
        _sizes("llama", 32, 32, 4096, 131072, **_LLAMA_3, rope_scaling=_LLAMA_31),
        _LITGPT,
    ),
    "falcon_7b": Example(
        *("Falcon 7B", "tiiuae/falcon-7b", _sizes("falcon", 32, 71, 4544, 2048, multi_query=True, alibi=False), _LITGPT)
    ),
    "pythia_70m": Example(
        *("Pythia 70M", "EleutherAI/pythia-70m"),
        _sizes("gpt_neox", 6, 8, 512, 2048, rotary_pct=0.25, rotary_emb_base=10000),
        _LITGPT,
    ),
    "t5_small": Example(
        *("T5 small", "google-t5/t5-small"),
        {"model_type": "t5", "d_model": 512, "d_kv": 64, "num_layers": 6, "num_heads": 8}
        | {"relative_attention_num_buckets": 32, "relative_attention_max_distance": 128},
        _DEFAULTS,
    ),
    "gpt2": Example(
        *("GPT-2", "openai-community/gpt2"),
        {"model_type": "gpt2", "n_positions": 1024, "n_embd": 768, "n_layer": 12, "n_head": 12},
        _DEFAULTS,
    ),
}

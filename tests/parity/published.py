"""Published implementations, imported when first used: transformers takes five seconds, in every worker that runs tests."""

import importlib
from typing import Any

MODULES = {
    "transformers.models.bloom.modeling_bloom": ("BloomAttention", "build_alibi_tensor"),
    "transformers.models.inkling.modeling_inkling": ("InklingRelativeLogits",),
    "transformers.models.llama.modeling_llama": ("LlamaAttention", "LlamaRotaryEmbedding", "apply_rotary_pos_emb"),
    "transformers.models.mpt.modeling_mpt": ("MptAttention", "build_mpt_alibi_tensor"),
    "transformers.models.t5.modeling_t5": ("T5Attention",),
    "x_transformers.x_transformers": ("AlibiPositionalBias",),
    "transformers.modeling_rope_utils": ("ROPE_INIT_FUNCTIONS",),
}


def __getattr__(name: str) -> Any:
    """`published.LlamaConfig` and the like: what stands in no list is a name of transformers itself."""
    module = next((module for module, names in MODULES.items() if name in names), "transformers")
    if module == "transformers" and not name[0].isupper():  # pytest asks every module for names of its own
        raise AttributeError(name)
    return getattr(importlib.import_module(module), name)

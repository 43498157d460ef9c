"""Real models as presets: head counts, methods and training lengths, each with its source.

Notable choices:
- `checked` says how far a preset has been checked: "read" in the source itself, "seen in an excerpt" of it,
  or "recalled".
- A number that is only recalled is None, so that nothing unchecked is ever shown as a fact.
- No known model joins ALiBi with grouped queries; that pair is left to the reader's own settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Preset:
    """One model. `method` is a key of positions.METHODS; `train_length` is in tokens."""

    key: str
    title: str
    method: str
    heads: int
    kv_heads: int
    layers: int | None
    width: int | None
    train_length: int | None
    max_bias: float = 8.0  # ALiBi only: the exponent of the last slope
    form: Literal["causal", "symmetric"] = "causal"  # ALiBi only
    rope_base: float | None = None  # RoPE only
    source: str = ""
    checked: Literal["read", "seen in an excerpt", "recalled"] = "recalled"


_PAPER = "Press, Smith and Lewis 2022, arXiv 2108.12409"
_MPT_30B = "configurations of mosaicml/mpt-30b-chat and -instruct; length from the model card of mpt-30b"

PRESETS: tuple[Preset, ...] = (
    Preset(
        "alibi-wikitext", "ALiBi paper, WikiText-103 model", "alibi", 8, 8, 16, 1024, None,
        source=f"{_PAPER}, section 3; trained at several lengths", checked="read",
    ),
    Preset(
        "alibi-1.3b", "ALiBi paper, 1.3B model", "alibi", 16, 16, 25, 2048, None,
        source=f"{_PAPER}, section 4.3; trained at several lengths", checked="read",
    ),
    Preset(
        "bloom-176b", "BLOOM 176B", "alibi", 112, 112, 70, 14336, 2048,
        source="model card of bigscience/bloom", checked="seen in an excerpt",
    ),
    Preset(
        "bloom-7b1", "BLOOM 7B1", "alibi", 32, 32, 30, 4096, 2048,
        source="model card of bigscience/bloom-7b1", checked="seen in an excerpt",
    ),
    Preset(
        "bloom-560m", "BLOOM 560M", "alibi", 16, 16, 24, 1024, 2048,
        source="model card of bigscience/bloom-560m", checked="seen in an excerpt",
    ),
    Preset(
        "mpt-7b", "MPT 7B", "alibi", 32, 32, 32, 4096, 2048,
        source="llm-foundry, mpt-7b.yaml (sizes, length); configuration of mosaicml/mpt-7b (ALiBi, bias 8)",
        checked="read",
    ),
    Preset(
        "mpt-7b-storywriter", "MPT 7B StoryWriter", "alibi", 32, 32, 32, 4096, 65536, max_bias=16.0,
        source="configuration of mosaicml/mpt-7b-storywriter", checked="seen in an excerpt",
    ),
    Preset(
        "mpt-30b", "MPT 30B", "alibi", 64, 64, 48, 7168, 8192,
        source=_MPT_30B, checked="seen in an excerpt",
    ),
    Preset(
        "baichuan-13b", "Baichuan 13B", "alibi", 40, 40, 40, 5120, 4096,
        source="model card of baichuan-inc/Baichuan-13B-Base", checked="seen in an excerpt",
    ),
    Preset(
        "jina-v2-small", "Jina embeddings v2 small", "alibi", 8, 8, 4, 512, 512, form="symmetric",
        source="model card of jinaai/jina-embeddings-v2-small-en", checked="seen in an excerpt",
    ),
    Preset(
        "jina-v2-base", "Jina embeddings v2 base", "alibi", 12, 12, 12, 768, 512, form="symmetric",
        source="model card and configuration of jinaai/jina-embeddings-v2-base-en",
        checked="seen in an excerpt",
    ),
    Preset(
        "llama-2-70b", "Llama 2 70B", "rope", 64, 8, None, None, 4096, rope_base=10_000.0,
        source="Touvron et al. 2023, Llama 2, and its released code", checked="read",
    ),
    Preset(
        "llama-3-8b", "Llama 3 8B", "rope", 32, 8, None, None, 8192, rope_base=500_000.0,
        source="Grattafiori et al. 2024, The Llama 3 Herd of Models", checked="read",
    ),
    Preset(
        "llama-3-70b", "Llama 3 70B", "rope", 64, 8, None, None, 8192, rope_base=500_000.0,
        source="Grattafiori et al. 2024, The Llama 3 Herd of Models", checked="read",
    ),
    Preset(
        "llama-3-405b", "Llama 3 405B", "rope", 128, 8, None, None, 8192, rope_base=500_000.0,
        source="Grattafiori et al. 2024, The Llama 3 Herd of Models", checked="read",
    ),
    Preset(
        "mistral-7b", "Mistral 7B v0.1", "rope", 32, 8, None, None, 8192,
        source="Jiang et al. 2023, Mistral 7B, table 1", checked="read",
    ),
    Preset(
        "gemma-7b", "Gemma 7B", "rope", 16, 16, None, None, 8192,
        source="Gemma team 2024, Gemma: Open Models, table 1", checked="read",
    ),
    Preset(
        "falcon-7b", "Falcon 7B", "rope", 71, 1, 32, 4544, 2048,
        source="configuration and model card of tiiuae/falcon-7b", checked="seen in an excerpt",
    ),
)  # fmt: skip

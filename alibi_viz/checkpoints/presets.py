"""Head counts of real models, each with its source.

A source that was quoted elsewhere and not read itself says “seen in an excerpt”; nothing here is only recalled. Models
with another method than ALiBi have no slopes; they are here for their head counts.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Preset:
    """One model. max_bias is the exponent of ALiBi's gentlest slope; kv_heads, where stated, are fewer than the heads."""

    title: str
    heads: int
    source: str
    max_bias: float = 8.0
    kv_heads: int | None = None
    method: str = "alibi"  # its positions: a name of the registry


_PAPER = "Press, Smith and Lewis 2022, arXiv 2108.12409"
_EXCERPT = "seen in an excerpt"
_JINA = "jinaai/jina-embeddings-v2"
_LLAMA_3 = "Grattafiori et al. 2024, The Llama 3 Herd of Models"

REPLIT = Preset("Replit Code v1.5 3B", 24, "candle, candle-transformers/src/models/mpt.rs", kv_heads=8)
PRESETS: tuple[Preset, ...] = (
    Preset("ALiBi paper, WikiText-103 model", 8, f"{_PAPER}, section 3"),
    Preset("ALiBi paper, 1.3B model", 16, f"{_PAPER}, section 4.3"),
    Preset("BLOOM 176B", 112, f"model card of bigscience/bloom, {_EXCERPT}"),
    Preset("BLOOM 7B1", 32, f"model card of bigscience/bloom-7b1, {_EXCERPT}"),
    Preset("BLOOM 560M", 16, f"model card of bigscience/bloom-560m, {_EXCERPT}"),
    Preset("MPT 7B", 32, "llm-foundry, mpt-7b.yaml (heads); configuration of mosaicml/mpt-7b (ALiBi, bias 8)"),
    Preset("MPT 7B StoryWriter", 32, f"configuration of mosaicml/mpt-7b-storywriter, {_EXCERPT}", max_bias=16.0),
    Preset("MPT 30B", 64, f"configurations of mosaicml/mpt-30b-chat and -instruct, {_EXCERPT}"),
    REPLIT,
    Preset("Baichuan 13B", 40, f"model card of baichuan-inc/Baichuan-13B-Base, {_EXCERPT}"),
    Preset("Jina embeddings v2 small", 8, f"model card of {_JINA}-small-en, {_EXCERPT}"),
    Preset("Jina embeddings v2 base", 12, f"model card and configuration of {_JINA}-base-en, {_EXCERPT}"),
    Preset("Llama 2 70B", 64, "Touvron et al. 2023, Llama 2, and its released code", method="rope"),
    Preset("Llama 3 8B", 32, _LLAMA_3, method="rope"),
    Preset("Llama 3 70B", 64, _LLAMA_3, method="rope"),
    Preset("Llama 3 405B", 128, _LLAMA_3, method="rope"),
    Preset("Mistral 7B v0.1", 32, "Jiang et al. 2023, Mistral 7B, table 1", method="rope"),
    Preset("Gemma 7B", 16, "Gemma team 2024, Gemma: Open Models, table 1", method="rope"),
    Preset("Falcon 7B", 71, f"configuration and model card of tiiuae/falcon-7b, {_EXCERPT}", method="rope"),
)

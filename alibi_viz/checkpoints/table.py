"""Families of published models: what their code does with position where config.json leaves it open.

A row is right for every file of its model type, or it lets the file choose. What neither the row nor the file decides is
“not known”: a wrong name is worse than none. The rows were read in the code of transformers 5.23.0, those of models with
code of their own (MPT, Baichuan, MosaicBERT, Jina v2) in that code. Layers count from 0 here, and from 1 in a ModelConfig.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

File = Mapping[str, Any]
Layers = Callable[[int, File], bool]  # whether a layer is one of those, by its number and the file
ROPE_FIELDS = {"rope_theta", "rope_scaling", "rope_parameters", "rotary_emb_base", "rotary_pct", "rotary_dim"}
ROPE_FIELDS |= {"global_rope_theta", "rope_local_base_freq"}
OTHER_METHODS = {"relative": "Relative positions (XLNet, DeBERTa)"}  # that are named, and not among METHODS
# Values of position_embedding_type.
KINDS = {name: name for name in ("alibi", "rope", "learned")} | {
    "rotary": "rope",
    "absolute": "learned",
    "nope": "none",
}
KINDS |= {"relative_key": "relative", "relative_key_query": "relative"}


def signs(file: File) -> set[str]:
    """The methods that a file names, by fields that stand in the files of many families."""
    named = {KINDS[kind]} if (kind := file.get("position_embedding_type")) in KINDS else set()
    if file.get("alibi") or file.get("use_alibi") or "alibi_starting_size" in file:
        named.add("alibi")
    if ROPE_FIELDS & set(file) or file.get("rope"):
        named.add("rope")
    return named


def pattern(layer: int, file: File) -> bool:
    """All but every n-th layer."""
    return bool((layer + 1) % file["sliding_window_pattern"])


def global_layer(layer: int, file: File) -> bool:
    """Layers without the window, where there is one."""
    types = file.get("layer_types") or ()
    windowed = types[layer] == "sliding_attention" if layer < len(types) else pattern(layer, file)
    return "sliding_window" in file and not windowed


def no_rope(layer: int, file: File) -> bool:
    """As the file lists them (1: RoPE, 0: none), or every n-th."""
    listed = file.get("no_rope_layers")
    return not listed[layer] if listed else (layer + 1) % file["no_rope_layer_interval"] == 0


@dataclass(frozen=True)
class Family:
    """What a model type does."""

    method: str | Callable[[File], str]  # a key of METHODS or OTHER_METHODS; or the file chooses: "", it does not say
    usual: File = field(default_factory=dict)  # what its code takes for fields that a file may lack
    causal: bool = True
    layout: Literal["half", "interleaved"] = "half"  # pairs that RoPE rotates
    divided: bool = False  # ALiBi's bias is divided by sqrt(d), together with the scores
    window: str = ""  # the field with the size of the window, where the code reads one
    windowed: Layers | None = None  # the layers that have it, where `layer_types` does not say; None: not known
    without: Layers | None = None  # layers without positions
    named: tuple[str, ...] = ()  # parts that this app does not compute
    unused: int = 0  # rows of a learned table that no token takes
    scaled_to: bool = False  # max_position_embeddings is the length after scaling


def _bert(file: File) -> str:
    """Its own table; or ALiBi, as MosaicBERT and DNABERT-2 (whose files say “absolute” too) and Jina v2."""
    named = signs(file)
    return "" if "rope" in named else next((name for name in ("alibi", "relative") if name in named), "learned")


def _mpt(file: File) -> str:
    """Without `alibi`, MPT's own code has none, and that of transformers has it."""
    if "alibi" not in file:
        return ""
    table = "learned" if file.get("learned_pos_emb", True) else "none"
    return "alibi" if file["alibi"] else "rope" if file.get("rope") else table


def _baichuan(file: File) -> str:
    """13B has ALiBi, 7B RoPE; only the width tells them apart."""
    return {4096: "rope", 5120: "alibi"}.get(file.get("hidden_size", 0), "")


def _late(layer: int, file: File) -> bool:
    return layer >= int(file["max_window_layers"])


def _every(layer: int, file: File) -> bool:
    return True


_sliding = partial(Family, "rope", window="sliding_window")
_QWEN: File = {"use_sliding_window": False, "max_window_layers": 28}
_GEMMA_3: dict[str, Any] = {
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "sliding_window_pattern": 6,
}
_GEMMA_3 |= {"max_position_embeddings": 131_072, "rope_theta": 1e6, "rope_local_base_freq": 1e4}
_LLAMA_4: File = {"rope_theta": 5e5, "no_rope_layer_interval": 4, "attn_temperature_tuning": True}

#: Model types, with blanks between those that do the same -> what they do.
_ROWS: dict[str, Family] = {
    # ALiBi, or what the file chooses
    "bloom": Family("alibi"),
    "mpt": Family(_mpt),
    "falcon": Family(lambda file: "alibi" if file.get("alibi") else "rope", {"multi_query": True}, divided=True),
    "baichuan": Family(_baichuan),
    "bert": Family(_bert, {"max_position_embeddings": 512}, causal=False),
    "granitemoehybrid": Family(
        lambda file: {"rope": "rope", "nope": "none"}.get(file.get("position_embedding_type", "nope"), "")
    ),
    # RoPE in every layer
    "llama granite granitemoe olmo olmo2 olmoe dbrx": Family("rope"),
    "mistral ministral phi3 starcoder2": _sliding(windowed=_every),
    "mixtral phimoe": _sliding({"rope_theta": 1e6}, windowed=_every),
    "qwen2 qwen3": _sliding(_QWEN, windowed=_late),
    "qwen2_moe": _sliding(_QWEN),
    "qwen3_moe": _sliding(_QWEN, windowed=_every),
    "gemma": Family("rope", {"head_dim": 256}),
    "gemma2": _sliding({"head_dim": 256, "sliding_window_pattern": 2}, windowed=pattern),
    "gemma3 gemma3_text": _sliding(_GEMMA_3, windowed=pattern, scaled_to=True),
    "phi persimmon nemotron": Family("rope", {"partial_rotary_factor": 0.5}),
    "gpt_neox stablelm": Family("rope", {"partial_rotary_factor": 0.25}),
    "olmo3": _sliding({"rope_theta": 5e5, "sliding_window_pattern": 4}, windowed=pattern),
    "gpt_oss": _sliding({"rope_theta": 1.5e5, "sliding_window_pattern": 2}, windowed=pattern),
    "gptj codegen": Family("rope", {"rotary_dim": 64}, layout="interleaved"),
    "cohere": Family("rope", {"rope_theta": 5e5}, layout="interleaved"),
    "glm glm4": Family("rope", {"partial_rotary_factor": 0.5, "head_dim": 128}, layout="interleaved"),
    "helium": Family("rope", {"rope_theta": 1e5, "head_dim": 128}, layout="interleaved"),
    "deepseek_v2 deepseek_v3": Family("rope", layout="interleaved"),
    "modernbert": Family(
        "rope",
        {"rope_theta": 1.6e5, "rope_local_base_freq": 1e4, "global_attn_every_n_layers": 3},
        causal=False,
        window="local_attention",
        windowed=lambda layer, file: layer % file["global_attn_every_n_layers"] != 0,
    ),
    # RoPE in some layers, no positions in the others
    "smollm3": _sliding({"rope_theta": 2e6, "no_rope_layer_interval": 4, "use_sliding_window": False}, without=no_rope),
    "cohere2": _sliding({"sliding_window_pattern": 4}, windowed=pattern, without=global_layer, layout="interleaved"),
    "exaone4": _sliding({"sliding_window_pattern": 4}, windowed=pattern, without=global_layer),
    "llama4 llama4_text": Family(
        "rope",
        _LLAMA_4,
        layout="interleaved",
        window="attention_chunk_size",
        windowed=lambda layer, file: not no_rope(layer, file),
        without=no_rope,
        named=("attn_temperature_tuning",),
    ),
    # A learned table
    "gpt2 opt": Family("learned"),
    "gpt_neo": Family("learned", window="window_size"),
    "gpt_bigcode": Family("learned", {"multi_query": True}),
    "roberta xlm-roberta camembert": Family("learned", causal=False, unused=2),
    # Relative positions; of T5 its encoder
    "t5 mt5": Family("t5", causal=False),
    "xlnet": Family("relative", causal=False),
    "deberta deberta-v2": Family(lambda file: "relative" if file.get("relative_attention") else "", causal=False),
}
FAMILIES = {model_type: row for types, row in _ROWS.items() for model_type in types.split()}

"""Families of published models: what their code does with position where config.json leaves it open.

A row is right for every file of its model type, or it lets the file choose. What neither the row nor the file decides is
“not known”: a wrong name is worse than none. The rows were read in the code of transformers 5.23.0, those of models with
code of their own (MPT, Baichuan, RefinedWeb, MosaicBERT, Jina) in that code. `own_code` says which classes these are: other
code that comes with a model was not read. Layers count from 0 here, and from 1 in a ModelConfig.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from alibi_viz.checkpoints.fields import ANY, File

Stated = Mapping[str, Any]  # a file, as `fields.stated` gives it
Layers = Callable[[int, File], bool]  # whether a layer is one of those, by its number and the file
ROPE_FIELDS = {"rope_theta", "rope_scaling", "rope_parameters", "partial_rotary_factor", "rotary_dim"}
ROPE_FIELDS |= {"rope_local_base_freq"}
#: Methods that are named, and not among METHODS.
OTHER_METHODS = {
    "relative": "Relative positions (XLNet, DeBERTa)",
    "mixed": "Learned bias by distance, mixed by the query (Inkling)",
}
# Values of position_embedding_type.
KINDS = {"alibi": "alibi", "rope": "rope", "rotary": "rope", "learned": "learned", "absolute": "learned"}
KINDS |= {"nope": "none", "relative_key": "relative", "relative_key_query": "relative"}
#: Fields that switch a method on, each with the method.
SWITCHES = {"alibi": "alibi", "use_alibi": "alibi", "rope": "rope", "use_rope": "rope", "rotary": "rope"}
SWITCHES |= {"use_sinusoidal": "sinusoidal", "xpos": "xpos", "use_xpos": "xpos"}
SWITCHES |= {"nope": "none", "learned_pos_emb": "learned", "relative_attention": "relative"}


def signs(file: Stated) -> set[str]:
    """The methods that a file names, by fields that stand in the files of many families."""
    named = {KINDS[kind]} if (kind := file.get("position_embedding_type")) in KINDS else set()
    if file.get("alibi") or file.get("use_alibi") or "alibi_starting_size" in file:
        named.add("alibi")
    if ROPE_FIELDS & set(file) or file.get("rope"):
        named.add("rope")
    return named


def pattern(layer: int, file: File) -> bool:
    """All but every n-th layer."""
    return bool((layer + 1) % file.sliding_window_pattern)


def global_layer(layer: int, file: File) -> bool:
    """Layers without the window, where there is one."""
    types = file.layer_types
    windowed = types[layer] == "sliding_attention" if layer < len(types) else pattern(layer, file)
    return bool(file.sliding_window) and not windowed


def no_rope(layer: int, file: File) -> bool:
    """As the file lists them (1: RoPE, 0: none), or every n-th."""
    every, listed = (layer + 1) % file.no_rope_layer_interval == 0, file.no_rope_layers
    return not listed[layer] if listed else every


def no_base(layer: int, file: File) -> bool:
    """As the file lists the base of each layer: 0 is no RoPE."""
    return bool(file.layer_rope_theta) and not file.layer_rope_theta[layer]


@dataclass(frozen=True)
class Family:
    """What a model type does."""

    method: str | Callable[[Stated], str]  # a key of METHODS or OTHER_METHODS; or the file chooses: "", it does not say
    # What its code takes for fields that a file may lack. Of the fields that few families have, it reads those alone.
    usual: Stated = field(default_factory=dict)
    causal: bool = True
    layout: Literal["half", "interleaved"] = "half"  # pairs that RoPE rotates
    divided: bool = False  # ALiBi's bias is divided by sqrt(d), together with the scores
    window: str = ""  # the field with the size of the window, where the code reads one
    mixes_layers: bool = False  # `layer_types` names layers of other kinds
    windowed: Layers | None = None  # the layers that have it, where `layer_types` does not say; None: not known
    without: Layers | None = None  # layers without positions
    named: tuple[str, ...] = ()  # parts that this app does not compute; a field's name: where that field is set
    unused: int = 0  # rows of a learned table that no token takes
    scaled_to: bool = False  # max_position_embeddings is the length after scaling
    plain_windows: bool = False  # a scaling of RoPE leaves the layers with the window as they are
    spelled: Mapping[str, str] = field(default_factory=dict)  # own names of fields -> the usual ones
    no_news: Stated = field(default_factory=dict)  # values of fields that change nothing of what is said here
    # Methods for which code that comes with models was read -> a pattern of its classes, as `auto_map` names them.
    own_code: Mapping[str, str] = field(default_factory=dict)
    is_known: bool = True

    def reads(self, name: str) -> bool:
        """Whether its code reads a field that few families have; of an unknown one, any may be read."""
        return name in self.usual or not self.is_known

    def knows_code(self, method: str, file: Stated) -> bool:
        """Whether every class of a model that the file asks for is of the code that was read for this method."""
        patterns = [pattern for methods, pattern in self.own_code.items() if method in methods.split()]
        named = file.get("auto_map")
        classes = [name for kind, name in named.items() if "Model" in kind] if isinstance(named, dict) else []
        return bool(classes and patterns) and all(re.search(rf"(^|--){patterns[0]}", str(name)) for name in classes)


def _bert(file: Stated) -> str:
    """The table of its class; or ALiBi in the code of MosaicBERT and DNABERT-2 (whose files say “absolute”) and Jina v2."""
    named = signs(file)
    if "rope" in named:
        return ""
    if "alibi" in named and FAMILIES["bert"].knows_code("alibi", file):
        return "alibi"
    return "relative" if "relative" in named else "learned"


def _xlm_roberta(file: Stated) -> str:
    """The table of its class; or RoPE in the code of Jina v3."""
    is_rope = "rope" in signs(file) and FAMILIES["xlm-roberta"].knows_code("rope", file)
    return "rope" if is_rope else "learned"


def _mpt(file: Stated) -> str:
    """Without `alibi`, MPT's own code has none, and that of transformers has it."""
    if "alibi" not in file:
        return ""
    table = "learned" if file.get("learned_pos_emb", True) and not file.get("nope") else "none"
    return "alibi" if file["alibi"] else "rope" if file.get("rope") else table


def _baichuan(file: Stated) -> str:
    """13B has ALiBi, 7B RoPE; only the width tells them apart."""
    return {4096: "rope", 5120: "alibi"}.get(file.get("hidden_size", 0), "")


def _late(layer: int, file: File) -> bool:
    return layer >= file.max_window_layers


def _every(layer: int, file: File) -> bool:
    return True


def _not_4th(layer: int, file: File) -> bool:
    """All but the first of every four."""
    return layer % 4 != 0


def _not_4th_last(layer: int, file: File) -> bool:
    """All but every fourth, counted from the last."""
    return ((file.layers or 0) - 1 - layer) % 4 != 0


_sliding = partial(Family, "rope", window="sliding_window")
_QWEN: Stated = {"use_sliding_window": False, "max_window_layers": 28}
_GEMMA_3: dict[str, Any] = {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256}
_GEMMA_3 |= {"sliding_window_pattern": 6}
_GEMMA_3 |= {"max_position_embeddings": 131_072, "rope_theta": 1e6, "rope_local_base_freq": 1e4}
_GEMMA_4 = _GEMMA_3 | {"rope_parameters": {"rope_type": "proportional"}}
_LLAMA_4: Stated = {"rope_theta": 5e5, "no_rope_layer_interval": 4, "attn_temperature_tuning": True}
_YARN = {"rope_type": "yarn", "beta_fast": 32.0, "beta_slow": 1.0}
_MINISTRAL_3 = _YARN | {"factor": 16.0, "original_max_position_embeddings": 16_384, "llama_4_scaling_beta": 0.1}
_MINISTRAL_3 |= {"mscale": 1.0, "mscale_all_dim": 1.0}
_MISTRAL_LARGE_4 = _YARN | {"factor": 2048.0, "original_max_position_embeddings": 512, "attention_factor": 1.0}
_GPT_OSS = _YARN | {"factor": 32.0, "original_max_position_embeddings": 4096, "truncate": False}
_BASES: Stated = {"layer_rope_theta": []}
_OFF = dict.fromkeys(("rope_theta", "rope_scaling", "rope_parameters"), ANY)  # of models without RoPE
_NEOX = {"rotary_pct": "partial_rotary_factor", "rotary_emb_base": "rope_theta"}
_NOMIC = {"rotary_emb_fraction": "partial_rotary_factor", "rotary_emb_base": "rope_theta"}
_MODERN = {"global_rope_theta": "rope_theta", "local_rope_theta": "rope_local_base_freq"}
_INKLING = {"sliding_window_size": "sliding_window"}
_FOUNDRY: dict[str, Any] = {"rope_impl": ANY, "learned_pos_emb": ANY, "sliding_window_size": -1, "prefix_lm": False}
_FOUNDRY |= {"alibi_bias_max": ANY}  # where there is no ALiBi
_FOUNDRY |= {"rope_dail_config": {"type": "original", "pos_idx_in_fp32": True, "xpos_scale_base": 512}}
_FOUNDRY |= {"rope_hf_config": {"type": "no_scaling", "factor": 1.0}}  # the defaults of llm-foundry
_FOUNDRY |= {"attn_temperature_tuning": {"floor_scale": 8192, "attn_scale": 0.0}}

#: Model types, with blanks between those that do the same -> what they do.
_ROWS: dict[str, Family] = {
    # ALiBi, or what the file chooses
    "bloom": Family("alibi", no_news={"offset_alibi": ANY}),
    "mpt": Family(
        _mpt,
        {"alibi_bias_max": 8.0},
        no_news=_OFF | _FOUNDRY,
        own_code={"alibi rope learned none": r"modeling_mpt\.MPT"},
    ),
    "falcon": Family(
        lambda file: "alibi" if file.get("alibi") else "rope", {"multi_query": True}, divided=True, no_news=_OFF
    ),
    "RefinedWeb RefinedWebModel": Family(  # Falcon, before transformers had it
        lambda file: "alibi" if file.get("alibi") else "rope",
        divided=True,
        own_code={"alibi rope": r"modelling_RW\.RW"},
    ),
    "baichuan": Family(_baichuan, own_code={"alibi rope": r"modeling_baichuan\.Bai[cC]huan"}),
    "bert": Family(
        _bert,
        {"max_position_embeddings": 512},
        causal=False,
        own_code={"alibi": r"(bert_layers\.Bert|modeling_bert\.JinaBert)"},
    ),
    "granitemoehybrid": Family(
        lambda file: {"rope": "rope", "nope": "none"}.get(file.get("position_embedding_type", "nope"), ""),
        mixes_layers=True,
        no_news=_OFF,
    ),
    # RoPE in every layer
    "llama granite granitemoe granitemoeshared olmo olmo2 olmoe dbrx arcee hyperclovax jais2": Family("rope"),
    "bitnet flex_olmo": Family("rope", {"rope_theta": 5e5}),
    "seed_oss": Family("rope", {"head_dim": 128}),
    "mistral ministral starcoder2": _sliding(windowed=_every),
    "phi3": _sliding({"partial_rotary_factor": 1.0}, windowed=_every),
    "mixtral phimoe": _sliding({"rope_theta": 1e6}, windowed=_every),
    "ministral3": _sliding({"head_dim": 128, "rope_theta": 1e6, "rope_parameters": _MINISTRAL_3}, windowed=_every),
    "qwen2 qwen3": _sliding(_QWEN, windowed=_late),
    "qwen2_moe": _sliding(_QWEN),
    "qwen3_moe": _sliding({"use_sliding_window": False}, windowed=_every),
    "gemma": Family("rope", {"head_dim": 256}),
    "gemma2 vaultgemma": _sliding({"head_dim": 256, "sliding_window_pattern": 2}, windowed=pattern),
    "gemma3 gemma3_text": _sliding(
        _GEMMA_3 | {"use_bidirectional_attention": False}, windowed=pattern, scaled_to=True, plain_windows=True
    ),
    "gemma3n gemma3n_text": _sliding(
        _GEMMA_3 | {"sliding_window_pattern": 5, "max_position_embeddings": 32_768, "num_key_value_heads": 2},
        windowed=pattern,
        plain_windows=True,
    ),
    "gemma4 gemma4_text": _sliding(_GEMMA_4, windowed=pattern, named=("heads of 512 in layers without the window",)),
    "phi persimmon nemotron glm4_moe": Family("rope", {"partial_rotary_factor": 0.5}),
    "qwen3_next": Family("rope", {"partial_rotary_factor": 0.25, "head_dim": 256}, mixes_layers=True),
    "stablelm": Family("rope", {"partial_rotary_factor": 0.25}),
    "gpt_neox": Family("rope", {"partial_rotary_factor": 0.25}, spelled=_NEOX),
    "olmo3": _sliding({"rope_theta": 5e5, "sliding_window_pattern": 4}, windowed=pattern, plain_windows=True),
    "gpt_oss": _sliding(
        {"rope_theta": 1.5e5, "sliding_window_pattern": 2, "rope_parameters": _GPT_OSS}, windowed=pattern
    ),
    "gptj codegen": Family("rope", {"rotary_dim": 64}, layout="interleaved"),
    "cohere": Family("rope", {"rope_theta": 5e5}, layout="interleaved"),
    "glm glm4": Family("rope", {"partial_rotary_factor": 0.5, "head_dim": 128}, layout="interleaved"),
    "helium": Family("rope", {"rope_theta": 1e5, "head_dim": 128}, layout="interleaved"),
    "ernie4_5 ernie4_5_moe": Family("rope", {"rope_theta": 5e5, "head_dim": 128}, layout="interleaved"),
    "deepseek_v2 deepseek_v3": Family("rope", layout="interleaved"),
    "modernbert": Family(
        "rope",
        {"rope_theta": 1.6e5, "rope_local_base_freq": 1e4, "global_attn_every_n_layers": 3},
        causal=False,
        window="local_attention",
        windowed=lambda layer, file: layer % file.global_attn_every_n_layers != 0,
        spelled=_MODERN,
    ),
    "nomic_bert": Family("rope", {"rope_theta": 1e3, "partial_rotary_factor": 1.0}, causal=False, spelled=_NOMIC),
    # RoPE in some layers, no positions in the others
    "smollm3": _sliding({"rope_theta": 2e6, "no_rope_layer_interval": 4, "use_sliding_window": False}, without=no_rope),
    "cohere2": _sliding({"sliding_window_pattern": 4}, windowed=pattern, without=global_layer, layout="interleaved"),
    "exaone4 exaone_moe": _sliding({"sliding_window_pattern": 4}, windowed=pattern, without=global_layer),
    "afmoe": _sliding(
        {"sliding_window_pattern": 4, "sliding_window": 1024, "head_dim": 128},
        windowed=pattern,
        without=global_layer,
        spelled={"global_attn_every_n_layers": "sliding_window_pattern"},
    ),
    "granite_swa granitemoe_swa": _sliding(_BASES, windowed=_not_4th, without=no_base),
    "muse_spark muse_spark_text": _sliding(
        {**_BASES, "rope_theta": 5e5, "head_dim": 64},
        windowed=_not_4th_last,
        without=lambda layer, file: no_base(layer, file) if file.layer_rope_theta else not _not_4th_last(layer, file),
    ),
    "mistral_large4 mistral_large4_text": Family(
        "rope",
        {"no_rope_layer_interval": 4, "rope_parameters": _MISTRAL_LARGE_4},
        layout="interleaved",
        mixes_layers=True,
        without=no_rope,
        named=("a learned factor of every RoPE frequency", "scores scaled by the logarithm of the position"),
    ),
    "llama4 llama4_text": Family(
        "rope",
        _LLAMA_4,
        layout="interleaved",
        window="attention_chunk_size",
        windowed=lambda layer, file: not no_rope(layer, file),
        without=no_rope,
        named=("attn_temperature_tuning",),
    ),
    # No positions in any layer
    "jamba": Family(
        "none",
        {"attn_layer_period": 8, "attn_layer_offset": 4},
        mixes_layers=True,
        without=lambda layer, file: layer % file.attn_layer_period == file.attn_layer_offset,
        no_news=_OFF,
    ),
    "kimi_linear": Family("none", mixes_layers=True, no_news=_OFF),
    "nemotron_h": Family("none", mixes_layers=True, without=lambda layer, file: False, no_news=_OFF),
    # A learned table
    "gpt2 opt openai-gpt biogpt": Family("learned"),
    "gpt_neo": Family("learned", window="window_size", no_news={"attention_types": ANY}),
    "gpt_bigcode": Family("learned", {"multi_query": True}),
    "ernie megatron-bert": Family("learned", causal=False),
    "roberta camembert roberta-prelayernorm data2vec-text xlm-roberta-xl": Family("learned", causal=False, unused=2),
    "xlm-roberta": Family(
        _xlm_roberta,
        causal=False,
        unused=2,
        spelled={"rotary_emb_base": "rope_theta"},
        own_code={"rope": r"modeling_(lora|xlm_roberta)\.XLMRoberta"},
    ),
    "jina_embeddings_v3": Family("rope", {"rope_theta": 2e4}, causal=False, unused=2),
    # Relative positions; of T5 its encoder
    "t5 mt5": Family("t5", causal=False),
    "xlnet": Family("relative", causal=False),
    "deberta deberta-v2": Family(
        lambda file: "relative" if file.get("relative_attention") else "",
        {"position_biased_input": True},
        causal=False,
        named=("position_biased_input",),
        no_news=dict.fromkeys(("position_buckets", "max_relative_positions"), ANY),
    ),
    "inkling_mm_model inkling_text inkling2 inkling2_text": Family(
        "mixed",
        window="sliding_window",
        windowed=lambda layer, file: (
            bool((layer + 1) % 6) if file.local_layer_ids is None else layer in file.local_layer_ids
        ),
        spelled=_INKLING,
    ),
}
FAMILIES = {model_type: row for types, row in _ROWS.items() for model_type in types.split()}


def unknown(method: str) -> Family:
    """The row of a model type that has none: what its file says is taken for what its code does."""
    return Family(method, window="sliding_window", without=_listed_no_rope, is_known=False)


def _listed_no_rope(layer: int, file: File) -> bool:
    return layer < len(file.no_rope_layers) and not file.no_rope_layers[layer]


UNKNOWN_SPELLED = _NEOX | _NOMIC | _MODERN

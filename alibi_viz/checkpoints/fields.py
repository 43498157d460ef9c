"""The fields of a `config.json` that say something of position: their spellings, types and bounds; and which were read.

Notable choices:
- A field counts as read when it is asked for (`Part` notes it): no list stands beside the code that could differ from it.
  What says something of position by its name, and was not asked for, is `unread`.
- pydantic in strict mode checks types and ranges: no number is read from a text.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, FiniteFloat, PrivateAttr

from alibi_viz.rules import LLAMA3_HIGH, LLAMA3_LOW, YARN_FAST, YARN_SLOW

ANY: Any = ...  # any value of a field
LENGTH = re.compile(  # names of lengths in tokens
    r"^(?!.*relative)((original_)?max_.+_(length|len|positions|embeddings)|model_max_length|(max_)?seq(uence)?_len(gth)?"
    r"|n_(ctx|positions)|(initial_)?context_(length|window))$"
)
POSITION = re.compile(  # names that say something of position
    r"rope|rotary|xpos|sinusoid|(^|_)pe(_|$)|position|pos_emb|alibi|relative|distance|nope|sliding|window|(local|global|full)_att|attention_chunk"
    r"|dual_chunk|^layer_types|^layers_block_type|attention_(layers|types)|linear_attn|attn_layer|local_layer|hybrid_override"
    r"|causal|bidirection|prefix_lm|temperature_tuning|logn|ntk|yarn|auto_map|" + LENGTH.pattern
)
METHOD = re.compile(r"(alibi|rope|rotary|nope|xpos|sinusoid|kerple)(al)?(_\w*)?", re.IGNORECASE)  # values that name one
NAMES = {"model_type", "_name_or_path"}  # fields whose value is a name of the model
MOST_LISTED = 20
SCALINGS = {"default": "none", "linear": "linear", "dynamic": "dynamic", "yarn": "yarn", "llama3": "llama3"}
FIXED = {"low_freq_factor": LLAMA3_LOW, "high_freq_factor": LLAMA3_HIGH, "beta_fast": YARN_FAST, "beta_slow": YARN_SLOW}
_NO_VALUE_FITS = ("mscale", "mscale_all_dim", "attention_factor", "llama_4_scaling_beta")
FIXED |= {"truncate": True} | dict.fromkeys(_NO_VALUE_FITS, math.nan)

Count = Annotated[int, Field(ge=1, le=1024)]  # heads, layers, buckets
Width = Annotated[int, Field(ge=1, le=65_536)]
Length = Annotated[int, Field(ge=1, le=2**27)]  # tokens
Base = Annotated[FiniteFloat, Field(gt=1, le=1e12)]
Share = Annotated[FiniteFloat, Field(gt=0, le=1)]
Name = Annotated[str, Field(max_length=40)]


def _named(*names: str, default: Any = None) -> Any:
    return Field(default, validation_alias=AliasChoices(*names))


class Part(BaseModel):
    """A part of a file. `_asked` holds the fields that were asked for."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)
    _requested: set[str] = PrivateAttr(default_factory=set)

    if not TYPE_CHECKING:  # else every name would be one of its attributes

        def __getattribute__(self, name: str) -> Any:
            value = super().__getattribute__(name)
            if name in type(self).model_fields:
                self.__pydantic_private__["_requested"].add(name)
            return value

    def read(self, stated: Mapping[str, Any]) -> set[str]:
        """The names in the file that were read: of several for one field the first, and those with its value."""
        names = set()
        for requested in self._requested:
            alias = type(self).model_fields[requested].validation_alias
            spellings = alias.choices if isinstance(alias, AliasChoices) else [requested]
            present = [str(name) for name in spellings if name in stated]
            names |= {name for name in present if stated[name] == stated[present[0]]}
        return names


class Scaling(Part):
    """`rope_scaling` or, since transformers 5, `rope_parameters`."""

    model_config = ConfigDict(extra="allow")
    rope_type: Name = _named("rope_type", "type", default="default")
    rope_theta: Base | None = None
    partial_rotary_factor: Share | None = None
    factor: Annotated[FiniteFloat, Field(ge=1)] | None = None
    original_max_position_embeddings: Length | None = None

    def not_computed(self) -> list[str]:
        """What `positions.rotary` computes otherwise."""
        if self.rope_type not in SCALINGS:
            return [f"rope_type = {self.rope_type}"]
        extra = (self.model_extra or {}).items()
        return [f"{name} = {json.dumps(value)[:20]}" for name, value in extra if FIXED.get(name, value) != value]


class File(Part):
    """The fields of all families, each in its usual spelling."""

    heads: Count = _named("num_attention_heads", "n_head", "n_heads", "num_heads", default=...)
    width: Width = _named("hidden_size", "n_embed", "n_embd", "d_model", default=...)
    layers: Count | None = _named("num_hidden_layers", "n_layer", "n_layers", "num_layers")
    kv_heads: Count | None = _named("num_key_value_heads", "num_kv_heads", "n_head_kv", "kv_n_heads")
    multi_query: bool = False
    new_decoder_architecture: bool = False
    attn_type: Name = ""
    head_dim: Width | None = _named("head_dim", "d_kv", "d_head")
    qk_nope_head_dim: Width = 0
    qk_rope_head_dim: Width | None = None
    length: Length | None = _named(
        *("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length", "model_max_length")
    )
    original_max_position_embeddings: Length | None = None
    rope_theta: Base = 10_000.0
    rope_local_base_freq: Base | None = None
    layer_rope_theta: list[FiniteFloat] = []  # of each layer; 0: no RoPE
    partial_rotary_factor: Share = 1.0
    rotary_dim: Width | None = None
    scaling: Scaling = _named("rope_scaling", "rope_parameters", default=Scaling.model_validate({}))
    local_scaling: Scaling | None = _named("sliding_attention")  # of layers with a window, where these have their own
    position_embedding_type: Name = ""
    alibi: bool = False
    use_alibi: bool = False
    rope: bool = False
    alibi_starting_size: Length | None = None
    alibi_bias_max: Annotated[FiniteFloat, Field(gt=0, le=64)] = 8.0
    learned_pos_emb: bool = True
    relative_attention: bool = False
    is_decoder: bool = False
    use_bidirectional_attention: bool | Name = False
    relative_attention_num_buckets: Annotated[int, Field(ge=4, le=1024)] = 32
    relative_attention_max_distance: Length = 128
    use_sliding_window: bool = True
    sliding_window: Annotated[int, Field(ge=-1, le=2**27)] = 0
    local_attention: Length | None = None
    window_size: Length | None = None
    attention_chunk_size: Length | None = None
    layer_types: list[Name] = _named("layer_types", "attention_layers", "layers_block_type", default=[])
    no_rope_layers: list[int] = []
    local_layer_ids: list[int] | None = None  # from 0
    sliding_window_pattern: Count = _named("sliding_window_pattern", "_sliding_window_pattern", default=1)
    no_rope_layer_interval: Count = 1
    global_attn_every_n_layers: Count = 1
    attn_layer_period: Count = 1
    attn_layer_offset: Annotated[int, Field(ge=0, le=1024)] = 0
    max_window_layers: Annotated[int, Field(ge=0, le=1024)] = 0


#: Lists with an entry for each layer.
BY_LAYER = ("layer_types", "attention_layers", "layers_block_type", "no_rope_layers", "layer_rope_theta")
#: Lists that mean “of no layer” when they are empty, where a file without them means the usual layers.
SAID_EMPTY = ("local_layer_ids",)


def stated(part: Mapping[str, Any], spelled: Mapping[str, str]) -> dict[str, Any]:
    """What a file says: with the inner object of MPT and DBRX, in the usual spelling, without null and empty values that
    mean nothing.
    """
    inner = part.get("attn_config")
    every = (*(inner.items() if isinstance(inner, dict) else ()), *part.items())
    found = {name: value for name, value in every if isinstance(name, str) and not _is_empty(name, value)}
    for own, usual in ({"rope_scaling": "rope_parameters"} | dict(spelled)).items():
        if own in found and usual not in found:
            found[usual] = found.pop(own)
    for name in ("rope_scaling", "rope_parameters"):
        rope = found.get(name)
        if isinstance(rope, dict):
            if isinstance(rope.get("full_attention"), dict):  # one for each kind of layer
                found["sliding_attention"] = rope.get("sliding_attention") or {}
                rope = rope["full_attention"]
            found[name] = {key: value for key, value in rope.items() if value is not None}
    if isinstance(rule := found.get("sliding_window_pattern"), str):  # EXAONE: "LLLG"
        found["sliding_window_pattern"] = len(rule)
    return found


def _is_empty(name: str, value: object) -> bool:
    return value is None or (value in ("", [], {}) and name not in SAID_EMPTY)


def says_position(name: str, value: object) -> bool:
    """Whether a field says something of position, by its name or by its value."""
    values = value if isinstance(value, list) else [value]
    is_method = name not in NAMES and any(isinstance(text, str) and METHOD.fullmatch(text) for text in values)
    return is_method or bool(POSITION.search(name))


def unread(
    given: Mapping[str, Any], file: File, accounted: Mapping[str, Any], lengths: Iterable[int | None]
) -> list[str]:
    """The fields that say something of position and were not read, each with its value if that is short.

    accounted: the values (or ANY) of fields that are no news, for what is known of the model. lengths: its lengths.
    """

    def is_news(name: str, value: object) -> bool:
        if LENGTH.match(name):
            return value not in known
        return name not in accounted or accounted[name] not in (ANY, value)

    known, read = list(lengths), file.read(given)
    found = {name: value for name, value in given.items() if LENGTH.match(name) or says_position(name, value)}
    found = {name: value for name, value in found.items() if LENGTH.match(name) or name not in read}
    for name in {"rope_parameters", "rope_scaling", "sliding_attention"} & set(given) & read:  # their own fields
        scaling = file.local_scaling if name == "sliding_attention" else file.scaling
        if scaling is not None and scaling.rope_type in SCALINGS:
            rest = set(given[name]) - scaling.read(given[name]) - set(FIXED)
            found |= {key if LENGTH.match(key) else f"{name}.{key}": given[name][key] for key in sorted(rest)}
    shown = [
        name[:40]
        if isinstance(value, dict | list)
        else f"{name[:40]} = {json.dumps(value, ensure_ascii=False, default=str)[:40]}"
        for name, value in found.items()
        if is_news(name, value)
    ]
    return shown if len(shown) <= MOST_LISTED else [*shown[:MOST_LISTED], f"{len(shown) - MOST_LISTED} more"]

"""What a `config.json` says about positions: the method, the heads, the training length, and the method's own numbers.

Notable choices:
- Each family of models has its own names for the same things; a pydantic model in strict mode checks their types and
  ranges (no number is read from a text), and everything that says nothing about positions is ignored.
- Two spellings of RoPE's numbers: `rope_theta` and `rope_scaling`, or, since transformers 5, `rope_parameters`.
- What this app cannot compute exactly (another kind of scaling, other bounds of a known kind) raises ValueError: a picture
  that is nearly right would be taken for the model.
- Falcon divides its ALiBi bias by sqrt(d) together with the scores, so its slopes are the paper's divided by sqrt(d).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from alibi_viz.checkpoints.json_text import parse_object
from alibi_viz.positions import METHODS, PositionMethod
from alibi_viz.positions.alibi import slopes as alibi_slopes
from alibi_viz.positions.rotary import LLAMA3_HIGH, LLAMA3_LOW, YARN_FAST, YARN_SLOW

LONGEST = 65_536  # bytes of a config.json; those of language models have about a thousand
Count = Annotated[int, Field(ge=1, le=1024)]  # heads, layers, buckets
Width = Annotated[int, Field(ge=1, le=65_536)]
Length = Annotated[int, Field(ge=1, le=2**27)]  # tokens
Base = Annotated[FiniteFloat, Field(gt=1, le=1e12)]
Factor = Annotated[FiniteFloat, Field(ge=1, le=1e6)]
Share = Annotated[FiniteFloat, Field(gt=0, le=1)]
MaxBias = Annotated[FiniteFloat, Field(gt=0, le=64)]
SCALINGS = {"default": "none", "linear": "linear", "dynamic": "dynamic", "yarn": "yarn", "llama3": "llama3"}


@dataclass(frozen=True)
class ModelConfig:
    """The positions of one published model, in this app's terms."""

    family: str  # model_type of the file
    method: str  # a key of METHODS
    layers: int
    heads: int  # query heads
    kv_heads: int
    head_dim: int  # d
    width: int  # D
    train_length: int | None  # tokens; None: the file does not say
    options: Mapping[str, Any] = field(default_factory=dict)  # of the method's class
    window: int | None = None  # a query may attend to so many keys at most; None: to all
    causal: bool = True
    runs_code: bool = False  # the file asks for program code that comes with the checkpoint
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)  # the whole file

    @property
    def slopes(self) -> tuple[float, ...] | None:
        """ALiBi's slopes; None for every other method."""
        return tuple(self.options["slopes"]) if self.method == "alibi" else None

    def build(self, max_length: int | None = None) -> PositionMethod:
        """The position method itself, at initialization where it has parameters."""
        length = max_length or self.train_length or 2048
        return METHODS[self.method](self.heads, self.head_dim, self.width, length, **self.options)


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Scaling(_Part):
    """`rope_scaling` or `rope_parameters`."""

    rope_type: Annotated[str, Field(max_length=40)] = Field(
        "default", validation_alias=AliasChoices("rope_type", "type")
    )
    rope_theta: Base | None = None
    partial_rotary_factor: Share | None = None
    factor: Factor | None = None
    original_max_position_embeddings: Length | None = None
    low_freq_factor: FiniteFloat = LLAMA3_LOW
    high_freq_factor: FiniteFloat = LLAMA3_HIGH
    beta_fast: FiniteFloat | None = None
    beta_slow: FiniteFloat | None = None
    attention_factor: FiniteFloat | None = None
    mscale: FiniteFloat | None = None
    mscale_all_dim: FiniteFloat | None = None
    truncate: bool = True

    def check(self) -> None:
        """Raises ValueError for what `positions.rotary` does not compute."""
        if self.rope_type not in SCALINGS:
            raise ValueError(f"This app knows the RoPE scalings {', '.join(SCALINGS)}, not “{self.rope_type}”.")
        fixed: dict[str, tuple[object, object]] = {
            "low_freq_factor": (self.low_freq_factor, LLAMA3_LOW),
            "high_freq_factor": (self.high_freq_factor, LLAMA3_HIGH),
            "beta_fast": (self.beta_fast or YARN_FAST, YARN_FAST),
            "beta_slow": (self.beta_slow or YARN_SLOW, YARN_SLOW),
            "truncate": (self.truncate, True),
        }
        fixed |= {name: (getattr(self, name), None) for name in ("attention_factor", "mscale", "mscale_all_dim")}
        for name, (given, ours) in fixed.items():
            if given != ours:
                raise ValueError(f"RoPE scaling with {name} = {given} is not one that this app computes.")
        if self.rope_type != "default" and self.factor is None:
            raise ValueError(f"The RoPE scaling “{self.rope_type}” has no factor.")


class _Family(_Part):
    """What the families share. `found` turns the checked fields into a ModelConfig."""

    causal: ClassVar[bool] = True
    layers: Count = Field(validation_alias=AliasChoices("num_hidden_layers", "n_layer", "n_layers", "num_layers"))
    heads: Count = Field(validation_alias=AliasChoices("num_attention_heads", "n_head", "n_heads", "num_heads"))
    width: Width = Field(validation_alias=AliasChoices("hidden_size", "n_embed", "n_embd", "d_model"))

    def method(self) -> tuple[str, dict[str, Any]]:
        """Key of METHODS, and the options of its class."""
        raise NotImplementedError

    def dim(self) -> int:
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads do not divide a width of {self.width:,}.")
        return self.width // self.heads

    def key_heads(self) -> int:
        return self.heads

    def length(self) -> int | None:
        raise NotImplementedError

    def limit(self) -> int | None:
        """The sliding window, in tokens."""
        return None


class _Rope(_Family):
    """A family with RoPE: how its numbers are spelled."""

    rope_theta: Base | None = Field(None, validation_alias=AliasChoices("rope_theta", "rotary_emb_base"))
    rotary_pct: Share | None = Field(None, validation_alias=AliasChoices("rotary_pct", "partial_rotary_factor"))
    rope_scaling: _Scaling | None = None
    rope_parameters: _Scaling | None = None
    max_position_embeddings: Length | None = None

    def scaling(self) -> _Scaling:
        return self.rope_parameters or self.rope_scaling or _Scaling.model_validate({})

    def length(self) -> int | None:
        return self.scaling().original_max_position_embeddings or self.max_position_embeddings

    def method(self) -> tuple[str, dict[str, Any]]:
        scaling, dim = self.scaling(), self.dim()
        scaling.check()
        options: dict[str, Any] = {"base": float(scaling.rope_theta or self.rope_theta or 10_000.0)}
        share = scaling.partial_rotary_factor or self.rotary_pct or self.usual_share()
        if share < 1:
            options["rotary_dim"] = int(dim * share)
        if scaling.rope_type != "default":
            if (length := self.length()) is None:
                raise ValueError("config.json scales RoPE, and does not say “max_position_embeddings”.")
            options |= {"scaling": SCALINGS[scaling.rope_type], "factor": float(scaling.factor or 1.0)}
            options["original_length"] = length
        return "rope", options

    def usual_share(self) -> float:
        """Of the head's numbers that are rotated, where the file does not say."""
        return 1.0


class _LlamaLike(_Rope):
    num_key_value_heads: Count | None = None
    head_dim: Width | None = None
    sliding_window: Length | None = None
    use_sliding_window: bool | None = None

    def dim(self) -> int:
        return self.head_dim or super().dim()

    def key_heads(self) -> int:
        return self.num_key_value_heads or self.heads

    def limit(self) -> int | None:
        return None if self.use_sliding_window is False else self.sliding_window


class _GPTNeoX(_Rope):
    def usual_share(self) -> float:
        return 0.25


class _Falcon(_Rope):
    alibi: bool = False
    multi_query: bool = True
    new_decoder_architecture: bool = False
    num_kv_heads: Count | None = Field(None, validation_alias=AliasChoices("num_kv_heads", "n_head_kv"))

    def key_heads(self) -> int:
        shared = 1 if self.multi_query else self.heads
        return (self.num_kv_heads or self.heads) if self.new_decoder_architecture else shared

    def method(self) -> tuple[str, dict[str, Any]]:
        if not self.alibi:
            return super().method()
        return "alibi", {"slopes": tuple(m / math.sqrt(self.dim()) for m in alibi_slopes(self.heads))}


class _Bloom(_Family):
    seq_length: Length | None = None

    def length(self) -> int | None:
        return self.seq_length

    def method(self) -> tuple[str, dict[str, Any]]:
        return "alibi", {"slopes": tuple(alibi_slopes(self.heads))}


class _MptAttention(_Part):
    # The defaults of transformers' MptAttentionConfig; the file of a published MPT model names its method.
    alibi: bool = True
    alibi_bias_max: MaxBias = 8.0
    rope: bool = False
    rope_theta: Base = 10_000.0
    kv_n_heads: Count | None = None


class _Mpt(_Family):
    max_seq_len: Length | None = None
    learned_pos_emb: bool = True
    attn_config: _MptAttention = _MptAttention()

    def key_heads(self) -> int:
        return self.attn_config.kv_n_heads or self.heads

    def length(self) -> int | None:
        return self.max_seq_len

    def method(self) -> tuple[str, dict[str, Any]]:
        attention = self.attn_config
        if attention.alibi:
            return "alibi", {"slopes": tuple(alibi_slopes(self.heads, max_bias=attention.alibi_bias_max))}
        if attention.rope:
            return "rope", {"base": float(attention.rope_theta)}
        return ("learned" if self.learned_pos_emb else "none"), {}


class _T5(_Family):
    causal: ClassVar[bool] = False  # its encoder
    d_kv: Width
    n_positions: Length | None = None
    relative_attention_num_buckets: Annotated[int, Field(ge=4, le=1024)] = 32
    relative_attention_max_distance: Length = 128

    def dim(self) -> int:
        return self.d_kv

    def length(self) -> int | None:
        return self.n_positions

    def method(self) -> tuple[str, dict[str, Any]]:
        buckets = {"num_buckets": self.relative_attention_num_buckets}
        buckets["max_distance"] = self.relative_attention_max_distance
        return "t5", buckets | {"bidirectional": True, "faithful": True}


class _GPT2(_Family):
    n_positions: Length = Field(1024, validation_alias=AliasChoices("n_positions", "n_ctx", "max_position_embeddings"))

    def length(self) -> int | None:
        return self.n_positions

    def method(self) -> tuple[str, dict[str, Any]]:
        return "learned", {}


FAMILIES: dict[str, type[_Family]] = {
    "bloom": _Bloom,
    "mpt": _Mpt,
    "falcon": _Falcon,
    "llama": _LlamaLike,
    "mistral": _LlamaLike,
    "gemma": _LlamaLike,
    "qwen2": _LlamaLike,
    "gpt_neox": _GPTNeoX,
    "t5": _T5,
    "gpt2": _GPT2,
}


def read(text: str | bytes) -> ModelConfig:
    """The positions of the model that a `config.json` describes. Raises ValueError with one sentence."""
    return from_dict(parse_object(text, "config.json", LONGEST))


def from_dict(raw: Mapping[str, Any]) -> ModelConfig:
    """The same from a parsed file."""
    family = raw.get("model_type")
    if not isinstance(family, str):
        raise ValueError("config.json does not say which model it is for: “model_type” is missing.")
    if family not in FAMILIES:
        raise ValueError(f"This app reads the model types {', '.join(FAMILIES)}, not “{family[:40]}”.")
    try:
        fields = FAMILIES[family].model_validate(raw)
    except ValidationError as error:
        raise ValueError(_sentence(error)) from None
    kv_heads = fields.key_heads()
    if fields.heads % kv_heads:
        raise ValueError(f"{fields.heads} heads cannot share {kv_heads} key/value heads equally.")
    method, options = fields.method()
    found = ModelConfig(
        family=family,
        method=method,
        layers=fields.layers,
        heads=fields.heads,
        kv_heads=kv_heads,
        head_dim=fields.dim(),
        width=fields.width,
        train_length=fields.length(),
        options=options,
        window=fields.limit(),
        causal=fields.causal,
        runs_code="auto_map" in raw,
        raw=raw,
    )
    if method != "learned":  # whose table could be large; its only number is its length
        found.build()  # raises for numbers that do not fit together, such as an odd head_dim
    return found


def _sentence(error: ValidationError) -> str:
    """The first thing that is wrong, in one sentence."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return f"config.json does not say “{where}”."
    return f"config.json, “{where}”: {first['msg'][0].lower()}{first['msg'][1:]}."

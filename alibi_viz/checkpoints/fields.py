"""The fields of `config.json` that say something about positions, one class a family of models.

Notable choices:
- pydantic in strict mode checks types and ranges: no number is read from a text. What is not named here is ignored.
- Two spellings of RoPE's numbers: `rope_theta` and `rope_scaling`, or, since transformers 5, `rope_parameters`.
- What this app cannot compute exactly (another kind of scaling, other bounds of a known kind) raises ValueError: a picture
  that is nearly right would be taken for the model.
- Falcon divides its ALiBi bias by sqrt(d) together with the scores, so its slopes are the paper's divided by sqrt(d).
"""

import math
from typing import Annotated, Any, ClassVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, FiniteFloat

from alibi_viz.positions.alibi import slopes as alibi_slopes
from alibi_viz.positions.rotary import LLAMA3_HIGH, LLAMA3_LOW, YARN_FAST, YARN_SLOW

Count = Annotated[int, Field(ge=1, le=1024)]  # heads, layers, buckets
Width = Annotated[int, Field(ge=1, le=65_536)]
Length = Annotated[int, Field(ge=1, le=2**27)]  # tokens
Base = Annotated[FiniteFloat, Field(gt=1, le=1e12)]
Factor = Annotated[FiniteFloat, Field(ge=1)]
LARGEST_FACTOR = 1e6
Share = Annotated[FiniteFloat, Field(gt=0, le=1)]
MaxBias = Annotated[FiniteFloat, Field(gt=0, le=64)]
OFF = 1e20  # a linear factor that leaves no angle
SCALINGS = {"default": "none", "linear": "linear", "dynamic": "dynamic", "yarn": "yarn", "llama3": "llama3"}


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

    def is_off(self) -> bool:
        """Whether no angle is left, as in a model with our drop-in: by its name, or by a factor, as it was before."""
        return self.rope_type == "alibi" or (self.rope_type == "linear" and (self.factor or 1) >= OFF)

    def check(self) -> None:
        """Raises ValueError for what `positions.rotary` does not compute."""
        if (self.factor or 1) > LARGEST_FACTOR:
            raise ValueError(f"RoPE scaling with factor = {self.factor:g} is not one that this app computes.")
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


class FamilyFields(_Part):
    """What the families share. `config.py` makes a ModelConfig of the checked fields."""

    is_causal: ClassVar[bool] = True
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

    def rope_off(self) -> bool:
        """Whether RoPE is there and switched off."""
        return False


class _Rope(FamilyFields):
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

    def rope_off(self) -> bool:
        return self.scaling().is_off()

    def method(self) -> tuple[str, dict[str, Any]]:
        scaling, dim = self.scaling(), self.dim()
        if scaling.is_off():
            return "alibi", {"slopes": tuple(alibi_slopes(self.heads))}
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


class _Gemma3(_LlamaLike):
    """Its text part. Global layers have the base of `rope_theta`; local ones (`sliding_window`) one of their own."""

    rope_parameters: _Scaling | dict[str, _Scaling] | None = None  # type: ignore[assignment]  # one a kind of layer

    def scaling(self) -> _Scaling:
        given = self.rope_parameters
        own = given.get("full_attention") if isinstance(given, dict) else given
        return own or self.rope_scaling or _Scaling.model_validate({"rope_theta": self.rope_theta or 1_000_000.0})


class _Phi(_LlamaLike):
    def usual_share(self) -> float:
        return 0.5


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


class _Bloom(FamilyFields):
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


class _Mpt(FamilyFields):
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


class _T5(FamilyFields):
    is_causal: ClassVar[bool] = False  # its encoder
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


class _Baichuan(_Rope):
    """13B has ALiBi and 7B RoPE. The file does not say which: as in vLLM, the width of 7B, 4096, tells them apart."""

    max_position_embeddings: Length | None = Field(
        None, validation_alias=AliasChoices("max_position_embeddings", "model_max_length")
    )

    def method(self) -> tuple[str, dict[str, Any]]:
        return super().method() if self.width == 4096 else ("alibi", {"slopes": tuple(alibi_slopes(self.heads))})


class _Bert(FamilyFields):
    """An encoder: a learned table, or symmetric ALiBi (Jina v2)."""

    is_causal: ClassVar[bool] = False
    position_embedding_type: Annotated[str, Field(max_length=40)] = "absolute"
    max_position_embeddings: Length = 512

    def length(self) -> int | None:
        return self.max_position_embeddings

    def method(self) -> tuple[str, dict[str, Any]]:
        if self.position_embedding_type == "alibi":
            return "alibi", {"slopes": tuple(alibi_slopes(self.heads)), "form": "symmetric"}
        if self.position_embedding_type != "absolute":
            raise ValueError(f"This app does not compute BERT’s positions “{self.position_embedding_type}”.")
        return "learned", {}


class Unknown(_LlamaLike):
    """A model type that this app does not know: what the file says of positions, in the usual names."""

    alibi: bool = False
    use_alibi: bool = False
    position_embedding_type: Annotated[str, Field(max_length=40)] = ""

    def method(self) -> tuple[str, dict[str, Any]]:
        if self.alibi or self.use_alibi or self.position_embedding_type == "alibi":
            return "alibi", {"slopes": tuple(alibi_slopes(self.heads))}
        if self.rope_theta or self.rope_scaling or self.rope_parameters:
            return super().method()
        if self.position_embedding_type in ("absolute", "learned"):
            return "learned", {}
        raise ValueError("This model type is not known to this app, and its config.json says nothing of positions.")


class _GPT2(FamilyFields):
    n_positions: Length = Field(1024, validation_alias=AliasChoices("n_positions", "n_ctx", "max_position_embeddings"))

    def length(self) -> int | None:
        return self.n_positions

    def method(self) -> tuple[str, dict[str, Any]]:
        return "learned", {}


FAMILIES: dict[str, type[FamilyFields]] = {
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
    "baichuan": _Baichuan,
    "bert": _Bert,
    "gemma2": _LlamaLike,
    "gemma3": _Gemma3,
    "gemma3_text": _Gemma3,
    "qwen3": _LlamaLike,
    "mixtral": _LlamaLike,
    "phi": _Phi,
}

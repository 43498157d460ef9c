"""What a `config.json` says about positions: the method, the heads, the lengths, and the method's own numbers.

Notable choices:
- Naming a method is not computing it. What this app does not compute exactly (another kind of scaling, other bounds of a
  known kind) is named in `not_computed`, and no picture is drawn: one that is nearly right would be taken for the model.
- pydantic in strict mode checks types and ranges: no number is read from a text. What is not named here is ignored.
- A file that names another method than its family has is `known=False`, as is a family that has no row in the table.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, FiniteFloat, ValidationError
from pydantic_core import from_json

from alibi_viz.checkpoints.folder import CONFIG
from alibi_viz.checkpoints.table import FAMILIES, OTHER_METHODS, Family, signs
from alibi_viz.positions import METHODS, PositionMethod
from alibi_viz.positions.alibi import slopes as alibi_slopes
from alibi_viz.positions.rotary import LLAMA3_HIGH, LLAMA3_LOW, YARN_FAST, YARN_SLOW

LONGEST = 65_536  # bytes of a config.json; those of language models have about a thousand
LARGEST_FACTOR = 1e6
FIXED = {"low_freq_factor": LLAMA3_LOW, "high_freq_factor": LLAMA3_HIGH, "beta_fast": YARN_FAST, "beta_slow": YARN_SLOW}
FIXED |= {"truncate": True} | dict.fromkeys(
    ("mscale", "mscale_all_dim", "attention_factor"), math.nan
)  # NaN: no value fits
SCALINGS = {"default": "none", "linear": "linear", "dynamic": "dynamic", "yarn": "yarn", "llama3": "llama3"}
NO_ATTENTION = {"mamba", "linear_attention", "recurrent"}  # kinds of layers
PARTS = ("text_config", "llm_config", "language_config")  # of a model that sees or hears as well: its text part

Count = Annotated[int, Field(ge=1, le=1024)]  # heads, layers, buckets
Width = Annotated[int, Field(ge=1, le=65_536)]
Length = Annotated[int, Field(ge=1, le=2**27)]  # tokens
Base = Annotated[FiniteFloat, Field(gt=1, le=1e12)]
Share = Annotated[FiniteFloat, Field(gt=0, le=1)]
Name = Annotated[str, Field(max_length=40)]


@dataclass(frozen=True, repr=False)
class ModelConfig:
    """The positions of one published model, in this app's terms. Layers count from 1."""

    family: str  # model_type of the file
    method: str  # a key of METHODS, or of OTHER_METHODS
    layers: int | None  # None: the file does not say
    heads: int  # query heads
    kv_heads: int
    head_dim: int  # d
    width: int  # D
    train_length: int | None  # tokens, before RoPE was scaled; None: the file does not say
    scaled_length: int | None = None  # tokens, for which RoPE was scaled
    options: Mapping[str, Any] = field(default_factory=dict)  # of the method's class
    window: int | None = None  # a query may attend to so many keys at most; None: to all
    window_layers: tuple[int, ...] | None = ()  # those with the window; None: the file does not say
    local_base: float | None = None  # RoPE's base in these layers, where it is another
    nope_layers: tuple[int, ...] = ()  # attention layers without positions
    causal: bool = True
    not_computed: tuple[str, ...] = ()  # parts of the method that this app names, and does not compute
    known: bool = True  # False: this app does not know such files, and says what the file says
    rope_off: bool = False  # RoPE is switched off in the file, as our drop-in does: ALiBi comes by name
    runs_code: bool = False  # the file asks for program code that comes with the model
    raw: Mapping[str, Any] = field(default_factory=dict)  # the whole file

    def __repr__(self) -> str:
        named = ("layers", "heads", "kv_heads", "head_dim", "train_length")
        sizes = ", ".join(f"{name}={getattr(self, name)}" for name in named)
        rest = [f"slopes {self.slopes[0]:.4g} … {self.slopes[-1]:.4g}"] if self.slopes else []
        rest += [f"{name}={value}" for name, value in self.options.items() if name != "slopes"]
        more = ("scaled_length", "window", "local_base", "nope_layers", "not_computed")
        rest += [f"{name}={value}" for name in more if (value := getattr(self, name))]
        return f"ModelConfig({', '.join([f'{self.family}: {self.method}', sizes, *rest])})"

    @property
    def title(self) -> str:
        """The method's name."""
        return METHODS[self.method].title if self.method in METHODS else OTHER_METHODS[self.method]

    @property
    def slopes(self) -> tuple[float, ...] | None:
        """ALiBi's slopes; None for every other method."""
        return tuple(self.options["slopes"]) if self.method == "alibi" else None

    def facts(self) -> dict[str, Any]:
        """What is known of the model, by names that stay; a list where there are several."""
        first = ("method", "layers", "heads", "kv_heads", "head_dim", "width", "train_length", "window", "causal")
        rest = ("scaled_length", "window_layers", "local_base", "nope_layers", "not_computed", "runs_code", "rope_off")
        values = {name: getattr(self, name) for name in (*first, *rest)} | dict(self.options)
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {"model_type": self.family, "known": self.known, **values}

    def build(self) -> PositionMethod:
        """The position method itself, at initialization where it has parameters. Raises ValueError if it is only named."""
        if self.not_computed:
            raise ValueError(f"This app does not compute {', '.join(self.not_computed)}.")
        return METHODS[self.method](self.heads, self.head_dim, self.width, self.train_length or 2048, **self.options)


def _named(*names: str, default: Any = None) -> Any:
    return Field(default, validation_alias=AliasChoices(*names))


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Scaling(_Part):
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
        extra = self.model_extra or {}
        return [
            f"{name} = {json.dumps(value)[:20]}" for name, value in extra.items() if FIXED.get(name, value) != value
        ]


class _File(_Part):
    """The fields that say something about positions, in the spellings of all families."""

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
    base: Base = _named("global_rope_theta", "rope_theta", "rotary_emb_base", default=10_000.0)
    local_base: Base | None = _named("local_rope_theta", "rope_local_base_freq")
    share: Share = _named("rotary_pct", "partial_rotary_factor", default=1.0)
    rotary_dim: Width | None = None
    scaling: _Scaling = _named("rope_parameters", "rope_scaling", default=_Scaling.model_validate({}))
    position_embedding_type: Name = ""
    alibi: bool = False
    use_alibi: bool = False
    rope: bool = False
    alibi_starting_size: Length | None = None
    alibi_bias_max: Annotated[FiniteFloat, Field(gt=0, le=64)] = 8.0
    learned_pos_emb: bool = True
    relative_attention: bool = False
    is_decoder: bool = False
    use_bidirectional_attention: bool = False
    relative_attention_num_buckets: Annotated[int, Field(ge=4, le=1024)] = 32
    relative_attention_max_distance: Length = 128
    use_sliding_window: bool = True
    sliding_window: Annotated[int, Field(ge=0, le=2**27)] = 0
    local_attention: Length | None = None
    window_size: Length | None = None
    attention_chunk_size: Length | None = None
    attn_temperature_tuning: bool | int = False
    layer_types: list[Name] = _named("layer_types", "attention_layers", "layers_block_type", default=[])
    no_rope_layers: list[int] = []
    sliding_window_pattern: Count = 1
    no_rope_layer_interval: Count = 1
    global_attn_every_n_layers: Count = 1
    max_window_layers: Annotated[int, Field(ge=0, le=1024)] = 0


def read(text: str | bytes) -> ModelConfig:
    """The positions of the model that a `config.json` describes. Raises ValueError with one sentence."""
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text  # a lone surrogate is no UTF-8
    if len(data) > LONGEST:
        raise ValueError(f"{CONFIG} has {len(data):,} bytes; at most {LONGEST:,} are read.")
    try:
        parsed = from_json(data, allow_inf_nan=False)  # unlike Python's: no NaN, no half characters, bounded nesting
    except ValueError as error:
        raise ValueError(f"config.json is not JSON: {error}.") from None
    if not isinstance(parsed, dict):
        raise ValueError("config.json must be a JSON object, in braces.")
    return from_dict(parsed)


def from_dict(raw: Mapping[str, Any]) -> ModelConfig:
    """The same from a parsed file."""
    name = raw.get("model_type")
    if not isinstance(name, str):
        raise ValueError("config.json does not say which model it is for: “model_type” is missing.")
    part = next((raw[inner] for inner in PARTS if isinstance(raw.get(inner), dict)), raw)
    row = FAMILIES.get(str(part.get("model_type"))) or FAMILIES.get(name)
    stated = _stated(part)
    fields = {**(row.usual if row else {}), **stated}
    try:
        file = _File.model_validate(fields)
    except ValidationError as error:
        raise ValueError(_sentence(error)) from None
    method, known = _method(row, name[:40], stated, file)
    row = row or Family(method, window="sliding_window")
    is_shared = (file.multi_query and not file.new_decoder_architecture) or file.attn_type == "multiquery_attention"
    kv_heads = 1 if is_shared else file.kv_heads or file.heads
    if file.heads % kv_heads:
        raise ValueError(f"{file.heads} heads cannot share {kv_heads} key/value heads equally.")
    rotated = file.qk_rope_head_dim  # of a head in two parts
    head_dim = file.qk_nope_head_dim + rotated if rotated else file.head_dim
    if head_dim is None and file.width % file.heads:
        raise ValueError(f"{file.heads} heads do not divide a width of {file.width:,}.")
    for listed in (file.layer_types, file.no_rope_layers):
        if listed and len(listed) < (file.layers or 0):
            raise ValueError(f"config.json lists {len(listed)} layers of {file.layers}.")
    window, window_layers = _window(row, file, fields)
    other = [OTHER_METHODS[method]] if method in OTHER_METHODS else []
    other += sorted(f"{kind} layers" for kind in {kind for _, kind in _layers(file)} & NO_ATTENTION)
    config = ModelConfig(
        family=re.sub(r"[^\w.-]", "_", name[:40]),  # it names files, too
        method=method,
        layers=file.layers,
        heads=file.heads,
        kv_heads=kv_heads,
        head_dim=head_dim or file.width // file.heads,
        width=file.width,
        train_length=file.length and max(1, file.length - row.unused),
        window=window,
        window_layers=window_layers,
        nope_layers=_nope_layers(row, method, file, fields),
        causal=file.is_decoder or (row.causal and not file.use_bidirectional_attention),
        not_computed=(*(part for part in row.named if fields.get(part)), *other),
        known=known,
        runs_code="auto_map" in raw,
        raw=raw,
    )
    if method in _WITH:
        config = _WITH[method](config, row, file)
    if not config.not_computed and method != "learned":  # whose table could be large; its only number is its length
        config.build()  # raises for numbers that do not fit together, such as an odd head_dim
    return config


def _stated(part: Mapping[str, Any]) -> dict[str, Any]:
    """What the file says: with the inner object of MPT and DBRX, without null, and one RoPE for all global layers."""
    inner = part.get("attn_config")
    every = (*(inner.items() if isinstance(inner, dict) else ()), *part.items())
    stated = {name: value for name, value in every if value is not None}
    for name in ("rope_parameters", "rope_scaling"):
        rope = stated.get(name)
        if isinstance(rope, dict) and isinstance(rope.get("full_attention"), dict):  # one for each kind of layer
            local = rope.get("sliding_attention")
            stated[name] = rope["full_attention"]
            if isinstance(local, dict) and "rope_theta" in local:
                stated["local_rope_theta"] = local["rope_theta"]
        if isinstance(stated.get(name), dict):
            stated[name] = {key: value for key, value in stated[name].items() if value is not None}
    if isinstance(rule := stated.get("sliding_window_pattern"), str):  # EXAONE: "LLLG"
        stated["sliding_window_pattern"] = len(rule)
    return stated


def _method(row: Family | None, name: str, stated: Mapping[str, Any], file: _File) -> tuple[str, bool]:
    """The method, and whether that is known. Raises ValueError where neither the table nor the file names one."""
    if file.scaling.rope_type == "alibi":  # as in a model with our drop-in
        return "alibi", row is not None
    fixed = row is not None and isinstance(row.method, str)
    method = "" if row is None else row.method if isinstance(row.method, str) else row.method(stated)
    named = signs(stated)
    if method:
        named.discard("learned")  # “absolute” stands in many old files, whatever the model does
        if not fixed or named <= {method}:
            return method, True
    if "alibi" in named or len(named) == 1:  # a file with ALiBi may keep RoPE's numbers, as Falcon's do
        return "alibi" if "alibi" in named else named.pop(), False
    what = "names several methods" if named else "says nothing of positions"
    model = f"{name} may have several methods" if row else "This model type is not known to this app"
    raise ValueError(f"{model}, and its config.json {what}.")


def _window(row: Family, file: _File, fields: Mapping[str, Any]) -> tuple[int | None, tuple[int, ...] | None]:
    """The window, and the layers that have it."""
    size = getattr(file, row.window) if row.window and file.use_sliding_window else None
    if not size:
        return None, ()
    if not file.layers or not (file.layer_types or row.windowed):
        return size, None
    local = ("sliding", "chunked", "local")
    layers = tuple(
        at
        for at, kind in _layers(file)
        if (kind.startswith(local) if kind else row.windowed and row.windowed(at - 1, fields))
    )
    return (size, layers) if layers else (None, ())


def _layers(file: _File) -> list[tuple[int, str]]:
    """Each layer's number, from 1, and its kind, as far as the file says."""
    count = file.layers or 0
    return list(enumerate(file.layer_types[:count] or [""] * count, start=1))


def _nope_layers(row: Family, method: str, file: _File, fields: Mapping[str, Any]) -> tuple[int, ...]:
    """The attention layers without positions."""
    if row.without:
        return tuple(at for at, _ in _layers(file) if row.without(at - 1, fields))
    return tuple(at for at, kind in _layers(file) if method == "none" and kind not in NO_ATTENTION)


def _alibi(config: ModelConfig, row: Family, file: _File) -> ModelConfig:
    by = math.sqrt(config.head_dim) if row.divided else 1
    slopes = tuple(m / by for m in alibi_slopes(config.heads, max_bias=file.alibi_bias_max))
    form = {} if config.causal else {"form": "symmetric"}
    return replace(config, options={"slopes": slopes} | form, rope_off=file.scaling.rope_type == "alibi")


def _t5(config: ModelConfig, row: Family, file: _File) -> ModelConfig:
    buckets = {"num_buckets": file.relative_attention_num_buckets, "max_distance": file.relative_attention_max_distance}
    return replace(config, options=buckets | {"bidirectional": not config.causal, "faithful": True})


def _rope(config: ModelConfig, row: Family, file: _File) -> ModelConfig:
    """RoPE: its base, the numbers that are rotated, the lengths before and after scaling, what is not computed."""
    scaling = file.scaling
    options: dict[str, Any] = {"base": float(scaling.rope_theta or file.base)}
    share = scaling.partial_rotary_factor or file.share
    part = int(config.head_dim * share) if share < 1 else 0
    if rotated := file.qk_rope_head_dim or file.rotary_dim or part:
        options["rotary_dim"] = rotated
    if row.layout != "half":
        options["layout"] = row.layout
    latent = ["multi-head latent attention (MLA)"] if file.qk_rope_head_dim else []
    config = replace(
        config,
        options=options,
        local_base=None if file.local_base == options["base"] else file.local_base,
        not_computed=(*config.not_computed, *scaling.not_computed(), *latent),
    )
    return config if scaling.rope_type == "default" else _scaled(config, row, file)


def _scaled(config: ModelConfig, row: Family, file: _File) -> ModelConfig:
    kind, factor, most = file.scaling.rope_type, file.scaling.factor, file.length
    before = file.scaling.original_max_position_embeddings or file.original_max_position_embeddings
    longer = before is not None and most is not None and most > before
    if kind == "yarn" and factor is None and before and most:
        factor = most / before  # as transformers fills it in
    if kind in SCALINGS and factor is None:
        raise ValueError(f"The RoPE scaling “{kind}” has no factor.")
    if factor and factor > LARGEST_FACTOR:
        raise ValueError(f"RoPE scaling with factor = {factor:g} is not one that this app computes.")
    if before is None and not row.scaled_to:
        before = most
    after = most if longer or before is None else round(before * (factor or 1))
    options = dict(config.options) | {"scaling": SCALINGS.get(kind, kind)}
    options |= {"factor": float(factor)} if factor else {}
    options |= {"original_length": before} if before else {}
    if before is None and kind in ("dynamic", "yarn", "llama3"):
        raise ValueError("config.json scales RoPE, and does not say “max_position_embeddings”.")
    return replace(config, train_length=before, scaled_length=after, options=options)


_WITH: dict[str, Callable[[ModelConfig, Family, _File], ModelConfig]] = {"alibi": _alibi, "rope": _rope, "t5": _t5}


def _sentence(error: ValidationError) -> str:
    """The first thing that is wrong, in one sentence."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return f"config.json does not say “{where}”."
    message = first["msg"]
    return f"config.json, “{where}”: {message[0].lower() + message[1:]}."

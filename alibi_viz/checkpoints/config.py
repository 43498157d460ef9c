"""What a `config.json` says about positions: the method, the heads, the lengths, and the method's own numbers.

Notable choices:
- Naming a method is not computing it. What this app does not compute exactly (another kind of scaling, other bounds of a
  known kind) is named in `not_computed`, and no picture is drawn: one that is nearly right would be taken for the model.
- A field that says something of position and was not read is listed in `unread`: the file is then not known, as is one
  that names another method than its family has, or whose family has no row in the table.
- Nothing is built: the ranges that a method's class checks are checked here.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import from_json

from alibi_viz.checkpoints.fields import ANY, BY_LAYER, LENGTH, SCALINGS, File, stated, unread
from alibi_viz.checkpoints.table import (
    FAMILIES,
    KINDS,
    OTHER_METHODS,
    SWITCHES,
    UNKNOWN_SPELLED,
    Family,
    signs,
    unknown,
)
from alibi_viz.lessons.problems import Problem
from alibi_viz.rules import TITLES
from alibi_viz.rules import slopes as alibi_slopes

if TYPE_CHECKING:
    from alibi_viz.positions import PositionMethod

LONGEST = 65_536  # bytes of a config.json; those of language models have about a thousand
LARGEST_FACTOR = 1e6
FULL, LOCAL = ("", "full_attention", "attention", "global", "hybrid"), ("sliding", "chunked", "local", "hybrid_sliding")
NO_ATTENTION = {"mamba", "linear_attention", "recurrent", "conv"}  # kinds of layers
PARTS = ("text_config", "llm_config", "language_config")  # of a model that sees or hears as well: its text part
# Linear scaling came when models were trained on 2,048 or 4,096 tokens, with a base of 10,000 or 100,000.
LINEAR_FROM, LINEAR_LEAST, LINEAR_BASE = 4096, 2048, 1e5


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
    unscaled_layers: tuple[int, ...] | None = ()  # those that keep RoPE as it was, where others have it scaled
    nope_layers: tuple[int, ...] = ()  # attention layers without positions
    causal: bool | None = None  # None: this app does not know such models
    not_computed: tuple[str, ...] = ()  # parts of the method that this app names, and does not compute
    unread: tuple[str, ...] = ()  # fields that say something of position, and are not in what is said here
    ignored: tuple[str, ...] = ()  # fields that the class of transformers does not follow, and this app does
    known: bool = True  # False: this app does not know such files, and says what the file says
    rope_off: bool = False  # RoPE is switched off in the file, as our drop-in does: ALiBi comes by name
    runs_code: bool = False  # the file asks for program code that comes with the model
    raw: Mapping[str, Any] = field(default_factory=dict)  # the whole file

    def __repr__(self) -> str:
        named = ("layers", "heads", "kv_heads", "head_dim", "train_length")
        sizes = ", ".join(f"{name}={getattr(self, name)}" for name in named)
        rest = [f"slopes {self.slopes[0]:.4g} … {self.slopes[-1]:.4g}"] if self.slopes else []
        rest += [f"{name}={value}" for name, value in self.options.items() if name != "slopes"]
        more = ("scaled_length", "window", "local_base", "unscaled_layers", "nope_layers", "not_computed", "unread")
        rest += [f"{name}={value}" for name in more if (value := getattr(self, name))]
        return f"ModelConfig({', '.join([f'{self.family}: {self.method}', sizes, *rest])})"

    @property
    def title(self) -> str:
        return (TITLES | OTHER_METHODS)[self.method]

    @property
    def slopes(self) -> tuple[float, ...] | None:
        """ALiBi's slopes; None for every other method."""
        return tuple(self.options["slopes"]) if self.method == "alibi" else None

    @property
    def divided(self) -> bool:
        """Whether ALiBi's bias is divided by sqrt(d), as Falcon's: then the slopes are not those of the paper."""
        family = FAMILIES.get(self.family)
        return self.method == "alibi" and family is not None and family.divided

    def facts(self) -> dict[str, Any]:
        """What is known of the model, by names that stay; a list where there are several."""
        names = ["method", "layers", "heads", "kv_heads", "head_dim", "width", "train_length", "window", "causal"]
        names += ["scaled_length", "window_layers", "local_base", "unscaled_layers", "nope_layers", "not_computed"]
        names += ["unread", "ignored", "runs_code", "rope_off"]
        values = {name: getattr(self, name) for name in names} | dict(self.options)
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {"model_type": self.family, "known": self.known, **values}

    def build(self) -> "PositionMethod":
        """The position method itself, at initialization where it has parameters. Raises ValueError if it is only named."""
        from alibi_viz.positions import METHODS  # with torch, which nothing else of a config needs

        if self.not_computed:
            raise Problem("config.not_computed", parts=self.not_computed)
        return METHODS[self.method](self.heads, self.head_dim, self.width, self.train_length or 2048, **self.options)


def read(text: str | bytes) -> ModelConfig:
    """The positions of the model that a `config.json` describes. Raises ValueError with one sentence."""
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text  # a lone surrogate is no UTF-8
    if len(data) > LONGEST:
        raise Problem("config.too_large", bytes=len(data), most=LONGEST)
    try:
        parsed = from_json(data, allow_inf_nan=False)  # unlike Python's: no NaN, no half characters, bounded nesting
    except ValueError as error:
        line, column = re.findall(r"\d+", str(error))[-2:]
        raise Problem("config.not_json", line=line, column=column) from None
    if not isinstance(parsed, dict):
        raise Problem("config.no_object")
    return from_dict(parsed)


def from_dict(raw: Mapping[str, Any]) -> ModelConfig:
    """The same from a parsed file."""
    name = raw.get("model_type")
    if not isinstance(name, str):
        raise Problem("config.no_type")
    part = next((raw[inner] for inner in PARTS if isinstance(raw.get(inner), dict)), raw)
    row = FAMILIES.get(str(part.get("model_type"))) or FAMILIES.get(name)
    given = stated(part, row.spelled if row else UNKNOWN_SPELLED)
    try:
        file = File.model_validate({**(row.usual if row else {}), **given})
    except ValidationError as error:
        raise _first(error) from None
    rope = given.get("rope_parameters")
    rope_off = isinstance(rope, dict) and rope.get("rope_type") == "alibi"  # as in a model with our drop-in
    method, is_known = ("alibi", row is not None) if rope_off else _method(row, name[:40], given)
    row = row or unknown(method)
    is_shared = (file.multi_query and not file.new_decoder_architecture) or file.attn_type == "multiquery_attention"
    kv_heads = 1 if is_shared else file.kv_heads or file.heads
    if file.heads % kv_heads:
        raise Problem("methods.shared", heads=file.heads, kv_heads=kv_heads)
    rotated = file.qk_rope_head_dim  # of a head in two parts
    head_dim = file.qk_nope_head_dim + rotated if rotated else file.head_dim
    if head_dim is None and file.width % file.heads:
        raise Problem("config.not_divided", heads=file.heads, width=file.width)
    for listed in (given.get(name) for name in BY_LAYER):
        if row.is_known and isinstance(listed, list) and len(listed) < (file.layers or 0):
            raise Problem("config.listed", given=len(listed), layers=file.layers or 0)
    window, window_layers = _window(row, file)
    odd = {kind for _, kind in _layers(row, file)} - set(FULL)
    odd -= {kind for kind in odd if window and kind.startswith(LOCAL)}
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
        nope_layers=_nope_layers(row, method, file),
        causal=_usual_causal(row, file) != _denies(row, file, given) if row.is_known else None,
        not_computed=(
            *(part for part in row.named if given.get(part, row.usual.get(part, True))),
            *([OTHER_METHODS[method]] if method in OTHER_METHODS else []),
            *(f"{kind} layers" for kind in sorted(odd)),
            *(["layers of other kinds"] if row.mixes_layers and not file.layer_types else []),
        ),
        known=is_known,
        rope_off=rope_off,
        runs_code="auto_map" in raw,
        raw=raw,
    )
    if method in _WITH:
        config = _WITH[method](config, row, file)
    beside = {} if part is raw else stated({name: raw[name] for name in raw if name not in part}, {})
    return _strict(config, row, file, {**beside, **given})


def _strict(config: ModelConfig, row: Family, file: File, given: Mapping[str, Any]) -> ModelConfig:
    """With what was not read. Where the file names several lengths, none is said."""
    chunks = given.get("dual_chunk_attention_config")  # of Qwen2.5-1M: the class of transformers does not follow it
    before = chunks.get("original_max_position_embeddings") if isinstance(chunks, dict) else None
    if isinstance(before, int) and 0 < before < (config.train_length or 0):
        config = replace(config, train_length=before, scaled_length=config.train_length)
    lengths = [file.length, config.train_length, config.scaled_length]
    if any(LENGTH.match(name) and value not in lengths for name, value in given.items()):
        config, lengths = replace(config, train_length=None, scaled_length=None), []
    rest = unread(given, file, _no_news(config, row, file, given), lengths)
    return replace(config, unread=tuple(rest), known=config.known and not rest)


def _no_news(config: ModelConfig, row: Family, file: File, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of fields that say what is known of the model anyway."""
    kind, rope = given.get("position_embedding_type"), given.get("rope_parameters")
    usual_causal = _usual_causal(row, file)
    facts: dict[str, Any] = {name: method == config.method for name, method in SWITCHES.items()}
    facts |= dict.fromkeys(("use_sliding_window", "use_bidirectional_attention", "prefix_lm"), False)
    facts |= dict.fromkeys(("rope_interleave", "rope_interleaved", "rotary_emb_interleaved"), row.layout != "half")
    if isinstance(rope, dict):  # which goes before the fields beside it
        facts |= {name: rope.get(name) for name in ("rope_theta", "partial_rotary_factor")}
    facts |= {"rope_local_base_freq": config.local_base or config.options.get("base")}
    if row.is_known:
        facts |= {"is_causal": usual_causal, "causal": usual_causal, "bidirectional": not usual_causal}
    if kind == "absolute" or KINDS.get(str(kind)) == config.method:
        facts["position_embedding_type"] = kind
    for name in BY_LAYER[:3]:
        if isinstance(types := given.get(name), list) and all(kind in FULL for kind in types):
            facts[name] = types
    facts |= {"alibi_bias_max": 8.0} if config.method == "alibi" else {}
    every = [*row.named, *(["auto_map"] if row.knows_code(config.method, given) else [])]
    every += ["alibi_starting_size"] if config.method == "alibi" else []
    every += ["rope_theta", "rope_parameters"] if config.rope_off else []
    every += [] if config.window else ["max_window_layers"]
    return facts | dict.fromkeys(every, ANY) | dict(row.no_news)


def _method(row: Family | None, name: str, given: Mapping[str, Any]) -> tuple[str, bool]:
    """The method, and whether that is known. Raises ValueError where neither the table nor the file names one."""
    method = "" if row is None else row.method if isinstance(row.method, str) else row.method(given)
    if method:
        return method, True
    named = signs(given)
    if "alibi" in named or len(named) == 1:  # a file with ALiBi may keep RoPE's numbers, as Falcon's do
        return "alibi" if "alibi" in named else named.pop(), False
    if row:
        raise Problem("config.several_of_several" if named else "config.none_of_several", model=name)
    raise Problem("config.several_of_unknown" if named else "config.none_of_unknown")


def _usual_causal(row: Family, file: File) -> bool:
    """Whether models of the type have a causal mask."""
    is_both_ways = row.reads("use_bidirectional_attention") and file.use_bidirectional_attention is True
    return file.is_decoder or (row.causal and not is_both_ways)


def _denies(row: Family, file: File, given: Mapping[str, Any]) -> bool:
    """Whether the file says that this model is another: transformers 5 follows `is_causal`, earlier ones do not."""
    usual = _usual_causal(row, file)
    return any(given.get(name, usual) != usual for name in ("is_causal", "causal"))


def _window(row: Family, file: File) -> tuple[int | None, tuple[int, ...] | None]:
    """The window, and the layers that have it."""
    ruled = {at for at, _ in _layers(row, file) if row.windowed and row.windowed(at - 1, file)}
    size = getattr(file, row.window) if row.window else None
    is_off = row.reads("use_sliding_window") and not file.use_sliding_window
    if is_off or not size or size < 0:
        return None, ()
    if not file.layers or not (file.layer_types or row.windowed):
        return size, None
    kinds = _layers(row, file)
    layers = tuple(at for at, kind in kinds if (kind.startswith(LOCAL) if kind else at in ruled))
    return (size, layers) if layers else (None, ())


def _layers(row: Family, file: File) -> list[tuple[int, str]]:
    """Each layer's number, from 1, and its kind, as far as the file says and the code reads it."""
    count = file.layers or 0
    types = file.layer_types if row.window or row.mixes_layers else []
    return list(enumerate(types[:count] or [""] * count, start=1))


def _nope_layers(row: Family, method: str, file: File) -> tuple[int, ...]:
    """The attention layers without positions."""
    if row.without:
        return tuple(at for at, _ in _layers(row, file) if row.without(at - 1, file))
    return tuple(at for at, kind in _layers(row, file) if method == "none" and kind not in NO_ATTENTION)


def _alibi(config: ModelConfig, row: Family, file: File) -> ModelConfig:
    by = math.sqrt(config.head_dim) if row.divided else 1
    top = file.alibi_bias_max if row.reads("alibi_bias_max") or config.rope_off else 8.0
    slopes = tuple(m / by for m in alibi_slopes(config.heads, max_bias=top))
    form = {"form": "symmetric"} if not row.causal and config.causal is False else {}
    ignored = ("alibi_bias_max",) if config.family == "mpt" and top != 8 else ()
    return replace(config, options={"slopes": slopes} | form, ignored=ignored)


def _t5(config: ModelConfig, row: Family, file: File) -> ModelConfig:
    buckets, farthest = file.relative_attention_num_buckets, file.relative_attention_max_distance
    is_both_ways = not config.causal
    exact = buckets // (4 if is_both_ways else 2)
    if farthest <= exact:
        raise Problem("methods.max_distance", exact=exact, given=farthest)
    options = {"num_buckets": buckets, "max_distance": farthest, "bidirectional": is_both_ways, "faithful": True}
    return replace(config, options=options)


def _rope(config: ModelConfig, row: Family, file: File) -> ModelConfig:
    """RoPE: its base, the numbers that are rotated, the lengths before and after scaling, what is not computed."""
    scaling, local, head_dim = file.scaling, file.local_scaling, config.head_dim
    base, named = float(scaling.rope_theta or file.rope_theta), []
    if row.reads("layer_rope_theta") and (bases := {base for base in file.layer_rope_theta if base}):
        base = max(bases)
        named += ["layer_rope_theta"] if len(bases) > 1 else []
    share = 1.0
    if row.reads("partial_rotary_factor"):
        share = scaling.partial_rotary_factor or file.partial_rotary_factor
    part = int(head_dim * share) if share < 1 else None
    rotated = file.qk_rope_head_dim or (file.rotary_dim if row.reads("rotary_dim") else None) or part
    _check_rotated(rotated, head_dim)
    local_base = local.rope_theta if local else None
    if local_base is None and row.reads("rope_local_base_freq"):
        local_base = file.rope_local_base_freq
    if local and local.rope_type != "default":
        named.append(f"rope_type = {local.rope_type} in the layers with the window")
    named += ["multi-head latent attention (MLA)"] if file.qk_rope_head_dim else []
    options: dict[str, Any] = {"base": base} | ({"rotary_dim": rotated} if rotated is not None else {})
    config = replace(
        config,
        options=options | ({"layout": row.layout} if row.layout != "half" else {}),
        local_base=None if local_base == base else local_base,
        not_computed=(*config.not_computed, *scaling.not_computed(), *named),
    )
    if scaling.rope_type == "default":
        return config
    unscaled = config.window_layers if local or row.plain_windows else ()
    return replace(_scaled(config, row, file), unscaled_layers=unscaled)


def _check_rotated(rotated: int | None, head_dim: int) -> None:
    """Raises ValueError for numbers that no RoPE has."""
    name, count = ("head_dim", head_dim) if rotated is None else ("rotary_dim", rotated)
    if count % 2:
        raise Problem("methods.odd", name=name, given=count)
    if not 2 <= count <= head_dim:
        raise Problem("methods.rotary_dim", most=head_dim, given=count)


def _scaled(config: ModelConfig, row: Family, file: File) -> ModelConfig:
    kind, factor, most = file.scaling.rope_type, file.scaling.factor, file.length
    before = file.scaling.original_max_position_embeddings or file.original_max_position_embeddings
    longer = before is not None and most is not None and most > before
    if kind == "yarn" and factor is None and before and most:
        factor = most / before  # as transformers fills it in
    if kind in SCALINGS and factor is None:
        raise Problem("config.no_factor", kind=kind)
    if factor and factor > LARGEST_FACTOR:
        raise Problem("config.factor", factor=factor)
    if kind == "dynamic" and config.options.get("rotary_dim", config.head_dim) == 2:
        raise Problem("methods.dynamic")
    after = most
    if before is None and kind == "linear" and not row.scaled_to:
        before, after = _linear_lengths(most, factor or 1, config.options["base"])
    elif before is None and not row.scaled_to:
        before = most
    if before is not None and not longer and after == most:
        after = round(before * (factor or 1))
    options = dict(config.options) | {"scaling": SCALINGS.get(kind, kind)}
    options |= {"factor": float(factor)} if factor else {}
    options |= {"original_length": before} if before else {}
    if before is None and kind in ("dynamic", "yarn", "llama3"):
        raise Problem("config.no_length")
    return replace(config, train_length=before, scaled_length=after, options=options)


def _linear_lengths(most: int | None, factor: float, base: float) -> tuple[int | None, int | None]:
    """The lengths before and after linear scaling, of which max_position_embeddings may be either. None: not known."""
    if most == LINEAR_FROM * factor and base <= LINEAR_BASE:  # as of LLaMA-2-7B-32K and DeepSeek Coder
        return LINEAR_FROM, most
    if most is not None and most < LINEAR_LEAST * factor:  # as of Vicuna 16K: no model is trained on so short texts
        return most, round(most * factor)
    return None, None


_WITH: dict[str, Callable[[ModelConfig, Family, File], ModelConfig]] = {"alibi": _alibi, "rope": _rope, "t5": _t5}


def _first(error: ValidationError) -> Problem:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return Problem("config.lacks", field=where)
    ends = first.get("ctx", {})
    if "ge" in ends:
        return Problem("config.too_low", field=where, bound=ends["ge"])
    if "gt" in ends:
        return Problem("config.not_above", field=where, bound=ends["gt"])
    if "le" in ends:
        return Problem("config.too_high", field=where, bound=ends["le"])
    return Problem("config.wrong", field=where)

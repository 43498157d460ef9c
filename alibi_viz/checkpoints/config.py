"""What a `config.json` says about positions: the method, the heads, the training length, and the method's own numbers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from alibi_viz.checkpoints.fields import FAMILIES, Unknown
from alibi_viz.checkpoints.json_text import parse_object
from alibi_viz.positions import METHODS, PositionMethod

LONGEST = 65_536  # bytes of a config.json; those of language models have about a thousand


@dataclass(frozen=True, repr=False)
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
    known: bool = True  # False: this app does not know the model type, and says what the file says
    rope_off: bool = False  # RoPE is switched off in the file, as our drop-in does: ALiBi comes by name
    runs_code: bool = False  # the file asks for program code that comes with the checkpoint
    raw: Mapping[str, Any] = field(default_factory=dict)  # the whole file

    def __repr__(self) -> str:
        named = ("layers", "heads", "kv_heads", "head_dim", "train_length")
        sizes = ", ".join(f"{name}={getattr(self, name)}" for name in named)
        numbers = {name: value for name, value in self.options.items() if name != "slopes"}
        rest = [f"slopes {self.slopes[0]:.4g} … {self.slopes[-1]:.4g}"] if self.slopes else []
        rest += [f"{name}={value}" for name, value in numbers.items()]
        return f"ModelConfig({', '.join([f'{self.family}: {self.method}', sizes, *rest])})"

    @property
    def slopes(self) -> tuple[float, ...] | None:
        """ALiBi's slopes; None for every other method."""
        return tuple(self.options["slopes"]) if self.method == "alibi" else None

    def build(self, max_length: int | None = None) -> PositionMethod:
        """The position method itself, at initialization where it has parameters."""
        length = max_length or self.train_length or 2048
        return METHODS[self.method](self.heads, self.head_dim, self.width, length, **self.options)


def read(text: str | bytes) -> ModelConfig:
    """The positions of the model that a `config.json` describes. Raises ValueError with one sentence."""
    return from_dict(parse_object(text, "config.json", LONGEST))


def from_dict(raw: Mapping[str, Any]) -> ModelConfig:
    """The same from a parsed file."""
    family = raw.get("model_type")
    if not isinstance(family, str):
        raise ValueError("config.json does not say which model it is for: “model_type” is missing.")
    text = raw.get("text_config")
    part = text if isinstance(text, dict) else raw  # a model that sees as well: its text part
    try:
        fields = (FAMILIES.get(family) or FAMILIES.get(str(part.get("model_type"))) or Unknown).model_validate(part)
    except ValidationError as error:
        raise ValueError(_sentence(error)) from None
    kv_heads = fields.key_heads()
    if fields.heads % kv_heads:
        raise ValueError(f"{fields.heads} heads cannot share {kv_heads} key/value heads equally.")
    method, options = fields.method()
    found = ModelConfig(
        family=re.sub(r"[^\w.-]", "_", family[:40]),  # it names files, too
        method=method,
        layers=fields.layers,
        heads=fields.heads,
        kv_heads=kv_heads,
        head_dim=fields.dim(),
        width=fields.width,
        train_length=fields.length(),
        options=options,
        window=fields.limit(),
        causal=fields.is_causal,
        known=not isinstance(fields, Unknown),
        rope_off=fields.rope_off(),
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

"""The names of `import alibi_viz`: slopes, bias, trace, METHODS, build, check, check_model, inspect, show.

Notable choices:
- Nothing here imports Streamlit. `show` runs a page of the app in a process of its own.
- What comes from outside is checked as on the pages: `check` is “Check yours”, `inspect` is “My model”.
- Shapes: B batch, H query heads, Hkv key heads, Tq queries, Tk keys, d width of a head.
"""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from alibi_viz import render
from alibi_viz.attention.attention import Trace, trace_attention
from alibi_viz.checkpoints import config as configurations
from alibi_viz.checkpoints.config import ModelConfig
from alibi_viz.checkpoints.folder import CONFIG
from alibi_viz.checks import whole_number
from alibi_viz.files import read_named
from alibi_viz.pitfalls.identify import MOST_HEADS, Check, identify
from alibi_viz.pitfalls.probe import check_model
from alibi_viz.pitfalls.reading import shaped
from alibi_viz.positions import METHODS, PositionMethod, build
from alibi_viz.positions.alibi import slopes
from alibi_viz.typed import parse_numbers

__all__ = ["METHODS", "bias", "build", "check", "check_model", "inspect", "show", "slopes", "trace"]

MOST_CELLS = 2**28  # of a bias: 1 GiB
FRAME = 760  # height of a picture in a notebook, in pixels
Numbers = Tensor | np.ndarray | Sequence[Any]


def bias(
    heads: int,
    queries: int,
    keys: int | None = None,
    *,
    form: str = "causal",
    rule: str = "code",
    max_bias: float = 8.0,
) -> Tensor:
    """ALiBi's bias, float32 [heads, queries, keys]; the queries are the last of the keys (None: as many). No mask.

    form: "causal" -m (i - j), "symmetric" -m |i - j|, "two_sided" the same, "key_only" m j.
    Raises ValueError for a number out of range, or an unknown form or rule.

    >>> bias(8, 4)[0]
    tensor([[-0.0000,  0.5000,  1.0000,  1.5000],
            [-0.5000, -0.0000,  0.5000,  1.0000],
            [-1.0000, -0.5000, -0.0000,  0.5000],
            [-1.5000, -1.0000, -0.5000, -0.0000]])
    >>> bias(12, 1, 512).shape  # one step of decoding
    torch.Size([12, 1, 512])
    """
    heads, queries = whole_number(heads, "heads"), whole_number(queries, "queries")
    keys = queries if keys is None else whole_number(keys, "keys", least=queries)
    if heads * queries * keys > MOST_CELLS:
        raise ValueError(
            f"A bias of {heads} x {queries:,} x {keys:,} numbers is too large; the limit is {MOST_CELLS:,}."
        )
    method = build("alibi", heads=heads, head_dim=1, form=form, rule=rule, max_bias=max_bias)
    values = method.score_bias(torch.arange(keys - queries, keys), torch.arange(keys))
    assert values is not None
    return values


def trace(
    q: Numbers,  # [B, H, Tq, d]
    k: Numbers,  # [B, Hkv, Tk, d]
    v: Numbers,  # [B, Hkv, Tk, d]
    position: str | PositionMethod = "alibi",  # a key of METHODS, or a method that was built
    *,
    q_positions: Numbers | None = None,  # int64 [Tq] or [B, Tq]; None: the last of the keys
    k_positions: Numbers | None = None,  # int64 [Tk] or [B, Tk]; None: from 0
    causal: bool = True,
    key_padding_mask: Numbers | None = None,  # bool [B, Tk], True = padding
) -> Trace:
    """One attention with every stage: content, bias, masked scores, weights, output. Raises ValueError for bad shapes.

    Arrays and lists of numbers are taken as float32.

    >>> x = torch.ones(1, 2, 3, 4)  # the same content everywhere
    >>> stages = trace(x, x, x)
    >>> stages
    Trace(B=1, H=2, Tq=3, Tk=3, d=4, bias [2, 3, 3])
    >>> stages.weights[0, 0]
    tensor([[1.0000, 0.0000, 0.0000],
            [0.4844, 0.5156, 0.0000],
            [0.3127, 0.3329, 0.3544]])
    """
    q, k, v = (_tensor(x, np.float32, "q, k and v must be numbers") for x in (q, k, v))
    if q_positions is not None:
        q_positions = _tensor(q_positions, np.int64, "q_positions must be whole numbers")
    if k_positions is not None:
        k_positions = _tensor(k_positions, np.int64, "k_positions must be whole numbers")
    if key_padding_mask is not None:
        key_padding_mask = _tensor(key_padding_mask, np.bool_, "key_padding_mask must be true or false")
    if not q.ndim == k.ndim == v.ndim == 4 or k.shape != v.shape or q.shape[::3] != k.shape[::3]:
        shapes = ", ".join(str(list(x.shape)) for x in (q, k, v))
        raise ValueError(f"q must be [B, H, Tq, d], k and v [B, Hkv, Tk, d]; they are {shapes}.")
    if isinstance(position, str):
        position = build(position, heads=q.shape[1], head_dim=q.shape[3], max_length=k.shape[2])
    if k_positions is None:
        k_positions = torch.arange(k.shape[2], device=k.device)
    if q_positions is None:
        if q.shape[2] > k.shape[2]:
            raise ValueError("There are more queries than keys: say where they stand (q_positions, k_positions).")
        q_positions = k_positions[..., k.shape[2] - q.shape[2] :]
    return trace_attention(
        q, k, v, position, q_positions, k_positions, causal=causal, key_padding_mask=key_padding_mask
    )


def _tensor(values: Numbers, dtype: type[np.generic], must: str) -> Tensor:
    """A tensor as it is; of an array or a list, a copy. Raises ValueError, in one sentence, for what is no such numbers."""
    if isinstance(values, Tensor):
        return values
    try:
        return torch.from_numpy(np.array(values, order="C").astype(dtype, casting="same_kind"))  # never read-only
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{must}: a tensor, an array, or lists of one length.") from None


def check(values: str | Numbers) -> Check:
    """Which rule do these slopes [H], or this bias [H, Tq, Tk] or [Tq, Tk], follow, and which mistake is in them?

    values: a tensor, an array, a list, or a typed list such as "1/2, 2^-2". -inf is a hidden key; a bias may be a batch.
    Raises ValueError with one sentence for what cannot be judged.

    >>> check(slopes(12))
    No mistake was found.
    - The slopes are those of the authors’ code for 12 heads, with the largest exponent 8.
    - Largest difference from this rule: 0.
    - Slopes: 1/2, 1/4, 1/8, 1/16, 1/32, 1/64, 1/128, 1/256, 0.7071, 0.3536, 0.1768, 0.08839.
    >>> check([2 ** (-8 * h / 12) for h in range(1, 13)]).pitfalls
    ('slopes_power',)
    """
    if isinstance(values, str):
        values = parse_numbers(values, MOST_HEADS)
    if isinstance(values, Tensor):
        array = values.detach().float().cpu().numpy()
    else:
        try:
            array = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ValueError("Slopes or a bias are numbers, in rows of one length.") from None
    return identify(shaped(array))


def inspect(config: str | PathLike[str] | Mapping[str, Any] | Any) -> ModelConfig:
    """What a model does with position, from its config.json: its path or folder, its text, a dict, or a config object.

    Raises ValueError with one sentence for what cannot be read. No code of a model is run.

    >>> inspect({"model_type": "bloom", "n_layer": 24, "n_head": 16, "hidden_size": 1024, "seq_length": 2048})
    ModelConfig(bloom: alibi, layers=24, heads=16, kv_heads=16, head_dim=64, train_length=2048, slopes 0.7071 … 0.003906)
    """
    if isinstance(config, Mapping):
        return configurations.from_dict(config)
    if hasattr(config, "to_dict"):  # transformers
        return configurations.from_dict(config.to_dict())
    if isinstance(config, str) and config.lstrip().startswith("{"):
        return configurations.read(config)
    if not isinstance(config, str | PathLike):
        raise ValueError("A config is a path, a text, a dict, or an object with to_dict().")
    path = Path(config) / CONFIG if Path(config).is_dir() else Path(config)
    return configurations.read(read_named(path, configurations.LONGEST))


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture that moves, as one HTML file without a server: a notebook shows it, `save` writes it."""

    lesson: str
    controls: Mapping[str, object]
    text: str = field(repr=False)

    def __repr__(self) -> str:
        controls = "".join(f", {name}={value!r}" for name, value in self.controls.items())
        return f"show({self.lesson!r}{controls}): {len(self.text):,} characters of HTML"

    def _repr_html_(self) -> str:
        frame = f'sandbox="allow-scripts" width="100%" height="{FRAME}" style="border: 0"'
        return f'<iframe srcdoc="{html.escape(self.text)}" title="{html.escape(self.lesson)}" {frame}></iframe>'

    def save(self, path: str | PathLike[str]) -> None:
        Path(path).write_text(self.text, encoding="utf-8")


def show(lesson: str, **controls: object) -> Picture:
    """The picture of a lesson, with controls as in the address of its page: show("bias", heads=12, n=512).

    It takes some seconds: the page runs once, in a process of its own. Raises ValueError where the app is not installed
    (the extra [app]), for an unknown lesson, and for one whose picture does not move by itself.
    """
    return Picture(lesson, controls, render.file_of(lesson, controls))

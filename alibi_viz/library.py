"""Of the names of `import alibi_viz` those that need no torch beside `slopes`: check, inspect, show. Those that compute
stand in `tensors`, `certify` in `pitfalls.certify`, `check_model` in `pitfalls.probe`.

Notable choices:
- Nothing here imports torch or Streamlit. `show` runs a page of the app in a process of its own.
- What comes from outside is checked as on the pages: `check` is “Check yours”, `inspect` is “My model”.
- Shapes: H heads, Tq queries, Tk keys.
"""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alibi_viz import render
from alibi_viz.checkpoints import config as configurations
from alibi_viz.checkpoints.config import ModelConfig
from alibi_viz.checkpoints.folder import CONFIG
from alibi_viz.files import read_named
from alibi_viz.pitfalls.identify import MOST_HEADS
from alibi_viz.pitfalls.judge import identify
from alibi_viz.pitfalls.verdict import Check, Declared
from alibi_viz.user_input import parse_numbers

if TYPE_CHECKING:
    from torch import Tensor

FRAME = 760  # height of a picture in a notebook, in pixels


def check(
    values: "str | Tensor | np.ndarray | Sequence[Any]",
    *,
    heads: int | None = None,
    max_bias: float | None = None,
    causal: bool | None = None,
    window: int | None = None,
    mask: "Tensor | np.ndarray | Sequence[Any] | None" = None,
) -> Check:
    """Are these slopes [H], or this bias [H, Tq, Tk] or [Tq, Tk], what they are meant to be, and which mistake is in them?

    values: a tensor, an array, a list, or a typed list such as "1/2, 2^-2". -inf is a hidden key; a bias may be a batch, or
    rows as BLOOM has them, [B·H, 1, Tk]. Of a large matrix some rows are read.
    The others declare what is meant: how many heads the whole model has, the largest exponent of its slopes (MPT's
    alibi_bias_max), whether later keys are hidden, a sliding window in tokens, or a mask, bool [Tq, Tk] or [B, Tq, Tk],
    True where a query may attend. What is not declared is clean only where it is the best known: an exponent of 8, or 16,
    which is named; no mask, or the causal one.
    Raises ValueError with one sentence for what cannot be judged.

    >>> from alibi_viz import slopes
    >>> check(slopes(12))
    No mistake was found.
    - The slopes are those of the authors’ code for 12 heads, with the largest exponent 8.
    - Largest difference from this rule: 0.
    - Slopes: 1/2, 1/4, 1/8, 1/16, 1/32, 1/64, 1/128, 1/256, 0.7071, 0.3536, 0.1768, 0.08839.
    >>> check([2 ** (-8 * h / 12) for h in range(1, 13)]).pitfalls
    ('slopes_power',)
    >>> check(slopes(12), max_bias=16).status
    'pitfall'
    """
    allowed = None if mask is None else np.asarray(mask.cpu() if hasattr(mask, "cpu") else mask)
    declared = Declared(heads, max_bias, causal, window, allowed)
    if isinstance(values, str):
        values = parse_numbers(values, MOST_HEADS)
    is_mask = str(getattr(values, "dtype", "")).endswith("bool")  # which `identify` refuses
    if hasattr(values, "is_meta"):  # a tensor of torch, which is not imported here
        tensor: Any = values
        if tensor.is_meta:
            raise ValueError("The tensor is on the meta device: it has a shape, and no numbers.")
        array = (tensor.detach() if is_mask else tensor.detach().float()).cpu().numpy()
    else:
        try:
            array = np.asarray(values, dtype=bool if is_mask else np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ValueError("Slopes or a bias are numbers, in rows of one length.") from None
    return identify(array, declared)


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

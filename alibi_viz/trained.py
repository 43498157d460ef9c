"""Trained language models as content: what a layer of a real model does with a text, and how well the model reads it.

Two kinds of models: those that come with the project, named by their method, and the reader's own finished runs on text,
named by the hash of their configuration.

Notable choices:
- A token is a byte of UTF-8, as in training; `labels` turns bytes into what an axis can show.
- A file that is missing or damaged counts as not there: `load` gives None, and nothing that is not there is remembered.
- No square of a long text is ever held for all heads: `Layer.trace` computes some queries at a time.
- Models in the cache are shared between readers and never changed. Another strength of ALiBi is tried on a copy.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from alibi_viz import pretrained
from alibi_viz.attention.attention import Trace, trace_attention
from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.files import read_weights
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.evaluation import per_token_loss, queries_at_once
from alibi_viz.lm.model import Block, DecoderLM
from alibi_viz.lm.runs import WEIGHTS, RunStore
from alibi_viz.lm.training import build_model, load_weights
from alibi_viz.positions import PositionMethod
from alibi_viz.positions.alibi import Alibi

LONGEST = 2048  # bytes of a text
ALL_HEADS = 8_388_608  # numbers in the squares of all heads together: 8 heads of 1,024 bytes
ROWS = 128  # queries at a time
OWN = 20  # own runs that are offered, the newest


@dataclass(frozen=True)
class Loaded:
    """A model that is ready to read. Two of them are equal if they come from the same file, unchanged."""

    config: TrainConfig
    origin: Literal["shipped", "own"]
    changed: int  # when the file was written, in nanoseconds
    model: DecoderLM = field(repr=False, compare=False)

    @property
    def last(self) -> int:
        """Bytes of the longest text that the model can place: a learned table ends, everything else goes on."""
        return min(LONGEST, self.model.position.max_length) if self.config.method == "learned" else LONGEST


@dataclass(frozen=True)
class Layer:
    """The attention of one layer with a text, before any square: q, k and v are float32 [1, H, T, d], not rotated."""

    q: Tensor
    k: Tensor
    v: Tensor
    method: PositionMethod
    positions: Tensor  # int64 [T]

    def trace(self, rows: Tensor) -> Trace:
        """Every stage of all heads for the queries `rows`, by the attention that the model itself runs."""
        return trace_attention(self.q[:, :, rows], self.k, self.v, self.method, rows, self.positions)

    def blocks(self, step: int = 1) -> Iterator[tuple[slice, Trace]]:
        """The traces of every `step`-th query, ROWS at a time, and where they stand among those queries."""
        for begin, rows in enumerate(self.positions[::step].split(ROWS)):
            yield slice(begin * ROWS, begin * ROWS + len(rows)), self.trace(rows)


@dataclass(frozen=True)
class Traced:
    """Some heads of a layer: float32 [heads, T, T]; -inf in `masked` where a query may not look."""

    content: np.ndarray  # q.k as the model scales it; rotated where the method rotates
    bias: np.ndarray | None  # None: the method adds nothing to the scores
    masked: np.ndarray
    weights: np.ndarray
    losses: np.ndarray  # [T]: see `losses`


def refs(store: RunStore | None = None) -> dict[str, TrainConfig]:
    """Every model that can be shown: shipped ones by method, then the newest own ones by hash."""
    store = store or RunStore()
    found = {method: config for method in pretrained.METHODS if (config := _shipped(method)) is not None}
    done = (run for run in store.runs() if run.status == "finished" and not run.config.is_recall)
    own = [run for run in done if (store.path(run.hash) / WEIGHTS).is_file()]
    return found | {run.hash: run.config for run in own[:OWN]}


def _shipped(method: str) -> TrainConfig | None:
    """The configuration of a model that comes with the project, or None if its files are not there."""
    record = pretrained.FOLDER / f"{method}-{pretrained.SEEDS[0]}.json"
    changed = _written(record)
    if changed is None or not _weights(method).is_file():
        return None
    try:
        return _read_config(record, changed)
    except (OSError, KeyError, TypeError, ValueError):
        return None


@lru_cache(maxsize=len(pretrained.METHODS))
def _read_config(record: Path, changed: int) -> TrainConfig:
    return TrainConfig.from_dict(json.loads(record.read_text(encoding="utf-8"))["config"])


def _weights(method: str) -> Path:
    return pretrained.FOLDER / f"{method}.safetensors"


def _written(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


def load(ref: str, store: RunStore | None = None) -> Loaded | None:
    """The model of this name, on the CPU, or None if it is not there, not finished, or damaged."""
    if ref in pretrained.METHODS:
        config, path = _shipped(ref), _weights(ref)
    else:
        store = store or RunStore()
        run = store.get(ref)
        config = run.config if run and run.status == "finished" and not run.config.is_recall else None
        path = store.path(ref) / WEIGHTS if run else Path()
    changed = _written(path)
    if config is None or changed is None:
        return None
    try:
        return _loaded(config, "shipped" if ref in pretrained.METHODS else "own", path, changed)
    except (OSError, ValueError):
        return None


@lru_cache(maxsize=8)
def _loaded(config: TrainConfig, origin: Literal["shipped", "own"], path: Path, changed: int) -> Loaded:
    """Raises OSError or ValueError for a file that is not whole; nothing is then kept."""
    weights = read_weights(path)
    if not all(bool(weight.isfinite().all()) for weight in weights.values()):
        raise ValueError(f"{path} holds weights that are no numbers.")
    model = build_model(config)
    load_weights(model, weights)
    return Loaded(config, origin, changed, model.eval().requires_grad_(False))


def check(loaded: Loaded, text: bytes) -> None:
    """Raises ValueError, with one sentence, for a text that the model cannot read."""
    if not text:
        raise ValueError("The text is empty. Write a few words.")
    if len(text) > LONGEST:
        raise ValueError(f"The text has {len(text):,} bytes; at most {LONGEST:,} are read.")
    if len(text) > loaded.last:  # a learned table says in its own words where it ends
        loaded.model.position.add_to_embeddings(torch.zeros(1, 1, loaded.config.width), torch.tensor([len(text) - 1]))


def refusal(loaded: Loaded, text: bytes) -> str:
    """The sentence of `check`, or nothing if the model can read the text."""
    try:
        check(loaded, text)
    except ValueError as problem:
        return str(problem)
    return ""


def _tokens(text: bytes) -> Tensor:
    return torch.frombuffer(bytearray(text), dtype=torch.uint8).long()[None]


@lru_cache(maxsize=4)
def _stronger(loaded: Loaded, strength: float) -> DecoderLM:
    """The model with ALiBi's slopes multiplied; `strength` 1 is the model as trained."""
    if strength == 1 or not isinstance(loaded.model.position, Alibi):
        return loaded.model
    model = copy.deepcopy(loaded.model)
    assert isinstance(model.position, Alibi)  # the one object that all layers share
    model.position.strength *= strength
    return model


@lru_cache(maxsize=16)  # q, k and v of 2,048 bytes at width 64: 1.5 MB
@torch.no_grad()
def layer(loaded: Loaded, text: bytes, number: int, strength: float = 1.0) -> Layer:
    """Layer `number` (1 is the first) of a model that reads a text.

    Raises:
        ValueError: in one sentence, for a text that the model cannot read, or a layer that it does not have.
    """
    check(loaded, text)
    if not 1 <= number <= loaded.config.layers:
        raise ValueError(f"The model has the layers 1 to {loaded.config.layers}, not {number}.")
    model = _stronger(loaded, strength)
    tokens, positions = _tokens(text), torch.arange(len(text))
    caches, piece = [KVCache.empty() for _ in model.blocks], queries_at_once(model, len(text))
    parts = [
        model.before(tokens[:, at], number - 1, positions=at, caches=None if piece == len(text) else caches)
        for at in positions.split(piece)
    ]
    block = model.blocks[number - 1]
    assert isinstance(block, Block)
    x, attention = block.attention_norm(torch.cat(parts, dim=1)), block.attention
    q, k, v = (
        project(x).unflatten(-1, (-1, attention.head_dim)).transpose(1, 2)
        for project in (attention.to_q, attention.to_k, attention.to_v)
    )
    return Layer(q, k, v, model.position, positions)


@lru_cache(maxsize=64)
@torch.no_grad()
def losses(loaded: Loaded, text: bytes, strength: float = 1.0) -> np.ndarray:
    """Loss in nats of each byte, given all earlier ones: float32 [T]. The first has nothing before it: NaN.

    Raises:
        ValueError: in one sentence, for a text that the model cannot read.
    """
    check(loaded, text)
    tokens = _tokens(text)
    found = np.full(len(text), np.nan, dtype=np.float32)
    if len(text) > 1:
        found[1:] = per_token_loss(_stronger(loaded, strength), tokens[:, :-1], tokens[:, 1:])[0].numpy()
    found.flags.writeable = False
    return found


def inside_beyond(losses: np.ndarray, trained: int) -> tuple[float | None, float | None]:
    """Mean loss of the bytes with at most L bytes before them, which training knew, and of the others. None: no byte."""
    parts = (losses[1 : trained + 1], losses[trained + 1 :])
    inside, beyond = (float(part.mean()) if len(part) else None for part in parts)
    return inside, beyond


@torch.no_grad()
def trace(ref: str, text: bytes, number: int, head: int | None = None, store: RunStore | None = None) -> Traced:
    """All stages of one head (1 is the first) of layer `number`, or of all heads where `head` is None.

    Raises:
        LookupError: if there is no such model; ValueError, in one sentence, for a text that is too long, a layer or a
            head that the model does not have, or too many squares at once.
    """
    loaded = load(ref, store)
    if loaded is None:
        raise LookupError(f"There is no trained model {ref!r}.")
    heads, count = loaded.config.heads, len(text)
    if head is not None and not 1 <= head <= heads:
        raise ValueError(f"The model has the heads 1 to {heads}, not {head}.")
    if head is None and heads * count**2 > ALL_HEADS:
        raise ValueError(f"All {heads} heads at once go up to {int((ALL_HEADS / heads) ** 0.5):,} bytes.")
    chosen = slice(None) if head is None else slice(head - 1, head)
    parts = [_heads(one, chosen) for _, one in layer(loaded, text, number).blocks()]
    content, bias, masked, weights = (
        np.concatenate(part, axis=1) if part[0] is not None else None for part in zip(*parts, strict=True)
    )
    assert content is not None
    assert masked is not None
    assert weights is not None
    return Traced(content, bias, masked, weights, losses(loaded, text))


def _heads(one: Trace, chosen: slice) -> tuple[np.ndarray | None, ...]:
    """Content, bias, masked scores and weights of some heads: float32 [heads, rows, T]."""
    stages = (one.content[0], one.bias, one.masked[0], one.weights[0])
    return tuple(None if stage is None else stage[chosen].numpy() for stage in stages)


def labels(text: bytes) -> tuple[str, ...]:
    """One short label a byte: the character itself, ␣ and ⏎; a byte of a longer character as two hexadecimal digits."""
    special = {ord(" "): "␣", ord("\n"): "⏎"}
    return tuple(special.get(byte) or (chr(byte) if 0x20 < byte < 0x7F else f"{byte:02X}") for byte in text)

"""Trained language models as content: what a layer of a real model does with a text.

Models that come with the project are named by their method, and those of other languages by language and method
(`pretrained.MODELS`); the reader's own finished runs on text by their hash.

Notable choices:
- A token is a byte of UTF-8, as in training; `labels` turns bytes into what an axis can show.
- A run that is missing or damaged counts as not there: `load` gives None, and the failure is not cached.
- Models in the cache are shared between readers and never changed. Another strength of ALiBi is tried on a copy.
"""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

import torch

from alibi_viz.attention.inputs import AttentionInputs
from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.model import Block, DecoderLM
from alibi_viz.lm.runs import WEIGHTS, Run, RunStore
from alibi_viz.lm.training import trained_model
from alibi_viz.lm.weights import read_weights
from alibi_viz.lm.writing import pieces
from alibi_viz.results import pretrained

LONGEST = 2048  # bytes of a text
OWN = 20  # own runs that are offered, the newest
#: A text to begin with, of the kind that the shipped models have learned.
PASSAGE = (
    "A list is a mutable sequence. The items of a list can be of any type, and the same item can stand in it more than "
    "once. To add an item at the end of a list, call the append method. To remove an item, call the remove method."
)


@dataclass(frozen=True)
class Loaded:
    """A model that is ready to read. Two of them are equal if they come from the same file, unchanged."""

    config: TrainConfig
    changed: int  # when the file was written, in nanoseconds
    model: DecoderLM = field(repr=False, compare=False)

    @property
    def max_bytes(self) -> int:
        """Bytes of the longest text that the model can read: a table of positions ends, everything else goes on."""
        limit = self.model.position.max_position
        return LONGEST if limit is None else min(LONGEST, limit)

    @property
    def slopes(self) -> tuple[float, ...] | None:
        """Slopes of a bias that falls linearly with the distance (ALiBi's), as trained; None for every other method."""
        slopes = self.model.position.linear_slopes()
        return None if slopes is None else tuple(slopes.tolist())


def refs(in_sight: Callable[[Run], bool], store: RunStore | None = None) -> dict[str, TrainConfig]:
    """Every model that can be shown: shipped ones by method, then by hash the newest own ones in the reader's sight."""
    store = store or RunStore()
    shipped = {method: _shipped_config(method) for method in pretrained.METHODS}
    own = [
        run for run in store.runs() if _readable(run) and in_sight(run) and (store.path(run.hash) / WEIGHTS).is_file()
    ]
    return shipped | {run.hash: run.config for run in own[:OWN]}


def _readable(run: Run) -> bool:
    return run.status == "finished" and not run.config.is_recall and run.config.block == "gpt"  # it shows every stage


@cache
def _shipped_config(ref: str) -> TrainConfig:
    """The configuration of a model that comes with the project."""
    record = pretrained.weights_path(*pretrained.MODELS[ref]).with_suffix(".json")
    return TrainConfig(**json.loads(record.read_text(encoding="utf-8"))["config"])


def load(ref: str, store: RunStore | None = None) -> Loaded | None:
    """The model of this name, on the CPU, or None if it is not there, not finished, or damaged."""
    if ref in pretrained.MODELS:
        config, path = _shipped_config(ref), pretrained.weights_path(*pretrained.MODELS[ref])
    else:
        store = store or RunStore()
        run = store.get(ref)
        if run is None or not _readable(run):
            return None
        config, path = run.config, store.path(ref) / WEIGHTS
    try:
        return _load(config, path, path.stat().st_mtime_ns)
    except (OSError, ValueError):
        return None


def shipped(method: str, language: str = "en") -> DecoderLM:
    """The model of this method that comes with the project, which all share: copy it before you change it."""
    loaded = load(pretrained.model_name(method, language))
    assert loaded is not None
    return loaded.model


@lru_cache(maxsize=len(pretrained.MODELS) + 8)  # all that are shipped, and some of readers: half a megabyte each
def _load(config: TrainConfig, path: Path, changed: int) -> Loaded:
    """Raises OSError or ValueError for a damaged file; an error is not cached."""
    weights = read_weights(path, config.largest_file)
    return Loaded(config, changed, trained_model(config, weights).requires_grad_(False))


def refusal(loaded: Loaded, text: bytes) -> Problem | None:
    """Why the model cannot read the text; None if it can."""
    if not text:
        return Problem("texts.empty")
    if len(text) > LONGEST:
        return Problem("texts.too_long", bytes=len(text), most=LONGEST)
    return loaded.model.position.no_vector(len(text) - 1) if len(text) > loaded.max_bytes else None


@lru_cache(maxsize=4)
def _with_strength(loaded: Loaded, strength: float) -> DecoderLM:
    """The model with the strength of its bias multiplied, where its method has one; 1: the model as trained."""
    as_trained = loaded.model.position.strength
    if strength == 1 or as_trained is None:
        return loaded.model
    model = copy.deepcopy(loaded.model)
    model.position.strength = as_trained * strength  # the one object that all layers share
    return model


@lru_cache(maxsize=8)  # q, k and v of 2,048 bytes at width 64: 1.5 MB
@torch.no_grad()
def inputs(loaded: Loaded, text: bytes, layer: int, strength: float = 1.0) -> AttentionInputs:
    """Queries, keys and values of layer `layer` (1 is the first) of a model that reads a text.

    strength: multiplies ALiBi's slopes in every layer; other methods have none. Raises ValueError, in one sentence, for a
    text that the model cannot read.
    """
    if problem := refusal(loaded, text):
        raise problem
    model, positions = _with_strength(loaded, strength), torch.arange(len(text))
    tokens, caches = pieces(model, text), [KVCache() for _ in model.blocks]
    places = positions.split(tokens[0].shape[1])  # given: before the first layer no cache counts them
    parts = [
        model.before(piece, layer - 1, positions=at, caches=caches) for piece, at in zip(tokens, places, strict=True)
    ]
    block = model.blocks[layer - 1]
    assert isinstance(block, Block)
    x = block.attention_norm(torch.cat(parts, dim=1))
    return AttentionInputs(*block.attention.project(x), block.attention.position.given(x), positions)


def labels(text: bytes) -> tuple[str, ...]:
    """One short label a byte: the character itself, ␣ and ⏎; a byte of a longer character as two hexadecimal digits."""
    special = {ord(" "): "␣", ord("\n"): "⏎"}
    return tuple(special.get(byte) or (chr(byte) if 0x20 < byte < 0x7F else f"{byte:02X}") for byte in text)

"""Synthetic content for one attention layer, with any position method: the same tokens, the same vectors, the same
projections, so that two results differ in the method alone.

Notable choices:
- "same words attract": a token has a random direction u in R^d, in a subspace of at most SPREAD dimensions. Its embedding
  is sqrt(D) B u with a fixed isometry B [D, d], and queries and keys of head h share one projection W_h = g (B' + N_h (I -
  B B')), N_h random. So two tokens score ATTRACTION u.u' in every head: ATTRACTION if they are the same, and less if not.
  A vector that a method adds to the embeddings is mixed by each head in a way of its own. N_h has the variance with which
  such a vector keeps its length relative to the embeddings. The playground shows the same scores.
- "random": separate random projections of random embeddings for queries and keys; scores have a variance of about 1.
- Parameters are those at initialization (drawn once from the seed) or, where asked for and where the shapes fit, the
  learned ones of a shipped model. The layers of a model share one position object, so a model has one set of them. A
  missing or damaged file counts as no model.
"""

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from alibi_viz.content import words
from alibi_viz.content.words import vectors
from alibi_viz.positions import METHODS, PositionMethod, build
from alibi_viz.results import pretrained, trained

CONTENTS = ("equal", "same words attract", "random")
ATTRACTION = 2.0  # "same words attract": score of a token with itself
TABLE = "table.weight"  # in the state of a method with a table of positions
_DRAWING = threading.Lock()  # PyTorch has one random state for all threads


@dataclass(frozen=True)
class Setting:
    """What all methods share."""

    heads: int = 8
    head_dim: int = 32
    train_length: int = 64  # tokens: the length that a table of positions is made for
    content: str = "same words attract"  # one of CONTENTS
    seed: int = 0
    device: str = "cpu"
    weights: Literal["fresh", "trained"] = "fresh"  # parameters at initialization, or of a shipped model
    embedding_width: int | None = None  # None: heads x head_dim

    @property
    def width(self) -> int:
        """D, of the embeddings."""
        return self.embedding_width or self.heads * self.head_dim


def build_method(name: str, setting: Setting) -> PositionMethod:
    """A method with the parameters of the seed, or with trained ones where they are asked for and fit."""
    loaded = table_source(name, setting)
    if loaded:  # the same table with other T5 buckets would give other biases
        options = loaded.model.position.training_options(loaded.config.length, dict(loaded.config.options))
    else:
        options = METHODS[name].training_options(setting.train_length)
    with _DRAWING, torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(setting.seed)  # torch.manual_seed notes its caller for every kind of device
        shape = {"heads": setting.heads, "head_dim": setting.head_dim, "width": setting.width}
        method = build(name, **shape, max_length=setting.train_length, **options)
    if loaded:
        state = loaded.model.position.state_dict()
        if method.has_position_table:
            # Synthetic embeddings have their final size; a model that scales its own by sqrt(D) scales the table with them.
            scale = loaded.config.width**0.5 if method.scaled_with_embeddings else 1.0
            state = {TABLE: state[TABLE][: setting.train_length] * scale}
        method.load_state_dict(state)
    return method.to(setting.device).requires_grad_(False)


def table_source(name: str, setting: Setting) -> trained.Loaded | None:
    """The shipped model whose parameters `build_method` puts into this method; None: it stays at initialization."""
    loaded = trained.load(name) if setting.weights == "trained" and name in pretrained.METHODS else None
    if loaded is None or not list(loaded.model.position.parameters()):
        return None
    config = loaded.config
    if loaded.model.position.has_position_table:
        fits = setting.width == config.width and setting.train_length <= config.length
    else:  # numbers for each head; the width enters where a method reads the input
        reads = loaded.model.position.needs_input
        fits = setting.heads == config.heads and (setting.width == config.width or not reads)
    return loaded if fits else None


def directions(tokens: Sequence[str], setting: Setting) -> Tensor:
    """One unit vector a token: float32 [T, d]."""
    units, dim = words.directions(tokens, setting.head_dim, setting.seed), setting.head_dim
    if dim > words.SPREAD:  # turned, so that it does not stand on the first numbers alone
        turn = words.normals("turn", dim * words.SPREAD, setting.seed).reshape(dim, -1)
        units = units @ np.linalg.qr(turn)[0].T.astype(np.float32)
    return torch.from_numpy(units).to(setting.device)


def embed(tokens: Sequence[str], setting: Setting) -> Tensor:
    """Embeddings before any position: float32 [1, T, D], of length about sqrt(D). "equal": every token is the same."""
    if setting.content == "random":
        return torch.from_numpy(vectors(tokens, setting.width, setting.seed))[None].to(setting.device)
    units = directions(["equal"] * len(tokens) if setting.content == "equal" else tokens, setting)
    return (math.sqrt(setting.width) * units @ torch.from_numpy(_isometry(setting)).float().T.to(units.device))[None]


def project(x: Tensor, setting: Setting, name: str, heads: int | None = None) -> Tensor:
    """x [1, T, D] -> queries, keys or values (`name`: q, k, v): [1, H, T, d]. heads: the first so many; None: all."""
    weight = _projection(setting, "q" if name == "k" and setting.content != "random" else name)
    heads = heads or setting.heads
    return (x @ weight[:, : heads * setting.head_dim]).unflatten(-1, (heads, setting.head_dim)).transpose(1, 2)


@lru_cache(maxsize=4)
def _projection(setting: Setting, name: str) -> Tensor:
    """Float32 [D, H x d]."""
    width, dim = setting.width, setting.head_dim
    drawn = words.normals(f"projection {name}", width * setting.heads * dim, setting.seed).reshape(width, -1)
    if name == "v" or setting.content == "random":
        return torch.from_numpy(drawn.astype(np.float32) / np.float32(math.sqrt(width))).to(setting.device)
    basis, noise = _isometry(setting), drawn / math.sqrt(dim)
    mixed = np.tile(basis, (1, setting.heads)) + noise - basis @ (basis.T @ noise)  # [D, H x d]
    gain = math.sqrt(ATTRACTION * math.sqrt(dim) / width)
    return torch.from_numpy((gain * mixed).astype(np.float32)).to(setting.device)


@lru_cache(maxsize=4)
def _isometry(setting: Setting) -> np.ndarray:
    """Float64 [D, d] with orthonormal columns."""
    drawn = words.normals("isometry", setting.width * setting.head_dim, setting.seed)
    return np.linalg.qr(drawn.reshape(setting.width, -1))[0]

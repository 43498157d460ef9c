"""The Attention lesson: one attention, stage by stage, as it fits on the screen. Content is synthetic, or a model reads.

Notable choices:
- Synthetic content is made, not learned, in three ways that a reader can reason about (see
  `alibi_viz.content.synthetic`). The attention is the real one. "equal" is zeros here: the score is then the bias alone.
- Up to SCREEN tokens (MODEL_SCREEN bytes of a trained model, so that a text can go beyond the training length and still
  be read cell by cell) every cell is on the screen. Above that a square stands for one query and the largest of its keys.
  For synthetic content the exact number of every cell follows from q, k and the row's log-sum, which are sent too.
- All checks (fused against eager, cache against full pass) run on the numbers that are on the screen.
- A trained model's matrices preview a dragged strength in the first layer alone: in later layers the content itself
  changes with the strength, and PyTorch must say how.
"""

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import torch

from alibi_viz.attention import pictures
from alibi_viz.attention.fused import fused_attention
from alibi_viz.attention.inputs import AttentionInputs, position_alone
from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.attention.pictures import Row, Stages, thumbnails, to_numpy
from alibi_viz.checkpoints.config import ModelConfig
from alibi_viz.checkpoints.reading_head import ReadingHead, read
from alibi_viz.content.synthetic import ATTRACTION, Setting, directions, embed, project
from alibi_viz.content.words import last_word, vectors
from alibi_viz.positions import PositionMethod
from alibi_viz.positions.alibi import Alibi, slopes
from alibi_viz.results import trained

SCREEN = THUMB = 128  # squares a side
MODEL_SCREEN = 384  # squares a side
LONGEST = 2048  # tokens
MOST_THUMBS = 64  # heads that are shown small
STEPS = 256  # tokens that go one by one through the cache; earlier ones go as one chunk
ALL_HEADS_UP_TO = 512  # tokens up to which the checks run over all heads
SCORE_LIMIT = 8.0  # the color scale of synthetic scores goes from -8 to 8


@dataclass(frozen=True)
class Synthetic:
    """Synthetic content through one layer with ALiBi."""

    setting: Setting  # content, heads, head width, seed, device
    tokens: tuple[str, ...]
    kv_heads: int
    head: int  # 1 .. heads
    strength: float = 1.0
    causal: bool = True
    cached: int = field(default=LONGEST, compare=False)  # tokens in the KV cache; no picture depends on it

    @property
    def labels(self) -> tuple[str, ...]:
        return self.tokens


@dataclass(frozen=True)
class Trained:
    """One layer of a trained model that reads a text."""

    loaded: trained.Loaded
    text: bytes
    layer: int  # 1 .. layers
    head: int  # 1 .. heads
    strength: float = 1.0  # multiplies ALiBi's slopes in every layer; other methods have none
    causal: bool = field(default=True, init=False)

    @property
    def labels(self) -> tuple[str, ...]:
        return trained.labels(self.text)

    @property
    def train_length(self) -> int | None:
        return self.loaded.config.length

    @property
    def name(self) -> str:
        """How its files and their views are called."""
        return f"trained-{self.loaded.config.method}"


@dataclass(frozen=True)
class Local:
    """One head of a local checkpoint that reads a text."""

    reading: ReadingHead
    strength: float = field(default=1.0, init=False)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.reading.text.labels

    @property
    def layer(self) -> int:
        return self.reading.layer

    @property
    def head(self) -> int:
        return self.reading.head

    @property
    def config(self) -> ModelConfig:
        return self.reading.checkpoint.config

    @property
    def causal(self) -> bool:
        return self.config.causal

    @property
    def train_length(self) -> int | None:
        return self.config.train_length

    @property
    def name(self) -> str:
        return f"model-{self.config.family}"


Controls = Synthetic | Trained | Local


def first_query(controls: Controls) -> int:
    """The query of which the page speaks first: the last word of a text, or the last token that a model reads."""
    return last_word(controls.tokens) if isinstance(controls, Synthetic) else len(controls.labels) - 1


@dataclass(frozen=True)
class Result:
    """The chosen head, and the weights of every head, as they fit on the screen."""

    method: PositionMethod
    slopes: tuple[float, ...] | None  # one a head, without strength; None: not ALiBi
    stages: Stages
    step: int  # tokens a square
    thumbs: tuple[np.ndarray, ...]  # weights of every head
    thumb_step: int
    score_limit: float  # the color scale of scores goes from -score_limit to score_limit
    # For the browser: the head's content scores [T, T], or q [T, d], k [T, d] and the scale. None: it computes nothing.
    content: np.ndarray | tuple[np.ndarray, np.ndarray, float] | None
    contents: tuple[np.ndarray, ...] | None = None  # content scores of every head, for previews of `thumbs`
    logsum: np.ndarray | None = None  # float64 [T]: log of the sum of e^score over the keys of each row
    previews: bool = False  # whether the browser may compute the pictures while the strength is dragged


@torch.no_grad()
def inputs(controls: Controls) -> AttentionInputs:
    """Queries, keys and values of the text. Raises ValueError, in one sentence, for a text that cannot be read."""
    if isinstance(controls, Trained):
        return trained.inputs(controls.loaded, controls.text, controls.layer, controls.strength)
    if isinstance(controls, Local):
        return controls.reading.inputs()
    tokens, setting, kv_heads = controls.tokens, controls.setting, controls.kv_heads
    heads, dim, device = setting.heads, setting.head_dim, setting.device
    if not tokens:
        raise ValueError("The text is empty. Write a few words.")
    if heads % kv_heads:
        fitting = ", ".join(str(n) for n in range(1, heads + 1) if heads % n == 0)
        raise ValueError(f"{heads} heads cannot share {kv_heads} key/value heads equally. Choose one of {fitting}.")
    if setting.content == "random":
        x = embed(tokens, setting)
        q, k = project(x, setting, "q"), project(x, setting, "k", kv_heads)
    else:
        zeros = torch.zeros(len(tokens), dim, device=device)
        u = zeros if setting.content == "equal" else directions(tokens, setting)
        q = (math.sqrt(ATTRACTION * math.sqrt(dim)) * u).expand(1, heads, -1, -1)
        k = q[:, :kv_heads]
    v = torch.from_numpy(vectors(tokens, kv_heads * dim, setting.seed)).to(device)
    v = v[None].unflatten(-1, (kv_heads, dim)).transpose(1, 2)
    return AttentionInputs(q, k, v, _alibi(controls), torch.arange(len(tokens), device=device), controls.causal)


def _alibi(controls: Synthetic, chosen: slice = slice(None)) -> Alibi:
    """ALiBi for all heads, or for some of them."""
    values, dim, strength = slopes(controls.setting.heads)[chosen], controls.setting.head_dim, controls.strength
    # Without a mask the formula of the paper would reward later keys; an encoder's form falls on both sides.
    form: Literal["causal", "symmetric"] = "causal" if controls.causal else "symmetric"
    method = Alibi(len(values), dim, len(values) * dim, slopes=values, form=form, strength=strength)
    return method.to(controls.setting.device)


def one_head(controls: Synthetic) -> AttentionInputs:
    """The chosen query head alone, with the key head that serves it."""
    whole, head = inputs(controls), slice(controls.head - 1, controls.head)
    shared = head.start * controls.kv_heads // controls.setting.heads
    k, v = whole.k[:, shared : shared + 1], whole.v[:, shared : shared + 1]
    return replace(whole, q=whole.q[:, head], k=k, v=v, method=_alibi(controls, head))


@lru_cache(maxsize=8)  # four pictures of 384 x 384: 2.4 MB an entry
@torch.no_grad()
def study(controls: Controls) -> Result:
    """All that the matrices show. Raises ValueError, in one sentence, for controls that do not fit together."""
    if isinstance(controls, Synthetic):
        return _synthetic(controls)
    return _trained(controls) if isinstance(controls, Trained) else _local(controls)


def _synthetic(controls: Synthetic) -> Result:
    head, attention = one_head(controls), inputs(controls)
    step = math.ceil(len(controls.tokens) / SCREEN)
    contents = tuple(map(to_numpy, attention.trace().content[0])) if step == 1 else None
    stages = pictures.stages(head, 0, step)
    q_k = to_numpy(head.q[0, 0]), to_numpy(head.k[0, 0]), 1 / math.sqrt(controls.setting.head_dim)
    return Result(
        method=attention.method,
        slopes=tuple(_alibi(controls).past.tolist()),
        stages=stages,
        step=step,
        thumbs=thumbnails(attention, step),
        thumb_step=step,
        score_limit=SCORE_LIMIT,
        content=stages.content if contents else q_k,  # the panel's own array, which then travels once
        contents=contents,
        logsum=torch.cat([t.masked[0, 0].double().logsumexp(-1) for t in head.blocks()]).cpu().numpy(),
        previews=step == 1,
    )


def _trained(controls: Trained) -> Result:
    attention, loaded, text = inputs(controls), controls.loaded, controls.text
    step, thumb_step = math.ceil(len(text) / MODEL_SCREEN), math.ceil(len(text) / THUMB)
    reading = trained.read(loaded, text, controls.layer, controls.head, controls.strength, step)
    linear = loaded.slopes is not None and step == 1
    return Result(
        method=attention.method,
        slopes=loaded.slopes,
        stages=reading.stages,
        step=step,
        thumbs=thumbnails(attention, thumb_step),
        thumb_step=thumb_step,
        score_limit=reading.score_limit,
        content=reading.stages.content if linear else None,
        previews=linear and controls.layer == 1,
    )


def _local(controls: Local) -> Result:
    reading, attention = read(controls.reading), inputs(controls)
    thumb_step = math.ceil(len(controls.labels) / THUMB)
    return Result(
        method=attention.method,
        slopes=controls.config.slopes,
        stages=reading.stages,
        step=1,  # a checkpoint reads no more than the screen shows
        thumbs=thumbnails(attention, thumb_step)[:MOST_THUMBS],
        thumb_step=thumb_step,
        score_limit=reading.limit,
        content=reading.stages.content if controls.config.slopes else None,
    )


@lru_cache(maxsize=8)
@torch.no_grad()
def alone(controls: Trained | Local) -> np.ndarray:
    """The weights of the chosen head by its positions alone, as the picture of the study: float32 [R, C]."""
    if isinstance(controls, Local):
        return read(controls.reading).alone.weights
    step = math.ceil(len(controls.text) / MODEL_SCREEN)
    return pictures.stages(position_alone(inputs(controls)), controls.head - 1, step).weights


@lru_cache(maxsize=8)
def row(controls: Controls, query: int) -> Row:
    """One query (0 is the first) of the chosen head, exactly."""
    return pictures.row(inputs(controls), controls.head - 1, query)


@torch.no_grad()
def fused_difference(controls: Synthetic) -> float:
    """Largest absolute difference between the outputs of the fused and of the eager path."""
    x = _checked(controls)
    fused = fused_attention(x.q, x.k, x.v, x.method, x.positions, x.positions, causal=x.causal)
    return float((fused - x.trace().output).abs().max())


@torch.no_grad()
def cached_difference(controls: Synthetic) -> float:
    """Largest difference between the first `cached` tokens, up to STEPS of them one by one, and the full pass on the page.

    A cache has no future: the two agree under the causal mask, and differ without it.
    """
    x, cache, outputs = _checked(controls), KVCache.empty(), []
    count = min(controls.cached, len(controls.tokens))
    first = max(count - STEPS, 0)
    for start, stop in [(0, first), *((t, t + 1) for t in range(first, count))]:
        if stop > start:
            now = slice(start, stop)
            keys, values, positions, _ = cache.append(x.k[:, :, now], x.v[:, :, now], x.positions[now])
            outputs.append(fused_attention(x.q[:, :, now], keys, values, x.method, x.positions[now], positions))
    return float((torch.cat(outputs, dim=2) - x.trace().output[:, :, :count]).abs().max())


def value_scale(controls: Synthetic) -> float:
    """The largest value; no output is larger, since outputs are weighted means of values."""
    return float(_checked(controls).v.abs().max())


def _checked(controls: Synthetic) -> AttentionInputs:
    """All heads; of a long text the chosen head alone, so that the page stays quick."""
    return inputs(controls) if len(controls.tokens) <= ALL_HEADS_UP_TO else one_head(controls)

"""One attention, stage by stage, as it fits on the screen: of content that is made up, or of a trained model that reads.

Notable choices:
- Made-up content is not learned: it is made in three ways that a reader can reason about (see
  `alibi_viz.content.synthetic`). The attention is the real one. "equal" is zeros here: the score is then the bias alone.
- For synthetic content only the chosen head is computed, with one slope; the others when a section asks for them.
- Up to SCREEN tokens (MODEL_SCREEN bytes of a trained model, so that a text can go beyond the training length and still
  be read cell by cell) every cell is on the screen. Above that a square stands for one query and the largest of its keys.
- The browser previews a dragged strength in a trained model's first layer alone: in later layers the content itself
  changes with the strength, and PyTorch must say how.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import torch

from alibi_viz.attention import pictures
from alibi_viz.attention.fused import fused_attention
from alibi_viz.attention.inputs import AttentionInputs, position_alone
from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.attention.pictures import Stages, near_share, nearest, pooled, to_numpy
from alibi_viz.content.synthetic import ATTRACTION, Setting, directions, embed, project
from alibi_viz.content.words import last_word, vectors
from alibi_viz.lessons.problems import Problem
from alibi_viz.positions.alibi import Alibi
from alibi_viz.results import trained
from alibi_viz.results.trained import Loaded
from alibi_viz.rules import slopes

SCREEN = THUMB = 128  # squares a side
MODEL_SCREEN = 384  # squares a side
LONGEST = 2048  # tokens
STEPS = 256  # tokens that go one by one through the cache; earlier ones go as one chunk
ALL_HEADS_UP_TO = 512  # tokens up to which the checks run over all heads
QUERIES = 128  # the last ones, which see the most, set the colours of a model's scores
SCORE_LIMIT = 8.0  # the colours of made-up scores go from -8 to 8, those of a model's to a multiple of it


@dataclass(frozen=True)
class Synthetic:
    """Content of a seed through one layer with ALiBi."""

    setting: Setting  # content, heads, head width, seed, device
    tokens: tuple[str, ...]
    kv_heads: int
    head: int  # 1 .. heads
    strength: float = 1.0
    causal: bool = True


@dataclass(frozen=True)
class Trained:
    """One layer of a trained model that reads a text."""

    loaded: Loaded
    text: bytes
    layer: int  # 1 .. layers
    head: int  # 1 .. heads
    strength: float = 1.0  # multiplies ALiBi's slopes in every layer; other methods have none


@dataclass(frozen=True)
class Result:
    """The chosen head as it fits on the screen."""

    tokens: tuple[str, ...]
    attention: AttentionInputs  # for synthetic content only the chosen head
    index: int  # of the chosen head in it
    head: int  # 1 .. heads
    heads: int
    slope: float | None  # of the chosen head, without strength; None: not ALiBi
    strength: float
    query: int  # of which the sentences speak: the last word, or the last byte
    stages: Stages
    step: int  # tokens a square
    limit: float  # the colours of scores go from -limit to limit
    is_computable: bool  # whether the browser can compute the number of every cell
    previews: bool  # whether it may compute the pictures while a hand moves
    # Of a trained model:
    train_length: int | None = None  # bytes
    share: float = 0.0  # of the weight of the last byte, on the last train_length bytes
    alone: np.ndarray | None = None  # weights by position alone, where the method adds no bias


def compute(chosen: Synthetic | Trained) -> Result:
    """All that the matrices show. Raises ValueError, in one sentence, for choices that do not fit together."""
    return of_model(chosen) if isinstance(chosen, Trained) else synthetic(chosen)


@torch.no_grad()
def synthetic(chosen: Synthetic) -> Result:
    """The chosen head of ALiBi over made-up content."""
    setting, count = chosen.setting, len(chosen.tokens)
    head = inputs(chosen, chosen.head - 1)
    step = math.ceil(count / SCREEN)
    return Result(
        tokens=chosen.tokens,
        attention=head,
        index=0,
        head=chosen.head,
        heads=setting.heads,
        slope=slopes(setting.heads)[chosen.head - 1],
        strength=chosen.strength,
        query=last_word(chosen.tokens),
        stages=pictures.stages(head, 0, step),
        step=step,
        limit=SCORE_LIMIT,
        is_computable=step == 1,
        previews=step == 1,
    )


@lru_cache(maxsize=8)  # four pictures of 384 x 384: 2.4 MB an entry
@torch.no_grad()
def of_model(chosen: Trained) -> Result:
    """The chosen head of a trained model that reads the text."""
    loaded, text, head = chosen.loaded, chosen.text, chosen.head - 1
    attention, length = inputs(chosen), loaded.config.length
    step = math.ceil(len(text) / MODEL_SCREEN)
    stages = pictures.stages(attention, head, step)
    is_computable = loaded.slopes is not None and step == 1
    return Result(
        tokens=trained.labels(text),
        attention=attention,
        index=head,
        head=chosen.head,
        heads=loaded.config.heads,
        slope=loaded.slopes[head] if loaded.slopes else None,
        strength=chosen.strength,
        query=len(text) - 1,
        stages=stages,
        step=step,
        limit=score_limit(loaded, text, chosen.layer),
        is_computable=is_computable,
        previews=is_computable and chosen.layer == 1,
        train_length=length,
        share=float(attention.trace(attention.positions[-1:]).weights[0, head, 0, -length:].sum()),
        alone=pictures.stages(position_alone(attention), head, step).weights if stages.bias is None else None,
    )


@lru_cache(maxsize=64)
@torch.no_grad()
def score_limit(loaded: Loaded, text: bytes, layer: int) -> float:
    """The 99th percentile of the scores that all heads see, as trained, rounded up.

    Fixed scales will not do: trained scores of RoPE are ten times those of ALiBi.
    """
    attention = trained.inputs(loaded, text, layer)
    last = attention.trace(attention.positions[-QUERIES:])
    scores = last.content[~last.masked.isneginf()].abs()
    return SCORE_LIMIT * max(1, math.ceil(float(np.percentile(scores.numpy(), 99)) / SCORE_LIMIT))


@torch.no_grad()
def inputs(chosen: Synthetic | Trained, head: int | None = None) -> AttentionInputs:
    """Queries, keys and values of every head: q [1, H, T, d], k and v [1, Hkv, T, d].

    head: of made-up content this one alone (0 is the first), with the key and value head that serves it. Raises ValueError,
    in one sentence, for a text that cannot be read.
    """
    if isinstance(chosen, Trained):
        return trained.inputs(chosen.loaded, chosen.text, chosen.layer, chosen.strength)
    tokens, setting, kv_heads = chosen.tokens, chosen.setting, chosen.kv_heads
    heads, dim, device = setting.heads, setting.head_dim, setting.device
    if not tokens:
        raise Problem("texts.empty")
    if heads % kv_heads:
        fitting = ", ".join(str(n) for n in range(1, heads + 1) if heads % n == 0)
        raise Problem("methods.shared_choose", heads=heads, kv_heads=kv_heads, fitting=fitting)
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
    values = slopes(heads)
    if head is not None:
        shared = head * kv_heads // heads
        q, k, v = q[:, head : head + 1], k[:, shared : shared + 1], v[:, shared : shared + 1]
        values = [values[head]]
    # Without a mask the formula of the paper would reward later keys; an encoder's form falls on both sides.
    form: Literal["causal", "symmetric"] = "causal" if chosen.causal else "symmetric"
    width = len(values) * dim
    alibi = Alibi(len(values), dim, width, slopes=values, form=form, strength=chosen.strength).to(q.device)
    return AttentionInputs(q, k, v, alibi, torch.arange(q.shape[2], device=q.device), chosen.causal)


@torch.no_grad()
def every_head(chosen: Synthetic | Trained, count: int) -> tuple[int, tuple[np.ndarray, ...]]:
    """How many of the `count` tokens are one square, and the weights of every head: float32 [R, C] each."""
    step = math.ceil(count / THUMB)
    blocks = inputs(chosen).blocks(step)
    parts = [trace.weights[0].masked_fill(trace.masked[0].isneginf(), -math.inf) for trace in blocks]
    return step, tuple(pooled(weights, step) for weights in torch.cat(parts, dim=1))


@dataclass(frozen=True)
class Row:
    """One query of the chosen head, and all its keys: float32 [T]."""

    content: np.ndarray
    bias: np.ndarray | None
    weights: np.ndarray
    weights_without_bias: np.ndarray | None  # None: the method adds nothing to the scores


@torch.no_grad()
def row(result: Result, query: int) -> Row:
    """One query (0 is the first) of the chosen head, exactly."""
    attention, head = result.attention, result.index
    trace = attention.trace(attention.positions[query : query + 1])
    content, weights = to_numpy(trace.content[0, head, 0]), to_numpy(trace.weights[0, head, 0])
    if trace.bias is None:
        return Row(content, None, weights, None)
    bias = trace.bias.expand_as(trace.masked)[0, head, 0]
    return Row(content, to_numpy(bias), weights, to_numpy((trace.masked[0, head, 0] - bias).softmax(-1)))


def near(result: Result) -> tuple[int, float, float] | None:
    """How many tokens are near the query that the sentences are of; the share of its weight on earlier tokens that they
    get; and that without the bias. None: there is no bias."""
    of_query = row(result, result.query)
    if of_query.weights_without_bias is None:
        return None
    share, without = (near_share(x, result.query) for x in (of_query.weights, of_query.weights_without_bias))
    return nearest(result.query), share, without


@torch.no_grad()
def other_ways(chosen: Synthetic, cached: int) -> tuple[float, float, float]:
    """How far the outputs of other ways are at most from those of the full pass on the page: of the first `cached` tokens
    with a cache, up to STEPS of them one by one; and of the fused path. Third, the largest value: outputs are weighted
    means of values, so none is larger.

    All heads are compared; for a long text only the chosen head, so that the page stays quick. A cache has no future: the
    first two ways agree under the causal mask, and differ without it.
    """
    x = inputs(chosen, None if len(chosen.tokens) <= ALL_HEADS_UP_TO else chosen.head - 1)
    full = x.trace().output
    fused = fused_attention(x.q, x.k, x.v, x.method, x.positions, x.positions, causal=x.causal)
    cache, outputs, first = KVCache(), [], max(cached - STEPS, 0)
    for start, stop in [(0, first), *((t, t + 1) for t in range(first, cached))]:
        if stop > start:
            now = slice(start, stop)
            keys, values, positions = cache.append(x.k[:, :, now], x.v[:, :, now], x.positions[now])
            outputs.append(fused_attention(x.q[:, :, now], keys, values, x.method, x.positions[now], positions))
    by_cache = torch.cat(outputs, dim=2) - full[:, :, :cached]
    return float(by_cache.abs().max()), float((fused - full).abs().max()), float(x.v.abs().max())

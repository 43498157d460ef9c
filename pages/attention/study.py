"""One attention, stage by stage, as it fits on the screen, over content that is made up.

Notable choices:
- The content is not learned: it is made in three ways that a reader can reason about (see
  `alibi_viz.content.synthetic`). The attention is the real one. "equal" is zeros here: the score is then the bias alone.
- Only the chosen head is computed, with one slope; the others when a section asks for them.
- Up to SCREEN tokens every cell is on the screen. Above that a square stands for one query and the largest of its keys.
"""

import math
from dataclasses import dataclass
from typing import Literal

import torch

from alibi_viz.attention import pictures
from alibi_viz.attention.fused import fused_attention
from alibi_viz.attention.inputs import AttentionInputs
from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.attention.pictures import SCORE_LIMIT, Head
from alibi_viz.content.synthetic import ATTRACTION, Setting, directions, embed, project
from alibi_viz.content.words import last_word, vectors
from alibi_viz.lessons.problems import Problem
from alibi_viz.positions.alibi import Alibi
from alibi_viz.rules import slopes

SCREEN = 128  # squares a side
LONGEST = 2048  # tokens
STEPS = 256  # tokens that go one by one through the cache; earlier ones go as one chunk
ALL_HEADS_UP_TO = 512  # tokens up to which the checks run over all heads


@dataclass(frozen=True)
class Controls:
    """Content of a seed through one layer with ALiBi."""

    setting: Setting  # content, heads, head width, seed, device
    tokens: tuple[str, ...]
    kv_heads: int
    head: int  # 1 .. heads
    strength: float = 1.0
    causal: bool = True


@torch.no_grad()
def compute(chosen: Controls) -> Head:
    """The chosen head of ALiBi. Raises ValueError, in one sentence, for heads that cannot share."""
    setting, count = chosen.setting, len(chosen.tokens)
    head = inputs(chosen, chosen.head - 1)
    step = math.ceil(count / SCREEN)
    return Head(
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
        is_computable=True,
        previews=True,
    )


@torch.no_grad()
def inputs(chosen: Controls, head: int | None = None) -> AttentionInputs:
    """Queries, keys and values of every head: q [1, H, T, d], k and v [1, Hkv, T, d].

    head: this one alone (0 is the first), with the key and value head that serves it. Raises ValueError, in one sentence,
    for heads that cannot share.
    """
    tokens, setting, kv_heads = chosen.tokens, chosen.setting, chosen.kv_heads
    heads, dim, device = setting.heads, setting.head_dim, setting.device
    if heads % kv_heads:
        fitting = tuple(str(n) for n in range(1, heads + 1) if heads % n == 0)
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
def other_ways(chosen: Controls, cached: int) -> tuple[float, float, float]:
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

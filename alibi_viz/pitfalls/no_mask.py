"""The symmetric bias of an encoder in a decoder, without a causal mask: every token sees the tokens after it."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, causal, floats, picture

TOKENS, SLOPE = 48, 1 / 8


def wrong(scores: Tensor, slope: float) -> Tensor:
    place = torch.arange(len(scores))
    scores = scores - slope * (place[:, None] - place).abs()
    return scores.softmax(-1)


def right(scores: Tensor, slope: float) -> Tensor:
    place = torch.arange(len(scores))
    scores = scores - slope * (place[:, None] - place).abs()
    return scores.masked_fill(place > place[:, None], -math.inf).softmax(-1)


def check(version: Callable[[Tensor, float], Tensor]) -> None:
    """What comes later changes nothing: the weights of a token are the same whatever the scores of later keys."""
    scores = _scores()
    changed = torch.where(causal(TOKENS, TOKENS), scores, scores + 5)
    torch.testing.assert_close(version(changed, SLOPE), version(scores, SLOPE))


def _scores() -> Tensor:
    return torch.randn(TOKENS, TOKENS, generator=torch.Generator().manual_seed(0)) / 2


def measure() -> Comparison:
    weights = [version(_scores(), SLOPE) for version in (wrong, right)]
    later = [(matrix * ~causal(TOKENS, TOKENS)).sum(-1) for matrix in weights]
    ends = [float(share.mean()) for share in later]
    damage = Damage(ends[0], ends[1], floats(range(TOKENS)), floats(later[0]), floats(later[1]))
    return Comparison(Pictures(picture(weights[0]), picture(weights[1]), domain=(0.0, 0.25)), damage)

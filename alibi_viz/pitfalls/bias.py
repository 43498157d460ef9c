"""Mistakes with the bias: its sign, its scale, the mask beside it, its length beside a cache, its number format."""

import math

import torch
from torch import Tensor

from alibi_viz.pitfalls.base import Pitfall, Run, Version, causal, causal_weights, moved

TOKENS, WIDTH = 48, 64
PLACES = torch.arange(TOKENS)
LAST, WINDOW = 2048, 32  # tokens of a long text, and those at its end that are drawn
STEEPEST = 2**-0.5  # the steepest slope of 12 heads but for 1/2


def random(*shape: int) -> Tensor:
    """The same normal numbers each time."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


# The distance with the other sign: far keys are rewarded.


def sign_wrong(slope: float, queries: Tensor, keys: Tensor) -> Tensor:
    return slope * (queries[:, None] - keys)


def sign_right(slope: float, queries: Tensor, keys: Tensor) -> Tensor:
    return slope * (keys - queries[:, None])


def sign_check(version: Version) -> None:
    """For equal content the nearest key, the token itself, has the largest weight."""
    bias = version(1 / 8, PLACES, PLACES)
    torch.testing.assert_close(causal_weights(bias).argmax(-1), PLACES)


def sign_run(version: Version) -> Run:
    """The mean distance of the last query's weight, in tokens."""
    weights = causal_weights(version(1 / 8, PLACES, PLACES))
    return weights, float((weights[-1] * (TOKENS - 1 - PLACES)).sum())


# The bias divided by sqrt(d) together with the scores: every slope is sqrt(d) times too gentle.


def scale_wrong(q: Tensor, k: Tensor, bias: Tensor) -> Tensor:
    return (q @ k.mT + bias) / math.sqrt(q.shape[-1])


def scale_right(q: Tensor, k: Tensor, bias: Tensor) -> Tensor:
    return q @ k.mT / math.sqrt(q.shape[-1]) + bias


def scale_check(version: Version) -> None:
    """Where the content scores are zero, what is left is the bias itself."""
    nothing, bias = torch.zeros(TOKENS, WIDTH), sign_right(1 / 4, PLACES, PLACES)
    torch.testing.assert_close(version(nothing, nothing, bias), bias)


def scale_run(version: Version) -> Run:
    """Random content; and after how many tokens the weight has halved, for equal content.

    The weight falls as e^(-m d), so the logarithm of two neighbours is the slope in effect.
    """
    bias, equal = sign_right(1 / 4, PLACES, PLACES), torch.zeros(2, TOKENS, WIDTH)
    weights, alone = (causal_weights(version(*content, bias)) for content in (random(2, TOKENS, WIDTH), equal))
    return weights, math.log(2) / float((alone[-1, -1] / alone[-1, -2]).log())


# The symmetric bias of an encoder in a decoder, without a causal mask: every token sees the tokens after it.


def mask_wrong(scores: Tensor, slope: float) -> Tensor:
    place = torch.arange(len(scores))
    scores = scores - slope * (place[:, None] - place).abs()
    return scores.softmax(-1)


def mask_right(scores: Tensor, slope: float) -> Tensor:
    place = torch.arange(len(scores))
    scores = scores - slope * (place[:, None] - place).abs()
    return scores.masked_fill(place > place[:, None], -math.inf).softmax(-1)


def mask_check(version: Version) -> None:
    """What comes later changes nothing: the weights of a token are the same whatever the scores of later keys."""
    scores = random(TOKENS, TOKENS) / 2
    changed = torch.where(causal(TOKENS, TOKENS), scores, scores + 5)
    torch.testing.assert_close(version(changed, 1 / 8), version(scores, 1 / 8))


def mask_run(version: Version) -> Run:
    """The mean share of a query's weight on later keys."""
    weights = version(random(TOKENS, TOKENS) / 2, 1 / 8)
    return weights, float((weights * ~causal(TOKENS, TOKENS)).sum(-1).mean())


# The bias built over the queries alone: one query beside a cache has one number, and softmax cancels it.


def cache_wrong(slope: float, queries: int, keys: int) -> Tensor:
    return slope * torch.arange(queries)


def cache_right(slope: float, queries: int, keys: int) -> Tensor:
    return slope * torch.arange(keys)


def cache_check(version: Version) -> None:
    """A token decoded with a cache has the weights that a pass over the whole text gives it."""
    full = causal_weights(version(1 / 8, TOKENS, TOKENS).expand(TOKENS, TOKENS))
    torch.testing.assert_close(cache_weights(version), full)


def cache_weights(version: Version) -> Tensor:
    """Weights of every token as it is decoded, one query and the keys so far, for equal content: [T, T]."""
    weights = torch.zeros(TOKENS, TOKENS)
    for row in range(TOKENS):
        weights[row, : row + 1] = (torch.zeros(row + 1) + version(1 / 8, 1, row + 1)).softmax(-1)
    return weights


def cache_run(version: Version) -> Run:
    """What the last token weighs otherwise than it should."""
    weights = cache_weights(version)
    return weights, moved(weights[-1], cache_weights(cache_right)[-1])


# The key-only row m j in bfloat16: far from the start of the text its numbers are large, and so is their rounding.


def format_wrong(slope: float, query: int, keys: Tensor) -> Tensor:
    return (slope * keys).bfloat16()


def format_right(slope: float, query: int, keys: Tensor) -> Tensor:
    return (-slope * (query - keys)).bfloat16()


def format_check(version: Version) -> None:
    """At the end of a long text the weights are those of the exact bias, within 0.01."""
    keys = torch.arange(LAST)
    exact = (STEEPEST * keys.double()).softmax(-1)
    torch.testing.assert_close(version(STEEPEST, LAST - 1, keys).double().softmax(-1), exact, atol=0.01, rtol=0)


def format_run(version: Version) -> Run:
    """The last queries of the text and their nearest keys (others have no weight); the largest error."""
    keys = torch.arange(LAST)[-WINDOW:]
    weights = causal_weights(torch.stack([version(STEEPEST, query, keys).float() for query in keys.tolist()]))
    return weights, float((weights - causal_weights(STEEPEST * (keys - keys[:, None]))).abs().max())


FIRST = LAST - WINDOW
NEAR = (0.0, 0.25)
BIAS = {
    "sign": Pitfall(sign_wrong, sign_right, sign_check, sign_run, is_causal=True, domain=NEAR),
    "sqrt_d": Pitfall(
        *(scale_wrong, scale_right, scale_check, scale_run),
        is_causal=True,
        domain=(0.0, 0.4),
        settings={"width": WIDTH},
    ),
    "no_mask": Pitfall(mask_wrong, mask_right, mask_check, mask_run, domain=NEAR),
    "cache_offset": Pitfall(cache_wrong, cache_right, cache_check, cache_run, is_causal=True, domain=NEAR),
    "key_bfloat16": Pitfall(
        *(format_wrong, format_right, format_check, format_run),
        is_causal=True,
        domain=(0.0, 0.6),
        row=FIRST,
        col=FIRST,
        settings={"tokens": LAST},
    ),
}

"""Mistakes of the code around positions: padding, cache, layouts of trained weights, two methods at once."""

import copy
import math

import torch
import torch.nn.functional as F
from torch import Tensor

from alibi_viz.pitfalls.base import Pitfall, Run, Version, causal, held_out, moved, perplexity
from alibi_viz.positions.base import angles
from alibi_viz.positions.rotary import inv_freq, turn
from alibi_viz.results.trained import shipped

TOKENS = 48
PADDED, PADDING, LAYERS = 24, 5, 3  # tokens of a padded text, those that are padding, and layers that it goes through
PAD, READ = 128, 96  # tokens of padding before a text of READ tokens


# -1e9 is beyond float16, so it becomes -inf; the softmax of a row without any key is then NaN, and NaN spreads.


def rows_wrong(scores: Tensor, allowed: Tensor) -> Tensor:
    scores = scores + ~allowed * -1e9
    return scores.half().softmax(-1)


def rows_right(scores: Tensor, allowed: Tensor) -> Tensor:
    some = allowed.any(-1, keepdim=True)
    scores = scores.masked_fill(~allowed, -math.inf).masked_fill(~some, 0)
    return (scores.softmax(-1) * some).half()


def padded_on_the_left() -> Tensor:
    """Which keys a query may attend to, under a causal mask: bool [T, T]."""
    return causal(PADDED, PADDED) & (torch.arange(PADDED) >= PADDING)


def rows_check(version: Version) -> None:
    """A padded batch gives finite numbers in float16, and a query without any key gives zeros."""
    weights = version(torch.zeros(PADDED, PADDED), padded_on_the_left())
    assert weights.isfinite().all(), "there are NaN"
    assert not weights[:PADDING].any(), "padding attends to something"


def rows_run(version: Version) -> Run:
    """The share of NaN after LAYERS layers."""
    scores = torch.randn(PADDED, PADDED, generator=torch.Generator().manual_seed(0))
    weights, x = version(scores, padded_on_the_left()), torch.ones(PADDED, 16)
    for _ in range(LAYERS):
        x = weights.float() @ x  # 0 times NaN is NaN: one padded key reaches every query
    return weights, float(x.isnan().float().mean())


# Positions counted from the padding: methods that number positions read the text as if it began later.


def padding_wrong(is_padding: Tensor) -> Tensor:
    return torch.arange(is_padding.shape[-1]).expand(is_padding.shape)


def padding_right(is_padding: Tensor) -> Tensor:
    return ((~is_padding).cumsum(-1) - 1).clamp(min=0)


def padding_check(version: Version) -> None:
    """A text has the same positions in a padded batch as alone."""
    for pads in (0, 1, 7):
        is_padding = torch.arange(20)[None] < pads
        torch.testing.assert_close(version(is_padding)[~is_padding], torch.arange(20 - pads))


def padding_run(version: Version) -> Run:
    """The positions in a batch of 12 texts of up to 36 tokens; and the perplexity per byte of the shipped sinusoidal model.

    Padding, which no token attends to, is left out of its pass.
    """
    is_padding = torch.arange(36) < (torch.arange(12) * 7 % 29)[:, None]
    batch = version(is_padding).float().masked_fill(is_padding, -math.inf)
    tokens, is_padding = held_out()[:, : READ + 1], torch.arange(PAD + READ)[None] < PAD
    logits = shipped("sinusoidal")(tokens[:, :-1], positions=version(is_padding)[~is_padding])
    return batch, math.exp(F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()))


# `is_causal=True` beside a cache: the kernel's mask begins at the first key, so one query sees key 0 alone.


def causal_wrong(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def causal_right(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    queries, keys = q.shape[-2], k.shape[-2]
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)


def query_key_identity() -> Tensor:
    """q, k and v [3, 1, 1, T, T]; v is the identity, so the output is the weights."""
    q, k = torch.randn(2, 1, 1, TOKENS, TOKENS, generator=torch.Generator().manual_seed(0))
    return torch.stack((q, k, torch.eye(TOKENS)[None, None]))


def causal_check(version: Version) -> None:
    """A token decoded with a cache has the output that a pass over the whole text gives it."""
    torch.testing.assert_close(causal_weights(version), version(*query_key_identity())[0, 0])


def causal_weights(version: Version) -> Tensor:
    """The weights of every token as it is decoded: [T, T]."""
    q, k, v = query_key_identity()
    steps = [version(q[..., t : t + 1, :], k[..., : t + 1, :], v[..., : t + 1, :]) for t in range(TOKENS)]
    return torch.cat(steps, dim=-2)[0, 0]


def causal_run(version: Version) -> Run:
    """What the last token weighs otherwise than it should."""
    weights = causal_weights(version)
    return weights, moved(weights[-1], causal_weights(causal_right)[-1])


# Weights trained with one layout of RoPE's pairs, read with the other.


def layout_wrong(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack((first * cos - second * sin, second * cos + first * sin), -1).flatten(-2)


def layout_right(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)


def layout_check(version: Version) -> None:
    """Rotated as the model was trained (here as Llama: number i with number i + d/2), not only by the same angles."""
    x = torch.randn(TOKENS, 16, generator=torch.Generator().manual_seed(0))
    angle = angles(torch.arange(TOKENS), inv_freq(16))
    torch.testing.assert_close(version(x, angle.cos().float(), angle.sin().float()), turn(x[None, None], angle)[0, 0])


def layout_run(version: Version) -> Run:
    """The shipped model with RoPE reads, rotated by this version: the first head of its first layer, and its perplexity."""

    def turned(*pair: Tensor) -> list[Tensor]:
        return [version(x, at.cos().float(), at.sin().float()) for x, at in zip(pair[:2], pair[2:], strict=True)]

    return read_with("rope", turned, 0)


def read_with(method: str, turned: Version, head: int) -> Run:
    """A shipped model reads, queries and keys turned by their angles: a head of its first layer, and its perplexity."""
    model = copy.deepcopy(shipped(method))

    def rotate(q: Tensor, k: Tensor, *positions: Tensor) -> tuple[Tensor, Tensor]:
        q, k = turned(q, k, *(angles(at, inv_freq(q.shape[-1])) for at in positions))
        return q, k

    model.position.rotate = rotate  # type: ignore[assignment, method-assign]
    return model.trace(held_out()[:1, :TOKENS])[0][0].weights[0, head], perplexity(model)


# RoPE left on beside ALiBi: the weights of a model that was trained with ALiBi alone do not know the rotation.


def beside_wrong(q: Tensor, k: Tensor, q_angle: Tensor, k_angle: Tensor) -> tuple[Tensor, Tensor]:
    return turn(q, q_angle), turn(k, k_angle)


def beside_right(q: Tensor, k: Tensor, q_angle: Tensor, k_angle: Tensor) -> tuple[Tensor, Tensor]:
    return q, k


def beside_check(version: Version) -> None:
    """For equal content nothing but the bias changes with the distance: all products are the same."""
    angle, equal = angles(torch.arange(TOKENS), inv_freq(16)), torch.ones(1, 1, TOKENS, 16)
    q, k = version(equal, equal, angle, angle)
    torch.testing.assert_close(q @ k.mT, torch.full((1, 1, TOKENS, TOKENS), 16.0))


def beside_run(version: Version) -> Run:
    """The shipped model with ALiBi reads: the last head of its first layer, whose slope is the gentlest; its perplexity."""
    return read_with("alibi", version, -1)


USING = {
    "masked_rows": Pitfall(
        *(rows_wrong, rows_right, rows_check, rows_run), domain=(0.0, 0.5), settings={"layers": LAYERS}
    ),
    "left_padding": Pitfall(
        *(padding_wrong, padding_right, padding_check, padding_run),
        quantity="bias",
        domain=(0.0, 36.0),
        settings={"last": PAD},
    ),
    "is_causal": Pitfall(causal_wrong, causal_right, causal_check, causal_run, is_causal=True, domain=(0.0, 0.25)),
    "rope_layouts": Pitfall(layout_wrong, layout_right, layout_check, layout_run, is_causal=True, domain=(0.0, 0.5)),
    "beside_rope": Pitfall(beside_wrong, beside_right, beside_check, beside_run, is_causal=True, domain=(0.0, 0.5)),
}

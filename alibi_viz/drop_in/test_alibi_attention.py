# SPDX-License-Identifier: MIT
"""A test to copy beside drop_in.py: `pytest test_alibi_attention.py`. It needs PyTorch and pytest."""

import math

import torch
from drop_in import AlibiAttention, alibi_slopes  # type: ignore[import-not-found]

WIDTH, HEADS, KV_HEADS, TOKENS = 96, 12, 4, 40


def reference(block: AlibiAttention, x: torch.Tensor) -> torch.Tensor:
    """The formula in float64, head by head: softmax(q.k / sqrt(d) - m (i - j)) v."""
    q, k, v = (getattr(block, f"{name}_proj")(x).unflatten(-1, (-1, block.head_dim)).double() for name in "qkv")
    i, j = torch.arange(TOKENS)[:, None], torch.arange(TOKENS)
    outputs = []
    for head, slope in enumerate(alibi_slopes(HEADS)):
        own = head * KV_HEADS // HEADS
        scores = q[:, :, head] @ k[:, :, own].mT / math.sqrt(block.head_dim) - slope * (i - j)
        outputs.append(scores.masked_fill(j > i, -math.inf).softmax(-1) @ v[:, :, own])
    return block.o_proj(torch.cat(outputs, -1).float())


@torch.no_grad()
def test_the_block_is_the_formula_whole_and_in_pieces() -> None:
    torch.manual_seed(0)
    block, x = AlibiAttention(WIDTH, HEADS, KV_HEADS).eval(), torch.randn(2, TOKENS, WIDTH)
    expected = reference(block, x)
    torch.testing.assert_close(block(x)[0], expected, atol=2e-5, rtol=0)
    first, cache = block(x[:, :17], use_cache=True)
    rest, _ = block(x[:, 17:], past_key_value=cache)
    torch.testing.assert_close(torch.cat((first, rest), 1), expected, atol=2e-5, rtol=0)

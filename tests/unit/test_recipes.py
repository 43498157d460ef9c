"""ALiBi in the kernels of others: those that run on a CPU against the formula; of the others, what they are given."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
import torch

from alibi_viz import library
from alibi_viz.drop_in import recipes

HEADS, TOKENS = 6, 20
SLOPES = torch.tensor(library.slopes(HEADS))


def inputs(queries=TOKENS, kv_heads=HEADS):
    q, k, v = torch.randn(3, 2, HEADS, TOKENS, 16, generator=torch.Generator().manual_seed(0)).unbind(0)
    return q[:, :, TOKENS - queries :], k[:, :kv_heads], v[:, :kv_heads]


@pytest.mark.parametrize("recipe", [recipes.with_sdpa, recipes.with_flex_attention])
@pytest.mark.parametrize("queries", [TOKENS, 3, 1])
@pytest.mark.parametrize("kv_heads", [HEADS, 2, 1])
def test_a_recipe_is_the_formula_with_and_without_a_cache_and_grouped_heads(recipe, queries, kv_heads):
    q, k, v = inputs(queries, kv_heads)
    torch.testing.assert_close(recipe(q, k, v, SLOPES), library.trace(q, k, v).output, atol=1e-5, rtol=0)


@pytest.mark.parametrize(("queries", "kv_heads"), [(TOKENS, HEADS), (3, HEADS), (3, 2)])
def test_flash_attn_is_given_its_layout_and_positive_slopes(queries, kv_heads, monkeypatch):
    """A stand-in that computes what its documentation says: bias −slope |i + Tk − Tq − j|, causal, bottom right; GQA."""

    def flash_attn_func(q, k, v, causal, alibi_slopes):
        assert causal
        assert alibi_slopes.dtype == torch.float32
        q, k, v = (x.transpose(1, 2).repeat_interleave(q.shape[2] // x.shape[2], 1) for x in (q, k, v))
        i, j = torch.arange(q.shape[2])[:, None] + k.shape[2] - q.shape[2], torch.arange(k.shape[2])
        scores = q @ k.mT / q.shape[-1] ** 0.5 - alibi_slopes[:, None, None] * (i - j).abs()
        return (scores.masked_fill(j > i, -torch.inf).softmax(-1) @ v).transpose(1, 2)

    monkeypatch.setitem(sys.modules, "flash_attn", SimpleNamespace(flash_attn_func=flash_attn_func))
    q, k, v = inputs(queries, kv_heads)
    torch.testing.assert_close(
        recipes.with_flash_attn(q, k, v, SLOPES), library.trace(q, k, v).output, atol=1e-5, rtol=0
    )


def test_xformers_is_given_its_layout_and_its_bias(monkeypatch):
    """A stand-in that computes what its documentation says: a top-left causal mask, plus the bias."""

    class LowerTriangularMask:
        def add_bias(self, bias):
            return bias.masked_fill(torch.ones(bias.shape[-2:]).triu(1).bool(), -torch.inf)

    def memory_efficient_attention(q, k, v, attn_bias):
        q, k, v = (x.transpose(1, 2) for x in (q, k, v))
        return ((q @ k.mT / q.shape[-1] ** 0.5 + attn_bias).softmax(-1) @ v).transpose(1, 2)

    ops = SimpleNamespace(
        LowerTriangularMask=LowerTriangularMask, memory_efficient_attention=memory_efficient_attention
    )
    monkeypatch.setitem(sys.modules, "xformers", SimpleNamespace(ops=ops))
    monkeypatch.setitem(sys.modules, "xformers.ops", ops)
    q, k, v = inputs()
    torch.testing.assert_close(recipes.with_xformers(q, k, v, SLOPES), library.trace(q, k, v).output, atol=1e-5, rtol=0)

"""ALiBi in the kernels of others, against the formula. flash-attn, xFormers and vLLM need a GPU or a server: stand-ins
compute what their documentation says. (FlexAttention: tests/pages/use.)
"""

import sys
from itertools import product
from types import ModuleType

import pytest
import torch

import alibi_viz
from alibi_viz.drop_in import recipes

HEADS, TOKENS, HEAD_DIM = 6, 20, 16
SLOPES = torch.tensor(alibi_viz.slopes(HEADS))


def flash_attn_func(q, k, v, causal, alibi_slopes):
    """Bias −slope |i + Tk − Tq − j|, causal, bottom right; grouped heads; [B, T, H, d]."""
    assert causal
    assert alibi_slopes.dtype == torch.float32
    q, k, v = (x.transpose(1, 2).repeat_interleave(q.shape[2] // x.shape[2], 1) for x in (q, k, v))
    i, j = torch.arange(q.shape[2])[:, None] + k.shape[2] - q.shape[2], torch.arange(k.shape[2])
    scores = q @ k.mT / q.shape[-1] ** 0.5 - alibi_slopes[:, None, None] * (i - j).abs()
    return (scores.masked_fill(j > i, -torch.inf).softmax(-1) @ v).transpose(1, 2)


class LowerTriangularMask:
    """Aligned at the top left, plus a bias whose rows lie in memory as a multiple of 8."""

    def add_bias(self, bias):
        assert bias.stride(-2) % 8 == 0
        return bias.masked_fill(torch.ones(bias.shape[-2:]).triu(1).bool(), -torch.inf)


def memory_efficient_attention(q, k, v, attn_bias):
    """[B, T, G, H, d] each, as grouped heads are given."""
    assert q.shape == k.shape == v.shape
    q, k, v = (x.permute(0, 2, 3, 1, 4) for x in (q, k, v))
    return ((q @ k.mT / q.shape[-1] ** 0.5 + attn_bias).softmax(-1) @ v).permute(0, 3, 1, 2, 4)


@pytest.fixture
def stand_in(monkeypatch):
    """Puts names where a recipe imports them from."""

    def put(path, **names):
        parts = path.split(".")
        for end in range(1, len(parts) + 1):
            monkeypatch.setitem(sys.modules, ".".join(parts[:end]), ModuleType(parts[end - 1]))
        vars(sys.modules[path]).update(names)

    return put


SHAPES = [*product((TOKENS, 3, 1), (HEADS, 2, 1))]  # queries, heads of keys
RECIPES = [
    *product((recipes.with_sdpa, recipes.with_flash_attn), SHAPES),
    *product((recipes.with_xformers,), SHAPES[:3]),  # its mask is for as many queries as keys
]


@pytest.mark.parametrize(("recipe", "shape"), RECIPES)
def test_a_recipe_is_the_formula_with_and_without_a_cache_and_grouped_heads(recipe, shape, stand_in):
    stand_in("flash_attn", flash_attn_func=flash_attn_func)
    efficient = {"memory_efficient_attention": memory_efficient_attention}
    stand_in("xformers.ops", LowerTriangularMask=LowerTriangularMask, **efficient)
    queries, kv_heads = shape
    q, k, v = torch.randn(3, 2, HEADS, TOKENS, HEAD_DIM, generator=torch.Generator().manual_seed(0)).unbind(0)
    q, k, v = q[:, :, TOKENS - queries :], k[:, :kv_heads], v[:, :kv_heads]
    torch.testing.assert_close(recipe(q, k, v, SLOPES), alibi_viz.trace(q, k, v).output, atol=1e-5, rtol=0)


@pytest.mark.parametrize(("ranks", "kv_heads"), [(1, 2), (2, 2), (3, 1)])
def test_vllm_is_given_the_slopes_of_the_heads_of_its_rank(ranks, kv_heads, stand_in):
    given = []
    stand_in("vllm.model_executor.layers.attention", Attention=dict)
    for rank in range(ranks):
        stand_in(
            "vllm.distributed",
            get_tensor_model_parallel_rank=lambda rank=rank: rank,
            get_tensor_model_parallel_world_size=lambda: ranks,
        )
        given.append(recipes.vllm_attention(HEADS, kv_heads, HEAD_DIM, SLOPES, "layers.0.attn"))
    assert [slope for layer in given for slope in layer["alibi_slopes"]] == SLOPES.tolist()
    for layer in given:
        assert layer["num_heads"] == len(layer["alibi_slopes"])
        assert layer["num_heads"] % layer["num_kv_heads"] == 0
        assert (layer["head_size"], layer["scale"]) == (HEAD_DIM, HEAD_DIM**-0.5)

"""ALiBi in the kernels of others, against the formula: with the library itself where it is on this machine and runs here,
else with a stand-in that computes what its documentation says, and a warning that it was one.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings
from types import ModuleType

import pytest
import torch

from alibi_viz import library
from alibi_viz.drop_in import recipes

HEADS, TOKENS, HEAD_DIM = 6, 20, 16
SLOPES = torch.tensor(library.slopes(HEADS))


def flash_attn_func(q, k, v, causal, alibi_slopes):
    """Bias −slope |i + Tk − Tq − j|, causal, bottom right; grouped heads."""
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


STAND_INS = {
    "flash_attn": {"flash_attn": {"flash_attn_func": flash_attn_func}},
    "xformers": {
        "xformers": {},
        "xformers.ops": {
            "LowerTriangularMask": LowerTriangularMask,
            "memory_efficient_attention": memory_efficient_attention,
        },
    },
}


def inputs(queries=TOKENS, kv_heads=HEADS):
    q, k, v = torch.randn(3, 2, HEADS, TOKENS, HEAD_DIM, generator=torch.Generator().manual_seed(0)).unbind(0)
    return q[:, :, TOKENS - queries :], k[:, :kv_heads], v[:, :kv_heads]


@pytest.fixture
def library_or_stand_in(monkeypatch):
    """Runs a recipe with its library, on the GPU, or with the stand-in."""

    def run(name, recipe, q, k, v):
        if importlib.util.find_spec(name) and torch.cuda.is_available():
            given = [x.cuda().half() for x in (q, k, v)]
            return recipe(*given, SLOPES.cuda()).float().cpu(), 5e-3
        warnings.warn(f"{name} does not run on this machine: a stand-in ran in its place.", stacklevel=2)
        for path, content in STAND_INS[name].items():
            module = ModuleType(path)
            vars(module).update(content)
            monkeypatch.setitem(sys.modules, path, module)
        return recipe(q, k, v, SLOPES), 1e-5

    return run


@pytest.mark.parametrize("recipe", [recipes.with_sdpa, recipes.with_flex_attention])
@pytest.mark.parametrize("queries", [TOKENS, 3, 1])
@pytest.mark.parametrize("kv_heads", [HEADS, 2, 1])
def test_a_recipe_is_the_formula_with_and_without_a_cache_and_grouped_heads(recipe, queries, kv_heads):
    q, k, v = inputs(queries, kv_heads)
    torch.testing.assert_close(recipe(q, k, v, SLOPES), library.trace(q, k, v).output, atol=1e-5, rtol=0)


@pytest.mark.parametrize(("queries", "kv_heads"), [(TOKENS, HEADS), (3, HEADS), (3, 2)])
def test_flash_attn_is_given_its_layout_and_positive_slopes(queries, kv_heads, library_or_stand_in):
    q, k, v = inputs(queries, kv_heads)
    output, bound = library_or_stand_in("flash_attn", recipes.with_flash_attn, q, k, v)
    torch.testing.assert_close(output, library.trace(q, k, v).output, atol=bound, rtol=0)


@pytest.mark.parametrize("kv_heads", [HEADS, 2, 1])
def test_xformers_is_given_its_layout_its_bias_and_grouped_heads(kv_heads, library_or_stand_in):
    q, k, v = inputs(kv_heads=kv_heads)
    output, bound = library_or_stand_in("xformers", recipes.with_xformers, q, k, v)
    torch.testing.assert_close(output, library.trace(q, k, v).output, atol=bound, rtol=0)


@pytest.mark.parametrize(("ranks", "kv_heads"), [(1, 2), (2, 2), (3, 1)])
def test_vllm_is_given_the_slopes_of_the_heads_of_its_rank(ranks, kv_heads, monkeypatch):
    """Its layer needs a server around it, so that a stand-in takes what the layer is given."""
    warnings.warn("vLLM's layer runs in its server alone: a stand-in ran in its place.", stacklevel=1)
    given = []
    for rank in range(ranks):
        stand_ins = {
            "vllm": {},
            "vllm.distributed": {
                "get_tensor_model_parallel_rank": lambda rank=rank: rank,
                "get_tensor_model_parallel_world_size": lambda: ranks,
            },
            "vllm.model_executor": {},
            "vllm.model_executor.layers": {},
            "vllm.model_executor.layers.attention": {"Attention": dict},
        }
        for path, content in stand_ins.items():
            module = ModuleType(path)
            vars(module).update(content)
            monkeypatch.setitem(sys.modules, path, module)
        given.append(recipes.vllm_attention(HEADS, kv_heads, HEAD_DIM, SLOPES, "layers.0.attn"))
    assert [slope for layer in given for slope in layer["alibi_slopes"]] == SLOPES.tolist()
    for layer in given:
        assert layer["num_heads"] == len(layer["alibi_slopes"])
        assert layer["num_heads"] % layer["num_kv_heads"] == 0
        assert (layer["head_size"], layer["scale"]) == (HEAD_DIM, HEAD_DIM**-0.5)

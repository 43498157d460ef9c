"""What runs on a GPU by other kernels than here, against float64: the block, the recipes and the fused path."""

import pytest
import torch

from alibi_viz.attention.attention import trace_attention
from alibi_viz.attention.fused import fused_attention
from alibi_viz.drop_in import recipes
from alibi_viz.drop_in.drop_in import AlibiAttention, RopeAttention, StaticCache, alibi_slopes, rope_cos_sin
from alibi_viz.positions import METHODS, build

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU on this machine")

HEADS, KV_HEADS, HEAD_DIM, TOKENS = 12, 4, 64, 700
LARGEST = {torch.float32: 2e-5, torch.bfloat16: 0.02, torch.float16: 0.004}  # of an output around 1
dtypes = pytest.mark.parametrize("dtype", LARGEST)
blocks = pytest.mark.parametrize("kind", [AlibiAttention, RopeAttention])


def random(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def near(output, exact, dtype):
    error = float((output.double().cpu() - exact).abs().max())
    print(f"\n{dtype}: {error:.1e}")
    assert error <= LARGEST[dtype]


@dtypes
@blocks
@pytest.mark.parametrize("causal", [True, False])
@torch.no_grad()
def test_a_block_gives_what_float64_gives(kind, dtype, causal):
    """Whole, padded, compiled; and, of a decoder, token by token with either cache."""
    torch.manual_seed(0)
    here = kind(HEADS * HEAD_DIM, HEADS, KV_HEADS, causal=causal).to(dtype).double()
    there = kind(HEADS * HEAD_DIM, HEADS, KV_HEADS, causal=causal).to("cuda", dtype)
    there.load_state_dict(here.state_dict())
    x = random(2, TOKENS, HEADS * HEAD_DIM).to(dtype).double()
    padding, angles = torch.arange(TOKENS) < torch.tensor([[100], [0]]), rope_cos_sin(torch.arange(TOKENS), HEAD_DIM)
    angles_there = tuple(part.to("cuda") for part in angles)
    given = x.to("cuda", dtype)
    exact, exact_padded = here(x, angles)[0], here(x, angles, key_padding_mask=padding)[0]
    near(there(given, angles_there)[0], exact, dtype)
    near(torch.compile(there)(given, angles_there)[0], exact, dtype)
    padded = there(given, angles_there, key_padding_mask=padding.to("cuda"))[0]
    assert padded.isfinite().all()
    near(padded[~padding], exact_padded[~padding], dtype)
    for cache in (None, StaticCache(2, KV_HEADS, TOKENS, HEAD_DIM, dtype, "cuda")) if causal else ():
        pieces, start, past = [], 0, cache
        for piece in given.split([TOKENS - 3, 1, 1, 1], dim=1):
            turned = tuple(part[start : start + piece.shape[1]] for part in angles_there)
            output, past = there(piece, turned, past_key_value=past, use_cache=True)
            pieces.append(output)
            start += piece.shape[1]
        near(torch.cat(pieces, dim=1), exact, dtype)


@torch.no_grad()
def test_tf32_costs_the_bias_nothing():
    """Where float32 products are rounded to ten bits, m j must not be."""
    torch.manual_seed(0)
    block, x = AlibiAttention(HEADS * HEAD_DIM, HEADS, KV_HEADS).to("cuda"), random(1, 8 * TOKENS, HEADS * HEAD_DIM)
    given = x.float().to("cuda")
    torch.set_float32_matmul_precision("high")
    try:
        output = block(given)[0]
    finally:
        torch.set_float32_matmul_precision("highest")
    near(output, block.double()(given.double())[0].cpu(), torch.float16)  # as many bits


@dtypes
@pytest.mark.parametrize("queries", [TOKENS, 5])
@pytest.mark.parametrize("name", ["sdpa", "flex_attention"])
@torch.no_grad()
def test_a_recipe_gives_what_float64_gives(name, dtype, queries):
    q, k, v = (random(2, heads, TOKENS, HEAD_DIM).to(dtype) for heads in (HEADS, KV_HEADS, KV_HEADS))
    q, slopes = q[:, :, TOKENS - queries :], torch.tensor(alibi_slopes(HEADS))
    scores = q.double() @ k.double().repeat_interleave(HEADS // KV_HEADS, 1).mT / HEAD_DIM**0.5
    distance = torch.arange(TOKENS - queries, TOKENS)[:, None] - torch.arange(TOKENS)
    scores = (scores - slopes.double()[:, None, None] * distance).masked_fill(distance < 0, -torch.inf)
    exact = scores.softmax(-1) @ v.double().repeat_interleave(HEADS // KV_HEADS, 1)
    there = [x.to("cuda") for x in (q, k, v, slopes)]
    near(getattr(recipes, f"with_{name}")(*there), exact, dtype)


@dtypes
@pytest.mark.parametrize("method", sorted(METHODS))
@torch.no_grad()
def test_the_fused_path_gives_what_float64_gives(method, dtype):
    q, k, v = random(3, 1, HEADS, TOKENS, HEAD_DIM).to(dtype).unbind(0)
    torch.manual_seed(0)
    here = build(method, heads=HEADS, head_dim=HEAD_DIM, width=HEADS * HEAD_DIM, max_length=TOKENS)
    at, x = torch.arange(TOKENS), random(1, TOKENS, HEADS * HEAD_DIM).float()
    exact = trace_attention(q.double(), k.double(), v.double(), here.given(x), at, at).output
    there, at = here.to("cuda").given(x.to("cuda")), at.to("cuda")
    near(fused_attention(*(x.to("cuda") for x in (q, k, v)), there, at, at), exact, dtype)

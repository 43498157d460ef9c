"""Attention: the traced and the fused path, cache, padding, grouped queries, precision."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from alibi_viz.attention.attention import Attention, Trace, trace_attention
from alibi_viz.attention.fused import _with_key_features, fused_attention
from alibi_viz.attention.kv_cache import KVCache, next_positions
from alibi_viz.attention.masks import causal_mask
from alibi_viz.attention.near import SHARE, near_keys
from alibi_viz.positions import METHODS, PositionMethod, build
from alibi_viz.positions.alibi import Alibi

NAMES = sorted(METHODS)
HEADS = [(4, 4), (4, 2), (4, 1), (6, 3)]
VARIANTS = [
    *((name, {}) for name in NAMES),
    ("alibi", {"form": "symmetric"}),
    ("alibi", {"form": "two_sided", "future_slopes": [0.5, 1.0, 2.0, 4.0, 1.0, 1.0]}),
    ("alibi", {"form": "key_only"}),
    ("alibi", {"trainable": True, "strength": 0.5}),
    ("rope", {"layout": "interleaved", "form": "complex"}),
    ("t5", {"faithful": True}),
]
methods = st.sampled_from(NAMES)


def make(name: str, heads: int, head_dim: int = 8, **options: object) -> PositionMethod:
    torch.manual_seed(1)
    if "future_slopes" in options:
        options["future_slopes"] = options["future_slopes"][:heads]  # type: ignore[index]
    method = build(name, heads=heads, head_dim=head_dim, **options)
    if name == "t5":  # a table far from zero, so that a wrong bucket shows
        torch.nn.init.normal_(method.table.weight, std=1.0)  # type: ignore[union-attr,arg-type]
    return method


def tensors(seed: int, heads: int, kv_heads: int, tq: int, tk: int, d: int = 8) -> tuple[Tensor, Tensor, Tensor]:
    g = torch.Generator().manual_seed(seed)
    shapes = ((2, heads, tq, d), (2, kv_heads, tk, d), (2, kv_heads, tk, d))
    q, k, v = (torch.randn(shape, generator=g) for shape in shapes)
    return q, k, v


def layer(name: str, heads: int = 4, kv_heads: int | None = None, causal: bool = True) -> Attention:
    method = make(name, heads)
    return Attention(heads * 8, heads, method, kv_heads=kv_heads, causal=causal)


def embedded(attention: Attention, x: Tensor, positions: Tensor) -> Tensor:
    """What a model does before its first layer."""
    return attention.position.add_to_embeddings(x, positions)


# ---- the stages


@given(methods, st.sampled_from(HEADS), st.integers(1, 9), st.integers(0, 5), st.booleans())
def test_every_stage_follows_from_the_one_before(
    name: str, heads: tuple[int, int], tokens: int, seen: int, causal: bool
) -> None:
    h, hkv = heads
    q, k, v = tensors(tokens, h, hkv, tokens, tokens + seen)
    q_pos, k_pos = torch.arange(seen, seen + tokens), torch.arange(seen + tokens)
    trace = trace_attention(q, k, v, make(name, h), q_pos, k_pos, causal=causal)
    assert isinstance(trace, Trace)
    assert trace.k.shape == trace.v.shape == (2, h, tokens + seen, 8)
    assert torch.equal(trace.v[:, 1], v[:, 1 // (h // hkv)])
    expected = torch.einsum("bhqd,bhkd->bhqk", trace.q, trace.k) / math.sqrt(8)
    assert torch.allclose(trace.content, expected, atol=1e-5)
    scores = trace.content if trace.bias is None else trace.content + trace.bias
    hidden = torch.isneginf(trace.masked)
    assert torch.equal(trace.masked[~hidden], scores[~hidden])
    assert torch.equal(hidden[0, 0], ~causal_mask(q_pos, k_pos) if causal else torch.zeros_like(hidden[0, 0]))
    assert torch.allclose(trace.weights.sum(-1), torch.ones(2, h, tokens), atol=1e-6)
    assert (trace.weights[hidden] == 0).all()
    assert torch.allclose(trace.output, trace.weights @ trace.v, atol=1e-5)
    assert (trace.bias is not None) == (METHODS[name].acts_on == "scores")


@given(methods, st.sampled_from(HEADS), st.integers(1, 9), st.integers(0, 5), st.data())
def test_one_head_alone_is_that_head_of_all(
    name: str, heads: tuple[int, int], tokens: int, seen: int, data: st.DataObject
) -> None:
    h, hkv = heads
    head = data.draw(st.integers(0, h - 1))
    q, k, v = tensors(tokens, h, hkv, tokens, tokens + seen)
    where = (make(name, h), torch.arange(seen, seen + tokens), torch.arange(seen + tokens))
    every, alone = trace_attention(q, k, v, *where), trace_attention(q, k, v, *where, head=head)
    for stage in ("q", "k", "v", "content", "masked", "weights", "output"):
        assert getattr(alone, stage).shape[1] == 1
        torch.testing.assert_close(getattr(alone, stage)[:, 0], getattr(every, stage)[:, head], msg=stage)


def test_alibi_by_hand() -> None:
    """Two tokens, one head of width 4: the penalty is not divided by sqrt(d)."""
    q = torch.ones(1, 1, 2, 4)
    v = torch.tensor([[[[1.0, 0, 0, 0], [0, 1.0, 0, 0]]]])
    method = build("alibi", heads=1, head_dim=4, slopes=[0.5])
    trace = trace_attention(q, q, v, method, torch.arange(2), torch.arange(2))
    assert trace.masked[0, 0].tolist() == [[2.0, -math.inf], [1.5, 2.0]]
    near = 1 / (1 + math.exp(-0.5))
    assert trace.output[0, 0, 1].tolist() == pytest.approx([1 - near, near, 0, 0])


def test_faithful_t5_leaves_scores_unscaled() -> None:
    q, k, v = tensors(0, 4, 4, 3, 3)
    positions = torch.arange(3)
    scaled = trace_attention(q, k, v, make("t5", 4), positions, positions)
    raw = trace_attention(q, k, v, make("t5", 4, faithful=True), positions, positions)
    assert torch.allclose(raw.content, scaled.content * math.sqrt(8), atol=1e-5)


# ---- fused = traced


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@settings(max_examples=12)
@given(
    heads=st.sampled_from(HEADS),
    tokens=st.integers(1, 12),
    seen=st.sampled_from([0, 0, 3]),
    d=st.sampled_from([2, 8, 16, 20]),
    causal=st.booleans(),
    padded=st.booleans(),
    offset=st.sampled_from([0, 100]),
)
def test_fused_is_traced(
    name: str,
    options: dict,
    heads: tuple[int, int],
    tokens: int,
    seen: int,
    d: int,
    causal: bool,
    padded: bool,
    offset: int,
) -> None:
    h, hkv = heads
    q, k, v = tensors(tokens, h, hkv, tokens, tokens + seen, d)
    q_pos, k_pos = torch.arange(seen, seen + tokens) + offset, torch.arange(seen + tokens) + offset
    padding = None
    if padded:  # the second sequence starts with padding, so some of its queries may attend to no key at all
        padding = torch.zeros(2, tokens + seen, dtype=torch.bool)
        padding[1, : (tokens + seen) // 2] = True
    method = make(name, h, d, **dict(options))
    trace = trace_attention(q, k, v, method, q_pos, k_pos, causal=causal, key_padding_mask=padding)
    fused = fused_attention(q, k, v, method, q_pos, k_pos, causal=causal, key_padding_mask=padding)
    assert fused.shape == trace.output.shape
    assert (fused - trace.output).abs().max() < 1e-5


@pytest.mark.parametrize("name", NAMES)
def test_fused_is_traced_with_positions_that_skip_and_batches_that_differ(name: str) -> None:
    q, k, v = tensors(0, 4, 2, 6, 6)
    method = make(name, 4)
    for positions in (
        torch.tensor([0, 2, 3, 10, 11, 40]),
        torch.tensor([[0, 1, 2, 3, 4, 5], [7, 8, 9, 30, 31, 32]]),
        torch.tensor([[5, 4, 3, 2, 1, 0], [0, 0, 1, 1, 2, 2]]),  # not increasing: the kernel's mask is wrong here
    ):
        trace = trace_attention(q, k, v, method, positions, positions)
        fused = fused_attention(q, k, v, method, positions, positions)
        assert (fused - trace.output).abs().max() < 1e-5


@pytest.mark.parametrize(("name", "tokens"), [("none", 2048), ("rope", 2048), ("t5", 2048), ("alibi", 4096)])
def test_fused_is_traced_at_thousands_of_tokens(name: str, tokens: int) -> None:
    q, k, v = (x[:1] for x in tensors(0, 2, 1, tokens, tokens, 32))
    positions = torch.arange(tokens)
    # ALiBi with the steepest and the gentlest slope of eight heads: the steepest has the largest numbers.
    method = make(name, 2, 32, **({"slopes": [2.0**-1, 2.0**-8]} if name == "alibi" else {}))
    with torch.no_grad():
        fused = fused_attention(q, k, v, method, positions, positions)
        rows = torch.tensor([0, 1, 2000, tokens - 1])  # a few rows: the whole trace would take a gigabyte
        trace = trace_attention(q[:, :, rows], k, v, method, rows, positions)
    assert (fused[:, :, rows] - trace.output).abs().max() < 1e-4


def test_fused_alibi_does_not_mind_large_positions() -> None:
    q, k, v = tensors(0, 4, 4, 9, 9)
    positions, method = torch.arange(9) + 1_000_000, make("alibi", 4)
    trace = trace_attention(q, k, v, method, positions, positions)
    assert (fused_attention(q, k, v, method, positions, positions) - trace.output).abs().max() < 1e-5


@settings(max_examples=12)
@given(
    seed=st.integers(0, 999),
    tokens=st.integers(512, 900),
    size=st.sampled_from([0.0, 0.1, 1.0, 4.0]),
    heads=st.sampled_from([(3, 3), (6, 2)]),
    start=st.integers(0, 10**6),
)
@torch.no_grad()
def test_heads_that_skip_far_keys_lose_nothing(
    seed: int, tokens: int, size: float, heads: tuple[int, int], start: int
) -> None:
    """Also where a far key attracts every query: then no head may skip it."""
    q, k, v = tensors(seed, *heads, tokens, tokens)
    q, k = size * q, size * k
    k[:, :, seed % 5] = size * 20 * q[:, :1].mean(2)
    method, positions = make("alibi", heads[0]), torch.arange(start, start + tokens)
    trace = trace_attention(q, k, v, method, positions, positions)
    assert (fused_attention(q, k, v, method, positions, positions) - trace.output).abs().max() < 1e-5


def test_what_a_head_needs_follows_from_its_queries_and_keys() -> None:
    q, k, _ = tensors(0, 4, 4, 600, 600)
    slopes = make("alibi", 4).slopes  # type: ignore[attr-defined]
    calm, loud = (near_keys(size * q, k, slopes, 8**-0.5) for size in (1.0, 10.0))
    assert calm[0] < SHARE * 600 < calm[3], "steep heads skip, gentle ones do not"
    assert all(larger > smaller for smaller, larger in zip(calm, loud, strict=True))
    assert near_keys(q, k, -slopes, 8**-0.5) == [math.inf] * 4
    assert not any(keys <= 600 for keys in near_keys(q * math.nan, k, slopes, 8**-0.5))


def test_heads_that_skip_far_keys_give_the_same_gradients() -> None:
    method, positions, gradients = make("alibi", 3), torch.arange(600), []
    for attend in (fused_attention, trace_attention):
        leaves = [x[:1].clone().requires_grad_() for x in tensors(5, 3, 3, 600, 600)]
        output = attend(*leaves, method, positions, positions)
        output = output.output if isinstance(output, Trace) else output
        output.square().sum().backward()
        gradients.append([leaf.grad for leaf in leaves])
    for fused, eager in zip(*gradients, strict=True):
        torch.testing.assert_close(fused, eager, rtol=1e-4, atol=1e-4)


def test_nan_stays_visible() -> None:
    q, k, v = tensors(0, 4, 4, 3, 3)
    q[0, 0, 1, 0] = math.nan
    trace = trace_attention(q, k, v, make("alibi", 4), torch.arange(3), torch.arange(3))
    assert trace.output[0, 0, 1].isnan().all()


@pytest.mark.parametrize(("dtype", "bound"), [(torch.bfloat16, 2e-2), (torch.float16, 2.5e-3)])
@pytest.mark.parametrize("heads", [8, 12])
@pytest.mark.parametrize("cached", [0, 5])
def test_sixteen_bit_alibi_is_as_good_as_sixteen_bits_allow(
    dtype: torch.dtype, bound: float, heads: int, cached: int
) -> None:
    """Against float32 on the same rounded inputs.

    Measured at 4096 tokens, 8 heads of 64: bfloat16 0.0085, float16 0.0011; rounding the exact output to these
    dtypes alone already gives 0.0077 and 0.0010.
    """
    tokens = 2048
    q, k, v = (x[:1].to(dtype) for x in tensors(3, heads, heads, tokens, tokens, 16))
    positions = torch.arange(tokens)
    rows = torch.cat((torch.arange(8), torch.arange(tokens - 40, tokens)))
    method = make("alibi", heads, 16)
    exact = trace_attention(q[:, :, rows].float(), k.float(), v.float(), method, rows, positions).output
    if cached:  # a chunk behind a cache takes the explicit mask instead
        fused = fused_attention(q[:, :, rows], k, v, method, rows, positions)
    else:
        fused = fused_attention(q, k, v, method, positions, positions)[:, :, rows]
    assert fused.dtype == dtype
    assert (fused.float() - exact).abs().max() < bound


def test_causal_alibi_builds_no_square(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fused path asks for no matrix of T x T, and hands none to the kernel."""
    method = make("alibi", 4)
    q, k, v = tensors(0, 4, 4, 7, 7)
    kernel, masks = F.scaled_dot_product_attention, []

    def spy(*args: Tensor, **options: object) -> Tensor:
        masks.append(options.get("attn_mask"))
        return kernel(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(F, "scaled_dot_product_attention", spy)
    monkeypatch.setattr(type(method), "score_bias", None)
    fused_attention(q, k, v, method, torch.arange(7), torch.arange(7))
    assert [mask.shape for mask in masks] == [(1, 4, 1, 7)]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("strength", [1.0, 4.0])
def test_the_form_for_gpus_is_right_where_float16_ends(dtype: torch.dtype, strength: float) -> None:
    """8 192 tokens, head_dim 128: m n / 2 sqrt(d) is 23 170, and 92 682 at strength 4; float16 ends at 65 504."""
    tokens, head_dim = 8192, 128
    q, k, v = (x[:1].to(dtype) for x in tensors(3, 1, 1, tokens, tokens, head_dim))
    positions, method = torch.arange(tokens), Alibi(1, head_dim, head_dim, slopes=[0.5], strength=strength)
    rows = torch.cat((torch.arange(8), torch.arange(tokens - 8, tokens)))
    row = method.key_bias(positions)
    assert row is not None
    fused = _with_key_features(q, k, v, row, head_dim**-0.5)[:, :, rows]
    exact = trace_attention(q[:, :, rows].float(), k.float(), v.float(), method, rows, positions).output
    assert (fused.float() - exact).abs().max() < 2e-2


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_trained_slopes_get_their_gradient_in_every_dtype(dtype: torch.dtype) -> None:
    tokens, gradients = 256, {}
    q, k, v = (x[:1].to(dtype) for x in tensors(3, 4, 4, tokens, tokens, 16))
    positions, weights = torch.arange(tokens), torch.randn(1, 4, tokens, 16)
    for attend in (fused_attention, trace_attention):
        method = make("alibi", 4, 16, trainable=True)
        output = attend(q, k, v, method, positions, positions)
        ((output if isinstance(output, Tensor) else output.output).float() * weights).sum().backward()
        gradients[attend] = method.past.grad
    torch.testing.assert_close(gradients[fused_attention], gradients[trace_attention], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", ["t5", "alibi"])
@pytest.mark.parametrize("kv_heads", [4, 2])
def test_both_paths_give_the_same_gradients(name: str, kv_heads: int) -> None:
    options = {"trainable": True} if name == "alibi" else {}
    grads = []
    for path in ("fused", "eager"):
        torch.manual_seed(0)
        attention = Attention(32, 4, make(name, 4, **options), kv_heads=kv_heads)
        torch.nn.init.eye_(attention.to_q.weight)
        x = torch.randn(2, 9, 32, generator=torch.Generator().manual_seed(5))
        attention(x, path=path).square().sum().backward()
        grads.append([p.grad for p in attention.parameters()])
    for fused, eager in zip(*grads, strict=True):
        assert fused is not None
        assert eager.abs().max() > 0
        assert torch.allclose(fused, eager, atol=1e-4, rtol=1e-4)


# ---- which keys a query may attend to


@pytest.mark.parametrize("path", ["fused", "eager"])
@given(name=methods, token=st.integers(0, 7), kv_heads=st.sampled_from([4, 2]))
def test_the_future_never_leaks(path: str, name: str, token: int, kv_heads: int) -> None:
    attention = layer(name, kv_heads=kv_heads)
    x = torch.randn(1, 8, 32, generator=torch.Generator().manual_seed(token))
    changed = x.clone()
    changed[:, token] += 100.0
    before, after = attention(x, path=path), attention(changed, path=path)  # type: ignore[arg-type]
    assert torch.allclose(before[:, :token], after[:, :token], atol=1e-6)
    assert not torch.allclose(before[:, token:], after[:, token:], atol=1e-2)


@pytest.mark.parametrize("name", NAMES)
def test_a_query_without_any_key_gives_zeros_and_no_nan_gradient(name: str) -> None:
    method = make(name, 4)
    q, k, v = tensors(0, 4, 2, 3, 3)
    q.requires_grad_()
    padding = torch.tensor([[False, False, False], [True, True, True]])
    positions = torch.arange(3)
    trace = trace_attention(q, k, v, method, positions, positions, key_padding_mask=padding)
    fused = fused_attention(q, k, v, method, positions, positions, key_padding_mask=padding)
    for output in (trace.output, fused, trace.weights):
        assert (output[1] == 0).all()
        assert not output.isnan().any()
        (grad,) = torch.autograd.grad(output.square().sum(), q, retain_graph=True)
        assert not grad.isnan().any()


# ---- moving, caching, padding


@pytest.mark.parametrize("path", ["fused", "eager"])
@given(
    name=st.sampled_from(["none", "rope", "t5", "alibi"]),
    shift=st.sampled_from([-3, 1, 17, 1000, 100_000]),
    kv_heads=st.sampled_from([4, 1]),
)
def test_relative_methods_do_not_notice_when_everything_moves(path: str, name: str, shift: int, kv_heads: int) -> None:
    attention = layer(name, kv_heads=kv_heads)
    for projection in (attention.to_q, attention.to_k):  # large scores, so that small turns show
        torch.nn.init.normal_(projection.weight, std=0.3)
    x, positions = torch.randn(1, 7, 32, generator=torch.Generator().manual_seed(2)), torch.arange(7)
    here = attention(x, positions=positions, path=path)  # type: ignore[arg-type]
    there = attention(x, positions=positions + shift, path=path)  # type: ignore[arg-type]
    assert torch.allclose(here, there, atol=1e-5)


@pytest.mark.parametrize("name", ["learned", "sinusoidal"])
def test_absolute_methods_do_notice(name: str) -> None:
    attention = layer(name)
    x, positions = torch.randn(1, 7, 32), torch.arange(7)
    here = attention(embedded(attention, x, positions))
    there = attention(embedded(attention, x, positions + 9), positions=positions + 9)
    assert not torch.allclose(here, there, atol=1e-4)


@pytest.mark.parametrize("path", ["fused", "eager"])
@settings(max_examples=40)
@given(
    name=methods,
    chunks=st.lists(st.integers(1, 4), min_size=1, max_size=6),
    kv_heads=st.sampled_from([4, 2, 1]),
    counted=st.booleans(),
)
def test_any_split_into_chunks_gives_the_full_pass(
    path: str, name: str, chunks: list[int], kv_heads: int, counted: bool
) -> None:
    attention = layer(name, kv_heads=kv_heads)
    tokens = sum(chunks)
    x = torch.randn(2, tokens, 32, generator=torch.Generator().manual_seed(tokens))
    x = embedded(attention, x, torch.arange(tokens))
    full = attention(x, path=path)  # type: ignore[arg-type]
    cache, parts, start = KVCache.empty(), [], 0
    for chunk in chunks:
        positions = None if counted else torch.arange(start, start + chunk)
        part = x[:, start : start + chunk]
        parts.append(attention(part, positions=positions, cache=cache, path=path))  # type: ignore[arg-type]
        start += chunk
    assert len(cache) == tokens
    assert torch.allclose(torch.cat(parts, 1), full, atol=1e-5)


@pytest.mark.parametrize("path", ["fused", "eager"])
@given(
    name=methods,
    left=st.integers(0, 3),
    right=st.integers(0, 3),
    kv_heads=st.sampled_from([4, 2]),
    causal=st.booleans(),
)
def test_padding_changes_nothing_for_real_tokens(
    path: str, name: str, left: int, right: int, kv_heads: int, causal: bool
) -> None:
    attention = layer(name, kv_heads=kv_heads, causal=causal)
    x = torch.randn(1, 5, 32, generator=torch.Generator().manual_seed(4))
    alone = attention(embedded(attention, x, torch.arange(5)), path=path)  # type: ignore[arg-type]
    padded = torch.cat((torch.full((1, left, 32), 50.0), x, torch.full((1, right, 32), -50.0)), dim=1)
    batch = torch.cat((padded, torch.randn(1, 5 + left + right, 32)))
    padding = torch.zeros(batch.shape[:2], dtype=torch.bool)
    padding[0, :left] = True
    padding[0, left + 5 :] = True
    positions = next_positions(batch.shape[1], padding_mask=padding)
    assert positions[0, left : left + 5].tolist() == [0, 1, 2, 3, 4]
    output = attention(embedded(attention, batch, positions), padding_mask=padding, path=path)  # type: ignore[arg-type]
    assert torch.allclose(output[0, left : left + 5], alone[0], atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_a_padded_prompt_goes_on_with_a_cache(name: str) -> None:
    """Left padding, then one real token at a time without saying so again: as if there had been none."""
    attention = layer(name, kv_heads=2)
    x = torch.randn(1, 6, 32)
    alone = attention(embedded(attention, x, torch.arange(6)))
    cache = KVCache.empty()
    prompt = torch.cat((torch.full((1, 2, 32), 9.0), x[:, :3]), dim=1)
    padding = torch.tensor([[True, True, False, False, False]])
    positions = next_positions(5, cache=cache, padding_mask=padding)
    parts = [attention(embedded(attention, prompt, positions), cache=cache, padding_mask=padding)[:, 2:]]
    for token in range(3, 6):
        positions = next_positions(1, cache=cache)
        assert positions.tolist() == [[token]]
        parts.append(attention(embedded(attention, x[:, token : token + 1], positions), cache=cache))
    assert torch.allclose(torch.cat(parts, 1), alone, atol=1e-5)
    assert cache.key_padding_mask is not None
    assert (~cache.key_padding_mask).sum() == 6


def test_a_cache_takes_padding_and_numberings_that_begin_late() -> None:
    cache = KVCache.empty()
    cache.append(torch.zeros(2, 1, 2, 4), torch.zeros(2, 1, 2, 4), torch.arange(2))
    late = torch.tensor([[2], [5]])
    cache.append(torch.zeros(2, 1, 1, 4), torch.zeros(2, 1, 1, 4), late, torch.tensor([[False], [True]]))
    assert cache.positions is not None
    assert cache.positions.tolist() == [[0, 1, 2], [0, 1, 5]]
    assert cache.key_padding_mask is not None
    assert cache.key_padding_mask.tolist() == [[False, False, False], [False, False, True]]


def test_trace_of_a_layer_comes_with_its_output() -> None:
    attention = layer("alibi", kv_heads=2)
    x = torch.randn(2, 5, 32)
    stages, output = attention.trace(x)
    assert torch.allclose(output, attention(x), atol=1e-5)
    assert torch.allclose(attention._merge(stages.output), output)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"heads": 3}, "multiple of the heads, not 32 and 3"),
        ({"kv_heads": 3}, "multiple of the key heads, not 4 and 3"),
        ({"kv_heads": 0}, "kv_heads"),
        ({"heads": 0}, "heads"),
        ({"head_dim": 16}, "built for 4 heads of width 8"),
    ],
)
def test_numbers_that_do_not_fit_raise(arguments: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Attention(**{"width": 32, "heads": 4, "position": make("alibi", 4), **arguments})


def test_attention_functions_raise() -> None:
    q, k, v = tensors(0, 4, 3, 2, 2)
    for function in (trace_attention, fused_attention):
        with pytest.raises(ValueError, match="not 4 and 3"):
            function(q, k, v, make("none", 4), torch.arange(2), torch.arange(2))
    with pytest.raises(ValueError, match="path"):
        layer("none")(torch.zeros(1, 2, 32), path="quick")  # type: ignore[arg-type]

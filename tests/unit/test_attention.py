"""Attention: the traced and the fused path, cache, grouped queries, precision."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.attention.attention import Attention, Trace, trace_attention
from alibi_viz.attention.fused import fused_attention
from alibi_viz.attention.inputs import AttentionInputs, position_alone
from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.attention.pictures import near_share, nearest
from alibi_viz.positions import METHODS, build

NAMES = sorted(METHODS)
HEADS = [(4, 4), (4, 2), (4, 1), (6, 3)]
VARIANTS = [
    *((name, {}) for name in NAMES),
    ("alibi", {"form": "symmetric"}),
    ("alibi", {"form": "two_sided", "future_slopes": [0.5, 1.0, 2.0, 4.0, 1.0, 1.0]}),
    ("alibi", {"form": "key_only"}),
    ("alibi", {"trainable": True, "strength": 0.5}),
    ("rope", {"layout": "interleaved"}),
    ("t5", {"faithful": True}),
    ("inkling", {"rel_extent": 4}),
    ("hybrid", {"window": 3}),
]
methods = st.sampled_from(NAMES)


def make(name, heads, head_dim=8, *, read=None, **options):
    """read: batch, queries and keys of a layer's input, for a method that needs one; None: it stays without."""
    torch.manual_seed(1)
    if "future_slopes" in options:
        options["future_slopes"] = options["future_slopes"][:heads]
    method = build(name, heads=heads, head_dim=head_dim, **options)
    if name == "t5":  # a table far from zero, so that a wrong bucket shows
        torch.nn.init.normal_(method.table.weight, std=1.0)
    if name == "forgetting":  # gates that follow the content
        torch.nn.init.normal_(method.gate.weight, std=0.3)
    if read:
        batch, queries, keys = read
        x = torch.randn(batch, keys, heads * head_dim)
        method = method.given(x).for_queries(torch.arange(keys - queries, keys))
    return method


def tensors(seed, heads, kv_heads, tq, tk, d=8):
    g = torch.Generator().manual_seed(seed)
    shapes = ((2, heads, tq, d), (2, kv_heads, tk, d), (2, kv_heads, tk, d))
    q, k, v = (torch.randn(shape, generator=g) for shape in shapes)
    return q, k, v


@given(st.sampled_from(VARIANTS), st.sampled_from(HEADS), st.integers(1, 9), st.integers(0, 5), st.booleans())
def test_every_stage_follows_from_the_one_before(variant, heads, tokens, seen, causal):
    (name, options), (h, hkv) = variant, heads
    q, k, v = tensors(tokens, h, hkv, tokens, tokens + seen)
    q_pos, k_pos = torch.arange(seen, seen + tokens), torch.arange(seen + tokens)
    method = make(name, h, read=(2, tokens, tokens + seen), **options)
    trace = trace_attention(q, k, v, method, q_pos, k_pos, causal=causal)
    assert trace.k.shape == trace.v.shape == (2, h, tokens + seen, 8)
    assert torch.equal(trace.v[:, 1], v[:, 1 // (h // hkv)])
    products = torch.einsum("bhqd,bhkd->bhqk", trace.q, trace.k)
    expected = products if options.get("faithful") else products / math.sqrt(8)
    assert torch.allclose(trace.content, expected, atol=1e-5)
    scores = trace.content if trace.bias is None else trace.content + trace.bias
    hidden = torch.isneginf(trace.masked)
    assert torch.equal(trace.masked[~hidden], scores[~hidden])
    far = q_pos[:, None] - k_pos
    assert torch.equal(hidden[0, 0], (causal & (far < 0)) | (far > options.get("window", math.inf)))
    assert torch.allclose(trace.weights.sum(-1), torch.ones(2, h, tokens), atol=1e-6)
    assert (trace.weights[hidden] == 0).all()
    assert torch.allclose(trace.output, trace.weights @ trace.v, atol=1e-5)
    assert (trace.bias is not None) == (METHODS[name].acts_on == "scores")


def test_position_alone_has_the_mean_query_and_key_of_each_head():
    q, k, v = (x[:1] for x in tensors(1, 4, 2, 6, 6))
    content = position_alone(AttentionInputs(q, k, v, make("none", 4), torch.arange(6))).trace().content[0]
    for head in range(4):
        score = float(q[0, head].mean(0) @ k[0, head // 2].mean(0)) / math.sqrt(8)
        assert torch.allclose(content[head], torch.full((6, 6), score), atol=1e-6)


@given(st.lists(st.floats(0.01, 1.0), min_size=2, max_size=9), st.integers(0, 2))
def test_the_near_share_is_the_sum_over_the_nearest_tokens_by_the_sum_over_all_before_the_query(weights, hidden):
    query = len(weights) - 1
    near = {1: 1, 2: 1, 3: 2}.get(query, 3)  # where there are two before it, one of them is far
    of_near = of_all = 0.0
    for key, weight in enumerate(weights[:query]):
        of_near, of_all = of_near + weight * (query - key <= near), of_all + weight
    assert nearest(query) == near
    assert near_share(np.array([*weights, *[-math.inf] * hidden]), query) == pytest.approx(of_near / of_all)
    assert math.isnan(near_share(np.array(weights), 0))


def test_alibi_s_fused_path_loses_no_digits_far_from_the_beginning():
    """Its bias grows with the key's position: float32 would keep two digits of that here."""
    positions, method = torch.arange(12) + 1_000_000, make("alibi", 4)
    inputs = (*tensors(1, 4, 4, 12, 12), method, positions, positions)
    assert torch.allclose(fused_attention(*inputs), trace_attention(*inputs).output, atol=1e-5)


def numbered(kind, count):
    """Positions of so many tokens."""
    order = torch.arange(count)
    ways = {
        "in order": order,
        "far away": order + 100,
        "with gaps": order * (order + 1) // 2,
        "falling": order.flip(0),  # the kernel's own mask would be wrong here
        "other in each sequence": torch.stack((order, 3 * order + 7)),
    }
    return ways[kind]


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@settings(max_examples=15)
@given(
    heads=st.sampled_from(HEADS),
    tokens=st.integers(1, 12),
    seen=st.sampled_from([0, 0, 3]),
    d=st.sampled_from([2, 8, 16, 20]),
    causal=st.booleans(),
    places=st.sampled_from(["in order", "far away", "with gaps", "falling", "other in each sequence"]),
)
def test_fused_is_traced(name, options, heads, tokens, seen, d, causal, places):
    h, hkv = heads
    q, k, v = tensors(tokens, h, hkv, tokens, tokens + seen, d)
    k_pos = numbered(places, tokens + seen)
    q_pos = k_pos[..., seen:]
    method = make(name, h, d, read=(2, tokens, tokens + seen), **options)
    trace = trace_attention(q, k, v, method, q_pos, k_pos, causal=causal)
    fused = fused_attention(q, k, v, method, q_pos, k_pos, causal=causal)
    assert fused.shape == trace.output.shape
    assert (fused - trace.output).abs().max() < 1e-5


@pytest.mark.parametrize(
    ("name", "options"),
    [("t5", {}), ("alibi", {}), ("alibi", {"trainable": True}), ("forgetting", {}), ("inkling", {}), ("hybrid", {})],
)
def test_both_paths_give_the_same_gradients(name, options):
    """Of queries, keys, values and the method's parameters; also where slopes are trained."""
    tokens = 128 if name == "forgetting" else 600  # a gate's gradient sums the rounding of all pairs around it
    weights, gradients = torch.randn(1, 4, tokens, 16), []
    for attend in (fused_attention, trace_attention):
        method = make(name, 4, 16, read=(1, tokens, tokens), **options)
        leaves = [x[:1].clone().requires_grad_() for x in tensors(5, 4, 2, tokens, tokens, 16)]
        output = attend(*leaves, method, torch.arange(tokens), torch.arange(tokens))
        ((output.output if isinstance(output, Trace) else output) * weights).sum().backward()
        gradients.append([leaf.grad for leaf in (*leaves, *method.parameters())])
    for fused, eager in zip(*gradients, strict=True):
        assert eager.abs().max() > 0
        torch.testing.assert_close(fused, eager, rtol=1e-4, atol=1e-4 * max(1.0, float(eager.abs().max())))


def test_a_hybrid_has_layers_with_rope_in_a_window_and_layers_without_positions():
    near, free = build("hybrid", heads=4, head_dim=8, window=3).for_layers(2)
    assert (near.window, near.acts_on, free.window, free.acts_on) == (3, "queries_and_keys", None, "nothing")
    four = build("hybrid", heads=4, head_dim=8, every=4).for_layers(8)
    assert [method.acts_on == "nothing" for method in four] == [False, False, False, True] * 2
    rope, positions = make("rope", 4), torch.arange(12)
    q, k, v = tensors(3, 4, 4, 12, 12)
    ours, theirs = (trace_attention(q, k, v, method, positions, positions) for method in (near, rope))
    far = positions[:, None] - positions > 3
    assert torch.equal(ours.weights, theirs.masked.masked_fill(far, -math.inf).softmax(-1))


def test_a_method_without_its_input_and_heads_that_do_not_fit_are_refused():
    at = torch.arange(3)
    for name in [name for name, method in METHODS.items() if method.needs_input]:
        with pytest.raises(ValueError, match="give it that first"):
            trace_attention(*tensors(0, 4, 4, 3, 3), make(name, 4), at, at)
    for function in (trace_attention, fused_attention):
        with pytest.raises(ValueError, match="not 4 and 3"):
            function(*tensors(0, 4, 3, 3, 3), make("none", 4), at, at)


def of_path(attention, path):
    """Its output by the fused path, or by the one that shows every stage."""
    return attention if path == "fused" else lambda *x, **options: attention.trace(*x, **options)[1]


@pytest.mark.parametrize("path", ["fused", "eager"])
@given(
    name=methods,
    chunks=st.lists(st.integers(1, 4), min_size=1, max_size=6),
    kv_heads=st.sampled_from([4, 2, 1]),
    counted=st.booleans(),
)
def test_any_split_into_chunks_gives_the_full_pass(path, name, chunks, kv_heads, counted):
    attention, tokens = Attention(32, 4, make(name, 4), kv_heads=kv_heads), sum(chunks)
    x = torch.randn(2, tokens, 32, generator=torch.Generator().manual_seed(tokens))
    x = attention.position.add_to_embeddings(x, torch.arange(tokens))  # as a model does before its first layer
    attend = of_path(attention, path)
    full = attend(x)
    cache, parts, start = KVCache(), [], 0
    for chunk in chunks:
        positions = None if counted else torch.arange(start, start + chunk)
        part = x[:, start : start + chunk]
        parts.append(attend(part, positions=positions, cache=cache))
        start += chunk
    assert len(cache) == tokens
    assert torch.allclose(torch.cat(parts, 1), full, atol=1e-5)

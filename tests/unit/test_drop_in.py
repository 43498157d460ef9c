"""The two blocks that a reader takes away: they swap, they cache, they take padding, and both paths agree."""

from __future__ import annotations

import ast
import inspect
import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.attention.attention import Attention
from alibi_viz.drop_in import drop_in
from alibi_viz.drop_in.drop_in import AlibiAttention, RopeAttention, alibi_slopes, rope_cos_sin
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.training import build_model
from alibi_viz.positions import build
from alibi_viz.positions.alibi import slopes

BLOCKS = (RopeAttention, AlibiAttention)
WIDTH, HEADS, KV_HEADS, HEAD_DIM = 48, 6, 2, 8  # grouped, and no power of two
TOKENS = 23


def block_of(kind, *, fused=True, heads=HEADS, kv_heads=KV_HEADS):
    torch.manual_seed(0)
    return kind(WIDTH, heads, kv_heads, HEAD_DIM, fused=fused).eval()


def run(block, x, start=0, **options):
    return block(x, rope_cos_sin(torch.arange(start, start + x.shape[1]), HEAD_DIM), **options)


def text(batch=2, tokens=TOKENS):
    return torch.randn(batch, tokens, WIDTH, generator=torch.Generator().manual_seed(1))


def test_the_file_needs_nothing_but_torch():
    tree = ast.parse(inspect.getsource(drop_in))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {n.name for node in imports if isinstance(node, ast.Import) for n in node.names}
    names |= {node.module for node in imports if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} == {"__future__", "collections", "math", "torch"}


def test_one_replaces_the_other():
    rope, alibi = (block_of(kind) for kind in BLOCKS)
    shapes = [{name: tuple(w.shape) for name, w in block.state_dict().items()} for block in (rope, alibi)]
    assert shapes[0] == shapes[1]
    assert list(shapes[0]) == [f"{part}_proj.weight" for part in "qkvo"]
    alibi.load_state_dict(rope.state_dict(), strict=True)
    rope.load_state_dict(alibi.state_dict(), strict=True)
    signatures = [list(inspect.signature(kind.forward).parameters) for kind in BLOCKS]
    assert signatures[0] == signatures[1]
    outputs = [run(block, text())[0] for block in (rope, alibi)]
    assert outputs[0].shape == outputs[1].shape
    assert (outputs[0] - outputs[1]).abs().max() > 1e-3, "positions are all that differs"


def test_alibi_ignores_the_rotary_argument():
    block, x = block_of(AlibiAttention), text()
    assert torch.equal(run(block, x)[0], block(x)[0])
    assert torch.equal(run(block, x)[0], run(block, x, start=1000)[0])


def test_they_swap_in_a_model():
    models = [build_model(TrainConfig(method, block="llama", heads=4)) for method in ("rope", "alibi")]
    for own, other in zip(models, reversed(models), strict=True):
        own.load_state_dict(other.state_dict(), strict=True)
    tokens = torch.arange(40)[None]
    logits = [model(tokens) for model in models]
    assert logits[0].shape == logits[1].shape == (1, 40, 256)
    assert not torch.allclose(*logits)


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("fused", [True, False])
@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=4), kv_heads=st.sampled_from([1, 2, 6]))
@settings(max_examples=15, deadline=None)
def test_pieces_through_the_cache_are_the_full_pass(kind, fused, sizes, kv_heads):
    block, x = block_of(kind, fused=fused, kv_heads=kv_heads), text(tokens=sum(sizes))
    full, past, pieces, start = run(block, x)[0], None, [], 0
    for piece in x.split(sizes, dim=1):
        output, past = run(block, piece, start, past_key_value=past, use_cache=True)
        pieces.append(output)
        start += piece.shape[1]
    torch.testing.assert_close(torch.cat(pieces, dim=1), full, atol=1e-5, rtol=0)
    assert past[0].shape == past[1].shape == (2, kv_heads, start, HEAD_DIM), "key heads are cached, not query heads"


@pytest.mark.parametrize("kind", BLOCKS)
def test_without_use_cache_there_is_none(kind):
    assert run(block_of(kind), text())[1] is None


@pytest.mark.parametrize("kind", BLOCKS)
def test_both_paths_agree_and_have_the_same_gradients(kind):
    results = []
    for fused in (True, False):
        block, x = block_of(kind, fused=fused), text().requires_grad_()
        output = run(block, x)[0]
        output.square().sum().backward()
        results.append((output, x.grad, *(w.grad for w in block.parameters())))
    for fused, eager in zip(*results, strict=True):
        torch.testing.assert_close(fused, eager, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("fused", [True, False])
def test_a_left_padded_sequence_is_as_alone(kind, fused):
    block, x = block_of(kind, fused=fused), text()
    alone = run(block, x[:1, 8:])[0]
    padding = torch.zeros(2, TOKENS, dtype=torch.bool)
    padding[0, :8] = True
    padded, past = run(block, x, key_padding_mask=padding, use_cache=True)
    assert padded.isfinite().all(), "padding too: a NaN would spread in the next layer"
    torch.testing.assert_close(padded[:1, 8:], alone, atol=1e-5, rtol=0)
    torch.testing.assert_close(padded[1:], run(block, x[1:])[0], atol=1e-5, rtol=0)
    # And on through the cache, where the mask covers the cached keys too.
    more = text(tokens=TOKENS + 1)[:, -1:]
    longer = torch.cat((padding, torch.zeros(2, 1, dtype=torch.bool)), dim=1)
    step, _ = run(block, more, TOKENS, past_key_value=past, key_padding_mask=longer)
    unpadded = run(block, torch.cat((x[:1, 8:], more[:1]), dim=1))[0][:, -1:]
    torch.testing.assert_close(step[:1], unpadded, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", BLOCKS)
def test_nobody_sees_the_future(kind):
    block, x = block_of(kind), text()
    changed = x.clone()
    changed[:, 10:] += 1
    torch.testing.assert_close(run(block, changed)[0][:, :10], run(block, x)[0][:, :10])


def test_dropout_acts_in_training_alone():
    for kind in BLOCKS:
        for fused in (True, False):
            block, x = kind(WIDTH, HEADS, KV_HEADS, HEAD_DIM, dropout=0.5, fused=fused), text()
            assert not torch.equal(run(block, x)[0], run(block, x)[0])
            block.eval()
            assert torch.equal(run(block, x)[0], run(block, x)[0])


@pytest.mark.parametrize(("kind", "method"), [(RopeAttention, "rope"), (AlibiAttention, "alibi")])
def test_they_equal_the_attention_of_this_project(kind, method):
    block = block_of(kind)
    position = build(method, heads=HEADS, head_dim=HEAD_DIM, width=WIDTH)
    ours = Attention(WIDTH, HEADS, position, kv_heads=KV_HEADS, head_dim=HEAD_DIM)
    names = {"q_proj": "to_q", "k_proj": "to_k", "v_proj": "to_v", "o_proj": "to_out"}
    ours.load_state_dict({f"{names[k.split('.')[0]]}.weight": w for k, w in block.state_dict().items()})
    torch.testing.assert_close(run(block, text())[0], ours(text(), path="eager"), atol=1e-5, rtol=0)


@given(st.integers(1, 128))
def test_slopes_of_every_number_of_heads(heads):
    assert alibi_slopes(heads) == pytest.approx(slopes(heads), rel=1e-12)


def test_slopes_follow_query_heads():
    """With one key head for all, two query heads of equal weights still differ: by their slopes."""
    block = AlibiAttention(16, 2, 1, 8)
    with torch.no_grad():
        block.q_proj.weight[8:] = block.q_proj.weight[:8]
        block.o_proj.weight.copy_(torch.eye(16))
    output = block(torch.randn(1, 12, 16, generator=torch.Generator().manual_seed(2)))[0]
    assert (output[..., :8] - output[..., 8:]).abs().max() > 1e-3


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_sixteen_bits_lose_no_token(dtype):
    """The three parts of a key's feature, times what the query carries, are the bias as float32 has it."""
    heads, tokens = 4, 2048
    q = torch.zeros(1, heads, tokens, 16, dtype=dtype)
    slope = torch.tensor(alibi_slopes(heads))
    wide_q, wide_k, wide_v = drop_in.with_key_features(q, q, q, slope)
    assert wide_q.shape == wide_k.shape == wide_v.shape == (1, heads, tokens, 24)
    row = (wide_q[0, :, -1:].double() * wide_k[0].double()).sum(-1) / math.sqrt(16)
    exact = slope.double()[:, None] * (torch.arange(tokens) - tokens // 2)
    assert (row - exact).abs().max() < 1e-4


def test_slopes_stay_exact_in_a_16_bit_model():
    block = block_of(AlibiAttention).half()
    assert block.slopes == alibi_slopes(HEADS)
    assert list(block.state_dict()) == [f"{part}_proj.weight" for part in "qkvo"]


def test_the_fused_path_never_holds_a_square(monkeypatch):
    def no_square(*_):
        raise AssertionError("an n x n bias was made")

    monkeypatch.setattr(drop_in, "alibi_bias", no_square)
    monkeypatch.setattr(drop_in, "allowed_keys", no_square)
    for kind in BLOCKS:
        run(block_of(kind), text())
    run(block_of(AlibiAttention), text(), key_padding_mask=torch.zeros(2, TOKENS, dtype=torch.bool))


@given(padding=st.lists(st.lists(st.booleans(), min_size=TOKENS, max_size=TOKENS), min_size=2, max_size=2))
@settings(max_examples=25, deadline=None)
def test_padding_as_a_number_of_the_key_is_a_mask(padding):
    """Anywhere in a text; where nothing is padding it changes nothing."""
    hidden = torch.tensor(padding)
    hidden[:, TOKENS // 2] = False
    for dtype, bound in ((torch.float32, 1e-5), (torch.bfloat16, 0.02), (torch.float16, 2e-3)):
        outputs = [
            run(block_of(AlibiAttention, fused=fused).to(dtype), text().to(dtype), key_padding_mask=hidden)[0]
            for fused in (True, False)
        ]
        assert outputs[0].isfinite().all()
        torch.testing.assert_close(outputs[0][~hidden], outputs[1][~hidden], atol=bound, rtol=0)


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("padded", [False, True])
def test_a_compiled_block_decodes_without_compiling_again(kind, padded):
    """With fullgraph=True, which raises an error where a step needs one graph too many; and the output is the same."""
    graphs, steps, start = [], 20, 5

    def backend(graph, _):
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    block, x = block_of(kind), text(tokens=start + steps)
    compiled = torch.compile(block, backend=backend, fullgraph=True)
    mask = torch.arange(start + steps).expand(2, -1) < torch.tensor([[3], [0]])

    def given_mask(tokens):
        return mask[:, :tokens].contiguous() if padded else None

    expected = run(block, x, key_padding_mask=given_mask(start + steps))[0]
    cache, counts = run(block, x[:, :start], use_cache=True, key_padding_mask=given_mask(start))[1], []
    for t in range(start, start + steps):
        options = {"past_key_value": cache, "use_cache": True, "key_padding_mask": given_mask(t + 1)}
        output, cache = run(compiled, x[:, t : t + 1], t, **options)
        counts.append(len(graphs))
        torch.testing.assert_close(output, expected[:, t : t + 1], atol=1e-5, rtol=0)
    assert counts[1] == counts[-1] <= 2, "one of fixed sizes, one of any"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [((48, 6, 4), "multiple of the key heads"), ((50, 6), "multiple of the heads"), ((48, 6, 0), "key heads")],
)
def test_what_does_not_fit_is_said(arguments, words):
    for kind in BLOCKS:
        with pytest.raises(ValueError, match=words):
            kind(*arguments)


def test_slopes_must_be_one_a_head():
    with pytest.raises(ValueError, match="one slope for each of the 6 heads"):
        AlibiAttention(48, 6, slopes=[0.5])


@pytest.mark.slow  # a pytest of its own
def test_the_copied_test_runs_beside_the_copied_file(tmp_path):
    folder = Path(drop_in.__file__).parent
    for name in ("drop_in.py", "test_alibi_attention.py"):
        shutil.copy(folder / name, tmp_path)
        assert (tmp_path / name).read_text().startswith("# SPDX-License-Identifier: MIT")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 passed" in done.stdout, done.stdout


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("fused", [True, False])
def test_packed_texts_are_as_alone(kind, fused):
    block, x = block_of(kind, fused=fused), text()
    positions = torch.cat((torch.arange(9), torch.arange(TOKENS - 9))).expand(2, -1)
    angles = rope_cos_sin(positions[0], HEAD_DIM)
    packed = block(x, angles, positions=positions)[0]
    alone = torch.cat((run(block, x[:, :9])[0], run(block, x[:, 9:])[0]), dim=1)
    torch.testing.assert_close(packed, alone, atol=1e-5, rtol=0)
    _, past = block(x[:, :12], rope_cos_sin(positions[0, :12], HEAD_DIM), positions=positions[:, :12], use_cache=True)
    rest = block(x[:, 12:], rope_cos_sin(positions[0, 12:], HEAD_DIM), past, positions=positions)[0]
    torch.testing.assert_close(rest, alone[:, 12:], atol=1e-5, rtol=0)


def test_a_gap_between_tokens_is_a_distance():
    """As if the tokens between were there and hidden: of right-padded prompts that go on."""
    block, x = block_of(AlibiAttention), text()
    hidden = torch.zeros(2, TOKENS, dtype=torch.bool)
    hidden[:, 5:9] = True
    expected = block(x, key_padding_mask=hidden)[0][:, ~hidden[0]]
    positions = torch.arange(TOKENS)[~hidden[0]].expand(2, -1)
    torch.testing.assert_close(block(x[:, ~hidden[0]], positions=positions)[0], expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("fused", [True, False])
def test_a_long_prompt_in_pieces_makes_no_large_bias(kind, fused, monkeypatch):
    block, x, largest = block_of(kind, fused=fused), text(), 2 * HEADS * TOKENS * 4
    expected, past = run(block, x)[0], run(block, x[:, :7], use_cache=True)[1]
    seen, attend = [], drop_in.attend

    def watch(q, k, v, mask, dropout, fused):
        seen.append(mask.numel())
        return attend(q, k, v, mask, dropout, fused)

    monkeypatch.setattr(drop_in, "LARGEST_MASK", largest)
    monkeypatch.setattr(drop_in, "attend", watch)
    rest = run(block, x[:, 7:], 7, past_key_value=past)[0]
    torch.testing.assert_close(rest, expected[:, 7:], atol=1e-5, rtol=0)
    assert len(seen) == 4
    assert max(seen) <= largest


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        (torch.ones(2, TOKENS, dtype=torch.long), "must be bool"),
        (torch.ones(2, TOKENS, dtype=torch.bool), "inverted"),
        (torch.zeros(2, 3, dtype=torch.bool), r"\[2, 23\]"),
    ],
)
def test_a_mask_of_another_meaning_is_refused(mask, words):
    for kind in BLOCKS:
        with pytest.raises(ValueError, match=words):
            run(block_of(kind), text(), key_padding_mask=mask)
        with pytest.raises(ValueError, match="whole numbers"):
            run(block_of(kind), text(), positions=torch.zeros(2, TOKENS))


class TinyModel(torch.nn.Module):
    """Embedding, two layers with a residual, logits."""

    def __init__(self, kind, fused):
        super().__init__()
        torch.manual_seed(0)
        self.embed = torch.nn.Embedding(11, WIDTH)
        self.layers = torch.nn.ModuleList(kind(WIDTH, HEADS, KV_HEADS, HEAD_DIM, fused=fused) for _ in range(2))
        self.eval()

    def forward(self, tokens, start=0, caches=(None, None), **options):
        x = self.embed(tokens)
        for layer, cache in zip(self.layers, caches, strict=True):
            x = x + run(layer, x, start, past_key_value=cache, use_cache=cache is not None, **options)[0]
        return x @ self.embed.weight.T


def static_caches(length):
    return [drop_in.StaticCache(2, KV_HEADS, length, HEAD_DIM) for _ in range(2)]


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("largest", [drop_in.LARGEST_MASK, 2 * HEADS * 32 * 4])
@torch.no_grad()
def test_a_static_cache_gives_the_logits_of_no_cache(kind, fused, largest, monkeypatch):
    """In pieces, with left padding, with room left over; and a mask in blocks."""
    monkeypatch.setattr(drop_in, "LARGEST_MASK", largest)
    model, caches = TinyModel(kind, fused), static_caches(32)
    tokens = torch.randint(11, (2, TOKENS), generator=torch.Generator().manual_seed(1))
    padding = torch.arange(32) < torch.tensor([[4], [0]])
    expected = model(tokens, key_padding_mask=padding[:, :TOKENS])
    pieces, start = [], 0
    for piece in tokens.split([9, 1, 1, 12], dim=1):
        pieces.append(model(piece, start, caches, key_padding_mask=padding))
        start += piece.shape[1]
    real = ~padding[:, :TOKENS]
    torch.testing.assert_close(torch.cat(pieces, dim=1)[real], expected[real], atol=1e-5, rtol=0)
    assert int(caches[0].filled) == TOKENS


def test_a_full_static_cache_says_so_and_keeps_what_it_has():
    cache = drop_in.StaticCache(2, KV_HEADS, 8, HEAD_DIM)
    run(block_of(AlibiAttention), text(tokens=6), past_key_value=cache, use_cache=True)
    before = cache.keys.clone()
    with pytest.raises(ValueError, match="holds 8 tokens, and 9 are needed"):
        run(block_of(AlibiAttention), text(tokens=3), 6, past_key_value=cache, use_cache=True)
    assert torch.equal(cache.keys, before)


@pytest.mark.parametrize("kind", BLOCKS)
@torch.no_grad()
def test_with_a_static_cache_a_compiled_block_is_compiled_once(kind):
    graphs, steps = [], 12

    def backend(graph, _):
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    block, x, cache = block_of(kind), text(tokens=5 + steps), drop_in.StaticCache(2, KV_HEADS, 32, HEAD_DIM)
    compiled, expected = torch.compile(block, backend=backend, fullgraph=True, dynamic=False), run(block, x)[0]
    run(block, x[:, :5], past_key_value=cache)
    for t in range(5, 5 + steps):
        output, _ = run(compiled, x[:, t : t + 1], t, past_key_value=cache)
        torch.testing.assert_close(output, expected[:, t : t + 1], atol=1e-5, rtol=0)
    assert len(graphs) == 1

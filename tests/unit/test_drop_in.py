"""The two blocks that a reader takes away: they swap, they cache, they take padding, and both paths agree.

And ALiBi in the kernels of others. flash-attn, xFormers and vLLM need a GPU or a server: stand-ins compute what their
documentation says. (FlexAttention: tests/pages/use.)
"""

import ast
import inspect
import math
import sys
from itertools import product
from types import ModuleType

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import alibi_viz
from alibi_viz.attention.attention import Attention
from alibi_viz.drop_in import drop_in, recipes
from alibi_viz.drop_in.drop_in import AlibiAttention, RopeAttention, alibi_slopes, rope_cos_sin
from alibi_viz.positions import build
from tests.cases import slow

BLOCKS = (RopeAttention, AlibiAttention)
WIDTH, HEADS, KV_HEADS, HEAD_DIM = 48, 6, 2, 8  # grouped, and no power of two
TOKENS = 23


def block_of(kind, *, heads=HEADS, kv_heads=KV_HEADS):
    torch.manual_seed(0)
    return kind(WIDTH, heads, kv_heads, HEAD_DIM).eval()


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
    rope.load_state_dict(alibi.state_dict(), strict=True)
    assert list(alibi.state_dict()) == [f"{part}_proj.weight" for part in "qkvo"]
    signatures = [list(inspect.signature(kind.forward).parameters) for kind in BLOCKS]
    assert signatures[0] == signatures[1]
    outputs = [run(block, text())[0] for block in (rope, alibi)]
    assert outputs[0].shape == outputs[1].shape
    assert (outputs[0] - outputs[1]).abs().max() > 1e-3, "positions are all that differs"


def test_a_bias_in_the_keys_has_the_gradients_of_one_in_a_mask():
    results = []
    for positions in (None, torch.arange(TOKENS).expand(2, -1)):
        block, x = block_of(AlibiAttention), text().requires_grad_()
        output = run(block, x, positions=positions)[0]
        output.square().sum().backward()
        results.append((output, x.grad, *(w.grad for w in block.parameters())))
    for feature, mask in zip(*results, strict=True):
        torch.testing.assert_close(feature, mask, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(("kind", "method"), [(RopeAttention, "rope"), (AlibiAttention, "alibi")])
def test_they_equal_the_attention_of_this_project(kind, method):
    block = block_of(kind)
    position = build(method, heads=HEADS, head_dim=HEAD_DIM, width=WIDTH)
    ours = Attention(WIDTH, HEADS, position, kv_heads=KV_HEADS, head_dim=HEAD_DIM)
    names = {"q_proj": "to_q", "k_proj": "to_k", "v_proj": "to_v", "o_proj": "to_out"}
    ours.load_state_dict({f"{names[k.split('.')[0]]}.weight": w for k, w in block.state_dict().items()})
    torch.testing.assert_close(run(block, text())[0], ours.trace(text())[1], atol=1e-5, rtol=0)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize(("tokens", "strength"), [(2048, 1), (8192, 32)])
def test_sixteen_bits_lose_no_token(tokens, strength, dtype):
    """The three parts of a key's feature, times what the query carries, are the bias as float32 has it; also where the
    largest number, m n / 2 times the width, is beyond float16 (65 504)."""
    heads = 4
    q = torch.zeros(1, heads, tokens, 16, dtype=dtype)
    slope = strength * torch.tensor(alibi_slopes(heads))
    wide_q, wide_k, wide_v = drop_in.with_key_features(q, q, q, slope)
    assert wide_q.shape == wide_k.shape == wide_v.shape == (1, heads, tokens, 24)
    row = (wide_q[0, :, -1:].double() * wide_k[0].double()).sum(-1) / math.sqrt(16)
    exact = slope.double()[:, None] * (torch.arange(tokens) - tokens // 2)
    assert (row - exact).abs().max() < 4e-7 * exact.abs().max()
    as_float32 = drop_in.with_key_features(*[q.float()] * 3, slope)
    for wide, same in zip((wide_q, wide_k), as_float32[:2], strict=True):
        assert torch.equal(wide.float(), same), "no cast rounds: compilers leave casts out, TF32 casts where none is"


@given(padding=st.lists(st.lists(st.booleans(), min_size=TOKENS, max_size=TOKENS), min_size=2, max_size=2))
@settings(max_examples=25, deadline=None)
def test_padding_as_a_number_of_the_key_is_a_mask(padding):
    """Anywhere in a text; where nothing is padding it changes nothing."""
    hidden = torch.tensor(padding)
    hidden[:, TOKENS // 2] = False
    for dtype, bound in ((torch.float32, 1e-5), (torch.bfloat16, 0.02), (torch.float16, 2e-3)):
        block = block_of(AlibiAttention).to(dtype)
        outputs = [
            run(block, text().to(dtype), key_padding_mask=hidden, positions=positions)[0]
            for positions in (None, torch.arange(TOKENS).expand(2, -1))
        ]
        assert outputs[0].isfinite().all()
        torch.testing.assert_close(outputs[0], outputs[1], atol=bound, rtol=0)


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize(("static", "most"), [(False, 2), slow(True, 1)])
@torch.no_grad()
def test_a_compiled_block_decodes_without_compiling_again(kind, static, most):
    """With fullgraph=True, which raises an error where a step needs one graph too many; and the output is the same.

    A cache that grows has one graph of fixed sizes and one of any.
    """
    graphs, start, steps = [], 5, 12

    def backend(graph, _):
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    block, x = block_of(kind), text(tokens=start + steps)
    compiled, expected = torch.compile(block, backend=backend, fullgraph=True), run(block, x)[0]
    cache = drop_in.StaticCache(2, KV_HEADS, 32, HEAD_DIM) if static else None
    _, cache = run(block, x[:, :start], past_key_value=cache, use_cache=True)
    for t in range(start, start + steps):
        output, cache = run(compiled, x[:, t : t + 1], t, past_key_value=cache, use_cache=True)
        torch.testing.assert_close(output, expected[:, t : t + 1], atol=1e-5, rtol=0)
    assert len(graphs) <= most


@pytest.mark.parametrize(
    ("mask", "words"),
    [(torch.ones(2, TOKENS, dtype=torch.long), "must be bool"), (torch.zeros(2, 3, dtype=torch.bool), r"\[2, 23\]")],
)
def test_a_mask_of_another_meaning_is_refused(mask, words):
    for kind in BLOCKS:
        with pytest.raises(ValueError, match=words):
            run(block_of(kind), text(), key_padding_mask=mask)
        with pytest.raises(ValueError, match="whole numbers"):
            run(block_of(kind), text(), positions=torch.zeros(2, TOKENS))


@pytest.mark.parametrize("kind", BLOCKS)
def test_a_mask_that_hides_a_whole_text_is_refused_where_one_looks_for_mistakes(kind, monkeypatch):
    monkeypatch.setattr(drop_in, "DEBUG", True)
    with pytest.raises(ValueError, match="inverted"):
        run(block_of(kind), text(), key_padding_mask=torch.ones(2, TOKENS, dtype=torch.bool))


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("static", [True, False])
def test_nothing_waits_for_the_device(kind, static):
    """On the meta device a tensor has no values: whoever asks for one is refused."""
    with torch.device("meta"):
        block, x, padding = block_of(kind), torch.randn(2, 9, WIDTH), torch.zeros(2, 32, dtype=torch.bool)
        positions, cos_sin = torch.arange(32).expand(2, -1), rope_cos_sin(torch.arange(9), HEAD_DIM)
        cache = drop_in.StaticCache(2, KV_HEADS, 32, HEAD_DIM) if static else None
        assert block(x, cos_sin, key_padding_mask=padding[:, :9])[0].shape == x.shape
        for end in (9, 18):
            seen = 32 if static else end
            output, cache = block(x, cos_sin, cache, True, padding[:, :seen], positions[:, :seen])
            assert output.shape == x.shape


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_padding_between_real_tokens_is_left_out_by_positions(kind, static, causal):
    """In one text and in two packed ones, whole and in pieces: what the real tokens give without the padding."""
    block, x = kind(WIDTH, HEADS, KV_HEADS, HEAD_DIM, causal=causal).eval(), text(batch=1)
    padding = torch.zeros(1, 32, dtype=torch.bool)
    padding[:, [0, 3, 4, 11, 12, TOKENS - 1]] = True
    real = ~padding[0, :TOKENS]
    for last in (TOKENS, 11):  # where the second text begins, the first of its tokens being padding
        positions = (~padding).cumsum(-1) - 1
        positions[:, last:] -= positions[:, last - 1 : last].clone() + 1
        cos_sin = rope_cos_sin(positions[0, :TOKENS], HEAD_DIM)
        parts = (x[:, :last][:, real[:last]], x[:, last:][:, real[last:]])
        alone = torch.cat([run(block, part)[0] for part in parts if part.shape[1]], dim=1)
        whole = block(x, cos_sin, key_padding_mask=padding[:, :TOKENS], positions=positions[:, :TOKENS])[0]
        torch.testing.assert_close(whole[:, real], alone, atol=1e-5, rtol=0)
        if not causal:
            continue
        cache, pieces, start = drop_in.StaticCache(1, KV_HEADS, 32, HEAD_DIM) if static else None, [], 0
        for piece in x.split([4, 8, 1, 10], dim=1):
            end = start + piece.shape[1]
            seen, angles = 32 if static else end, [part[start:end] for part in cos_sin]
            output, cache = block(piece, angles, cache, True, padding[:, :seen], positions[:, :seen])
            pieces.append(output)
            start = end
        torch.testing.assert_close(torch.cat(pieces, dim=1)[:, real], alone, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("largest", [drop_in.LARGEST_MASK, 2 * HEADS * 32 * 4])
@pytest.mark.parametrize("pieces_of", [[9, 1, 1, 12], [3, 6, 14]])
@torch.no_grad()
def test_a_padded_prompt_in_pieces_is_as_alone_with_either_cache(kind, static, largest, pieces_of, monkeypatch):
    """With room left over in a static one; with masks in blocks; and where a piece of a text is padding alone."""
    monkeypatch.setattr(drop_in, "LARGEST_MASK", largest)
    block, x = block_of(kind), text()
    padding = torch.arange(32) < torch.tensor([[4], [0]])
    cache, pieces, start = drop_in.StaticCache(2, KV_HEADS, 32, HEAD_DIM) if static else None, [], 0
    for piece in x.split(pieces_of, dim=1):
        mask = padding if static else padding[:, : start + piece.shape[1]]
        output, cache = run(block, piece, start, past_key_value=cache, use_cache=True, key_padding_mask=mask)
        pieces.append(output)
        start += piece.shape[1]
    padded = torch.cat(pieces, dim=1)
    assert padded[:1, :4].eq(0).all(), "a query that sees no key: a NaN would spread in the next layer"
    torch.testing.assert_close(padded[:1, 4:], run(block, x[:1, 4:])[0], atol=1e-5, rtol=0)
    torch.testing.assert_close(padded[1:], run(block, x[1:])[0], atol=1e-5, rtol=0)


@pytest.mark.parametrize("largest", [drop_in.LARGEST_MASK, 3 * HEADS * TOKENS])
def test_an_encoder_sees_both_sides_and_takes_padding_and_packed_texts(largest, monkeypatch):
    """ALiBi by |distance|, computed here from the weights of the block; and a padded or packed text is as alone."""
    monkeypatch.setattr(drop_in, "LARGEST_MASK", largest)
    block, x = AlibiAttention(WIDTH, HEADS, KV_HEADS, HEAD_DIM, causal=False).eval(), text()
    q, k, v = (
        project(x).unflatten(-1, (-1, HEAD_DIM)).transpose(1, 2)
        for project in (block.q_proj, block.k_proj, block.v_proj)
    )
    k, v = k.repeat_interleave(HEADS // KV_HEADS, 1), v.repeat_interleave(HEADS // KV_HEADS, 1)
    distance = (torch.arange(TOKENS)[:, None] - torch.arange(TOKENS)).abs()
    scores = q @ k.mT / math.sqrt(HEAD_DIM) - torch.tensor(alibi_slopes(HEADS))[:, None, None] * distance
    expected = block.o_proj((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
    torch.testing.assert_close(block(x)[0], expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(block(x.flip(1))[0].flip(1), expected, atol=1e-5, rtol=0)
    padded = block(x, key_padding_mask=torch.arange(TOKENS) < torch.tensor([[4], [0]]))[0]
    torch.testing.assert_close(padded[:1, 4:], block(x[:1, 4:])[0], atol=1e-5, rtol=0)
    positions = torch.cat((torch.arange(9), torch.arange(TOKENS - 9))).expand(2, -1)
    alone = torch.cat((block(x[:, :9])[0], block(x[:, 9:])[0]), dim=1)
    torch.testing.assert_close(block(x, positions=positions)[0], alone, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", BLOCKS)
def test_an_encoder_sees_all_and_has_no_cache(kind):
    block, past = kind(WIDTH, HEADS, KV_HEADS, HEAD_DIM, causal=False), torch.zeros(2, KV_HEADS, 1, HEAD_DIM)
    x, changed = text(), text()
    changed[:, -1] += 1
    assert (run(block, changed)[0][:, 0] - run(block, x)[0][:, 0]).abs().max() > 1e-4
    for options in ({"use_cache": True}, {"past_key_value": (past, past)}):
        with pytest.raises(ValueError, match="An encoder has no cache"):
            run(block, text(), **options)


def test_a_full_static_cache_says_so_and_keeps_what_it_has():
    cache = drop_in.StaticCache(2, KV_HEADS, 8, HEAD_DIM)
    run(block_of(AlibiAttention), text(tokens=6), past_key_value=cache, use_cache=True)
    before = cache.keys.clone()
    with pytest.raises(ValueError, match="holds 8 tokens, and 9 are needed"):
        run(block_of(AlibiAttention), text(tokens=3), 6, past_key_value=cache, use_cache=True)
    assert torch.equal(cache.keys, before)


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

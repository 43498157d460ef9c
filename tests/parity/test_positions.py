"""Ours against published implementations, and against loops over the formulas of papers: slopes, biases, buckets, rotations
and whole ALiBi models.

Everything runs on the CPU with random weights; nothing is downloaded.
"""

import json
import math
import re
from functools import partial
from itertools import product
from pathlib import Path

import pytest
import torch
from rotary_embedding_torch import RotaryEmbedding
from torch import nn

from alibi_viz.attention.attention import Attention
from alibi_viz.positions import build
from alibi_viz.positions.rotary import Rotary, scaled_inv_freq
from alibi_viz.positions.t5 import relative_position_bucket
from alibi_viz.rules import slopes
from tests.parity import published, recorder
from tests.parity.recorder import agree


def bias(heads, tokens, **options):
    positions = torch.arange(tokens)
    return build("alibi", heads=heads, head_dim=4, **options).score_bias(positions, positions)


def test_slopes_and_biases_of_bloom_mpt_and_x_transformers():
    """BLOOM builds m (cumsum(mask) - 1), the key-only row; MPT m (j - (T - 1)), our last row; the third all rows."""
    for heads in range(1, 129):
        bloom = published.build_alibi_tensor(torch.ones(1, 5, dtype=torch.long), heads, torch.float32)  # [H, 1, T]
        assert torch.allclose(bloom[:, 0, 1], torch.tensor(slopes(heads)), atol=1e-7)
        agree("bloom_bias", bias(heads, 5, form="key_only"), bloom.expand(-1, 5, -1))
        for max_bias in (8, 16):
            mpt = published.build_mpt_alibi_tensor(heads, 5, max_bias)  # [H, 1, T]
            agree("mpt_bias", bias(heads, 5, max_bias=float(max_bias))[:, -1], mpt[:, 0])
        agree("x_bias", bias(heads, 5, form="symmetric"), published.AlibiPositionalBias(heads)(5, 5))


def bloom(heads, width):
    config = published.BloomConfig(vocab_size=64, hidden_size=width, n_layer=2, n_head=heads, layer_norm_epsilon=1e-5)
    config._attn_implementation = "eager"
    return _randomised(published.BloomModel(config))


def mpt(heads, width, max_bias=8):
    config = published.MptConfig(
        vocab_size=64,
        d_model=width,
        n_heads=heads,
        n_layers=2,
        max_seq_len=64,
        attn_config={"alibi": True, "alibi_bias_max": max_bias},
    )
    model = _randomised(published.MptModel(config))
    # published.MptModel of transformers 5.23 calls this without the configured alibi_bias_max and so always takes 8.
    model.build_mpt_alibi_tensor = partial(published.build_mpt_alibi_tensor, alibi_bias_max=max_bias)
    return model


def _randomised(model):
    """Weights large enough for attention to be far from even, biases and norms far from their start."""
    torch.manual_seed(0)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.25)
    return model.eval()


class Twin(nn.Module):
    """A published model with its attention replaced by ours, weights copied; the rest of its layers is used as is."""

    def __init__(self, model, kind, heads, width, max_bias=8.0):
        super().__init__()
        self.model, self.kind = model, kind
        position = build("alibi", heads=heads, head_dim=width // heads, max_bias=max_bias)
        blocks = model.h if kind == "bloom" else model.blocks
        self.blocks = blocks
        self.attentions = nn.ModuleList(Attention(width, heads, position, bias=kind == "bloom").eval() for _ in blocks)
        for ours, block in zip(self.attentions, blocks, strict=True):
            copy_bloom(ours, block.self_attention) if kind == "bloom" else copy_mpt(ours, block.attn)

    def forward(self, tokens, path="fused", **options):
        if self.kind == "bloom":
            x = self.model.word_embeddings_layernorm(self.model.word_embeddings(tokens))
        else:
            x = self.model.wte(tokens)
        for ours, block in zip(self.attentions, self.blocks, strict=True):
            attention = ours if path == "fused" else lambda x, ours=ours: ours.trace(x)[1]
            if self.kind == "bloom":
                x = x + attention(block.input_layernorm(x), **options)
                x = block.mlp(block.post_attention_layernorm(x), x)
            else:
                x = x + attention(block.norm_1(x), **options)
                x = block.ffn(block.norm_2(x), x)
        return self.model.ln_f(x) if self.kind == "bloom" else self.model.norm_f(x)


def copy_bloom(ours, theirs):
    """BLOOM keeps query, key and value of one head side by side."""
    heads, d = ours.heads, ours.head_dim
    weight = theirs.query_key_value.weight.data.view(heads, 3, d, -1)
    bias = theirs.query_key_value.bias.data.view(heads, 3, d)
    for i, projection in enumerate((ours.to_q, ours.to_k, ours.to_v)):
        projection.weight.data.copy_(weight[:, i].flatten(0, 1))
        projection.bias.data.copy_(bias[:, i].flatten())
    ours.to_out.load_state_dict(theirs.dense.state_dict())


def copy_mpt(ours, theirs):
    """MPT keeps all queries, then all keys, then all values."""
    parts = theirs.Wqkv.weight.data.chunk(3)
    for part, projection in zip(parts, (ours.to_q, ours.to_k, ours.to_v), strict=True):
        projection.weight.data.copy_(part)
    ours.to_out.load_state_dict(theirs.out_proj.state_dict())


# Head counts that are a power of two and not: 12 heads use both families of slopes.
MODELS = [("bloom", 4, 32, 8), ("bloom", 12, 96, 8), ("mpt", 4, 32, 8), ("mpt", 12, 96, 8), ("mpt", 4, 32, 16)]


def pair(kind, heads, width, max_bias):
    theirs = bloom(heads, width) if kind == "bloom" else mpt(heads, width, max_bias)
    return theirs, Twin(theirs, kind, heads, width, float(max_bias))


@pytest.mark.parametrize("path", ["fused", "eager"])
@pytest.mark.parametrize("model", MODELS, ids=str)
@torch.no_grad()
def test_whole_models_agree(model, path):
    theirs, ours = pair(*model)
    tokens = torch.randint(0, 64, (2, 40), generator=torch.Generator().manual_seed(1))
    expected = theirs(tokens).last_hidden_state
    size = max(1.0, expected.abs().max().item())
    agree(f"{model[0]}_model", ours(tokens, path=path) / size, expected / size)
    # The comparison sees positions: without them the outputs differ.
    for attention in ours.attentions:
        attention.position = build("none", heads=attention.heads, head_dim=attention.head_dim)
    assert (ours(tokens, path=path) - expected).abs().max() > 1e-2


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize(("buckets", "farthest"), [(32, 128), (32, 64), (16, 128), (64, 512), (8, 20), (32, 32)])
def test_buckets_of_t5(bidirectional, buckets, farthest):
    relative = torch.arange(-5000, 5001)
    ours = relative_position_bucket(relative, bidirectional, buckets, farthest)
    theirs = published.T5Attention._relative_position_bucket(relative, bidirectional, buckets, farthest)
    agree("t5_buckets", ours, theirs)


@pytest.mark.parametrize("bidirectional", [False, True])
def test_bias_of_t5(bidirectional):
    config = published.T5Config(d_model=32, num_heads=4, d_kv=8, is_decoder=not bidirectional)
    theirs = published.T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    nn.init.normal_(theirs.relative_attention_bias.weight)
    ours = build("t5", heads=4, head_dim=8, bidirectional=bidirectional)
    ours.table.load_state_dict(theirs.relative_attention_bias.state_dict())
    positions = torch.arange(200)
    agree("t5_bias", ours.score_bias(positions, positions), theirs.compute_bias(200, 200)[0])


@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
def test_half_layout_is_llama(base):
    """Llama computes angles in float32: at 2048 that alone moves a cosine by 7e-5, hence the bound."""
    config = published.LlamaConfig(
        hidden_size=128, num_attention_heads=2, rope_parameters={"rope_type": "default", "rope_theta": base}
    )
    q, k = torch.randn(2, 2, 2048, 64), torch.randn(2, 1, 2048, 64)
    positions = torch.arange(2048)
    cos, sin = published.LlamaRotaryEmbedding(config)(q, positions[None])
    theirs = published.apply_rotary_pos_emb(q, k, cos, sin)
    ours = Rotary(2, 64, 128, base=base).rotate(q, k, positions, positions)
    for a, b in zip(ours, theirs, strict=True):
        agree("llama_rope", a, b)
        assert (a - b)[:, :, :64].abs().max() < 3e-5


def test_interleaved_layout_is_rotary_embedding_torch():
    q = torch.randn(2, 3, 64, 32)
    positions = torch.arange(64)
    theirs = RotaryEmbedding(dim=32).rotate_queries_or_keys(q)
    ours, _ = Rotary(3, 32, 96, layout="interleaved").rotate(q, q, positions, positions)
    agree("interleaved_rope", ours, theirs)
    half, _ = Rotary(3, 32, 96).rotate(q, q, positions, positions)
    assert (half - theirs).abs().max() > 1  # the other layout is not nearly the same


ORIGINAL = 128
SCALED = ("linear", "dynamic", "yarn", "llama3")


def config(scaling, factor, base, head_dim, original=ORIGINAL):
    """A Llama whose rotary part is all that matters."""
    rope = {
        "rope_type": scaling,
        "rope_theta": base,
        "factor": factor,
        "original_max_position_embeddings": original,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
    }
    return published.LlamaConfig(
        hidden_size=2 * head_dim,
        num_attention_heads=2,
        head_dim=head_dim,
        max_position_embeddings=original,
        rope_parameters=rope,
    )


@pytest.mark.parametrize("scaling", SCALED)
@pytest.mark.parametrize("factor", [1.0, 2.0, 8.0, 40.0])
def test_scaled_frequencies_are_those_of_transformers(scaling, factor):
    for base, head_dim, original, times in product((10_000.0, 500_000.0), (4, 32, 64, 128), (16, 128, 8192), range(4)):
        tokens = (1, original, original + 1, 4 * original)[times]
        theirs, stretch = published.ROPE_INIT_FUNCTIONS[scaling](
            config(scaling, factor, base, head_dim, original), torch.device("cpu"), seq_len=tokens
        )
        ours, our_stretch = scaled_inv_freq(head_dim, base, scaling, factor, original, tokens)
        agree("rope_scaling", ours.float(), theirs, relative=True)
        assert our_stretch == pytest.approx(stretch)


PLACES = [0, 1, 2, 7, 40, 511, 512, 513, 3000]


def cells(method):
    places = torch.tensor(PLACES)
    return method.score_bias(places, places)


def follows(bias, places, formula, *, future):
    """Every cell of [H, n, n] is formula(h, i, j) for query i and key j. future: of later keys too."""
    for h, rows in enumerate(bias.tolist()):
        for i, row in zip(places, rows, strict=True):
            for j, value in zip(places, row, strict=True):
                assert (j > i and not future) or value == pytest.approx(formula(h, i, j), rel=1e-4, abs=1e-5), (h, i, j)


@pytest.mark.parametrize("heads", [1, 3, 8])
@pytest.mark.parametrize("name", ["kerple", "kerple_power"])
def test_kerple_is_its_formula_within_its_bounds_and_has_a_gradient_at_them(name, heads):
    method = build(name, heads=heads, head_dim=8)
    with torch.no_grad():
        method.p.copy_(torch.linspace(-1, 3, heads))
        method.a.copy_(torch.linspace(2, -1, heads))
    ps, scales = (parameter.clamp(min=0.01).tolist() for parameter in (method.p, method.a))

    def formula(h, i, j):
        p, a, far = ps[h], scales[h], abs(i - j)
        return float(-p * math.log(1 + a * far) if name == "kerple" else -a * far ** min(p, 2))

    bias = cells(method)
    follows(bias, PLACES, formula, future=True)
    bias.sum().backward()
    assert (method.p.grad != 0).all()
    assert (method.a.grad != 0).all()


@pytest.mark.parametrize(("heads", "width"), [(1, 8), (3, 24), (8, 64), (4, 7)])
def test_sandwich_is_its_formula_however_it_is_asked(heads, width):
    """Near distances come from a table, scattered ones are computed."""

    def formula(h, i, j):
        total = sum(math.cos((i - j) / 10_000 ** (2 * pair / width)) for pair in range(1, width // 2 + 1))
        return (total - width // 2) / (8 * (h + 1) / heads)

    method = build("sandwich", heads=heads, head_dim=8, width=width)
    for places in (torch.tensor(PLACES), torch.arange(40)):
        follows(method.score_bias(places, places), places.tolist(), formula, future=True)


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("multiplier", [1.0, -0.02, 0.5])
@torch.no_grad()
def test_fire_is_its_formula(heads, multiplier):
    torch.manual_seed(5)
    method = build("fire", heads=heads, head_dim=8)
    method.multiplier.fill_(multiplier)
    method.c.fill_(-0.3)
    w1, b1, w2, b2 = (x.tolist() for part in (method.first, method.second) for x in (part.weight, part.bias))

    def formula(h, i, j):
        psi_d, psi_i = (math.log(0.3 * x + 1) for x in (i - j, max(abs(multiplier * 512), i)))
        hidden = [max(w[0] * psi_d / (psi_i + 1e-6) + b, 0.0) for w, b in zip(w1, b1, strict=True)]
        return float(sum(w * y for w, y in zip(w2[h], hidden, strict=True)) + b2[h])

    follows(cells(method), PLACES, formula, future=False)


@pytest.mark.parametrize("heads", [1, 3])
@torch.no_grad()
def test_fox_is_its_formula(heads):
    """The paper's equations: f_t = sigmoid(w.x_t + b), D_ij = sum of ln f_l over l = j + 1 .. i."""
    torch.manual_seed(5)
    method, x = build("forgetting", heads=heads, head_dim=8), torch.randn(2, 9, 8 * heads)
    torch.nn.init.normal_(method.gate.weight)
    logits, places = x @ method.gate.weight.T + method.gate.bias, torch.arange(9)  # [B, T, H]
    for of_text, bias in zip(logits, method.given(x).score_bias(places, places), strict=True):
        logs = of_text.sigmoid().log().T
        follows(bias, range(9), lambda h, i, j, logs=logs: float(logs[h, j + 1 : i + 1].sum()), future=False)


@pytest.mark.parametrize("seen", [0, 5])
@pytest.mark.parametrize("heads", [1, 8])
def test_inkling_s_bias_is_that_of_transformers(heads, seen):
    """For a whole text, and for the last tokens of one, whose keys are cached."""
    torch.manual_seed(5)
    method, x = build("inkling", heads=heads, head_dim=8, d_rel=4, rel_extent=6), torch.randn(2, 11, 8 * heads)
    theirs = published.InklingRelativeLogits(4, 6)
    theirs.proj.data = torch.randn(4, 6)
    method.proj.data = theirs.proj.data
    states = method.r_proj(x[:, seen:]).view(2, 11 - seen, heads, 4)  # as InklingAttention makes them
    queries, keys = torch.arange(seen, 11), torch.arange(11)
    agree("inkling_bias", method.given(x[:, seen:]).score_bias(queries, keys), theirs(states, queries, keys))


RECORDED = {row["check"]: row for row in json.loads(recorder.FILE.read_text())["checks"]}
REQUIREMENTS = "".join(Path(f"requirements-{name}.txt").read_text() for name in ("models", "dev"))
PINS = dict(re.findall(r"^([\w-]+)==([\w.]+)$", REQUIREMENTS, re.MULTILINE))


def test_the_recorded_references_are_the_pinned_ones():
    assert {check: (row["package"], row["bound"]) for check, row in RECORDED.items()} == recorder.CHECKS
    assert {row["version"] for row in RECORDED.values() if row["version"] != PINS[row["package"]]} == set()
    assert all(0 <= row["difference"] <= row["bound"] for row in RECORDED.values())

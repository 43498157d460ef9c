"""Ours against published implementations: slopes, biases, buckets, rotations, and whole ALiBi models.

Everything runs on the CPU with random weights; nothing is downloaded.
"""

from functools import partial

import pytest
import torch
from rotary_embedding_torch import RotaryEmbedding
from torch import Tensor, nn

from alibi_viz.attention.attention import Attention
from alibi_viz.positions import build
from alibi_viz.positions.rotary import Rotary
from alibi_viz.positions.t5 import relative_position_bucket
from alibi_viz.rules import slopes
from tests.parity import published
from tests.parity.recorder import agree

# ---- ALiBi


def bias(heads: int, tokens: int, **options: object) -> Tensor:
    positions = torch.arange(tokens)
    return build("alibi", heads=heads, head_dim=4, **options).score_bias(positions, positions)


def test_slopes_and_biases_of_bloom_mpt_and_x_transformers() -> None:
    """BLOOM builds m (cumsum(mask) - 1), the key-only row; MPT m (j - (T - 1)), our last row; the third all rows."""
    for heads in range(1, 129):
        bloom = published.build_alibi_tensor(torch.ones(1, 5, dtype=torch.long), heads, torch.float32)  # [H, 1, T]
        assert torch.allclose(bloom[:, 0, 1], torch.tensor(slopes(heads)), atol=1e-7)
        agree("bloom_bias", bias(heads, 5, form="key_only"), bloom.expand(-1, 5, -1))
        for max_bias in (8, 16):
            mpt = published.build_mpt_alibi_tensor(heads, 5, max_bias)  # [H, 1, T]
            agree("mpt_bias", bias(heads, 5, max_bias=float(max_bias))[:, -1], mpt[:, 0])
        agree("x_bias", bias(heads, 5, form="symmetric"), published.AlibiPositionalBias(heads)(5, 5))


def bloom(heads: int, width: int) -> published.BloomModel:
    config = published.BloomConfig(vocab_size=64, hidden_size=width, n_layer=2, n_head=heads, layer_norm_epsilon=1e-5)
    config._attn_implementation = "eager"
    return _randomised(published.BloomModel(config))


def mpt(heads: int, width: int, max_bias: int = 8) -> published.MptModel:
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


def _randomised(model: nn.Module) -> nn.Module:
    """Weights large enough for attention to be far from even, biases and norms far from their start."""
    torch.manual_seed(0)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.25)
    return model.eval()


class Twin(nn.Module):
    """A published model with its attention replaced by ours, weights copied; the rest of its layers is used as is."""

    def __init__(self, model: nn.Module, kind: str, heads: int, width: int, max_bias: float = 8.0) -> None:
        super().__init__()
        self.model, self.kind = model, kind
        position = build("alibi", heads=heads, head_dim=width // heads, max_bias=max_bias)
        blocks = model.h if kind == "bloom" else model.blocks
        self.blocks = blocks
        self.attentions = nn.ModuleList(Attention(width, heads, position, bias=kind == "bloom").eval() for _ in blocks)
        for ours, block in zip(self.attentions, blocks, strict=True):
            copy_bloom(ours, block.self_attention) if kind == "bloom" else copy_mpt(ours, block.attn)

    def forward(self, tokens: Tensor, path: str = "fused", **options: object) -> Tensor:
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


def copy_bloom(ours: Attention, theirs: nn.Module) -> None:
    """BLOOM keeps query, key and value of one head side by side."""
    heads, d = ours.heads, ours.head_dim
    weight = theirs.query_key_value.weight.data.view(heads, 3, d, -1)
    bias = theirs.query_key_value.bias.data.view(heads, 3, d)
    for i, projection in enumerate((ours.to_q, ours.to_k, ours.to_v)):
        projection.weight.data.copy_(weight[:, i].flatten(0, 1))
        projection.bias.data.copy_(bias[:, i].flatten())
    ours.to_out.load_state_dict(theirs.dense.state_dict())


def copy_mpt(ours: Attention, theirs: nn.Module) -> None:
    """MPT keeps all queries, then all keys, then all values."""
    parts = theirs.Wqkv.weight.data.chunk(3)
    for part, projection in zip(parts, (ours.to_q, ours.to_k, ours.to_v), strict=True):
        projection.weight.data.copy_(part)
    ours.to_out.load_state_dict(theirs.out_proj.state_dict())


# Head counts that are a power of two and not: 12 heads use both families of slopes.
MODELS = [("bloom", 4, 32, 8), ("bloom", 12, 96, 8), ("mpt", 4, 32, 8), ("mpt", 12, 96, 8), ("mpt", 4, 32, 16)]


def pair(kind: str, heads: int, width: int, max_bias: int) -> tuple[nn.Module, Twin]:
    theirs = bloom(heads, width) if kind == "bloom" else mpt(heads, width, max_bias)
    return theirs, Twin(theirs, kind, heads, width, float(max_bias))


@pytest.mark.parametrize("path", ["fused", "eager"])
@pytest.mark.parametrize("model", MODELS, ids=str)
@torch.no_grad()
def test_whole_models_agree(model: tuple[str, int, int, int], path: str) -> None:
    theirs, ours = pair(*model)
    tokens = torch.randint(0, 64, (2, 40), generator=torch.Generator().manual_seed(1))
    expected = theirs(tokens).last_hidden_state
    size = max(1.0, expected.abs().max().item())
    agree(f"{model[0]}_model", ours(tokens, path=path) / size, expected / size)
    # The comparison sees positions: without them the outputs differ.
    for attention in ours.attentions:
        attention.position = build("none", heads=attention.heads, head_dim=attention.head_dim)
    assert (ours(tokens, path=path) - expected).abs().max() > 1e-2


# ---- T5


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize(("buckets", "farthest"), [(32, 128), (32, 64), (16, 128), (64, 512), (8, 20), (32, 32)])
def test_buckets_of_t5(bidirectional: bool, buckets: int, farthest: int) -> None:
    relative = torch.arange(-5000, 5001)
    ours = relative_position_bucket(relative, bidirectional, buckets, farthest)
    theirs = published.T5Attention._relative_position_bucket(relative, bidirectional, buckets, farthest)
    agree("t5_buckets", ours, theirs)


@pytest.mark.parametrize("bidirectional", [False, True])
def test_bias_of_t5(bidirectional: bool) -> None:
    config = published.T5Config(d_model=32, num_heads=4, d_kv=8, is_decoder=not bidirectional)
    theirs = published.T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    nn.init.normal_(theirs.relative_attention_bias.weight)
    ours = build("t5", heads=4, head_dim=8, bidirectional=bidirectional)
    ours.table.load_state_dict(theirs.relative_attention_bias.state_dict())
    positions = torch.arange(200)
    agree("t5_bias", ours.score_bias(positions, positions), theirs.compute_bias(200, 200)[0])


# ---- RoPE


@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
@pytest.mark.parametrize("form", ["real", "complex"])
def test_half_layout_is_llama(base: float, form: str) -> None:
    """Llama computes angles in float32: at 2048 that alone moves a cosine by 7e-5, hence the bound."""
    config = published.LlamaConfig(
        hidden_size=128, num_attention_heads=2, rope_parameters={"rope_type": "default", "rope_theta": base}
    )
    q, k = torch.randn(2, 2, 2048, 64), torch.randn(2, 1, 2048, 64)
    positions = torch.arange(2048)
    cos, sin = published.LlamaRotaryEmbedding(config)(q, positions[None])
    theirs = published.apply_rotary_pos_emb(q, k, cos, sin)
    ours = Rotary(2, 64, 128, base=base, form=form).rotate(q, k, positions, positions)
    for a, b in zip(ours, theirs, strict=True):
        agree("llama_rope", a, b)
        assert (a - b)[:, :, :64].abs().max() < 3e-5


@pytest.mark.parametrize("form", ["real", "complex"])
def test_interleaved_layout_is_rotary_embedding_torch(form: str) -> None:
    q = torch.randn(2, 3, 64, 32)
    positions = torch.arange(64)
    theirs = RotaryEmbedding(dim=32).rotate_queries_or_keys(q)
    ours, _ = Rotary(3, 32, 96, layout="interleaved", form=form).rotate(q, q, positions, positions)
    agree("interleaved_rope", ours, theirs)
    half, _ = Rotary(3, 32, 96, form=form).rotate(q, q, positions, positions)
    assert (half - theirs).abs().max() > 1  # the other layout is not nearly the same

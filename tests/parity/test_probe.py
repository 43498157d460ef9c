"""`check_model` on models of `transformers`: what is planted in a Llama with ALiBi is named, what others do is found."""

import pytest
import torch

from alibi_viz import check_model
from alibi_viz.checkpoints import local
from alibi_viz.rules import slopes
from tests.checkpoints import tiny
from tests.parity import published

HEADS = 8
SHAPE = {"hidden_size": 32, "num_attention_heads": HEADS, "num_key_value_heads": 2, "intermediate_size": 32}
SHAPE |= {"num_hidden_layers": 2, "vocab_size": 64, "max_position_embeddings": 64, "pad_token_id": 0}


@pytest.fixture
def plant(ours, monkeypatch):
    """Put another mask in the place of ours: it changes what it gets, or what it gives."""

    def planted(change=lambda sizes: sizes, after=lambda bias, options: bias):
        def mask(batch_size, q_length, kv_length, q_offset=0, kv_offset=0, **options):
            sizes = change({"q_length": q_length, "kv_length": kv_length, "q_offset": q_offset, "kv_offset": kv_offset})
            return after(ours.alibi_mask(batch_size, **sizes, **options), options)

        monkeypatch.setitem(published.AttentionMaskInterface._global_mapping, "alibi", mask)

    return planted


def llama(ours, **options):
    torch.manual_seed(0)
    return published.LlamaForCausalLM(published.LlamaConfig(**SHAPE, **dict(ours.ALIBI) | options))


def from_the_first_key(bias, _):
    """Queries beside a cache are numbered from 0, as in KerasHub's Falcon; the mask is right."""
    distance = torch.arange(bias.shape[-2])[:, None] - torch.arange(bias.shape[-1])
    return torch.where(bias > -1e4, -torch.tensor(slopes(HEADS))[:, None, None] * distance.abs(), bias)


def counted(bias, options):
    """Padding counts, for the queries alone."""
    real = options.get("attention_mask")
    if real is None or real.all():
        return bias
    distance = (real.cumsum(-1)[..., -bias.shape[-2] :, None] - 1 - torch.arange(bias.shape[-1])).abs()
    return torch.where(bias > -1e4, -torch.tensor(slopes(HEADS))[:, None, None] * distance[:, None], bias)


def signed(bias, _):
    """An encoder with -m (i - j)."""
    distance = torch.arange(bias.shape[-2])[:, None] - torch.arange(bias.shape[-1])
    return torch.where((distance < 0) & (bias > -1e4), -bias, bias)


@pytest.mark.parametrize(
    ("planted", "causal", "pitfall"),
    [
        ({"after": from_the_first_key}, True, "cache_offset"),
        ({"change": lambda sizes: sizes | {"q_offset": 0}}, True, "is_causal"),  # beside a cache, with its mask too
        ({"after": counted}, True, "left_padding"),
        ({"after": signed}, False, "sign"),
    ],
)
def test_what_is_planted_in_a_model_with_a_cache_and_padding(ours, plant, planted, causal, pitfall):
    """Mistakes of one text without a cache: tests/parity/test_gauntlet.py."""
    plant(**planted)
    found = check_model(llama(ours, is_causal=causal), causal=causal)
    assert (found.status, found.pitfalls) == ("pitfall", (pitfall,))


@pytest.mark.parametrize(
    ("family", "status", "kinds"),
    [
        ("bloom", "clean", {"linear", "code", "padding_same", "cache_same", "long_same"}),
        ("mpt", "unknown", {"linear", "code", "padding_same", "cache_same", "long_fails"}),  # its table of biases ends
        ("falcon", "pitfall", {"scaled_sqrt"}),  # trained so
        ("llama", "unknown", {"rotated", "no_bias"}),
        ("gpt2", "pitfall", {"absolute", "no_bias", "padding_differs", "long_fails"}),
    ],
)
def test_what_published_models_do(family, status, kinds, tmp_path):
    """Opened from a folder, as the command line does."""
    small = {"mpt": {"max_seq_len": 64}, "falcon": {"max_position_embeddings": 256, "hidden_size": 96}}
    found = check_model(local.open_folder(tiny.save(tmp_path, family, **small.get(family, {}))))
    assert (found.status, kinds - {*found.kinds}) == (status, set())


def test_the_type_that_a_model_runs_in():
    """BLOOM's own bias in bfloat16: in float32 the same weights are clean."""
    config = published.BloomConfig(vocab_size=64, hidden_size=32, n_layer=2, n_head=HEADS)
    torch.manual_seed(0)
    model = published.BloomForCausalLM(config)
    assert check_model(model).status == "clean"
    found = check_model(model.bfloat16())
    assert found.pitfalls == ("key_bfloat16",)
    assert {weight.dtype for weight in model.parameters()} == {torch.bfloat16}


@pytest.mark.parametrize("options", [{}, {"attn_flash": True}, {"attn_kv_heads": 2}, {"attn_qk_norm": True}])
def test_x_transformers(options):
    """Its fused attention asks for a kernel of its own; its scores are in sight all the same."""
    from x_transformers import Decoder, TransformerWrapper

    torch.manual_seed(0)
    layers = Decoder(dim=32, depth=2, heads=HEADS, attn_dim_head=8, alibi_pos_bias=True, **options)
    model = TransformerWrapper(num_tokens=64, max_seq_len=512, use_abs_pos_emb=False, attn_layers=layers)
    found = check_model(model)
    by_turns = "attn_kv_heads" in options  # heads 1, 3, 5, 7 share keys: right for weights that were trained so
    assert (found.status, "group_order" in found.kinds) == (("unknown", True) if by_turns else ("clean", False))
    assert found.slopes == pytest.approx(slopes(HEADS), rel=1e-3)

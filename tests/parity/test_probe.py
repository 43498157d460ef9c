"""`check_model` on models of `transformers`: what is planted in a Llama with ALiBi is named, what others do is found."""

from __future__ import annotations

import importlib
from functools import partial

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


@pytest.fixture(scope="module")
def ours():
    return importlib.import_module("alibi_viz.drop_in.drop_in_transformers")


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


def scaled(factor, bias, _):
    return torch.where(bias > -1e4, bias * factor, bias)


def in_bfloat16(bias, _):
    """BLOOM's form, m x key, made in 16 bits."""
    rows = (-torch.tensor(slopes(HEADS))[:, None] * -torch.arange(bias.shape[-1])).bfloat16().float()
    return torch.where(bias > -1e4, rows[:, None], bias)


def without_a_mask(ours, bias, options):
    return ours.alibi_mask(len(bias), *bias.shape[-2:], **options | {"mask_function": lambda b, h, q, k: q >= 0})


def from_the_first_key(bias, _):
    """Queries beside a cache are numbered from 0, as in KerasHub's Falcon; the mask is right."""
    distance = torch.arange(bias.shape[-2])[:, None] - torch.arange(bias.shape[-1])
    return torch.where(bias > -1e4, -torch.tensor(slopes(HEADS))[:, None, None] * distance.abs(), bias)


def test_what_is_planted_in_the_bias(ours, plant):
    for after, kind, pitfall in (
        (partial(scaled, -1), "flipped", "sign"),
        (partial(scaled, 4**-0.5), "scaled_sqrt", "sqrt_d"),
        (in_bfloat16, "key_rounded", "key_bfloat16"),
        (partial(without_a_mask, ours), "not_causal", "no_mask"),
        (from_the_first_key, "cache_differs", "cache_offset"),
    ):
        plant(after=after)
        found = check_model(llama(ours))
        assert (found.status, found.pitfalls) == ("pitfall", (pitfall,))
        assert kind in found.kinds


def test_what_is_planted_in_the_positions(ours, plant):
    """Beside a cache every call begins at 0, with its mask too; and padding counts, for the queries alone."""
    plant(change=lambda sizes: sizes | {"q_offset": 0})
    assert check_model(llama(ours)).pitfalls == ("is_causal",)

    def counted(bias, options):
        real = options.get("attention_mask")
        if real is None or real.all():
            return bias
        distance = (real.cumsum(-1)[..., -bias.shape[-2] :, None] - 1 - torch.arange(bias.shape[-1])).abs()
        return torch.where(bias > -1e4, -torch.tensor(slopes(HEADS))[:, None, None] * distance[:, None], bias)

    plant(after=counted)
    assert check_model(llama(ours)).pitfalls == ("left_padding",)


def test_rope_that_a_config_hid(ours, monkeypatch):
    """Gemma 3 with the dictionary of Llama, as it was taken before `check_config` looked into every inner one."""
    monkeypatch.setattr(ours, "check_config", lambda config: None)
    torch.manual_seed(0)
    config = published.Gemma3TextConfig(**SHAPE, head_dim=8, sliding_window=16, **ours.ALIBI)
    found = check_model(published.Gemma3ForCausalLM(config))
    assert found.status == "pitfall"
    assert {"rotated", "beside"} <= {*found.kinds}
    assert found.slopes == pytest.approx(slopes(HEADS), rel=1e-3), "the bias is seen through it"


def test_later_keys_that_are_rewarded(ours, plant):
    """An encoder with -m (i - j): what `drop_in_transformers` made of is_causal=False."""

    def signed(bias, _):
        distance = torch.arange(bias.shape[-2])[:, None] - torch.arange(bias.shape[-1])
        return torch.where((distance < 0) & (bias > -1e4), -bias, bias)

    plant(after=signed)
    found = check_model(llama(ours, is_causal=False), causal=False)
    assert (found.status, found.pitfalls) == ("pitfall", ("sign",))
    assert "later_rewarded" in found.kinds
    assert "no_mask" in check_model(llama(ours, is_causal=False)).pitfalls


def test_a_table_beside_the_bias(ours, monkeypatch):
    """GPT-2 with ALiBi."""
    monkeypatch.setattr(ours, "check_config", lambda config: None)
    config = published.GPT2Config(n_embd=32, n_head=HEADS, n_layer=2, vocab_size=64, n_positions=64, **ours.ALIBI)
    found = check_model(published.GPT2LMHeadModel(config))
    assert {"absolute", "beside", "padding_differs", "long_fails"} <= {*found.kinds}
    assert found.status == "pitfall"


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


def test_the_type_that_a_model_runs_in(ours):
    """BLOOM's own bias in bfloat16: in float32 the same weights are clean."""
    config = published.BloomConfig(vocab_size=64, hidden_size=32, n_layer=2, n_head=HEADS)
    torch.manual_seed(0)
    model = published.BloomForCausalLM(config)
    assert check_model(model).status == "clean"
    found = check_model(model.bfloat16())
    assert found.pitfalls == ("key_bfloat16",)
    assert {weight.dtype for weight in model.parameters()} == {torch.bfloat16}


@pytest.mark.parametrize(("attention", "times"), [("sdpa", 1), ("eager", 2)])
def test_falcon_adds_its_bias_twice_in_eager_attention(attention, times):
    """transformers 5.23: once to the scores, and once in the mask. Each is divided by √16, the width of a head."""
    shape = {"vocab_size": 64, "hidden_size": 96, "num_hidden_layers": 2, "num_attention_heads": 6, "alibi": True}
    torch.manual_seed(0)
    config = published.FalconConfig(**shape, max_position_embeddings=64, attn_implementation=attention)
    found = check_model(published.FalconForCausalLM(config))
    assert found.slopes == pytest.approx([times * slope / 16**0.5 for slope in slopes(6)], rel=1e-3)


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

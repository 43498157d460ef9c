"""The blocks to take away, against `transformers`: its Llama attention, BLOOM's and MPT's bias, a Llama with ALiBi."""

import pytest
import torch

from alibi_viz import check_model
from alibi_viz.checkpoints.config import read
from alibi_viz.drop_in.drop_in import RopeAttention, alibi_slopes, rope_cos_sin
from tests.parity import published

SHAPE = {"hidden_size": 48, "num_attention_heads": 6, "num_key_value_heads": 2}
TOKENS = 21


def tiny_llama(**options):
    torch.manual_seed(0)
    sizes = {"vocab_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "pad_token_id": 0, "eos_token_id": None}
    return published.LlamaForCausalLM(
        published.LlamaConfig(**SHAPE, **sizes, max_position_embeddings=64, **options)
    ).eval()


@pytest.fixture(scope="module")
def alibi_llama(ours):
    return tiny_llama(**ours.ALIBI)


def prompt(batch=2):
    return torch.randint(1, 64, (batch, TOKENS), generator=torch.Generator().manual_seed(1))


def test_the_rope_block_is_llama_s():
    config = published.LlamaConfig(**SHAPE, attn_implementation="sdpa")
    theirs = published.LlamaAttention(config, layer_idx=0).eval()
    ours = RopeAttention(48, 6, 2).eval()
    ours.load_state_dict(theirs.state_dict(), strict=True)
    x, positions = torch.randn(2, TOKENS, 48), torch.arange(TOKENS)
    cos_sin = published.LlamaRotaryEmbedding(config)(x, positions[None])
    for own, other in zip(rope_cos_sin(positions, 8), cos_sin, strict=True):
        torch.testing.assert_close(own, other[0], atol=1e-6, rtol=0)
    expected = theirs(x, position_embeddings=cos_sin)[0]
    torch.testing.assert_close(ours(x, cos_sin)[0], expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("how", [{"use_cache": False}, {"cache_implementation": "static"}])
def test_generation_gives_the_same_text_with_every_cache(alibi_llama, how):
    options = {"max_new_tokens": 12, "do_sample": False, "attention_mask": torch.ones(2, TOKENS, dtype=torch.long)}
    expected = alibi_llama.generate(prompt(), **options)
    assert torch.equal(alibi_llama.generate(prompt(), **options, **how), expected)


def test_a_saved_model_needs_the_name_again(alibi_llama, tmp_path):
    alibi_llama.save_pretrained(tmp_path)
    expected = alibi_llama(prompt()).logits
    again = published.LlamaForCausalLM.from_pretrained(tmp_path, attn_implementation="alibi").eval()
    torch.testing.assert_close(again(prompt()).logits, expected)
    with pytest.raises(ValueError, match='load it with attn_implementation="alibi"'):
        published.LlamaForCausalLM.from_pretrained(tmp_path)
    found = read((tmp_path / "config.json").read_text())
    assert (found.method, found.rope_off, found.known) == ("alibi", True, True)
    assert list(found.slopes) == alibi_slopes(6)


def test_an_encoder_has_the_symmetric_bias(ours):
    """With padding and without, where transformers would make no mask at all. Read backwards, a text gives the same."""
    encoder = tiny_llama(is_causal=False, **ours.ALIBI).model
    tokens, mask = prompt(), torch.ones(2, TOKENS, dtype=torch.long)
    states = encoder(tokens).last_hidden_state
    torch.testing.assert_close(encoder(tokens.flip(1)).last_hidden_state.flip(1), states, atol=1e-5, rtol=0)
    mask[0, :7] = 0
    padded = encoder(tokens, attention_mask=mask).last_hidden_state
    torch.testing.assert_close(padded[1], states[1], atol=1e-5, rtol=0)
    torch.testing.assert_close(padded[:1, 7:], encoder(tokens[:1, 7:]).last_hidden_state, atol=1e-5, rtol=0)
    found = check_model(encoder, causal=False)
    assert (found.status, "symmetric" in found.kinds) == ("clean", True)


def test_a_mask_without_a_bias_is_refused(alibi_llama):
    """One that is ready, [B, 1, T, T], is taken by transformers as it is: ALiBi would be lost."""
    ready = torch.zeros(2, 1, TOKENS, TOKENS).masked_fill(torch.ones(TOKENS, TOKENS).triu(1).bool(), -torch.inf)
    with pytest.raises(ValueError, match="no ALiBi in the mask"):
        alibi_llama(prompt(), attention_mask=ready)


def test_a_config_gets_a_dictionary_of_its_own(ours):
    """Phi writes its share of rotated numbers into it."""
    published.PhiConfig(**ours.ALIBI)
    assert "partial_rotary_factor" not in published.LlamaConfig(**ours.ALIBI).rope_parameters


def test_rope_that_a_module_has_on_its_own_is_found(ours):
    model = tiny_llama(**ours.ALIBI)
    ours.check_positions(model)
    model.model.rotary_emb.inv_freq += 1
    with pytest.raises(ValueError, match=r"model\.rotary_emb\.inv_freq is not zero"):
        ours.check_positions(model)


@pytest.mark.parametrize("heads", [6, 8])
def test_alibi_bias_max_is_mpt_s(ours, heads, tmp_path):
    """Up to a constant a row, and after the config was saved and read."""
    assert [ours.alibi_slopes(n, 16) for n in range(1, 65)] == [alibi_slopes(n, 16) for n in range(1, 65)]
    theirs = published.build_mpt_alibi_tensor(heads, TOKENS, alibi_bias_max=16).view(heads, 1, TOKENS)
    shape = SHAPE | {"num_attention_heads": heads}
    published.LlamaConfig(**shape, alibi_bias_max=16, **ours.ALIBI).save_pretrained(tmp_path)
    config = published.LlamaConfig.from_pretrained(tmp_path)
    options = {"device": torch.device("cpu"), "dtype": torch.float32, "config": config}
    bias = ours.alibi_mask(1, TOKENS, TOKENS, **options)[0]
    shifted = theirs - theirs.expand(heads, TOKENS, TOKENS).diagonal(dim1=1, dim2=2)[..., None]
    torch.testing.assert_close(bias.tril(), shifted.tril(), atol=1e-5, rtol=1e-5)
    found = read((tmp_path / "config.json").read_text())
    assert list(found.slopes) == pytest.approx(alibi_slopes(heads, 16))

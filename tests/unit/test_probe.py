"""`check_model`: the right model is clean and stays as it was, an encoder is judged as one, and what is unseen is open."""

import copy

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import alibi_viz
from alibi_viz.drop_in.recipes import encoder_mask
from alibi_viz.results.trained import shipped

WIDTH, HEADS = 32, 8  # of the tiny model


class Decoder(nn.Module):
    """ALiBi in two layers. Eager attention, a cache, a padding mask. (Mistakes: tests/parity.)"""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.register_buffer("slopes", torch.tensor(alibi_viz.slopes(HEADS)), persistent=False)
        self.tokens, self.out = nn.Embedding(32, WIDTH), nn.Linear(WIDTH, 32)
        self.qkv = nn.ModuleList(nn.Linear(WIDTH, 3 * WIDTH) for _ in range(2))

    def forward(self, ids, padding_mask=None, past_key_values=None, use_cache=False):
        """ids int64 [B, T]; padding_mask bool [B, Tk], True = padding; the cache: (k, v) of each layer, [B, H, Tk, d]."""
        x, kept = self.tokens(ids), []
        for number, projection in enumerate(self.qkv):
            q, k, v = projection(F.layer_norm(x, (WIDTH,))).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
            if past_key_values:
                k, v = (torch.cat(pair, 2) for pair in zip(past_key_values[number], (k, v), strict=True))
            kept.append((k, v))
            weights = (q @ k.mT * q.shape[-1] ** -0.5 + self.bias(ids, k, padding_mask)).softmax(-1)
            x = x + (weights @ v).transpose(1, 2).flatten(2)
        return self.out(F.layer_norm(x, (WIDTH,))), kept if use_cache else None

    def bias(self, ids, k, padding_mask):
        keys = torch.arange(k.shape[2])
        queries = keys[-ids.shape[1] :]
        hidden = keys > queries[:, None]
        if padding_mask is not None:
            hidden = hidden | padding_mask[:, None, None] & (keys != queries[:, None])
        return (-self.slopes[:, None, None] * (queries[:, None] - keys)).masked_fill(hidden, -1e4)


def test_the_right_model_is_clean_and_all_of_it_was_seen():
    found = alibi_viz.check_model(Decoder())
    assert found.status == "clean"
    assert found.kinds == ("causal", "linear", "code", "padding_same", "cache_same", "long_same")
    assert found.slopes == pytest.approx(alibi_viz.slopes(HEADS), rel=1e-4)
    assert len(found.sentences) == len(found.kinds) + 1
    assert found.to_dict()["kinds"] == found.kinds


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("alibi", {"linear", "code"}),
        ("rope", {"rotated", "no_bias"}),
        ("t5", {"curved"}),
        ("sinusoidal", {"absolute", "no_bias"}),
        ("none", {"no_bias"}),
    ],
)
def test_the_shipped_models_are_what_they_are(name, kinds):
    found = alibi_viz.check_model(shipped(name))
    assert kinds | {"causal", "padding_untried"} <= {*found.kinds}
    assert found.status == ("clean" if name == "alibi" else "unknown")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_model_stays_as_it_was(dtype):
    model = Decoder().to(dtype).train()
    model.qkv[0].eval()
    before, modes = copy.deepcopy(model.state_dict()), [module.training for module in model.modules()]
    weights = [weight.data_ptr() for weight in model.parameters()]
    random = torch.get_rng_state()
    found = alibi_viz.check_model(model)
    assert torch.equal(torch.get_rng_state(), random)
    assert [module.training for module in model.modules()] == modes
    assert [weight.data_ptr() for weight in model.parameters()] == weights
    assert model.slopes.dtype == dtype
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, before[name])
    assert str(alibi_viz.check_model(model)) == str(found), "the same texts each time"


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(32, 8)

    def forward(self, ids):
        return self.tokens(ids).mean(1)


@pytest.mark.parametrize("model", [Pooled, lambda: nn.Linear(3, 3)])
def test_what_cannot_be_run_is_not_clean(model):
    """What is run and cannot be seen: tests/parity/test_gauntlet.py."""
    found = alibi_viz.check_model(model())
    assert (found.status, found.kinds) == ("unknown", ("not_run",))
    assert all(line.endswith(".") for line in found.sentences)


def test_an_encoder_is_judged_as_one():
    class Encoder(Decoder):
        def bias(self, ids, k, padding_mask):
            keys = torch.arange(k.shape[2])
            bias = -self.slopes[:, None, None] * (keys - keys[:, None]).abs()
            return bias if padding_mask is None else bias.masked_fill(padding_mask[:, None, None], -1e9)

    assert alibi_viz.check_model(Encoder(), causal=False).status == "clean"
    assert "no_mask" in alibi_viz.check_model(Encoder()).pitfalls
    decoder = alibi_viz.check_model(Decoder(), causal=False)
    assert ("later_hidden" in decoder.kinds, decoder.status) == (True, "pitfall")


class PytorchEncoder(nn.Module):
    """PyTorch's layer, with a mask [B·H, T, T] of numbers."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(32, WIDTH)
        self.layer = nn.TransformerEncoderLayer(WIDTH, HEADS, WIDTH, batch_first=True)

    def forward(self, ids):
        return self.layer(self.tokens(ids), encoder_mask(*ids.shape, torch.tensor(alibi_viz.slopes(HEADS))))


def test_a_layer_of_pytorch_is_seen_too_and_its_fast_path_is_not_taken_for_the_plain_one():
    """In evaluation it takes every number but 0 for “hide” (torch 2.13): each token then sees itself alone."""
    model, was = PytorchEncoder(), torch.backends.mha.get_fastpath_enabled()
    fast = alibi_viz.check_model(model, causal=False)
    assert (fast.status, "kernels_differ" in fast.kinds) == ("pitfall", True)
    assert torch.backends.mha.get_fastpath_enabled() == was, "as it was"
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        plain = alibi_viz.check_model(model, causal=False)
    finally:
        torch.backends.mha.set_fastpath_enabled(was)
    assert (plain.status, plain.slopes) == ("clean", pytest.approx(alibi_viz.slopes(HEADS), rel=1e-4))


@pytest.mark.parametrize("wrong", [None, "model", torch.zeros(3)])
def test_what_is_no_model_gets_one_sentence(wrong):
    with pytest.raises(ValueError, match=r"^A model is [^\n]*\.$"):
        alibi_viz.check_model(wrong)

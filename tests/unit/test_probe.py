"""`check_model`: each mistake that is planted in a small model is named; the right model is clean, and stays as it was."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import alibi_viz
from alibi_viz.drop_in.recipes import encoder_mask
from alibi_viz.pitfalls.identify import identify_slopes
from alibi_viz.results.trained import shipped

WIDTH, HEADS, TOKENS = 32, 8, 24  # of the tiny model
HEAD_DIM = WIDTH // HEADS


class Decoder(nn.Module):
    """ALiBi in two layers, or one mistake beside it. Eager attention, a cache, a padding mask."""

    def __init__(self, mistake: str = "", heads: int = HEADS, slopes: list[float] | None = None) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.mistake, self.heads = mistake, heads
        self.register_buffer("slopes", torch.tensor(slopes or alibi_viz.slopes(heads)), persistent=False)
        self.tokens, self.positions = nn.Embedding(32, WIDTH), nn.Embedding(512, WIDTH)
        self.qkv = nn.ModuleList(nn.Linear(WIDTH, 3 * WIDTH) for _ in range(2))
        self.out = nn.Linear(WIDTH, 32)

    def forward(self, ids, padding_mask=None, past_key_values=None, use_cache=False):
        """ids int64 [B, T]; padding_mask bool [B, Tk], True = padding; the cache: (k, v) of each layer, [B, H, Tk, d]."""
        x = self.tokens(ids)
        start = past_key_values[0][0].shape[2] if past_key_values else 0
        if self.mistake == "table":
            x = x + self.positions(torch.arange(start, start + ids.shape[1]))
        kept = []
        for number, projection in enumerate(self.qkv):
            q, k, v = projection(F.layer_norm(x, (WIDTH,))).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
            if self.mistake == "rope":
                q, k = self.rotated(q, start), self.rotated(k, start)
            if past_key_values:
                k, v = (torch.cat(pair, 2) for pair in zip(past_key_values[number], (k, v), strict=True))
            kept.append((k, v))
            weights = (q @ k.mT * q.shape[-1] ** -0.5 + self.bias(ids, k, padding_mask)).softmax(-1)
            x = x + (weights @ v).transpose(1, 2).flatten(2)
        return self.out(F.layer_norm(x, (WIDTH,))), kept if use_cache else None

    def rotated(self, x, start):
        angles = (torch.arange(x.shape[2]) + start)[:, None] * 10_000 ** -(
            torch.arange(0, x.shape[-1], 2) / x.shape[-1]
        )
        first, second = x.chunk(2, -1)
        return torch.cat(
            (first * angles.cos() - second * angles.sin(), second * angles.cos() + first * angles.sin()), -1
        )

    def bias(self, ids, k, padding_mask):
        keys = torch.arange(k.shape[2])
        queries = keys[-ids.shape[1] :]
        allowed = keys <= queries[:, None]
        if self.mistake == "cache":
            keys = (keys - k.shape[2] + ids.shape[1]).clamp(min=0)  # numbered from the chunk
        distance = (queries[:, None] - keys)[None].expand(len(ids), -1, -1)
        if (
            padding_mask is not None and self.mistake == "padding"
        ):  # the queries are counted without it, the keys with it
            distance = ((~padding_mask).cumsum(-1)[:, -ids.shape[1] :, None] - 1 - keys).abs()
        bias = -self.slopes[:, None, None] * distance[:, None]
        if self.mistake == "bfloat16":
            bias = (self.slopes[:, None, None].bfloat16() * keys).expand_as(bias).float()
        if self.mistake == "cache_mask" and len(queries) < len(keys):
            allowed = keys <= torch.arange(len(queries))[:, None]
        if self.mistake == "causal":
            allowed = allowed | True
        if padding_mask is not None:
            allowed = allowed & ~padding_mask[:, None, None] | (keys == queries[:, None])
        return bias.masked_fill(~allowed, -1e4)


#: What is planted: the model, the finding that names it, and the lesson.
PLANTED = {
    "sign flipped": (lambda: Decoder(slopes=[-m for m in alibi_viz.slopes(HEADS)]), "flipped", "sign"),
    "divided by sqrt(d)": (
        lambda: Decoder(slopes=[m / HEAD_DIM**0.5 for m in alibi_viz.slopes(8)]),
        "scaled_sqrt",
        "sqrt_d",
    ),
    "sorted": (lambda: Decoder(heads=4, slopes=sorted(alibi_viz.slopes(4))), "sorted", "slopes_sorted"),
    "another rule": (lambda: Decoder(heads=16, slopes=alibi_viz.slopes(16, "blog")), "blog", "slopes_blog"),
    "RoPE beside": (lambda: Decoder("rope"), "rotated", "beside_rope"),
    "a table beside": (lambda: Decoder("table"), "absolute", "left_padding"),  # padding moves a text to other rows
    "not causal": (lambda: Decoder("causal"), "not_causal", "no_mask"),
    "keys numbered from the chunk": (lambda: Decoder("cache"), "cache_differs", "cache_offset"),
    "a mask from the first key": (lambda: Decoder("cache_mask"), "cache_differs", "is_causal"),
    "padding counted": (lambda: Decoder("padding"), "padding_differs", "left_padding"),
    "keys in bfloat16": (lambda: Decoder("bfloat16"), "key_rounded", "key_bfloat16"),
}


def test_the_right_model_is_clean_and_all_of_it_was_seen():
    found = alibi_viz.check_model(Decoder())
    assert found.status == "clean"
    assert found.kinds == ("causal", "linear", "code", "padding_same", "cache_same", "long_same")
    assert found.slopes == pytest.approx(alibi_viz.slopes(HEADS), rel=1e-4)
    assert len(found.sentences) == len(found.kinds) + 1
    assert found.to_dict()["kinds"] == found.kinds


@pytest.mark.parametrize("name", PLANTED)
def test_each_mistake_that_is_planted_is_named(name):
    model, kind, pitfall = PLANTED[name]
    found = alibi_viz.check_model(model())
    assert found.status == "pitfall"
    assert kind in found.kinds
    assert found.pitfalls == (pitfall,), "and no other is seen in it"
    assert ("beside" in found.kinds) == ("beside" in name)


def test_beside_rope_and_a_table_the_slopes_are_still_those_of_the_bias():
    for mistake in ("rope", "table"):
        assert alibi_viz.check_model(Decoder(mistake)).slopes == pytest.approx(alibi_viz.slopes(HEADS), rel=1e-3)


def test_one_shard_of_the_slopes_is_not_clean():
    """Heads 9 to 16 of 32: what `check` says of them is said of the model."""
    shard = alibi_viz.slopes(32)[8:16]
    found, slopes = alibi_viz.check_model(Decoder(slopes=shard)), identify_slopes(shard)
    assert found.pitfalls == ("slopes_shards",)
    assert {finding.kind for finding in slopes.findings} - {"rounded"} <= {*found.kinds}
    assert found.slopes == pytest.approx(shard, rel=1e-3)


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


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
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


class Opaque(nn.Module):
    """Causal, but its weights come from no softmax that can be seen."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(32, 8)

    def forward(self, ids):
        return self.tokens(ids).cumsum(1) / torch.arange(1, ids.shape[1] + 1)[:, None]


class Pooled(Opaque):
    def forward(self, ids):
        return self.tokens(ids).mean(1)


@pytest.mark.parametrize(
    ("model", "kind"), [(Opaque, "unseen"), (Pooled, "not_run"), (lambda: nn.Linear(3, 3), "not_run")]
)
def test_what_cannot_be_seen_is_not_clean(model, kind):
    found = alibi_viz.check_model(model())
    assert (found.status, kind in found.kinds) == ("unknown", True)
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
    later = alibi_viz.check_model(Decoder("causal"), causal=False)  # -m (i - j) without a mask
    assert "later_rewarded" in later.kinds
    assert later.pitfalls == ("sign",)


class PytorchEncoder(nn.Module):
    """PyTorch's layer, with a mask [B·H, T, T] of numbers."""

    def __init__(self) -> None:
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

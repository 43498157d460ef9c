"""What a clean verdict is worth: a table of mistakes, each sent through every door that can show it; no “clean” passes."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from alibi_viz import certify, check, check_model
from alibi_viz.checkpoints import local
from alibi_viz.cli import main
from alibi_viz.rules import slopes
from tests.cases import slow

HEADS, WIDTH, VOCABULARY = 8, 32, 32
SLOPES = torch.tensor(slopes(HEADS))


def distances(queries, keys):
    return torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)


def right(bias, distance):
    """ALiBi: nothing is changed."""
    return bias


def hide(bias, where):
    return bias.masked_fill(where, -torch.inf)


def bias_of(queries, keys, change=right, per_head=SLOPES):
    """[H, Tq, Tk], −inf where a query may not attend; with what `change` makes of it."""
    distance = distances(queries, keys)
    return change(hide(-per_head[:, None, None] * distance, distance < 0), distance)


def attend(q, k, v, change=right, per_head=SLOPES):
    bias = bias_of(q.shape[2], k.shape[2], change, per_head.to(q.dtype))
    return (q @ k.mT / math.sqrt(q.shape[-1]) + bias).softmax(-1) @ v


class Model(nn.Module):
    """Two layers of attention over an embedding, and what else mixes tokens."""

    def __init__(self, attention, second=None, *, mix=None):
        super().__init__()
        torch.manual_seed(0)
        self.tokens, self.mix = nn.Embedding(VOCABULARY, WIDTH), mix
        self.attentions = [attention, second or attention]
        self.projections = nn.ModuleList(nn.Linear(WIDTH, 3 * WIDTH) for _ in self.attentions)

    def forward(self, ids):
        x = self.tokens(ids)
        for attention, projection in zip(self.attentions, self.projections, strict=True):
            parts = projection(F.layer_norm(x, (WIDTH,))).unflatten(-1, (3, -1, WIDTH // HEADS))
            output = attention(*parts.permute(2, 0, 3, 1, 4)).transpose(1, 2).flatten(2)
            x = x + output
            x = x + self.mix(x, output) if self.mix else x
        return x


@dataclass(frozen=True)
class Row:
    """A mistake. kinds: the findings that catch it."""

    name: str
    kinds: str
    doors: dict[str, Callable[[], object]]


def of_slopes(name, kinds, changed):
    """Another list: it is given as a list, in a bias, in an attention, and in a model of so many heads."""
    changed = torch.tensor(np.array(changed, dtype=np.float64)).float()
    doors = {"list": lambda: changed.tolist(), "bias": lambda: bias_of(64, 64, per_head=changed)}
    if len(changed) == HEADS:
        attention = partial(attend, per_head=changed)
        doors |= {"callable": lambda: (attention, {"tokens": 64}), "model": lambda: Model(attention)}
    return Row(name, kinds, doors)


def of_bias(name, kinds, change, tokens=64, model=True):
    attention = partial(attend, change=change)
    doors = {"bias": lambda: bias_of(tokens, tokens, change), "callable": lambda: (attention, {"tokens": tokens})}
    return Row(name, kinds, doors | ({"model": lambda: Model(attention)} if model else {}))


def of_attention(name, kinds, attention, model=False, **options):
    doors = {"callable": lambda: (attention, {"tokens": 64} | options)}
    return Row(name, kinds, doors | ({"model": lambda: Model(attention)} if model else {}))


def of_matrix(name, kinds, make):
    return Row(name, kinds, {"bias": make})


def of_model(name, kinds, *attentions, mix=None):
    return Row(name, kinds, {"model": lambda: Model(*attentions, mix=mix)})


def shown(change):
    """The change of what is not hidden."""
    return lambda bias, distance: torch.where(bias.isfinite(), change(bias, distance), bias)


def one_head(change, head=7):
    """The change in one head alone."""

    def changed(bias, distance):
        bias = bias.clone()
        bias[head] = change(bias, distance)[head]
        return bias

    return changed


def cell(value, query, key):
    def changed(bias, distance):
        bias = bias.clone()
        bias[:, query, key] = value
        return bias

    return changed


def flipped(bias, _):
    return -bias


def random_mask(bias, distance):
    gone = torch.rand(distance.shape, generator=torch.Generator().manual_seed(0)) < 0.3
    return hide(bias, gone & (distance > 0))


def symmetric(bias, distance):
    return -SLOPES[:, None, None] * distance.abs()


def leak(tokens):
    return lambda bias, distance: hide(-SLOPES[:, None, None] * distance, distance < -tokens)


def first_keys(distance):
    return torch.arange(distance.shape[1])


def prefix(bias, distance):
    return torch.where(first_keys(distance) < 4, symmetric(bias, distance), bias)


def documents(bias, distance):
    key = first_keys(distance)
    query = distance + key
    return hide(bias, query // 16 != key // 16)


def rows_of_key(bias, distance):
    """m × key, in bfloat16."""
    row = (SLOPES[:, None] * first_keys(distance)).bfloat16().float()[:, None].expand_as(bias)
    return hide(row, distance < 0)


def rescaled(bias, distance):
    return bias * (0.5 if distance.shape[1] > 128 else 1)


def counted_from_zero(bias, distance):
    """Queries beside a cache are numbered from 0; the mask is right."""
    from_zero = distance - distance[0, 0]
    return hide(-SLOPES[:, None, None] * from_zero.abs(), distance < 0)


def masked_from_zero(bias, distance):
    return hide(-SLOPES[:, None, None] * distance, distance < distance[0, 0])


def scores_of(q, k):
    return q @ k.mT / math.sqrt(q.shape[-1])


def with_bias(q, k):
    return scores_of(q, k) + bias_of(q.shape[2], k.shape[2])


def rotated(x):
    angles = torch.arange(x.shape[2])[:, None] * 10_000 ** -(torch.arange(0, x.shape[-1], 2) / x.shape[-1])
    first, second = x[..., ::2], x[..., 1::2]
    turned = (first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos())
    return torch.stack(turned, -1).flatten(-2)


def one_text(q, k, v):
    bias = bias_of(q.shape[2], k.shape[2]).repeat(len(q), 1, 1, 1)
    bias[-1] = shown(flipped)(bias[-1], None)
    return (scores_of(q, k) + bias).softmax(-1) @ v


def folded(q, k, v):
    """The rows of the bias [B·H, Tq, Tk] are those of a head for all texts, the rows of the scores those of a text."""
    bias = bias_of(q.shape[2], k.shape[2]).repeat_interleave(len(q), 0)
    return (scores_of(q, k) + bias.view(len(q), HEADS, *bias.shape[1:])).softmax(-1) @ v


def masked_afterwards(q, k, v):
    distance = distances(q.shape[2], k.shape[2])
    weights = (scores_of(q, k) - SLOPES[:, None, None] * distance.abs()).softmax(-1)
    return weights.masked_fill(distance < 0, 0) @ v


def tiled(q, k, v):
    return attend(q, k.repeat(1, q.shape[1] // k.shape[1], 1, 1), v.repeat(1, q.shape[1] // v.shape[1], 1, 1))


def spread(k, groups=2):
    """Keys or values of a few heads, each for several heads in a row."""
    return k[:, :groups].repeat_interleave(k.shape[1] // groups, 1)


def by_turns(k, groups=2):
    return k[:, :groups].repeat(1, k.shape[1] // groups, 1, 1)


def in_place_of_scores(change):
    """The change of the content scores alone."""

    def attention(q, k, v):
        return (change(scores_of(q, k)) + bias_of(q.shape[2], k.shape[2])).softmax(-1) @ v

    return attention


def without_a_product(q, k, v):
    """Right, but for who looks for a matrix product."""
    scores = (q[:, :, :, None] * k[:, :, None]).sum(-1) / math.sqrt(q.shape[-1])
    return (scores + bias_of(q.shape[2], k.shape[2])).softmax(-1) @ v


def gated_by_values(q, k, v):
    bias = bias_of(q.shape[2], k.shape[2])
    return (scores_of(q, k) + bias * (1 + v.abs().mean())).softmax(-1) @ v


def scaled_values(q, k, v):
    return attend(q, k, v * 1.01 ** torch.arange(v.shape[2])[:, None])


def noisy(q, k, v):
    noise = 0.1 * torch.rand(*q.shape[:3], k.shape[2])
    return (with_bias(q, k) + noise).softmax(-1) @ v


def sparse(q, k, v):
    """Each query keeps its eight largest scores."""
    scores = with_bias(q, k)
    return hide(scores, scores < scores.topk(min(8, k.shape[2])).values[..., -1:]).softmax(-1) @ v


def narrow(width, head=None):
    def change(bias, distance):
        return hide(bias, distance >= width)

    return change if head is None else one_head(change, head)


def unseen(q, k, v, change=right):
    """No softmax that could be looked into."""
    weights = (scores_of(q, k) + bias_of(q.shape[2], k.shape[2], change)).exp()
    return weights / weights.sum(-1, keepdim=True) @ v


def mean_before(x, output):
    return x.cumsum(1) / torch.arange(1, x.shape[1] + 1)[:, None]


def mean_after(x, output):
    return mean_before(x.flip(1), output).flip(1)


TWELVE, NUMBERS = np.array(slopes(12)), np.arange(1, HEADS + 1)
EIGHT = np.array(slopes(HEADS))
ROWS = [
    # Rules of slopes
    of_slopes("the paper's sentence", "sentence", slopes(12, "sentence")),
    of_slopes("2^-h for 16 heads", "readings", slopes(16, "blog")),
    of_slopes("sorted", "sorted", np.sort(EIGHT)),
    of_slopes("sorted, not a power of two", "sorted", np.sort(TWELVE)[::-1]),
    of_slopes("anew on two devices", "anew", np.tile(slopes(4), 2)),
    of_slopes("one shard", "shard", slopes(32)[8:16]),
    of_slopes("the first shard", "readings", slopes(32)[:8]),
    of_slopes("the first six of eight", "readings", EIGHT[:6]),
    of_slopes("sign flipped", "flipped", -EIGHT),
    of_slopes("one sign flipped", "unknown", EIGHT * np.where(NUMBERS == 3, -1, 1)),
    of_slopes("divided by √64", "scaled", EIGHT / 8),
    of_slopes("a quarter", "scaled", EIGHT / 4),
    of_slopes("0.4 % more", "scaled", EIGHT * 1.004),
    of_slopes("e^-h", "undeclared_top other_top", np.exp(-NUMBERS)),
    of_slopes("10^-h", "undeclared_top some_without", 10.0**-NUMBERS),
    of_slopes("another base, as NTK scaling has it", "undeclared_top other_top", 2.0 ** (-NUMBERS * 0.83)),
    of_slopes("exponents from 0", "scaled", 2.0 ** -(NUMBERS - 1)),
    of_slopes("the largest exponent 6", "undeclared_top other_top", slopes(HEADS, max_bias=6)),
    of_slopes("two heads swapped", "unknown", EIGHT[[0, 1, 3, 2, 4, 5, 6, 7]]),
    of_slopes("another order of heads", "sorted", EIGHT[::-1]),
    of_slopes("one head twice as steep", "unknown", EIGHT * np.where(NUMBERS == 5, 2, 1)),
    of_slopes("one head without a bias", "some_without", np.where(NUMBERS == 8, 0, EIGHT)),
    of_slopes("no bias", "zero constant no_bias", np.zeros(HEADS)),
    # One head, masks, windows
    of_bias("one head symmetric", "masks_differ", one_head(symmetric)),
    of_bias(
        "one head whose future is 0", "other_form", one_head(lambda bias, distance: torch.where(distance < 0, 0, bias))
    ),
    of_bias(
        "four heads hide the past",
        "masks_differ",
        lambda bias, distance: torch.cat((bias[:4], hide(bias, distance > 0)[4:])),
    ),
    of_bias("one head's window", "masks_differ", narrow(20, head=2)),
    of_bias("a leak of one token", "leaks", leak(1)),
    of_bias("a leak of three tokens", "leaks", leak(3)),
    of_attention("no mask", "unmasked not_causal", partial(attend, change=leak(4096)), model=True),
    of_matrix("no mask, where it is declared", "unmasked", lambda: (bias_of(64, 64, leak(4096)), {"causal": True})),
    of_bias("a random mask", "other_mask", random_mask),
    of_bias(
        "a token does not see itself",
        "other_mask",
        lambda bias, distance: hide(bias, (distance < 1) & (distance + first_keys(distance) > 0)),
    ),
    of_bias("a window of 8", "other_window", narrow(8)),
    of_bias("a window of 200", "other_window", narrow(200), tokens=256),
    of_bias("a prefix", "other_mask", prefix),
    of_bias("documents", "other_mask", documents),
    of_bias(
        "the first key hidden",
        "other_mask",
        lambda bias, distance: hide(bias, (first_keys(distance) == 0) & (distance > 0)),
    ),
    of_bias("one key shown", "other_mask", cell(0.0, 3, 9)),
    of_bias("one key hidden", "other_mask", cell(-torch.inf, 30, 9)),
    of_bias("hidden by -5", "unknown_matrix not_causal", lambda bias, distance: torch.where(distance < 0, -5, bias)),
    # Forms
    of_bias("one cell", "unknown_matrix curved", cell(-3.0, 30, 9)),
    of_bias("clamped at -10", "other_form", shown(lambda bias, _: bias.clamp(min=-10))),
    of_bias("clamped at -40", "other_form", shown(lambda bias, _: bias.clamp(min=-40)), tokens=256),
    of_bias(
        "logarithmic",
        "unknown_matrix curved",
        shown(lambda _, distance: -SLOPES[:, None, None] * (1 + distance.clamp(min=0)).log()),
    ),
    of_bias("quadratic", "unknown_matrix curved", shown(lambda bias, distance: bias * distance.abs() / 9)),
    of_bias(
        "one head logarithmic",
        "other_form",
        one_head(shown(lambda bias, distance: -(1 + distance.clamp(min=0)).log().expand_as(bias) / 256)),
    ),
    of_bias("slopes halved beyond 128", "scaled", rescaled, tokens=256),
    of_bias("m × key in bfloat16", "rounded_weights unknown_matrix", rows_of_key, tokens=320, model=False),
    of_model("m × key in bfloat16, in a model", "key_rounded", partial(attend, change=rows_of_key)),
    of_bias("added twice", "scaled", lambda bias, distance: 2 * bias),
    # Texts, caches, folds
    of_matrix("one list over two texts", "anew", lambda: bias_of(64, 64).repeat(2, 1, 1)),
    of_matrix("rows of two texts or two devices", "anew", lambda: bias_of(1, 64).repeat(2, 1, 1)),
    of_matrix("transposed", "transposed", lambda: bias_of(64, 64).mT),
    of_matrix(
        "one text of a batch", "flipped", lambda: torch.stack((bias_of(64, 64), bias_of(64, 64, shown(flipped))))
    ),
    of_attention("one text flipped", "flipped", one_text, model=True),
    of_attention("folded the wrong way", "unknown", folded, model=True),
    of_matrix("queries from 0, beside a cache", "offset_symmetric", lambda: bias_of(5, 64, counted_from_zero)),
    of_matrix("a mask from 0, beside a cache", "mask_first", lambda: bias_of(5, 64, masked_from_zero)),
    of_attention("queries from 0 beside a cache", "offset_symmetric", partial(attend, change=counted_from_zero)),
    of_attention("a mask from 0 beside a cache", "mask_first", partial(attend, change=masked_from_zero)),
    # What else an attention can do
    of_attention(
        "bias divided with the product",
        "content_scaled",
        lambda q, k, v: (with_bias(q, k) / q.shape[-1] ** 0.5).softmax(-1) @ v,
        model=True,
    ),
    of_attention(
        "softmax over queries", "unknown_matrix not_causal", lambda q, k, v: with_bias(q, k).softmax(-2) @ v, model=True
    ),
    of_attention("masked after the softmax", "sums not_causal", masked_afterwards, model=True),
    of_attention("RoPE inside", "unknown_matrix beside", lambda q, k, v: attend(rotated(q), rotated(k), v), model=True),
    of_attention("groups in another order", "values_change", tiled, kv_heads=2),
    of_attention(
        "no content",
        "scaled content_unseen",
        lambda q, k, v: bias_of(q.shape[2], k.shape[2]).softmax(-1).expand(len(q), -1, -1, -1) @ v,
        model=True,
    ),
    of_attention(
        "content divided by d", "content_scaled", lambda q, k, v: attend(q / q.shape[-1] ** 0.5, k, v), model=True
    ),
    of_attention(
        "content not divided by √d", "content_scaled", lambda q, k, v: attend(q * q.shape[-1] ** 0.5, k, v), model=True
    ),
    of_attention("content with the other sign", "content_scaled", lambda q, k, v: attend(-q, k, v), model=True),
    of_model(
        "SDPA with another scale",
        "content_scaled",
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, bias_of(q.shape[2], k.shape[2]), scale=0.1),
    ),
    of_attention("negative content put out", "content_unknown", in_place_of_scores(F.relu), model=True),
    of_attention(
        "a cap over content and bias",
        "content_unknown",
        lambda q, k, v: (
            hide(30 * (with_bias(q, k).clamp(min=-1e9) / 30).tanh(), distances(q.shape[2], k.shape[2]) < 0)
            .softmax(-1)
            .matmul(v)
        ),
        model=True,
    ),
    of_model("queries bent behind their projection", "scale_unknown", lambda q, k, v: attend(q + q**2, k, v)),
    of_model("content that cannot be seen", "content_unseen", without_a_product),
    of_model("groups in another order", "group_order", lambda q, k, v: attend(q, by_turns(k), by_turns(v))),
    of_model("values in another order than keys", "group_order", lambda q, k, v: attend(q, spread(k), by_turns(v))),
    of_attention("keys for values", "unknown_matrix", lambda q, k, v: attend(q, v, k)),
    of_attention("a gate read from values", "scaled", gated_by_values, model=True),
    of_attention("values scaled by position", "unknown beside", scaled_values, model=True),
    of_attention(
        "a bias that grows with content",
        "content_unknown",
        lambda q, k, v: (
            (scores_of(q, k) + bias_of(q.shape[2], k.shape[2]) * (1 + scores_of(q, k).abs().mean())).softmax(-1) @ v
        ),
        model=True,
    ),
    of_attention("noise", "unknown_matrix curved", noisy, model=True),
    of_attention("the eight largest scores", "content_unknown other_window", sparse, model=True),
    of_attention(
        "the mean of all values beside it",
        "unknown_matrix not_causal",
        lambda q, k, v: attend(q, k, v) + v.mean(2, keepdim=True).repeat(1, q.shape[1] // v.shape[1], 1, 1),
        model=True,
    ),
    of_attention("one head's window of 176", "masks_differ", partial(attend, change=narrow(176, head=0)), tokens=256),
    # What a model can hide
    of_model("an unseen second layer, sign flipped", "unseen_mixing", attend, partial(unseen, change=shown(flipped))),
    of_model("an unseen layer alone", "unseen", unseen),
    of_model("a mean of earlier tokens", "unseen_mixing", attend, mix=mean_before),
    of_model("a mean of later tokens", "not_causal", attend, mix=mean_after),
    of_model(
        "mixing that a seen attention gates",
        "unseen_mixing",
        attend,
        mix=lambda x, output: output * mean_before(x, output),
    ),
    of_model(
        "another bias in the second layer", "layers_differ", attend, partial(attend, change=lambda bias, _: 2 * bias)
    ),
    of_model("a window in the second layer", "layers_differ", attend, partial(attend, change=narrow(8))),
]


@pytest.fixture
def judged(monkeypatch, tmp_path, capsys):
    """What is said of a value by its door, with the exit status: of a callable by `certify`, else on the command line."""

    def judge(door, value):
        value, options = value if isinstance(value, tuple) else (value, {})
        if door == "callable":
            found = certify(value, HEADS, **options).to_dict()
            return found | {"exit": int(found["status"] != "clean")}
        if door == "model":
            monkeypatch.setattr(local, "open_folder", lambda folder: value)
            arguments = ["--model", str(tmp_path)]
        elif door == "list":
            (tmp_path / "slopes.txt").write_text(str(value))
            arguments = [str(tmp_path / "slopes.txt")]
        else:
            np.save(tmp_path / "bias.npy", value.numpy())
            arguments = [str(tmp_path / "bias.npy")]
        status = main(["check", *arguments, *(f"--{name}" for name in options), "--json"])
        return json.loads(capsys.readouterr().out) | {"exit": status}

    return judge


CASES = [pytest.param(row, door, id=f"{row.name}: {door}") for row in ROWS for door in row.doors]


def test_what_is_right_is_clean_at_every_door(judged):
    for door, value in (
        ("list", slopes(HEADS)),
        ("bias", bias_of(256, 256)),
        ("bias", (bias_of(5, 256), {"causal": True})),
        ("callable", (attend, {"tokens": 256})),
        ("model", Model(attend)),
    ):
        found = judged(door, value)
        assert (found["status"], found["exit"]) == ("clean", 0), door


@pytest.mark.parametrize(("row", "door"), CASES)
def test_no_mistake_is_clean(row, door, judged):
    found = judged(door, row.doors[door]())
    assert found["status"] != "clean"
    assert found["exit"] == 1
    assert all(line[-1] in ".:" for line in found["sentences"])
    assert {*row.kinds.split()} & {*found["kinds"]}


def test_a_prefix_and_documents_are_right_where_they_are_declared():
    for change in (prefix, documents):
        bias = bias_of(64, 64, change)
        allowed = bias[0].isfinite()
        assert check(bias, mask=allowed).status == "clean"
        assert check(bias, mask=allowed.roll(1, 1)).status == "pitfall"
        assert certify(partial(attend, change=change), HEADS, mask=allowed).status == "clean"


def test_a_window_is_right_where_it_is_declared():
    for width, tokens in ((8, 64), (200, 256)):
        change = narrow(width)
        assert check(bias_of(tokens, tokens, change), window=width).status == "clean"
        assert check(bias_of(tokens, tokens, change), window=width + 1).status == "pitfall"
        assert check(bias_of(tokens, tokens), window=width).status == "pitfall"
        assert certify(partial(attend, change=change), HEADS, tokens=tokens, window=width).status == "clean"
        assert check_model(Model(partial(attend, change=change)), window=width).status == "clean"
        assert check_model(Model(attend), window=width).status == "pitfall"


def test_layers_may_have_windows_of_their_own():
    model = Model(attend, partial(attend, change=narrow(8)))
    assert check_model(model, window=[None, 8]).status == "clean"
    for wrong in ([8, None], [8, 8], [None], [None, 8, 8]):
        assert check_model(model, window=wrong).status == "pitfall"


def sdpa(q, k, v):
    bias = bias_of(q.shape[2], k.shape[2]).to(q.dtype)
    return F.scaled_dot_product_attention(q, k, v, bias, enable_gqa=q.shape[1] != k.shape[1])


def test_what_certify_says_of_a_right_attention():
    """Those of published models are in test_probe.py and test_drop_in.py."""
    found = certify(sdpa, HEADS, kv_heads=2)
    assert (found.status, found.pitfalls) == ("clean", ()), found
    assert found.slopes == pytest.approx(slopes(HEADS), rel=1e-5)
    assert {"distance", "causal", "code", "tried"} <= {*found.kinds}
    assert not {"not_shown", "sink", "normalised"} & {*found.kinds}


@pytest.mark.parametrize("dtype", [torch.bfloat16, slow(torch.float16), slow(torch.float64)])
@pytest.mark.parametrize("attention", [sdpa, attend])
def test_other_number_formats(attention, dtype):
    found = certify(attention, HEADS, dtype=dtype)
    assert found.status == "clean", found
    assert str(dtype)[6:] in found.findings[-2].numbers.values()


def test_what_is_declared_is_what_is_compared():
    assert certify(sdpa, HEADS, max_bias=16).status == "pitfall"
    assert certify(sdpa, HEADS, causal=False).status == "pitfall"
    encoder = certify(partial(attend, change=symmetric), HEADS, causal=False)
    assert (encoder.status, encoder.kinds[0]) == ("clean", "symmetric")


def test_normalised_queries_sinks_and_caps_are_correct():
    def unit(x):
        return x / x.norm(dim=-1, keepdim=True) * x.shape[-1] ** 0.5

    def with_sink(q, k, v):
        return F.pad(with_bias(q, k), (0, 1), value=0.5).softmax(-1)[..., :-1] @ v

    def with_cap(cap, q, k, v):
        return (cap * torch.tanh(scores_of(q, k) / cap) + bias_of(q.shape[2], k.shape[2])).softmax(-1) @ v

    normalised = certify(lambda q, k, v: attend(unit(q), unit(k), v), HEADS)
    assert (normalised.status, "normalised" in normalised.kinds) == ("clean", True)
    assert {"tokens": 160}.items() <= normalised.findings[-2].numbers.items(), "as far as float32 shows its weights"
    sink = certify(with_sink, HEADS)
    assert (sink.status, "sink" in sink.kinds) == ("clean", True)
    for cap in (20, 50):
        found = certify(partial(with_cap, cap), HEADS)
        (capped,) = (finding for finding in found.findings if finding.kind == "capped")
        assert (found.status, capped.numbers) == ("clean", {"cap": pytest.approx(cap, rel=1e-3)})


def test_what_cannot_be_run_or_seen_is_unknown():
    def fails(q, k, v):
        raise RuntimeError("no kernel")

    assert certify(fails, HEADS).kinds == ("attention_fails",)
    assert certify(lambda q, k, v: v.mean(), HEADS).status == "unknown"
    assert certify(lambda q, k, v: sdpa(q, k, v) * torch.nan, HEADS).status == "unknown"
    for wrong in ({"heads": 0}, {"kv_heads": 3}, {"mask": torch.zeros(4, 4)}, {"window": 0}):
        with pytest.raises(ValueError, match=r"^[^\n]+\.$"):
            certify(sdpa, **{"heads": HEADS} | wrong)


def test_a_square_attention_says_that_it_was_not_tried_beside_a_cache():
    fixed = bias_of(256, 256)
    found = certify(lambda q, k, v: (scores_of(q, k) + fixed).softmax(-1) @ v, HEADS)
    assert (found.status, found.kinds[-1]) == ("clean", "few_untried")

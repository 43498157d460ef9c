"""`certify`: what it says of right attentions, of a declaration, and of what it cannot see."""

import math

import pytest
import torch
from torch.nn import functional as F

from alibi_viz import bias, certify
from alibi_viz.rules import slopes
from tests.cases import slow

HEADS, WIDTH = 8, 64


def causal_bias(q, k, heads=HEADS):
    """[H, Tq, Tk], −inf where a query may not attend; the last query is the last key."""
    allowed = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(k.shape[2] - q.shape[2])
    return bias(heads, *allowed.shape).masked_fill(~allowed, -torch.inf).to(q.dtype)


def sdpa(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, causal_bias(q, k), enable_gqa=q.shape[1] != k.shape[1])


def by_hand(q, k, v, change=lambda scores: scores):
    return change(q @ k.mT / math.sqrt(q.shape[-1]) + causal_bias(q, k)).softmax(-1) @ v


@pytest.mark.parametrize(("attention", "kv_heads"), [(sdpa, 2), (by_hand, HEADS)])
def test_what_is_right_is_clean(attention, kv_heads):
    """Those of published models are in test_probe.py and test_drop_in_families.py."""
    found = certify(attention, HEADS, kv_heads=kv_heads)
    assert (found.status, found.pitfalls) == ("clean", ()), found
    assert found.slopes == pytest.approx(slopes(HEADS), rel=1e-5)
    assert {"distance", "causal", "code", "tried"} <= {*found.kinds}
    assert not {"not_shown", "sink", "normalised"} & {*found.kinds}


@pytest.mark.parametrize("dtype", [torch.bfloat16, slow(torch.float16), slow(torch.float64)])
@pytest.mark.parametrize("attention", [sdpa, by_hand])
def test_other_number_formats(attention, dtype):
    found = certify(attention, HEADS, dtype=dtype)
    assert found.status == "clean", found
    assert str(dtype)[6:] in found.findings[-2].numbers.values()


def test_what_is_declared_is_what_is_compared():
    assert certify(sdpa, HEADS, max_bias=16).status == "pitfall"
    assert certify(sdpa, HEADS, causal=False).status == "pitfall"
    encoder = certify(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, bias(HEADS, q.shape[2], k.shape[2], form="symmetric")),
        HEADS,
        causal=False,
    )
    assert (encoder.status, encoder.kinds[0]) == ("clean", "symmetric")


def test_normalised_queries_sinks_and_caps_are_correct():
    def unit(x):
        return x / x.norm(dim=-1, keepdim=True) * WIDTH**0.5

    def with_sink(q, k, v):
        scores = q @ k.mT / math.sqrt(WIDTH) + causal_bias(q, k)
        return F.pad(scores, (0, 1), value=0.5).softmax(-1)[..., :-1] @ v

    normalised = certify(lambda q, k, v: by_hand(unit(q), unit(k), v), HEADS)
    assert (normalised.status, "normalised" in normalised.kinds) == ("clean", True)
    assert {"tokens": 160}.items() <= normalised.findings[-2].numbers.items(), "as far as float32 shows its weights"
    sink = certify(with_sink, HEADS)
    assert (sink.status, "sink" in sink.kinds) == ("clean", True)
    for cap in (20, 50):
        found = certify(
            lambda q, k, v, cap=cap: (
                (cap * torch.tanh(q @ k.mT / WIDTH**0.5 / cap) + causal_bias(q, k)).softmax(-1) @ v
            ),
            HEADS,
        )
        (capped,) = (finding for finding in found.findings if finding.kind == "capped")
        assert (found.status, capped.numbers) == ("clean", {"cap": pytest.approx(cap, rel=1e-3)})


def test_what_cannot_be_run_or_seen_is_unknown():
    def fails(q, k, v):
        raise RuntimeError("no kernel")

    assert certify(fails, HEADS).kinds == ("attention_fails",)
    assert certify(lambda q, k, v: v.mean(), HEADS).status == "unknown"
    assert certify(lambda q, k, v: sdpa(q, k, v) * torch.nan, HEADS).status == "unknown"
    for wrong in (
        {"heads": 0},
        {"heads": 8, "kv_heads": 3},
        {"heads": 8, "mask": torch.zeros(4, 4)},
        {"heads": 8, "window": 0},
    ):
        with pytest.raises(ValueError, match=r"^[^\n]+\.$"):
            certify(sdpa, **wrong)


def test_a_square_attention_says_that_it_was_not_tried_beside_a_cache():
    fixed = causal_bias(torch.zeros(1, 1, 256, 1), torch.zeros(1, 1, 256, 1))
    found = certify(lambda q, k, v: (q @ k.mT / 8 + fixed).softmax(-1) @ v, HEADS)
    assert (found.status, found.kinds[-1]) == ("clean", "few_untried")

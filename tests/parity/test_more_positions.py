"""RoPE scaling and Inkling's bias against transformers; KERPLE, Sandwich, FIRE and FoX against loops written from their
papers' formulas."""

import math
from collections.abc import Callable, Sequence
from itertools import product

import pytest
import torch
from torch import Tensor

from alibi_viz.positions import build
from alibi_viz.positions.rotary import scaled_inv_freq
from tests.parity import published
from tests.parity.recorder import agree

ORIGINAL = 128
SCALED = ("linear", "dynamic", "yarn", "llama3")


def config(scaling: str, factor: float, base: float, head_dim: int, original: int = ORIGINAL) -> published.LlamaConfig:
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


# ---- biases from their formulas, one cell at a time


PLACES = [0, 1, 2, 7, 40, 511, 512, 513, 3000]


def cells(method: torch.nn.Module) -> Tensor:
    """Its bias at PLACES, [H, n, n]."""
    places = torch.tensor(PLACES)
    return method.score_bias(places, places)


def follows(bias: Tensor, places: Sequence[int], formula: Callable[[int, int, int], float], *, future: bool) -> None:
    """Every cell of [H, n, n] is formula(h, i, j) for query i and key j. future: of later keys too."""
    for h, rows in enumerate(bias.tolist()):
        for i, row in zip(places, rows, strict=True):
            for j, value in zip(places, row, strict=True):
                assert (j > i and not future) or value == pytest.approx(formula(h, i, j), rel=1e-4, abs=1e-5), (h, i, j)


@pytest.mark.parametrize("heads", [1, 3, 8])
@pytest.mark.parametrize("name", ["kerple", "kerple_power"])
def test_kerple_is_its_formula_within_its_bounds_and_has_a_gradient_at_them(name: str, heads: int) -> None:
    method = build(name, heads=heads, head_dim=8)
    with torch.no_grad():
        method.p.copy_(torch.linspace(-1, 3, heads))
        method.a.copy_(torch.linspace(2, -1, heads))
    ps, scales = (parameter.clamp(min=0.01).tolist() for parameter in (method.p, method.a))

    def formula(h: int, i: int, j: int) -> float:
        p, a, far = ps[h], scales[h], abs(i - j)
        return float(-p * math.log(1 + a * far) if name == "kerple" else -a * far ** min(p, 2))

    bias = cells(method)
    follows(bias, PLACES, formula, future=True)
    bias.sum().backward()
    assert (method.p.grad != 0).all()
    assert (method.a.grad != 0).all()


@pytest.mark.parametrize(("heads", "width"), [(1, 8), (3, 24), (8, 64), (4, 7)])
def test_sandwich_is_its_formula_however_it_is_asked(heads: int, width: int) -> None:
    """Near distances come from a table, scattered ones are computed."""

    def formula(h: int, i: int, j: int) -> float:
        total = sum(math.cos((i - j) / 10_000 ** (2 * pair / width)) for pair in range(1, width // 2 + 1))
        return (total - width // 2) / (8 * (h + 1) / heads)

    method = build("sandwich", heads=heads, head_dim=8, width=width)
    for places in (torch.tensor(PLACES), torch.arange(40)):
        follows(method.score_bias(places, places), places.tolist(), formula, future=True)


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("multiplier", [1.0, -0.02, 0.5])
@torch.no_grad()
def test_fire_is_its_formula(heads: int, multiplier: float) -> None:
    torch.manual_seed(5)
    method = build("fire", heads=heads, head_dim=8)
    method.multiplier.fill_(multiplier)
    method.c.fill_(-0.3)
    w1, b1, w2, b2 = (x.tolist() for part in (method.first, method.second) for x in (part.weight, part.bias))

    def formula(h: int, i: int, j: int) -> float:
        psi_d, psi_i = (math.log(0.3 * x + 1) for x in (i - j, max(abs(multiplier * 512), i)))
        hidden = [max(w[0] * psi_d / (psi_i + 1e-6) + b, 0.0) for w, b in zip(w1, b1, strict=True)]
        return float(sum(w * y for w, y in zip(w2[h], hidden, strict=True)) + b2[h])

    follows(cells(method), PLACES, formula, future=False)


@pytest.mark.parametrize("heads", [1, 3])
@torch.no_grad()
def test_fox_is_its_formula(heads: int) -> None:
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
def test_inkling_s_bias_is_that_of_transformers(heads: int, seen: int) -> None:
    """For a whole text, and for the last tokens of one, whose keys are cached."""
    torch.manual_seed(5)
    method, x = build("inkling", heads=heads, head_dim=8, d_rel=4, rel_extent=6), torch.randn(2, 11, 8 * heads)
    theirs = published.InklingRelativeLogits(4, 6)
    theirs.proj.data = torch.randn(4, 6)
    method.proj.data = theirs.proj.data
    states = method.r_proj(x[:, seen:]).view(2, 11 - seen, heads, 4)  # as InklingAttention makes them
    queries, keys = torch.arange(seen, 11), torch.arange(11)
    agree("inkling_bias", method.given(x[:, seen:]).score_bias(queries, keys), theirs(states, queries, keys))

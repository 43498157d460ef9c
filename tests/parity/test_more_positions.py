"""RoPE scaling and Inkling's bias against transformers; KERPLE, Sandwich, FIRE and FoX against loops written from their
papers' formulas."""

from __future__ import annotations

import math
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


@pytest.mark.parametrize("scaling", SCALED)
@pytest.mark.parametrize("tokens", [40, 300])
def test_scaled_rotation_is_that_of_llama(scaling: str, tokens: int) -> None:
    """Queries and keys after rotation, attention factor included."""
    generator = torch.Generator().manual_seed(3)
    q, k = torch.randn(2, 1, 2, tokens, 32, generator=generator)
    positions = torch.arange(tokens)
    rotary = published.LlamaRotaryEmbedding(config(scaling, 4.0, 10_000.0, 32))
    theirs = published.apply_rotary_pos_emb(q, k, *rotary(q, positions[None]))
    method = build("rope", heads=2, head_dim=32, scaling=scaling, factor=4.0, original_length=ORIGINAL)
    for ours, expected in zip(method.rotate(q, k, positions, positions), theirs, strict=True):
        assert torch.allclose(ours, expected, atol=2e-4)


# ---- biases from their formulas, one cell at a time


def cells(method: torch.nn.Module) -> Tensor:
    """Its bias at PLACES, [H, n, n]."""
    places = torch.tensor(PLACES)
    return method.score_bias(places, places)


PLACES = [0, 1, 2, 7, 40, 511, 512, 513, 3000]


@pytest.mark.parametrize("heads", [1, 3, 8])
@pytest.mark.parametrize("name", ["kerple", "kerple_power"])
def test_kerple_is_its_formula_within_its_bounds_and_has_a_gradient_at_them(name: str, heads: int) -> None:
    method = build(name, heads=heads, head_dim=8)
    with torch.no_grad():
        method.p.copy_(torch.linspace(-1, 3, heads))
        method.a.copy_(torch.linspace(2, -1, heads))
    bias = cells(method)
    built = bias.tolist()
    for h in range(heads):
        p, a = (max(x[h].item(), 0.01) for x in (method.p, method.a))
        for r, i in enumerate(PLACES):
            for c, j in enumerate(PLACES):
                far = abs(i - j)
                expected = -p * math.log(1 + a * far) if name == "kerple" else -a * far ** min(p, 2)
                assert built[h][r][c] == pytest.approx(expected, rel=1e-5, abs=1e-6)
    bias.sum().backward()
    assert (method.p.grad != 0).all()
    assert (method.a.grad != 0).all()


@pytest.mark.parametrize(("heads", "width"), [(1, 8), (3, 24), (8, 64), (4, 7)])
def test_sandwich_is_its_formula(heads: int, width: int) -> None:
    built = cells(build("sandwich", heads=heads, head_dim=8, width=width))
    for h in range(heads):
        for r, i in enumerate(PLACES):
            for c, j in enumerate(PLACES):
                pairs = range(1, width // 2 + 1)
                total = sum(math.cos((i - j) / 10_000 ** (2 * pair / width)) for pair in pairs) - width // 2
                expected = total / (8 * (h + 1) / heads)
                assert float(built[h, r, c]) == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_sandwich_has_one_number_for_a_distance_however_it_is_asked() -> None:
    """Near distances come from a table, scattered ones are computed: the two must agree."""
    method = build("sandwich", heads=4, head_dim=8)
    table = method.bias_by_distance(torch.arange(-500, 501))
    assert torch.equal(method.bias_by_distance(torch.tensor([-500, 400])), table[:, [0, 900]])


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("multiplier", [1.0, -0.02, 0.5])
def test_fire_is_its_formula(heads: int, multiplier: float) -> None:
    torch.manual_seed(5)
    method = build("fire", heads=heads, head_dim=8)
    with torch.no_grad():
        method.multiplier.fill_(multiplier)
        method.c.fill_(-0.3)
        built = cells(method)
    w1, b1 = method.first.weight.tolist(), method.first.bias.tolist()
    w2, b2 = method.second.weight.tolist(), method.second.bias.tolist()
    for r, i in enumerate(PLACES):
        for c, j in enumerate(PLACES[: r + 1]):
            psi_d, psi_i = (math.log(0.3 * x + 1) for x in (i - j, max(abs(multiplier * 512), i)))
            x = psi_d / (psi_i + 1e-6)
            hidden = [max(w[0] * x + b, 0.0) for w, b in zip(w1, b1, strict=True)]
            for h in range(heads):
                expected = sum(w * y for w, y in zip(w2[h], hidden, strict=True)) + b2[h]
                assert float(built[h, r, c]) == pytest.approx(expected, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("heads", [1, 3])
def test_fox_is_its_formula(heads: int) -> None:
    """The paper's equations: f_t = sigmoid(w.x_t + b), D_ij = sum of ln f_l over l = j + 1 .. i."""
    torch.manual_seed(5)
    method, x = build("forgetting", heads=heads, head_dim=8), torch.randn(2, 9, 8 * heads)
    torch.nn.init.normal_(method.gate.weight)
    bias = method.given(x).score_bias(torch.arange(9), torch.arange(9)).tolist()
    for b in range(2):
        for h in range(heads):
            logits = (x[b] @ method.gate.weight[h] + method.gate.bias[h]).tolist()
            gates = [1 / (1 + math.exp(-logit)) for logit in logits]
            for i in range(9):
                for j in range(i + 1):
                    expected = sum(math.log(gate) for gate in gates[j + 1 : i + 1])
                    assert bias[b][h][i][j] == pytest.approx(expected, rel=1e-5, abs=1e-5)


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

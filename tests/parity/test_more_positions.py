"""RoPE scaling against transformers; KERPLE, Sandwich and FIRE against loops written from their papers' formulas."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from alibi_viz.positions import build
from alibi_viz.positions.rotary import Rotary, scaled_inv_freq
from tests.parity import published
from tests.parity.recorder import agree

torch.set_num_threads(1)
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
@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
@pytest.mark.parametrize("head_dim", [4, 32, 64, 128])
@pytest.mark.parametrize("original", [16, 128, 8192])
def test_scaled_frequencies_are_those_of_transformers(
    scaling: str, factor: float, base: float, head_dim: int, original: int
) -> None:
    for tokens in (1, original, original + 1, 4 * original):
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


def test_yarn_makes_scores_larger_by_the_square_of_its_factor() -> None:
    method = build("rope", heads=1, head_dim=8, scaling="yarn", factor=16.0)
    unit, zero = torch.ones(1, 1, 1, 8), torch.zeros(1, dtype=torch.long)
    q, k = method.rotate(unit, unit, zero, zero)
    assert float((q * k).sum()) == pytest.approx(8 * (0.1 * math.log(16) + 1) ** 2, rel=1e-6)


def test_dynamic_scaling_turns_an_old_key_differently_once_the_text_is_long() -> None:
    """Why its keys must be cached before rotation: the same key at the same position, in a short and a long text."""
    method = build("rope", heads=1, head_dim=8, scaling="dynamic", original_length=64)
    key, at = torch.ones(1, 1, 1, 8), torch.tensor([50])
    short, long = (method.rotate(key, key, torch.tensor([length - 1]), at)[1] for length in (64, 256))
    assert not torch.allclose(short, long, atol=1e-2)
    plain = build("rope", heads=1, head_dim=8)
    assert torch.equal(*(plain.rotate(key, key, torch.tensor([n - 1]), at)[1] for n in (64, 256)))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scaling": "longer"}, "scaling"),
        ({"factor": 0.5}, "at least 1"),
        ({"factor": math.nan}, "factor"),
        ({"original_length": 0}, "original_length"),
        ({"scaling": "dynamic", "head_dim": 2}, "above 2"),
        ({"scaling": "yarn", "base": 1.0}, "above 1"),
    ],
)
def test_bad_scaling_raises(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build("rope", **{"heads": 1, "head_dim": 8, **options})  # type: ignore[arg-type]


def test_no_scaling_needs_no_training_length() -> None:
    assert Rotary(1, 8, 8).frequencies(10**6)[1] == 1


# ---- biases from their formulas, one cell at a time


def cells(name: str, heads: int, q_at: list[int], k_at: list[int], **sizes: int) -> tuple[torch.nn.Module, Tensor]:
    torch.manual_seed(5)
    method = build(name, heads=heads, head_dim=8, **sizes)
    bias = method.score_bias(torch.tensor(q_at), torch.tensor(k_at))
    assert bias is not None
    assert bias.dtype == torch.float32
    assert bias.shape == (heads, len(q_at), len(k_at))
    return method, bias.detach()


PLACES = [0, 1, 2, 7, 40, 511, 512, 513, 3000]


@pytest.mark.parametrize("heads", [1, 3, 8])
def test_kerple_is_its_formula(heads: int) -> None:
    log, made_log = cells("kerple", heads, PLACES, PLACES)
    power, made_power = cells("kerple_power", heads, PLACES, PLACES)
    for h in range(heads):
        for r, i in enumerate(PLACES):
            for c, j in enumerate(PLACES):
                p, a = (max(x[h].item(), 0.01) for x in (log.p, log.a))
                assert float(made_log[h, r, c]) == pytest.approx(-p * math.log(1 + a * abs(i - j)), rel=1e-5, abs=1e-6)
                p, a = (max(x[h].item(), 0.01) for x in (power.p, power.a))
                assert float(made_power[h, r, c]) == pytest.approx(-a * abs(i - j) ** min(p, 2), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", ["kerple", "kerple_power"])
def test_kerple_starts_as_the_authors_start_it(name: str) -> None:
    """In chijames/KERPLE both draw p with `get_parameter(2, 'uniform')`, then a with `get_parameter(1, 'uniform')`."""
    torch.manual_seed(0)
    p, a = torch.rand(1000) * 2, torch.rand(1000) * 1
    torch.manual_seed(0)
    method = build(name, heads=1000, head_dim=8)
    assert torch.equal(method.p, p)
    assert torch.equal(method.a, a)


def test_kerple_keeps_its_bounds_and_its_gradient() -> None:
    method = build("kerple_power", heads=2, head_dim=8)
    with torch.no_grad():
        method.p.copy_(torch.tensor([-1.0, 9.0]))
        method.a.copy_(torch.tensor([-1.0, 1.0]))
    bias = method.bias_by_distance(torch.tensor([10]))
    assert bias.tolist() == [[pytest.approx(-0.01 * 10**0.01)], [pytest.approx(-100.0)]]
    bias.sum().backward()
    assert (method.p.grad != 0).all()
    assert (method.a.grad != 0).all()


@pytest.mark.parametrize(("heads", "width"), [(1, 8), (3, 24), (8, 64), (4, 7)])
def test_sandwich_is_its_formula(heads: int, width: int) -> None:
    _, built = cells("sandwich", heads, PLACES, PLACES, width=width)
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
    alone = method.bias_by_distance(torch.tensor([-500, 400]))
    assert torch.equal(alone, table[:, [0, 900]])
    assert (table[:, 500] == 0).all()
    steep, gentle = table[0, 501:530], table[3, 501:530]
    assert (steep < gentle).all()
    assert float(gentle.max()) < 0  # it falls overall, in waves: few frequencies cannot cancel
    assert method.bias_by_distance(torch.zeros(0, 3, dtype=torch.long)).shape == (4, 0, 3)


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("multiplier", [1.0, -0.02, 0.5])
def test_fire_is_its_formula(heads: int, multiplier: float) -> None:
    torch.manual_seed(5)
    method = build("fire", heads=heads, head_dim=8)
    with torch.no_grad():
        method.multiplier.fill_(multiplier)
        method.c.fill_(-0.3)
        built = method.score_bias(torch.tensor(PLACES), torch.tensor(PLACES))
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


def test_fire_depends_on_the_query_and_stays_within_what_it_knows() -> None:
    method = build("fire", heads=2, head_dim=8)
    near = method.score_bias(torch.tensor([600]), torch.tensor([590]))
    far = method.score_bias(torch.tensor([6000]), torch.tensor([5990]))
    assert not torch.allclose(near, far, atol=1e-4)
    early = method.score_bias(torch.tensor([100, 400]), torch.tensor([90, 390]))
    assert torch.allclose(early[:, 0, 0], early[:, 1, 1])  # below the threshold only the distance counts
    share = method.share(torch.tensor([10**6]), torch.arange(0, 10**6, 1000))
    assert 0 <= float(share.min()) <= float(share.max()) <= 1


@pytest.mark.parametrize(("name", "learned"), [("kerple", 8), ("kerple_power", 8), ("sandwich", 0), ("fire", 198)])
def test_parameters_are_counted(name: str, learned: int) -> None:
    method = build(name, heads=4, head_dim=8)
    assert sum(p.numel() for p in method.parameters()) == learned

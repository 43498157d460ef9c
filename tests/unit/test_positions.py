"""Position methods: slopes, forms, buckets, angles, and which arguments raise ValueError."""

import math
from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.positions import METHODS, build
from alibi_viz.positions.alibi import Alibi
from alibi_viz.positions.rotary import Rotary, inv_freq
from alibi_viz.positions.sinusoidal import sinusoidal_vectors
from alibi_viz.rules import slope_exponents, slope_families, slopes


def test_slopes_of_the_paper_and_of_other_rules():
    assert slopes(8) == [2.0**-h for h in range(1, 9)]
    # Twelve heads: the eight of the power of two, then every second of sixteen. Not sorted.
    assert slope_exponents(12) == [*range(1, 9), *(Fraction(h, 2) for h in (1, 3, 5, 7))]
    assert slope_families(12) == [0] * 8 + [1] * 4
    assert slope_exponents(12, "sentence")[-1] == 8
    assert slopes(32, "blog")[-1] == 2.0**-32
    assert slopes(3, "custom", custom=[1, 0.5, -0.25]) == [1.0, 0.5, -0.25]


def test_the_forms_by_hand():
    positions = torch.arange(3)
    past = [0.5]

    def bias(**options):
        return Alibi(1, 4, 4, slopes=past, **options).score_bias(positions, positions)[0].tolist()

    assert bias() == [[0, 0.5, 1], [-0.5, 0, 0.5], [-1, -0.5, 0]]
    assert bias(form="symmetric") == [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]]
    assert bias(form="two_sided", future_slopes=[2.0]) == [[0, -2, -4], [-0.5, 0, -2], [-1, -0.5, 0]]
    weaker = bias(form="two_sided", future_slopes=[2.0], strength=0.5)
    assert weaker == [[0, -1, -2], [-0.25, 0, -1], [-0.5, -0.25, 0]]
    assert bias(form="key_only") == [[0, 0.5, 1]] * 3
    assert bias(strength=2.0)[2] == [-2, -1, 0]


@given(st.integers(1, 9), st.integers(0, 10**7))
def test_sinusoidal_vectors_follow_the_formula(width, position):
    vector = sinusoidal_vectors(torch.tensor([position]), width)[0]
    for i in range(width):
        angle = position / 10000 ** ((i - i % 2) / width)
        assert vector[i].item() == pytest.approx(math.cos(angle) if i % 2 else math.sin(angle), abs=1e-6)


def test_a_turn_keeps_lengths_and_is_exact_far_away():
    q = torch.randn(1, 1, 1, 64)
    far = torch.tensor([10_000_000])
    turned, _ = Rotary(1, 64, 64).rotate(q, q, far, far)
    assert torch.allclose(turned.norm(), q.norm(), rtol=1e-6)
    angle = 10_000_000 * float(inv_freq(64)[1])
    a, b = q[0, 0, 0, 1].item(), q[0, 0, 0, 33].item()
    assert turned[0, 0, 0, 1].item() == pytest.approx(a * math.cos(angle) - b * math.sin(angle), abs=1e-5)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("rotary", {}, "rope"),
        ("none", {"heads": 0}, "heads"),
        ("none", {"heads": 2.5}, "heads"),
        ("none", {"width": 1.5}, "width"),
        ("none", {"speed": 1}, "no option 'speed'; it has no options"),
        ("alibi", {"slope": 1}, "no option 'slope'; its options are slopes, rule"),
        ("rope", {"head_dim": 5}, "even"),
        ("rope", {"base": -1.0}, "base"),
        ("rope", {"scaling": "longer"}, "scaling"),
        ("rope", {"factor": 0.5}, "at least 1"),
        ("rope", {"scaling": "dynamic", "head_dim": 2}, "above 2"),
        ("sinusoidal", {"base": "x"}, "base"),
        ("t5", {"num_buckets": 1}, "num_buckets"),
        ("t5", {"max_distance": 16}, "above 16"),
        ("alibi", {"form": "odd"}, "form"),
        ("alibi", {"rule": "nonsense"}, "nonsense"),
        ("alibi", {"max_bias": 10**400}, "max_bias"),
        ("alibi", {"future_slopes": [1.0] * 4}, "two_sided"),
        ("alibi", {"slopes": [1.0]}, "4 numbers"),
        ("alibi", {"slopes": math.inf}, "4 numbers"),
        ("alibi", {"slopes": [math.inf] * 4}, "finite"),
        ("alibi", {"strength": math.inf}, "strength"),
    ],
)
def test_what_no_method_can_be_built_of_is_one_sentence(name, arguments, words):
    with pytest.raises(ValueError, match=words) as error:
        build(name, **{"heads": 4, "head_dim": 8, **arguments})
    assert "\n" not in str(error.value)
    assert str(error.value).endswith(".")


def test_only_learned_positions_end():
    assert [name for name, method in METHODS.items() if method.has_position_table] == ["learned"]
    for name in METHODS:
        method, x = build(name, heads=2, head_dim=4, max_length=16), torch.zeros(1, 1, 8)
        assert method.max_position == (16 if name == "learned" else None)
        for place in (-1, 16) if name == "learned" else ():
            with pytest.raises(ValueError, match=rf"0 to 15; position {place} has no vector"):
                method.add_to_embeddings(x, torch.tensor([place]))
        assert method.add_to_embeddings(x, torch.tensor([15 if name == "learned" else 10**6])).isfinite().all()


@pytest.mark.parametrize("form", ["causal", "symmetric", "two_sided"])
def test_linear_slopes_give_the_bias_of_every_past_key(form):
    """A GPU's fused path has them in place of the bias."""
    method = build("alibi", heads=4, head_dim=4, form=form, strength=0.5)
    distance = torch.arange(20)
    bias = method.score_bias(torch.tensor([19]), 19 - distance)
    assert torch.equal(bias[:, 0], -method.linear_slopes()[:, None] * distance)


@pytest.mark.parametrize("times", [2, 8])
def test_a_trained_model_can_be_stretched(times):
    """Linear and YaRN turn the slowest pair at times L as far as plain RoPE at L; ALiBi's farthest penalty is that of L."""
    length, head_dim = 128, 16
    ways = METHODS["rope"].longer_options(length, times)
    plain = build("rope", heads=1, head_dim=head_dim).frequencies()[0]
    for way, options in ways.items():
        slowest = float(build("rope", heads=1, head_dim=head_dim, **options).frequencies(times * length)[0][-1])
        assert slowest * times == pytest.approx(float(plain[-1]), rel=1e-6), way
    alibi = build("alibi", heads=4, head_dim=8, **METHODS["alibi"].longer_options(length, times)["interpolated"])
    before = build("alibi", heads=4, head_dim=8).bias_by_distance(torch.tensor(length))
    torch.testing.assert_close(alibi.bias_by_distance(torch.tensor(times * length)), before)
    assert METHODS["t5"].longer_options(length, times) == {}

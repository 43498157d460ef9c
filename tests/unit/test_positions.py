"""Position methods: slopes, forms, buckets, angles, and which arguments raise ValueError."""

import math
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz import positions
from alibi_viz.positions import METHODS, build
from alibi_viz.positions.alibi import (
    Alibi,
    distance_holding,
    half_weight_distance,
    slope_exponents,
    slope_families,
    slopes,
)
from alibi_viz.positions.rotary import Rotary, inv_freq
from alibi_viz.positions.sinusoidal import sinusoidal_vectors
from alibi_viz.positions.t5 import T5Bias, relative_position_bucket


def test_registry_holds_the_methods_under_their_own_names() -> None:
    six = ["none", "learned", "sinusoidal", "rope", "t5", "alibi"]
    known = [*six, "kerple", "kerple_power", "sandwich", "fire"]
    assert [name for name in METHODS if name in known] == known  # a method that is added needs no line here
    assert all(method.name == key and method.title for key, method in METHODS.items())


# ---- slopes


def test_slopes_of_the_paper() -> None:
    assert slopes(8) == [2.0**-h for h in range(1, 9)]
    # Twelve heads: the eight of the power of two, then every second of sixteen. Not sorted.
    assert slope_exponents(12)[8:] == [Fraction(h, 2) for h in (1, 3, 5, 7)]
    assert slopes(12)[8] > slopes(12)[0]
    assert slope_families(12) == [0] * 8 + [1] * 4


def test_other_rules() -> None:
    assert slope_exponents(12, "plain")[-1] == 8
    assert slopes(32, "blog")[-1] == 2.0**-32
    assert slopes(4, "paper", 16.0)[-1] == 2.0**-16
    assert slopes(3, "custom", custom=[1, 0.5, -0.25]) == [1.0, 0.5, -0.25]


@given(st.integers(1, 300), st.sampled_from([1.0, 8.0, 16.0, 0.1]))
def test_rules_agree_for_powers_of_two_and_exponents_give_the_slopes(heads: int, max_bias: float) -> None:
    exact = slope_exponents(heads, "paper", max_bias)
    assert slopes(heads, "paper", max_bias) == pytest.approx([2.0 ** -float(e) for e in exact], rel=1e-15)
    assert len(exact) == heads
    assert len(set(exact)) == heads
    if heads & (heads - 1) == 0:
        assert exact == slope_exponents(heads, "plain", max_bias)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"heads": 0}, "heads"),
        ({"heads": -3}, "heads"),
        ({"heads": 2.5}, "heads"),
        ({"heads": True}, "heads"),
        ({"heads": 4, "rule": "nonsense"}, "nonsense"),
        ({"heads": 4, "max_bias": math.nan}, "max_bias"),
        ({"heads": 4, "max_bias": 0}, "max_bias"),
        ({"heads": 4, "max_bias": 10**400}, "max_bias"),
        ({"heads": 4, "rule": "custom"}, "custom"),
        ({"heads": 4, "rule": "custom", "custom": [1.0]}, "4 numbers"),
        ({"heads": 1, "rule": "custom", "custom": [math.inf]}, "finite"),
    ],
)
def test_bad_slopes_raise_one_sentence(arguments: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words) as error:
        slopes(**arguments)
    assert "\n" not in str(error.value)


@given(st.floats(1e-4, 4.0), st.floats(0.05, 0.99))
def test_distances_agree_with_the_sum_of_the_weights(slope: float, share: float) -> None:
    far = int(distance_holding(slope, share))
    held = -math.expm1(-slope * (far + 1))  # sum of the geometric series, keys 0..far
    assert held >= share - 1e-12
    assert far == 0 or -math.expm1(-slope * far) < share + 1e-12
    assert math.exp(-slope * half_weight_distance(slope)) == pytest.approx(0.5)


def test_a_slope_of_zero_holds_at_no_distance() -> None:
    assert half_weight_distance(0.0) == math.inf
    assert distance_holding(0.0) == math.inf


# ---- ALiBi


def test_the_forms_by_hand() -> None:
    positions = torch.arange(3)
    past = [0.5]

    def bias(**options: object) -> list:
        return Alibi(1, 4, 4, slopes=past, **options).score_bias(positions, positions)[0].tolist()  # type: ignore[arg-type,index]

    assert bias() == [[0, 0.5, 1], [-0.5, 0, 0.5], [-1, -0.5, 0]]
    assert bias(form="symmetric") == [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]]
    assert bias(form="two_sided", future_slopes=[2.0]) == [[0, -2, -4], [-0.5, 0, -2], [-1, -0.5, 0]]
    assert bias(form="key_only") == [[0, 0.5, 1]] * 3
    assert bias(strength=2.0)[2] == [-2, -1, 0]


@pytest.mark.parametrize("form", ["causal", "symmetric", "two_sided", "key_only"])
@pytest.mark.parametrize("batched", [False, True])
def test_key_bias_is_the_bias_up_to_a_constant_a_row(form: str, batched: bool) -> None:
    method = build("alibi", heads=3, head_dim=4, form=form)
    positions = torch.tensor([[4, 7, 8, 20], [0, 1, 2, 3]]) if batched else torch.tensor([4, 7, 8, 20])
    bias, row = method.score_bias(positions, positions), method.key_bias(positions)
    assert bias is not None
    assert row is not None
    assert bias.shape == ((2, 3, 4, 4) if batched else (3, 4, 4))
    difference = bias - row[..., None, :]
    for query in range(4):
        seen = difference[..., query, : query + 1]
        assert torch.allclose(seen, seen[..., :1].expand_as(seen), atol=1e-5)


def test_slopes_keep_float32_when_the_model_is_cast() -> None:
    method = build("alibi", heads=12, head_dim=4)
    exact = method.slopes.clone()
    assert torch.equal(method.to(torch.bfloat16).slopes, exact)
    assert method.to(torch.bfloat16).slopes.dtype == torch.float32
    assert not method.state_dict()


def test_trainable_slopes_are_parameters_with_gradients() -> None:
    method = build("alibi", heads=4, head_dim=4, trainable=True, form="two_sided")
    assert sorted(name for name, _ in method.named_parameters()) == ["future", "past"]
    positions = torch.arange(5)
    method.score_bias(positions, positions).square().sum().backward()
    assert all(p.grad is not None and (p.grad != 0).all() for p in method.parameters())


def test_the_key_only_form_has_no_bias_by_distance() -> None:
    with pytest.raises(ValueError, match="key's position"):
        build("alibi", heads=2, head_dim=4, form="key_only").bias_by_distance(torch.arange(3))


# ---- the others


def test_t5_bucket_starts_are_the_published_ones() -> None:
    distance = torch.arange(400)
    causal = relative_position_bucket(-distance, bidirectional=False)
    starts = [int((causal == b).nonzero()[0]) for b in range(32)]
    assert starts == [*range(16), 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
    past = relative_position_bucket(-distance, bidirectional=True)
    starts = [int((past == b).nonzero()[0]) for b in range(16)]
    assert starts == [*range(8), 8, 12, 16, 23, 32, 46, 64, 91]
    assert torch.equal(relative_position_bucket(distance[1:], bidirectional=True), past[1:] + 16)


def test_t5_is_scaled_unless_faithful() -> None:
    assert build("t5", heads=2, head_dim=4).scales_scores
    assert not build("t5", heads=2, head_dim=4, faithful=True).scales_scores
    assert all(method.scales_scores for method in METHODS.values())


def test_t5_bias_reads_its_table() -> None:
    method = T5Bias(2, 4, 8)
    bias = method.bias_by_distance(torch.tensor([[0, 20], [5, 10_000]]))
    assert bias.shape == (2, 2, 2)
    assert torch.equal(bias[:, 0, 1], method.table.weight[17])
    assert torch.equal(bias[:, 1, 1], method.table.weight[31])


@given(st.integers(1, 9), st.integers(0, 10**7))
def test_sinusoidal_vectors_follow_the_formula(width: int, position: int) -> None:
    vector = sinusoidal_vectors(torch.tensor([position]), width)[0]
    for i in range(width):
        angle = position / 10000 ** ((i - i % 2) / width)
        assert vector[i].item() == pytest.approx(math.cos(angle) if i % 2 else math.sin(angle), abs=1e-6)


@pytest.mark.parametrize("wrong", [[0, 16], [-1, 2]])
def test_learned_positions_beyond_the_table_raise(wrong: list[int]) -> None:
    method = build("learned", heads=2, head_dim=4, max_length=16)
    x = torch.zeros(1, 2, 8)
    assert torch.equal(method.add_to_embeddings(x, torch.tensor([0, 15]))[0], method.table.weight[[0, 15]])
    with pytest.raises(ValueError, match=r"0 to 15; position (16|-1) has no vector"):
        method.add_to_embeddings(x, torch.tensor(wrong))


@pytest.mark.parametrize("name", ["learned", "sinusoidal"])
def test_embeddings_take_one_numbering_a_sequence(name: str) -> None:
    method = build(name, heads=2, head_dim=4)
    x, positions = torch.randn(2, 3, 8), torch.tensor([[0, 1, 2], [5, 6, 7]])
    both = method.add_to_embeddings(x, positions)
    for row in range(2):
        assert torch.equal(both[row], method.add_to_embeddings(x[row : row + 1], positions[row])[0])


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize("batched", [False, True])
def test_complex_and_real_turns_are_the_same(layout: str, batched: bool) -> None:
    q, k = torch.randn(2, 2, 4, 5, 8)
    positions = torch.randint(0, 3000, (2, 5) if batched else (5,))
    real = Rotary(4, 8, 32, layout=layout).rotate(q, k, positions, positions)
    other = Rotary(4, 8, 32, layout=layout, form="complex").rotate(q, k, positions, positions)
    for ours, theirs in zip(real, other, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-6)


def test_the_layouts_are_a_permutation_of_each_other() -> None:
    q, k, positions = torch.randn(1, 1, 5, 8), torch.randn(1, 1, 5, 8), torch.arange(5)
    order = torch.tensor([0, 4, 1, 5, 2, 6, 3, 7])
    half, _ = Rotary(1, 8, 8).rotate(q, k, positions, positions)
    interleaved, _ = Rotary(1, 8, 8, layout="interleaved").rotate(q[..., order], k[..., order], positions, positions)
    assert torch.allclose(half[..., order], interleaved, atol=1e-6)


def test_a_turn_keeps_lengths_and_is_exact_far_away() -> None:
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
        ("none", {"head_dim": -1}, "head_dim"),
        ("none", {"width": 1.5}, "width"),
        ("learned", {"max_length": 0}, "max_length"),
        ("none", {"speed": 1}, "no option 'speed'; it has no options"),
        ("alibi", {"slope": 1}, "no option 'slope'; its options are slopes, rule"),
        ("rope", {"head_dim": 5}, "even"),
        ("rope", {"layout": "odd"}, "layout"),
        ("rope", {"form": "odd"}, "form"),
        ("rope", {"base": -1.0}, "base"),
        ("sinusoidal", {"base": "x"}, "base"),
        ("t5", {"num_buckets": 1}, "num_buckets"),
        ("t5", {"max_distance": 16}, "above 16"),
        ("alibi", {"form": "odd"}, "form"),
        ("alibi", {"future_slopes": [1.0] * 4}, "two_sided"),
        ("alibi", {"form": "two_sided", "future_slopes": [1.0]}, "4 numbers"),
        ("alibi", {"slopes": "abcd"}, "4 numbers"),
        ("alibi", {"strength": math.inf}, "strength"),
    ],
)
def test_build_raises_one_sentence(name: str, arguments: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words) as error:
        build(name, **{"heads": 4, "head_dim": 8, **arguments})
    assert "\n" not in str(error.value)
    assert str(error.value).endswith(".")


# ---- facts that other code asks for


def test_only_learned_positions_end() -> None:
    assert [name for name, method in METHODS.items() if method.has_position_table] == ["learned"]
    for name in METHODS:
        method = build(name, heads=2, head_dim=4, max_length=16)
        assert method.max_position == (16 if name == "learned" else None)
        x, far = torch.zeros(1, 1, 8), torch.tensor([10**6])
        if method.max_position is None:
            assert method.add_to_embeddings(x, far).isfinite().all()
        else:
            with pytest.raises(ValueError, match="position 16 has no vector"):
                method.add_to_embeddings(x, torch.tensor([method.max_position]))


@pytest.mark.parametrize("form", [None, "causal", "symmetric", "two_sided", "key_only"])
def test_linear_slopes_give_the_bias_of_every_past_key(form: str | None) -> None:
    for name in METHODS if form is None else ["alibi"]:
        method = build(name, heads=4, head_dim=4, **({"form": form, "strength": 0.5} if form else {}))
        assert (method.strength is not None) == (name == "alibi")
        slopes = method.linear_slopes()
        if slopes is None:
            assert name != "alibi" or form == "key_only"
            continue
        distance = torch.arange(20)
        bias = method.score_bias(torch.tensor([19]), 19 - distance)
        assert bias is not None
        assert torch.equal(bias[:, 0], -slopes[:, None] * distance)


def test_options_that_follow_from_the_training_length() -> None:
    for name, method in METHODS.items():
        assert method.training_options(128) == ({"max_distance": 32} if name == "t5" else {})
        assert method.training_options(128, {"max_distance": 99}) == {"max_distance": 99}
    assert METHODS["t5"].training_options(32, {"bidirectional": True}) == {"bidirectional": True, "max_distance": 9}


def test_a_new_file_is_all_that_a_method_needs(tmp_path: Path) -> None:
    """A copy of the package with one more file: its class is registered and placed by `order`."""
    shutil.copytree(Path(positions.__file__).parent, tmp_path / "more")
    for file in (tmp_path / "more").glob("*.py"):
        file.write_text(file.read_text().replace("alibi_viz.positions", "more"))
    (tmp_path / "more" / "half.py").write_text(
        "from more.alibi import Alibi\nclass Half(Alibi):\n    name, title, order = 'half', 'Half', 55\n"
    )
    code = "import more; m = more.build('half', heads=2, head_dim=4); print(m.title, *more.METHODS)"
    environment = {**os.environ, "PYTHONPATH": str(Path(positions.__file__).parents[2])}
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    names = list(METHODS)
    after = names.index("alibi") + 1
    assert run.stdout.split() == ["Half", *names[:after], "half", *names[after:]]


@pytest.mark.parametrize("times", [2, 8])
def test_a_trained_model_can_be_stretched(times: int) -> None:
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

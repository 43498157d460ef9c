"""“Check yours”: every rule's own output is recognised, and files from outside get their matrix read or one sentence."""

import io
import tracemalloc

import numpy as np
import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.pitfalls.identify import identify_slopes
from alibi_viz.pitfalls.judge import identify, identify_bias
from alibi_viz.pitfalls.reading import MOST_BYTES, read_array
from alibi_viz.pitfalls.verdict import Declared
from alibi_viz.positions.alibi import Alibi
from alibi_viz.rules import slopes
from tests.parity import published

HEADS = (*range(1, 18), 24, 25, 31, 32, 33, 40, 48, 63, 64)


def attempt(function, *arguments):
    try:
        return function(*arguments), ""
    except ValueError as error:
        return None, str(error)


def kinds(verdict):
    return [finding.kind for finding in verdict.findings]


def is_power(heads):
    return heads & (heads - 1) == 0


@pytest.mark.parametrize("heads", HEADS)
def test_every_rule_is_recognised(heads):
    assert kinds(identify_slopes(slopes(heads))) == ["code"]
    by_sentence = identify_slopes(slopes(heads, "sentence"))
    assert kinds(by_sentence) == (["code"] if is_power(heads) else ["sentence"])
    assert by_sentence.pitfalls == (() if is_power(heads) else ("slopes_power",))
    assert "blog" in kinds(identify_slopes(slopes(heads, "blog"))) or heads == 8, "with 8 heads it is the paper's"
    for top, status in ((4.0, "unknown"), (16.0, "clean"), (11.5, "unknown")):
        found = identify_slopes(slopes(heads, "code", top))
        assert found.difference < 1e-7
        assert ({"code", "readings"} & {*kinds(found)}, found.status == "clean") != (set(), True)
        if "blog" not in kinds(found) and heads > 1:  # with 4 or 16 heads, 2^-h is the rule with this largest exponent
            assert found.status == status, "an exponent that nobody declared is known, and open; 16 is named"
            assert ("undeclared_top" in kinds(found)) == (status == "unknown")
            assert identify_slopes(slopes(heads, "code", top), Declared(max_bias=top)).status == "clean"
            assert identify_slopes(slopes(heads, "code", top), Declared(max_bias=8)).status == "pitfall"


@pytest.mark.parametrize("heads", HEADS)
def test_every_change_of_the_paper_s_slopes_is_recognised(heads):
    right = np.array(slopes(heads))
    assert kinds(identify_slopes(-right)) == ["code", "flipped"]
    if heads > 1:
        assert "sorted" in kinds(identify_slopes(np.sort(right)))
        assert ("sorted" in kinds(identify_slopes(np.sort(right)[::-1]))) != is_power(heads)
        for width in (64, 80, 128):
            found = identify_slopes(right / width**0.5)
            assert [f.numbers for f in found.findings if f.kind == "scaled_sqrt"] == [{"width": width}]
            assert "sqrt_d" in found.pitfalls
    rounded = identify_slopes(torch.tensor(right).bfloat16().tolist())
    assert kinds(rounded)[0] == "code"
    assert rounded.difference <= right.max() * 2**-8
    assert kinds(identify_slopes([float(f"{slope:.3g}") for slope in right]))[0] == "code", "typed by hand"


@given(st.lists(st.floats(width=32, allow_nan=True, allow_infinity=True), max_size=300))
def test_any_list_gets_a_verdict_or_a_sentence(values):
    verdict, sentence = attempt(identify_slopes, values)
    assert sentence.endswith(".") if verdict is None else verdict.findings and np.isfinite(verdict.difference)


def test_what_follows_no_rule_names_the_head_that_is_farthest_off():
    values = slopes(8)
    values[4] *= 3
    verdict = identify_slopes(values)
    assert verdict.status == "unknown"
    assert identify_slopes(values, Declared(max_bias=8)).status == "pitfall", "it is not what was declared"
    assert verdict.findings[0].numbers["head"] == 5


def bias(heads, form="causal", queries=12, keys=12, causal=True, dtype=torch.float32):
    q, k = torch.arange(keys - queries, keys), torch.arange(keys)
    values = Alibi(heads, 8, 8 * heads, form=form).score_bias(q, k).to(dtype).float()
    return (values.masked_fill(k > q[:, None], -torch.inf) if causal else values).numpy()


@pytest.mark.parametrize("heads", HEADS)
def test_every_form_is_recognised(heads):
    for form, causal, first in (
        ("causal", True, "distance"),
        ("causal", False, "distance"),
        ("symmetric", False, "symmetric"),
        ("key_only", True, "row_constant"),
    ):
        found = identify_bias(bias(heads, form, causal=causal))
        assert kinds(found)[0] == first
        assert ("causal" if causal else "unmasked") in kinds(found)
        assert ("needs_mask" in kinds(found)) == (not causal)
        assert not found.pitfalls, "a mask may be a tensor of its own; an encoder has none"
        assert "code" in kinds(found) or heads == 1
        assert found.difference < 1e-4
    assert "scaled_sqrt" in kinds(identify_bias(bias(heads) / 8)) or heads == 1
    assert "flipped" in kinds(identify_bias(np.where(np.isinf(bias(heads)), -np.inf, -bias(heads))))


def test_rows_and_masks():
    assert "code" in kinds(identify_bias(np.array(slopes(12))[:, None] * np.arange(40))), "one row a head"
    assert "distance" in kinds(identify_bias(bias(8)[2])), "one head"
    padded = bias(8)
    padded[:, :, :3] = -np.inf
    found = identify_bias(padded)
    assert "masked_rows" in found.pitfalls
    assert "code" in kinds(found)
    large = identify_bias(np.maximum(padded, torch.finfo(torch.float16).min))
    assert {"large_number", "code"} <= set(kinds(large))
    assert not large.pitfalls, "a finite number leaves no NaN"
    with pytest.raises(ValueError, match="NaN"):
        identify_bias(np.full((4, 4), np.nan))


def of_bloom(heads, tokens=2048, dtype=torch.bfloat16, padding=(0,)):
    """BLOOM's own bias [B·H, 1, T], padded on the left, as transformers makes it."""
    mask = (torch.arange(tokens) >= torch.tensor(padding)[:, None]).long()
    return published.build_alibi_tensor(mask, heads, dtype).float().numpy()


@pytest.mark.parametrize("heads", [8, 12])
def test_rounding_is_a_mistake_where_it_moves_weights_also_in_one_row(heads):
    """bfloat16 at 2,048 tokens: key-only rows lose up to a third of a head's weight, distances next to nothing."""
    row = of_bloom(heads)
    for layout in (row, row[None], row[:, 0], np.broadcast_to(row, (heads, 8, 2048))):
        found = identify(layout)
        (rounding,) = [finding for finding in found.findings if finding.kind.startswith("rounded")]
        assert rounding.numbers["share"] > 0.1
        assert (found.status, found.pitfalls) == ("pitfall", ("key_bfloat16",))
        assert "code" in kinds(found)
    for dtype in (torch.bfloat16, torch.float16):
        found = identify(bias(heads, queries=64, keys=2048, dtype=dtype))
        assert [kind for kind in kinds(found) if kind.startswith("rounded")] in ([], ["rounded"]), "once"
        assert found.status == "clean"
    assert identify(of_bloom(heads, dtype=torch.float32)).status == "clean"
    later_too = bias(heads, queries=64, keys=64, causal=False, dtype=torch.bfloat16)
    assert identify(later_too).status == "clean"


@given(st.integers(1, 32), st.integers(2, 16), st.data())
def test_the_part_of_one_device_is_named(heads, devices, data):
    of, device = heads * devices, data.draw(st.integers(0, devices - 1))
    part = np.array(slopes(of))[device * heads :][:heads]
    found = identify_slopes(part)
    assert identify_slopes(part, Declared(heads=of)).status == "clean"
    named = [finding.numbers for finding in found.findings if finding.kind in ("shard", "first_of")]
    if found.status == "clean":  # the whole list of so many heads, or the first half of one that is no power of two
        np.testing.assert_allclose(part, slopes(heads), rtol=1e-9)
    elif heads > 1:
        first, last = int(named[0]["first"]), int(named[0]["last"])
        np.testing.assert_allclose(part, slopes(int(named[0]["of"]))[first - 1 : last], rtol=1e-9)


def test_layouts_of_other_libraries_are_read():
    right = slopes(12)
    for layout in (np.reshape(right, (12, 1, 1)), np.reshape(right, (1, 12, 1, 1)), np.tile(right, (3, 1))):
        assert (identify(layout).status, kinds(identify(layout))) == ("clean", ["code"])
    padded = identify(of_bloom(12, tokens=200, dtype=torch.float32, padding=(0, 7, 30)))
    assert padded.status == "clean"
    assert {"padded", "batch_rows", "code"} <= set(kinds(padded))
    assert [f.numbers for f in padded.findings if f.kind in ("padded", "batch_rows")] == [{"tokens": 30}, {"texts": 3}]
    either = identify(of_bloom(8, tokens=64, dtype=torch.float32, padding=(0, 0)))
    assert {"batch_rows", "anew"} <= {*kinds(either)}, "two texts, or two devices"
    assert either.status == "unknown"
    assert identify(of_bloom(8, tokens=64, padding=(0, 0)), Declared(heads=8)).status == "clean"
    assert identify(of_bloom(8, tokens=64, padding=(0, 0)), Declared(heads=16)).status == "pitfall"
    key_only = bias(8, "key_only", causal=False)
    additive = identify(key_only + np.triu(np.full(key_only.shape[1:], -10_000.0), 1))
    assert {"row_constant", "causal", "large_number", "code"} <= set(kinds(additive))
    assert additive.status == "clean"
    cut = identify(np.tril(bias(8, causal=False)))
    assert {"distance", "zero_filled", "code"} <= set(kinds(cut))
    some = np.concatenate([bias(4), np.where(np.isinf(bias(4)), -np.inf, 0)])
    assert {"some_without", "code", "causal"} <= set(kinds(identify(some)))


@pytest.mark.parametrize("shape", [(32, 512, 512), (8, 1, 100_000), (2, 3, 300, 900)])
def test_a_large_bias_is_read_as_a_sample(shape):
    heads, queries, keys = shape[-3:]
    found = identify(np.broadcast_to(bias(heads, queries=queries, keys=keys), shape))
    assert found.status == "clean"
    assert "causal" in kinds(found) or queries == 1
    assert ("sampled" in kinds(found)) == (shape != (2, 3, 300, 900))


def test_a_batch_is_read_and_its_differences_are_said():
    one = bias(8)
    padded = one.copy()
    padded[:, :, :3] = -1e9
    found = identify(np.stack([one, padded]))
    assert {"batch", "distance", "code", "causal", "other_mask"} <= set(kinds(found))
    assert (found.status, found.pitfalls) == ("unknown", ()), "padding is another mask until it is declared"
    allowed = np.stack([one[0], padded[0]]) > -1e5
    assert identify(np.stack([one, padded]), Declared(mask=allowed)).status == "clean"
    flipped = identify(np.stack([one, np.where(np.isinf(one), one, -one)]))
    assert flipped.pitfalls == ("sign",), "a mistake in one text is one"


@pytest.mark.parametrize(
    "declared",
    [
        {"mask": np.ones((4, 4))},
        {"mask": np.ones((4, 4), dtype=bool)},
        {"mask": np.ones((1, 12, 12), dtype=bool)},
        {"mask": np.ones((12, 12), dtype=bool), "window": 3},
        {"heads": 0},
        {"window": 1.5},
        {"max_bias": -1},
    ],
)
def test_a_declaration_that_cannot_be_meant_gets_one_sentence(declared):
    with pytest.raises(ValueError, match=r"^[^\n]+\.$"):
        identify(np.stack([bias(8), bias(8)]), Declared(**declared))


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def tensors(**named):
    return safetensors.torch.save({name: torch.as_tensor(array).contiguous() for name, array in named.items()})


@pytest.mark.filterwarnings("error")
def test_files_are_read():
    right = bias(8)
    text = "\n".join(",".join(map(str, row)) for row in right[2])
    for name, data in (("a.npy", npy(right)), ("b.safetensors", tensors(bias=right)), ("c.NPY", npy(right))):
        np.testing.assert_array_equal(read_array(name, data), right)
    half = safetensors.torch.save({"bias": torch.tensor(right).bfloat16()})
    assert read_array("d.safetensors", half).dtype == np.float32
    long = npy(right).replace(b"(8, 12, 12), }", b"(8L, 12, 12),}")  # as Python 2 wrote whole numbers
    np.testing.assert_array_equal(read_array("f.npy", long), right)
    np.testing.assert_allclose(read_array("e.csv", text.encode()), right[2])


#: What tests/hostile does not draw.
HOSTILE = {
    "beyond-float32.npy": npy(np.full((4, 4), 1e308)),
    "pickle.npy": npy(np.array([{"a": 1}], dtype=object), allow_pickle=True),
    "long.npy": b"\0" * (MOST_BYTES + 1),
    "batches.npy": npy(np.zeros((2, 2, 4, 4, 4), dtype=np.float32)),
    "words.csv": b"a,b\nc,d\n",
    "wide.csv": b"1," * 100_000,
    "weights.bin": b"\x80\x04K\x01.",
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_gets_one_sentence(name):
    with pytest.raises(ValueError, match=r"^[A-Z][^\n]*\.$"):
        identify(read_array(name, HOSTILE[name]))


def test_the_largest_file_is_judged_within_its_memory():
    """As large as an upload may be: one pass over its numbers, and no copy for every form."""
    values = bias(9, queries=512, keys=512).astype(np.float16)
    tracemalloc.start()
    verdict = identify_bias(read_array("large.npy", npy(values)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert verdict.status == "clean"
    assert peak < 200e6

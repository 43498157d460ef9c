"""The language model: causal, the same by every path, at any length; and read otherwise, as each reading is defined."""

import math

import pytest
import torch

from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.attention.masks import score_scale
from alibi_viz.lm.config import BLOCKS
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.readings import READINGS, ReadAs, can_be_clamped, read_as, thinned
from alibi_viz.positions import METHODS
from tests.lm.tiny import tiny

NAMES = sorted(METHODS)


def tokens(count=20, rows=2):
    return torch.randint(256, (rows, count), generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize("method", NAMES)
def test_trace_and_pieces_through_the_cache_give_the_same_logits(method):
    model, text = tiny(method), tokens()
    whole = model(text)
    stages, traced = model.trace(text)
    assert len(stages) == 2
    assert stages[0].weights.shape == (2, 2, 20, 20)
    assert torch.allclose(whole, traced, atol=1e-5)
    caches = [KVCache() for _ in range(2)]
    pieces = [model(part, caches=caches) for part in text.split((7, 1, 12), dim=1)]
    assert torch.allclose(whole, torch.cat(pieces, dim=1), atol=1e-5)
    caches = [KVCache() for _ in range(2)]
    for part in text[:, :12].split((7, 5), dim=1):
        model.read(part, caches)
    assert torch.allclose(whole[:, 12:], model(text[:, 12:], caches=caches), atol=1e-5)


def test_methods_of_one_seed_start_from_the_same_network():
    first = dict(tiny("alibi").named_parameters())
    for method in NAMES:
        model = tiny(method)
        shared = {name: p for name, p in model.named_parameters() if "position" not in name.split(".")}
        assert shared.keys() == first.keys()
        assert all(torch.equal(p, first[name]) for name, p in shared.items())


@pytest.mark.parametrize("method", METHODS)
def test_a_llama_layer_refuses_what_it_cannot_do(method):
    if method in BLOCKS["llama"]:
        assert DecoderLM(method, block="llama")(torch.zeros(1, 3, dtype=torch.long)).shape == (1, 3, 256)
    else:
        with pytest.raises(ValueError, match="RoPE or ALiBi"):
            DecoderLM(method, block="llama")


LENGTH, TOKENS = 8, 21
METHODS_READ = [name for name, method in METHODS.items() if not method.has_position_table]
CLAMPED = [name for name in METHODS_READ if name not in ("sinusoidal", "forgetting")]


def rows(tokens=TOKENS):
    return torch.randint(256, (2, tokens), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("method", METHODS_READ)
def test_a_reading_changes_nothing_within_the_training_length_and_all_keys_nothing_anywhere(method):
    model = tiny(method, LENGTH)
    torch.testing.assert_close(read_as(model, "all", LENGTH)(rows()), model(rows()), atol=1e-4, rtol=1e-4)
    for reading in READINGS:
        if can_be_clamped(model.position) or "clamped" not in reading:
            within = rows(LENGTH)
            torch.testing.assert_close(read_as(model, reading, LENGTH)(within), model(within), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("reading", ["all", "clamped"])
@pytest.mark.parametrize("method", ["rope", "fire", "inkling"])
def test_a_text_that_is_read_on_is_read_the_same(method, reading):
    model = read_as(tiny(method, LENGTH), reading, LENGTH)
    caches, text = [KVCache() for _ in model.blocks], rows()
    model.read(text[:, :9], caches)
    pieces = [model(piece, caches=caches) for piece in (text[:, 9:12], text[:, 12:])]
    torch.testing.assert_close(torch.cat(pieces, dim=1), model(text)[:, 9:], atol=1e-4, rtol=1e-4)


def test_thinned_are_the_last_keys_and_as_many_drawn_before_them():
    seen = thinned(TOKENS, LENGTH)
    for query in range(TOKENS):
        keys = seen[query].nonzero().ravel().tolist()
        assert len(keys) == min(query + 1, LENGTH), "as many as in training, or all there are"
        assert keys[-min(query + 1, LENGTH // 2) :] == list(range(max(0, query - LENGTH // 2 + 1), query + 1))
    assert len({tuple(row.nonzero().ravel().tolist()[:4]) for row in seen[-8:]}) > 4, "each query has a draw of its own"


@pytest.mark.parametrize("method", CLAMPED)
@pytest.mark.parametrize("reading", ["clamped", "thinned_clamped"])
def test_a_clamped_pair_is_one_of_the_training(method, reading):
    """The query at min(i, L - 1), the key as far before it as it is, or L - 1."""
    model = read_as(tiny(method, LENGTH), reading, LENGTH)
    for block in model.blocks:
        read = block.attention
        assert isinstance(read, ReadAs)
        x = torch.randn(1, TOKENS, 16, generator=torch.Generator().manual_seed(2))
        q, k, _ = read.attention.project(x)
        given, window = read.attention.position.given(x), read.attention.position.window
        scores = torch.full((2, TOKENS, TOKENS), -math.inf)
        for query in range(TOKENS):
            for key in range(query + 1):
                stands = torch.tensor([min(query, LENGTH - 1)])
                before = stands - min(query - key, LENGTH - 1)
                one, other = given.rotate(q[:, :, [query]], k[:, :, [key]], stands, before)
                bias = given.for_queries(torch.tensor([query])).score_bias(stands, before)
                hidden = (window is not None and query - key > window) or (
                    "thinned" in reading and not thinned(TOKENS, LENGTH)[query, key]
                )
                if not hidden:
                    score = (one @ other.mT * score_scale(given, 8))[0, :, 0, 0]
                    scores[:, query, key] = score if bias is None else score + bias.reshape(-1, 2, 1, 1)[0, :, 0, 0]
        weights = torch.cat([torch.nn.functional.pad(w, (0, TOKENS - w.shape[-1])) for w, _ in read.weights(x)], dim=2)
        torch.testing.assert_close(weights[0], scores.softmax(-1), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("method", ["sinusoidal", "forgetting"])
def test_what_has_no_distance_cannot_be_clamped(method):
    with pytest.raises(ValueError, match="no distance"):
        read_as(tiny(method, LENGTH), "clamped", LENGTH)

"""Layers of the kind "llama" in the tiny language model."""

from __future__ import annotations

import pytest
import torch

from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.drop_in.drop_in import AlibiAttention, alibi_slopes
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.evaluation import evaluate
from alibi_viz.lm.training import build_model, start, train_chunk
from alibi_viz.positions.alibi import slopes
from alibi_viz.results import pretrained


def small(method="alibi", **options):
    shape = {"width": 24, "layers": 2, "heads": 4, "head_dim": 8, "length": 16, "steps": 6, "batch": 2}
    return TrainConfig(method, block="llama", **(shape | options))


@pytest.mark.parametrize("options", [{}, {"heads": 3}, {"head_dim": 0, "heads": 6}, {"width": 40, "layers": 1}])
def test_the_count_of_parameters_is_that_of_the_model(options):
    config = small(**options)
    assert config.parameters == sum(p.numel() for p in build_model(config).parameters())


def test_equal_seeds_start_with_equal_weights():
    rope, alibi = (dict(build_model(small(method)).named_parameters()) for method in ("rope", "alibi"))
    assert all(torch.equal(rope[name], alibi[name]) for name in rope | alibi)


@pytest.mark.parametrize("method", ["rope", "alibi"])
def test_pieces_through_the_cache_are_the_full_pass(method):
    model, tokens = build_model(small(method)).eval(), torch.arange(40)[None]
    caches = [KVCache.empty() for _ in model.blocks]
    pieces = [model(piece, caches=caches) for piece in tokens.split([7, 1, 20, 12], dim=1)]
    torch.testing.assert_close(torch.cat(pieces, dim=1), model(tokens), atol=1e-5, rtol=0)
    caches = [KVCache.empty() for _ in model.blocks]
    model.read(tokens[:, :12], caches)
    torch.testing.assert_close(model(tokens[:, 12:], caches=caches), model(tokens)[:, 12:], atol=1e-5, rtol=0)


def test_the_slopes_are_those_of_the_method():
    for options, expected in (({}, alibi_slopes(4)), ({"rule": "blog"}, slopes(4, "blog"))):
        block = build_model(small(options=options)).blocks[0]
        assert isinstance(block.attention, AlibiAttention)
        assert block.attention.slopes == pytest.approx(expected)


def test_runs_of_before_keep_their_names():
    for record in pretrained.load_all():
        config = TrainConfig.from_dict(record["config"])
        assert config.block == "gpt"
        assert config.hash == record["hash"]
    assert small().hash != TrainConfig.from_dict(small().to_dict() | {"block": "gpt"}).hash
    assert TrainConfig.from_dict(small().to_dict()) == small()


@pytest.mark.parametrize("method", ["rope", "alibi"])
def test_it_trains_and_is_measured_like_every_model(method):
    corpus = python_text()
    state = train_chunk(start(small(method), corpus), 6, corpus)
    assert state.finished
    assert state.losses.isfinite().all()
    result = evaluate(state.model(), corpus.held_out[:1_000], 64)
    assert 1 < result.perplexity < 1_000

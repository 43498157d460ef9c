"""Side by side: every number of a column against PyTorch's attention module, and what is measured beside them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from alibi_viz.attention.attention import Attention
from alibi_viz.content.synthetic import embed, project
from alibi_viz.content.words import words
from alibi_viz.pictures.compare.message import MOST_POSITIONS
from alibi_viz.positions import METHODS, PositionMethod
from alibi_viz.results import pretrained
from alibi_viz.ui.controls.content import example
from pages.compare import study
from pages.compare.study import Controls

WORDS = tuple(words(example()))
ALL = Controls(WORDS, tuple(METHODS), "same words attract", 3)


def module(method: PositionMethod, chosen: Controls) -> Attention:
    """The attention that a model uses, with the page's projections."""
    setting = chosen.setting
    attention = Attention(setting.width, 8, method, kv_heads=chosen.kv_heads, head_dim=setting.head_dim)
    for name, heads in (("q", 8), ("k", chosen.kv_heads), ("v", chosen.kv_heads)):
        weight = project(torch.eye(setting.width)[None], setting, name, heads)[0]  # [H, D, d]
        getattr(attention, f"to_{name}").weight.data = weight.transpose(1, 2).flatten(0, 1)
    return attention


@torch.no_grad()
def stages(name: str, chosen: Controls) -> tuple[np.ndarray, np.ndarray]:
    """Scores and weights of the chosen head over all words that the method has positions for."""
    method = chosen.method(name)
    x = embed(chosen.words * chosen.times, chosen.setting)[:, : method.max_position]
    positions = torch.arange(x.shape[1])
    traced, _ = module(method, chosen).trace(method.add_to_embeddings(x, positions), positions=positions)
    return traced.masked[0, chosen.head - 1].numpy(), traced.weights[0, chosen.head - 1].numpy()


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("times", [1, 4, 16])
@pytest.mark.parametrize("content", ["equal", "same words attract"])
def test_every_number_is_that_of_the_attention_module(content, times, grouped):
    chosen = replace(ALL, content=content, times=times, grouped=grouped, query=14 * times)
    result = study.study(chosen)
    shown = result.positions.tolist()
    assert len(shown) == min(16 * times, MOST_POSITIONS)
    assert shown[-1] == chosen.count - 1
    for added in result.added:
        scores, weights = stages(added.method, chosen)
        known = [position for position in shown if position < len(scores)]
        pairs = [(query, key) for query in known for key in known if key <= query]
        assert len(added.cells) == len(pairs)
        for query, keys in ((query, [key for key in known if key <= query]) for query in known):
            cells = [study.cell(result, added, query, key) for key in keys]
            np.testing.assert_allclose([c.content + c.added for c in cells], scores[query, keys], atol=2e-4)
            np.testing.assert_allclose([c.weight for c in cells], weights[query, keys], atol=1e-5)
        if chosen.query < len(scores):
            np.testing.assert_allclose(result.row + added.row, scores[chosen.query, : chosen.query + 1], atol=2e-4)
        else:
            assert study.cell(result, added, chosen.query, 0) is None
            assert "no vector" in added.problem


def test_one_word_everywhere_leaves_the_position_alone():
    result = study.study(replace(ALL, content="equal", head=2, times=2))
    np.testing.assert_allclose(result.content, 2, atol=1e-5)
    added = {one.method: one.cells for one in result.added}
    query, key = np.tril_indices(32)
    np.testing.assert_allclose(added["alibi"], -(query - key) / 4, atol=1e-5)
    assert not added["none"].any()
    for relative in ("rope", "t5", "kerple", "sandwich"):
        by_distance = [np.ptp(added[relative][query - key == distance]) for distance in range(32)]
        assert max(by_distance) < 1e-5, relative


def test_a_table_has_as_many_rows_as_the_text_has_words():
    (learned,) = study.study(replace(ALL, methods=("learned",), times=2)).added
    assert len(learned.logsum) == len(WORDS)
    assert learned.problem.endswith("position 31 has no vector.")


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 127, 128, 1000, 1024])
def test_what_is_drawn_of_a_long_text_is_a_step_apart(count):
    shown = study.shown_positions(count)
    assert shown[-1] == count - 1
    assert shown[0] >= 0
    assert len(shown) <= MOST_POSITIONS
    assert len(set(np.diff(shown))) <= 1


def test_only_absolute_methods_feel_a_shift_and_all_but_none_another_order():
    for moved in study.moved(ALL):
        absolute = METHODS[moved.method].acts_on == "embeddings"
        assert (abs(moved.after - moved.before) > 1e-3) == absolute, moved.method
        assert (moved.reordered > 1e-4) == (moved.method != "none"), moved.method


def test_perplexity_is_that_of_the_records():
    for name in METHODS:
        records = [record for record in pretrained.load_all() if record["config"]["method"] == name]
        for times, value in study.perplexity(name).items():
            found = [
                entry["perplexity"]
                for record in records
                for entry in record["sliding"]
                if entry["length"] == times * record["config"]["length"]
            ]
            assert value == pytest.approx(np.mean(found))
    assert set(study.perplexity("learned")) == {1}
    assert set(study.perplexity("alibi")) == {1, 2, 4, 8, 16}

"""Compare as a link opens it; and every number of a column against PyTorch's attention module."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from alibi_viz.attention.attention import Attention
from alibi_viz.content.synthetic import embed, project
from alibi_viz.content.words import words
from alibi_viz.lessons import load
from alibi_viz.positions import METHODS
from alibi_viz.ui.controls.content import example
from pages.compare import study
from pages.compare.page import USUAL
from pages.compare.study import Controls
from tests.pages.apptest import address, hands, open_page, picture, release, said, says


def names(at):
    return [column["method"] for column in picture(at)["columns"]]


def test_it_opens_with_six_methods_that_say_where_their_numbers_come_from():
    at = open_page("compare")
    shown = picture(at)
    assert (names(at), shown["pair"]) == (list(USUAL), [15, 1]), "the last word, and the same word before"
    origins = {column["method"]: column["origin"] for column in shown["columns"]}
    words = load("compare").entries("origin")
    assert (origins["alibi"], origins["t5"]) == (words["fixed"], words["trained"])
    assert {name for name, origin in origins.items() if "not to scale" in origin} == {"learned", "sinusoidal", "rope"}
    assert shown["words"]["height"] == load("compare").entry("about", "height"), "what that means is said beside them"
    assert not picture(open_page("compare", methods="alibi,t5"))["words"]["height"]


NOT_USUAL = ", ".join(kind.title for name, kind in METHODS.items() if name not in USUAL)


@pytest.mark.parametrize(
    ("asked", "note", "facts"),
    [
        ({"text": "  "}, "empty", {}),
        ({"text": "word " * 300}, "long", {"given": 300, "used": 64}),
        ({"methods": ",".join(METHODS)}, "methods", {"given": NOT_USUAL}),
    ],
)
def test_what_cannot_be_shown_gets_a_sentence_and_the_nearest_picture(asked, note, facts):
    at = open_page("compare", **asked)
    assert says(at.info[0].value, "compare", f"notes.{note}", **facts)
    assert 1 <= len(names(at)) <= 6


def test_methods_in_their_order_and_a_locked_pair_stand_in_the_address():
    at = release(open_page("compare"), methods="none,fire,sinusoidal,rope,t5,alibi", cell="9,4")
    assert names(at)[1] == "fire"
    assert address(at) == {"methods": "none,fire,sinusoidal,rope,t5,alibi", "cell": "9,4"}
    assert picture(at)["query"] == 9, "its whole row comes along"
    assert hands(open_page("compare", **address(at)))["values"] == hands(at)["values"]
    assert hands(open_page("compare", cell="4,9"))["values"]["cell"] == "", "a pair in the future is none"


def test_what_follows_with_length_is_what_the_runs_gave():
    """By the rule, of the chosen methods alone: `tests/unit/test_comparison.py` has its verdicts."""
    compared = "the same: ALiBi; breaks: No positions, Sinusoidal, RoPE; not told apart here: T5 bias"
    at = open_page("compare", compare_open="tests")
    assert says(said(at), "compare", "seen", compared=compared, end="Learned", length=128)
    few = open_page("compare", methods="alibi,rope")
    assert says(said(few), "compare", "seen", compared="the same: ALiBi; breaks: RoPE", length=128)
    before, after, reordered = (at.dataframe[0].value.iloc[:, column].tolist() for column in (2, 3, 4))
    changed = [method for method, a, b in zip(USUAL, before, after, strict=True) if a != b]
    assert changed == ["learned", "sinusoidal"], "a shift is felt by absolute positions alone"
    assert [method for method, change in zip(USUAL, reordered, strict=True) if change == "0"] == ["none"]


ALL = Controls(tuple(words(example())), tuple(METHODS), "same words attract", 3)


def module(method, chosen):
    """The attention that a model uses, with the page's projections."""
    setting = chosen.setting
    attention = Attention(setting.width, 8, method, kv_heads=chosen.kv_heads, head_dim=setting.head_dim)
    for name, heads in (("q", 8), ("k", chosen.kv_heads), ("v", chosen.kv_heads)):
        weight = project(torch.eye(setting.width)[None], setting, name, heads)[0]  # [H, D, d]
        getattr(attention, f"to_{name}").weight.data = weight.transpose(1, 2).flatten(0, 1)
    return attention


@torch.no_grad()
def stages(name, chosen):
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
    result = study.compute(chosen)
    shown = result.positions.tolist()
    assert len(shown) == min(16 * times, study.MOST_WORDS)
    assert shown[-1] == chosen.count - 1
    for added in result.added:
        scores, weights = stages(added.method, chosen)
        known = [position for position in shown if position < len(scores)]
        assert len(added.cells) == len(known) * (len(known) + 1) // 2
        rows, keys = np.tril_indices(len(known))
        pairs = np.array(known)[rows], np.array(known)[keys]
        found = result.content[: len(rows)] + added.cells
        np.testing.assert_allclose(found, scores[pairs], atol=2e-4)
        np.testing.assert_allclose(np.exp(found - added.logsum[rows]), weights[pairs], atol=1e-5)
        if chosen.query < len(scores):
            np.testing.assert_allclose(result.row + added.row, scores[chosen.query, : chosen.query + 1], atol=2e-4)
            assert study.weight(result, added, 3) == pytest.approx(weights[chosen.query, 3], abs=1e-5)
        else:
            assert not len(added.row)
            assert "no vector" in str(added.problem)


def test_each_method_stands_beside_the_formula_of_the_place_where_it_acts():
    """No bias in the scores of methods that have none: RoPE, sinusoidal and learned positions."""
    chosen = ("none", "learned", "sinusoidal", "rope", "t5", "alibi")
    shown = said(open_page("compare", methods=",".join(chosen)))
    lines = re.findall(r"\*\*([^*]+)\*\*: \$\{s_\{ij\} = (.*?)\}\$", shown)
    beside = {title: formula for titles, formula in lines for title in titles.split(", ")}
    assert set(beside) == {METHODS[name].title for name in chosen}
    for name in chosen:
        formula, acts_on = beside[METHODS[name].title], METHODS[name].acts_on
        assert ("b_h(i, j)" in formula) == (acts_on == "scores"), name
        assert ("x_i + p_i" in formula) == (acts_on == "embeddings"), name
        assert ("R_i W_q" in formula) == (acts_on == "queries_and_keys"), name
    assert "p_i" not in said(open_page("compare", methods="rope,alibi")), "only what is shown"

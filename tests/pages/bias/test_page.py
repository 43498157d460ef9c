"""The Bias page as a reader opens it."""

from __future__ import annotations

import re

import pytest

from alibi_viz.lessons import load
from tests.pages.apptest import asks, hands, note, open_page, said, says, shown


@pytest.mark.parametrize("n", ["1", "2", "1000", "1048576"])
@pytest.mark.parametrize("form", ["distance", "key only", "symmetric", "two-sided"])
def test_bias_at_the_extremes(n, form):
    for causal, after in (("true", "false"), ("false", "true")):
        options = {"form": form, "causal": causal, "after": after, "bias_open": "forms,elsewhere,table"}
        at = open_page("bias", n=n, heads="3", head="3", span="7", row=n, **options)
        assert shown(at, "n") == int(n)
        assert len(at.dataframe[0].value)


def test_a_million_tokens_are_shown_at_the_diagonal_where_there_is_something_to_see():
    preset = next(one["values"] for one in hands(open_page("bias"))["presets"] if one["values"]["n"] == 1_000_000)
    at = open_page("bias", **{key: str(value) for key, value in preset.items()})
    assert "queries 995,904 to 999,999" in said(at)


def test_the_head_is_one_of_those_that_there_are():
    at = open_page("bias", heads="2", head="8")
    assert hands(at)["values"]["head"] == 2
    assert "too large" in at.info[0].value
    open_page("bias", heads="128", head="128", n="4096", colours="whole range")


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ({}, "bias"),
        ({"form": "key only"}, "key_only"),
        ({"after": "true"}, "after"),
        ({"causal": "false"}, "reward"),
        ({"causal": "false", "form": "key only", "after": "true"}, "reward"),
        ({"causal": "false", "form": "symmetric"}, "bias"),
    ],
)
def test_the_sentences_are_those_of_the_form(url, sentence):
    at = open_page("bias", **url)
    assert says(said(at), "bias", f"seen_{sentence}")
    assert note(at) == load("bias").entries("note")[sentence], "the browser puts in its numbers"


def test_forms_are_compared_where_their_weights_differ():
    """Under the mask they are the same, so the numbers are those without one."""
    for causal in ("true", "false"):
        text = said(open_page("bias", causal=causal, bias_open="forms"))
        (compared,) = re.findall(r"symmetric \*\*([\d.]+)\*\*, two-sided \*\*([\d.]+)\*\*", text)
        assert min(map(float, compared)) > 0.01


@pytest.mark.parametrize(
    ("url", "right"),
    [
        ({}, load("bias").label("alike")),
        ({"form": "key only"}, "Query 127, key 111"),
        ({"after": "true"}, "Query 0, key 0"),
        ({"after": "true", "causal": "false"}, "Query 64, key 64"),
        ({"after": "true", "causal": "false", "form": "symmetric"}, "Query 0, key 0"),
    ],
)
def test_the_question_is_judged_by_two_cells_of_the_matrix(url, right):
    at = open_page("bias", predict="true", **url)
    options = {button.label: button for button in at.button if str(button.key).startswith("question_bias.")}
    options[right].click().run()
    assert says(said(at), "words", "predict.right", chosen=right)
    at = open_page("bias", predict="true", **url)
    wrong = next(
        button for button in at.button if str(button.key).startswith("question_bias.") and button.label != right
    )
    wrong.click().run()
    assert says(said(at), "words", "predict.wrong", right=right)


@pytest.mark.parametrize("url", [{"n": "4"}, {"n": "100", "col": "60", "span": "20"}])
def test_nothing_is_asked_of_cells_that_are_not_there(url):
    assert not asks(open_page("bias", predict="true", **url))

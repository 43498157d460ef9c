"""The Bias page as a reader opens it."""

from __future__ import annotations

import re

import pytest

from alibi_viz.lessons import load
from tests.pages.apptest import asks, open_page, said, says

COLUMNS = load("bias").entries("columns")


@pytest.mark.parametrize("n", ["1", "2", "1000", "1048576"])
@pytest.mark.parametrize("form", ["distance", "key only", "symmetric", "two-sided"])
def test_bias_at_the_extremes(n, form):
    for causal, after, dtype in ((True, False, "float16"), (False, True, "bfloat16")):
        options = {"form": form, "causal": str(causal), "after": str(after), "dtype": dtype}
        at = open_page("bias", n=n, heads="3", head="3", span="7", row=n, **options)
        assert at.session_state["n"] == int(n)


def test_bias_with_every_head():
    at = open_page("bias", heads="128", head="128", n="4096", colours="whole range")
    views = [part for part in at.get("bidi_component") if part.proto.component_name == "alibi_viz_matrix_view"]
    assert len(views) == 2, "the stage, and the thumbnails"


def test_a_million_tokens():
    at = open_page("bias")
    at.button(key="try_bias_million").click().run()
    assert not at.exception
    assert "1,000,000" in said(at)
    assert "queries 995,904 to 999,999" in said(at), "at the diagonal, where there is something to see"


def test_the_head_is_one_of_those_that_there_are():
    at = open_page("bias", heads="2", head="8")
    assert at.number_input(key="head").max == 2
    assert "Head 2 subtracts" in said(at)


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
    text = said(open_page("bias", **url))
    assert [says(text, "bias", f"{part}.{sentence}") for part in ("note", "seen")] == [True, True]


def test_forms_are_compared_where_their_weights_differ():
    """Under the mask they are the same, so the numbers are those without one."""
    for causal in ("true", "false"):
        text = said(open_page("bias", causal=causal, bias_open="forms"))
        (compared,) = re.findall(r"symmetric \*\*([\d.]+)\*\*, two-sided \*\*([\d.]+)\*\*", text)
        assert min(map(float, compared)) > 0.01


def test_rounding_is_told_where_it_shows():
    """Of a short text the formats hold every bias, and float32 holds every one of a long text too."""
    at = open_page("bias", bias_open="formats")
    assert "In bfloat16, head 3 has" in said(at)
    table = at.dataframe[0].value.set_index(COLUMNS["dtype"])
    assert (table.loc[["bfloat16", "float16"], COLUMNS["error"]] > 0).any()
    assert table.loc["bfloat16", COLUMNS["by_key"]] > 0.01


def test_what_rounding_does_to_the_weights_is_told():
    at = open_page("bias", n="2048", head="1", dtype="bfloat16", bias_open="formats")
    text = said(at)
    assert says(text, "bias", "precision", by_key="0.154", by_distance="4 × 10⁻⁵⁷")
    table = at.dataframe[0].value.set_index(COLUMNS["dtype"])
    assert table.loc["bfloat16", COLUMNS["by_key"]] == pytest.approx(0.154, abs=5e-4)
    overflowing = {"n": "200000", "head": "1", "dtype": "float16", "form": "key only", "after": "true"}
    text = said(open_page("bias", bias_open="formats", **overflowing))
    assert says(text, "bias", "overflow")


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

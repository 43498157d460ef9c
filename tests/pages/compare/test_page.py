"""The Compare page as a reader opens it: methods, made-up content and trained models."""

from __future__ import annotations

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from alibi_viz.lessons import load
from alibi_viz.positions import METHODS
from alibi_viz.results import trained
from alibi_viz.results.measured import curves as curves_of
from alibi_viz.results.measured import ranked, shipped
from alibi_viz.ui.controls.method_pills import TITLES
from pages.compare.controls import DEFAULT, allowed
from pages.compare.controls import MODEL_TEXT as TEXT
from tests.pages.apptest import open_page, said, says
from tests.pages.compare.test_charts import numbers

UNFIT = ("heads", "width", "positions", "run")
TABLES = ("tests", "facts")  # sections with a row a method


def test_every_method_is_shown_and_has_its_words():
    names = list(METHODS)
    for chosen in (names[:5], names[5:], names[2:8]):
        for section in TABLES:
            url = {"text": "one two three two one " * 5, "trained": "8", "compare_open": section}
            at = open_page("compare", methods=",".join(chosen), **url)
            for table in at.dataframe:
                assert table.value.iloc[:, 0].tolist() == [TITLES[name] for name in chosen]
            assert ("no vector" in said(at)) == ("learned" in chosen)
    lesson = load("compare")
    assert all(f"formula.{name}" in lesson for name in METHODS)


def test_the_number_of_methods_is_two_to_six():
    assert allowed(()) == ("none", "alibi")
    assert allowed(("rope",)) == ("rope", "alibi")
    assert allowed(METHODS) == tuple(METHODS)[:6]
    for chosen, sentence in (("rope", "few"), (",".join(METHODS), "many"), ("rope,alibi,robe", "unknown")):
        assert says(open_page("compare", methods=chosen).info[0].value, "compare", f"methods.{sentence}")


def test_choosing_a_method_changes_every_table():
    at = open_page("compare", compare_open="facts")
    pills = at.button_group(key="methods_pills")
    pills.set_value([TITLES["rope"], TITLES["alibi"]]).run()
    assert not at.exception
    assert at.session_state["methods"] == "rope,alibi"
    assert len(at.dataframe[0].value) == 2
    assert len(figure(at).data) == 2


def test_the_facts_follow_the_width():
    def learned(size: str) -> str:
        at = open_page("compare", methods="learned,alibi", size=size, facts_n="100", compare_open="facts")
        return str(at.dataframe[0].value.iloc[0, 2])

    assert learned("8") == f"{100 * 8 * 8:,}"
    assert learned("32") == f"{100 * 8 * 32:,}"


def test_the_facts_say_what_is_counted():
    at = open_page("compare", methods="learned,alibi", facts_n="2048", compare_open="facts")
    facts = at.dataframe[0].value
    columns = load("compare").entries("columns")
    assert list(facts[columns["new"]]) == ["256", "8"]
    assert list(facts[columns["beyond"]]) == ["no", "yes"]
    assert says(said(at), "compare", "facts")


def test_time_is_measured_only_when_asked():
    opened = {"methods": "none,alibi", "compare_open": "facts"}
    assert open_page("compare", **opened).dataframe[0].value.shape[1] == 6
    at = open_page("compare", measure="true", facts_n="32", **opened)
    assert at.dataframe[0].value.shape[1] == 8
    assert at.dataframe[0].value.iloc[0, 7] == "1.00"


def test_shift_changes_absolute_methods_alone():
    at = open_page("compare", methods="none,sinusoidal,alibi", shift="100", compare_open="tests")
    change = dict(zip(*(at.dataframe[0].value.iloc[:, column] for column in (0, 3)), strict=True))
    assert change["No positions"] == change["ALiBi"] == "0"
    assert change["Sinusoidal"] != "0"


def test_an_empty_text_gets_a_sentence():
    for section in ("matrices", "tests"):
        assert "empty" in open_page("compare", text="   ", compare_open=section).warning[0].value


def test_a_long_text_is_cut():
    assert "first 256" in said(open_page("compare", text="word " * 300, compare_open="matrices"))


def test_trained_numbers_are_offered_and_named():
    at = open_page("compare", methods="t5,learned,kerple", heads="8", size="8", weights="fresh", compare_open="numbers")
    assert not says(said(at), "compare", "origin.trained")
    assert says(said(at), "compare", "origin.fresh", methods="Learned, T5 bias, KERPLE log")
    assert not says(said(at), "compare", "fit.t5")
    at.button(key="try_compare_trained").click().run()
    assert not at.exception
    state = at.session_state
    assert (state["weights"], state["heads"], state["size"]) == ("trained", 8, "8")
    assert all(says(said(at), "compare", f"fit.{method}") for method in ("t5", "learned"))
    assert says(said(at), "compare", "origin.trained", length=128, methods="Learned, T5 bias")
    assert not any(says(said(at), "compare", f"unfit.{why}") for why in UNFIT)


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ({"methods": "t5,alibi", "heads": "4"}, {"heads": 8}),
        ({"methods": "learned,alibi", "size": "32"}, {"width": 64}),
        ({"methods": "learned,alibi", "size": "8", "trained": "129"}, {"positions": 128}),
        ({"methods": "kerple,fire", "heads": "6"}, {"heads": 8}),
    ],
)
def test_what_does_not_fit_stays_at_initialization_and_says_why(url, allowed):
    opened, ((why, number),) = url | {"compare_open": "numbers"}, allowed.items()
    numbers = {"length" if why == "positions" else why: number}
    assert says(said(open_page("compare", weights="trained", **opened)), "compare", f"unfit.{why}", **numbers)
    assert not says(said(open_page("compare", weights="fresh", **opened)), "compare", f"unfit.{why}")


def test_nonsense_for_the_learned_parameters_gives_the_usual_ones():
    at = open_page("compare", weights="pickled", heads="8", size="8")
    assert at.session_state["weights"] == "trained"
    assert at.info


def test_a_method_without_a_model_stays_at_initialization(two_without):
    url = {"weights": "trained", "methods": "kerple,fire"}
    assert says(said(open_page("compare", compare_open="numbers", **url)), "compare", "unfit.run")
    assert says(said(open_page("compare", **url)), "compare", "origin.fresh", methods="KERPLE log, FIRE")


def figure(at):
    return go.Figure(json.loads(at.get("plotly_chart")[0].proto.spec))


def test_the_picture_shows_trained_methods_that_differ_from_no_positions():
    at = open_page("compare")
    text = " ".join(said(at).split())
    assert says(text, "compare", "origin.trained", length=128, methods="T5 bias, FIRE")
    assert says(text, "compare", "seen", at=64, head=3, heads=8, lowest="FIRE", length=128)
    assert says(text, "compare", "seen.follow", follow="Sinusoidal, FIRE", last=512)
    drawn = {trace.name: numbers(trace.y) for trace in figure(at).data}
    assert not drawn["No positions"].any()
    assert all(np.abs(drawn[name]).max() > 0.5 for name in ("T5 bias", "FIRE"))
    initial = {trace.name: numbers(trace.y) for trace in figure(open_page("compare", weights="fresh")).data}
    assert np.abs(initial["T5 bias (at initialization)"]).max() < 0.5


def test_the_picture_follows_the_size_of_the_trained_models():
    at = open_page("compare", **MODELS)
    assert len({trace.line.color for trace in figure(at).data}) == 6
    assert says(said(at), "compare", "origin.trained", length=128)


MODELS = {"content": "trained model"}
READING = MODELS | {"compare_open": "matrices"}  # their matrices


@pytest.fixture
def two_without(monkeypatch):
    """KERPLE and FIRE have no model, as if their files were missing."""
    load = trained.load
    monkeypatch.setattr(
        trained, "load", lambda ref, store=None: None if ref in ("kerple", "fire") else load(ref, store)
    )


def test_trained_models_read_the_text_and_what_has_no_model_is_left_out(two_without):
    at = open_page("compare", methods="alibi,rope,kerple,fire", layer="2", **READING)
    sentences = said(at)
    assert says(sentences, "compare", "models.left_out", methods="KERPLE log, FIRE")
    assert says(sentences, "compare", "models.seen.beyond"), "the text of this mode goes beyond the training"
    assert says(sentences, "compare", "models.below")
    assert not {"weights", "heads", "size", "trained", "against"} & {element.key for element in controls_of(at)}
    models = next(element.value for element in at.dataframe if "Loss, up to 128 bytes before" in element.value.columns)
    assert list(models["Method"]) == ["RoPE", "ALiBi"]
    at.button(key="try_compare_models").click().run()
    assert not at.exception
    assert says(said(at), "compare", "models.seen.beyond")
    assert "Learned positions go from 0 to 127" in said(at)
    at.button(key="try_compare_added").click().run()
    assert not at.exception
    assert not says(said(at), "compare", "models.below")
    assert {"weights", "heads", "size", "trained", "against"} <= {element.key for element in controls_of(at)}


def test_the_words_at_the_top_hold_for_the_chosen_content():
    untrained, trained = said(open_page("compare", compare_open="matrices")), said(open_page("compare", **READING))
    assert says(untrained, "compare", "matrices.made")
    assert not says(trained, "compare", "matrices.made")
    assert says(trained, "compare", "matrices.trained")
    assert not says(untrained, "compare", "matrices.trained")


def test_heads_of_two_models_are_told_by_the_chosen_number():
    for text in (TEXT, "short"):
        sentences = said(open_page("compare", head="6", text=text, **READING))
        assert says(sentences, "compare", f"models.seen.{'beyond' if text == TEXT else 'inside'}", head=6)


def test_each_kind_of_content_has_its_own_text_until_the_reader_writes_one():
    at = open_page("compare", compare_open="matrices")
    words = at.text_area(key="text").value
    at.selectbox(key="content").set_value("trained model").run()
    assert not at.exception
    assert at.text_area(key="text").value == TEXT
    at.selectbox(key="content").set_value("random").run()
    assert at.text_area(key="text").value == words
    at.text_area(key="text").set_value("my own words, my own words").run()
    at.selectbox(key="content").set_value("trained model").run()
    assert at.text_area(key="text").value == "my own words, my own words"
    assert says(said(at), "compare", "models.seen.inside")
    assert "Predictions on this text: 25." in said(at)


@pytest.mark.parametrize("methods", ["none,rope", "alibi,fire"])
def test_a_short_text_ranks_no_method(methods):
    sentences = said(open_page("compare", methods=methods, text="Four words of text.", **READING))
    curves = curves_of(shipped(), "nonoverlapping")
    order = ", ".join(f"{TITLES[method]} {value:.2f}" for method, value in ranked(curves))
    assert order.startswith("RoPE")  # and not the order that nineteen bytes give
    assert "Predictions on this text: 18." in sentences
    assert order in sentences
    assert not says(said(open_page("compare", methods=methods, compare_open="matrices")), "words", "ranking")


def test_colours_of_weights_are_explained_where_weights_are_shown():
    for url in ({"compare_open": "matrices"}, READING):
        assert says(said(open_page("compare", **url)), "compare", "colour.weights")
        assert not says(said(open_page("compare", stage="scores", **url)), "compare", "colour.weights")
    against = open_page("compare", against="ALiBi", compare_open="matrices")
    assert says(said(against), "compare", "colour.difference")


def controls_of(at):
    return [*at.number_input, *at.selectbox, *at.button_group]


@pytest.mark.parametrize("text", ["", "x", " ", "日本🙂 <b>$x$" * 200])
def test_any_text_for_trained_models(text):
    at = open_page("compare", methods="learned,t5,none", **READING)
    at.text_area(key="text").set_value(text).run()
    assert not at.exception
    assert bool(at.warning) == (not text)
    assert says(said(at), "compare", "models.seen.byte") == (len(text) == 1)


def test_one_model_alone_has_no_range(two_without):
    sentences = said(open_page("compare", methods="alibi,fire", **READING))
    assert says(sentences, "compare", "models.seen.one")
    assert not any(says(sentences, "compare", f"models.seen.{length}") for length in ("inside", "beyond"))


def test_methods_without_a_model_alone_are_said_in_words(two_without):
    warning = open_page("compare", methods="kerple,fire", **READING).warning[0].value
    assert says(warning, "compare", "models.none")


def test_default_methods_are_allowed():
    assert allowed(DEFAULT) == DEFAULT


def test_what_rounding_makes_is_no_change():
    at = open_page("compare", compare_open="tests", methods="rope,alibi,none")
    shift = at.dataframe[0].value
    assert shift[load("compare").entry("columns", "change")].tolist() == ["0", "0", "0"]
    order = at.dataframe[1].value
    columns = load("compare").entries("columns")
    assert order[columns["output"]][0] == "0"
    assert order[columns["notices"]][0] == columns["no"]

"""Compare as a link opens it, and as its picture reports a choice."""

from __future__ import annotations

import json

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from alibi_viz.lessons import load
from alibi_viz.positions import METHODS
from alibi_viz.results import table, trained
from pages.compare import study
from pages.compare.page import PRESET_VALUES, USUAL, parse_methods
from tests.pages.apptest import address, hands, open_page, release, said, says, send
from tests.ui.unpacking import unpack

TEXT = "the cat sat on the mat and the dog sat on the rug near the cat"


def part(at):
    """The picture's component."""
    return next(one.proto for one in at.get("bidi_component") if one.proto.component_name == "alibi_viz_compare")


def message(at):
    return unpack(part(at).bytes)[0]


def names(at):
    return [column["method"] for column in message(at)["columns"]]


def test_it_opens_with_one_word_everywhere_and_six_methods():
    at = open_page("compare")
    shown = message(at)
    assert hands(at)["values"]["content"] == "equal"
    assert names(at) == list(USUAL)
    assert shown["pair"] == [15, 1], "the last word, and the same word before"
    assert {column["method"] for column in shown["columns"] if column["page"]} == {*USUAL} - {"none"}
    assert all(word not in shown["alt"] for word in ("nan", "None"))


def test_a_column_says_where_its_numbers_come_from_and_what_is_not_to_scale():
    origins = {c["method"]: c["origin"] for c in message(open_page("compare"))["columns"]}
    assert (origins["none"], origins["alibi"]) == ("fixed", "fixed")
    assert origins["t5"] == load("compare").entry("origin", "trained")
    scaled = {method for method, origin in origins.items() if "not to scale" in origin}
    assert scaled == {"learned", "sinusoidal", "rope"}


def test_without_its_model_a_method_is_at_initialization_and_says_so(monkeypatch):
    monkeypatch.setattr(trained, "load", lambda ref, store=None: None)
    study.built.cache_clear()
    (column,) = message(open_page("compare", methods="t5"))["columns"]
    study.built.cache_clear()
    assert column["origin"] == load("compare").entry("origin", "fresh")


@pytest.mark.parametrize(
    ("asked", "note", "facts"),
    [
        ({"text": "  "}, "empty", {}),
        ({"text": "word " * 300}, "long", {"given": 300, "used": 64}),
        ({"methods": "rope,robe,alibi"}, "methods", {"given": "robe"}),
        ({"methods": ",".join(METHODS)}, "methods", {"given": "KERPLE log, KERPLE power, Sandwich, FIRE"}),
    ],
)
def test_what_cannot_be_shown_gets_a_sentence_and_the_nearest_picture(asked, note, facts):
    at = open_page("compare", **asked)
    assert says(at.info[0].value, "compare", f"notes.{note}", **facts)
    assert 1 <= len(names(at)) <= 6


@pytest.mark.parametrize(
    ("asked", "methods"),
    [
        ("rope,alibi", ("rope", "alibi")),
        ("alibi, rope,alibi", ("alibi", "rope")),
        ("", USUAL),
        ("robe", USUAL),
        (",".join(METHODS), tuple(METHODS)[:6]),
    ],
)
def test_methods_stand_in_the_order_of_the_link(asked, methods):
    assert parse_methods(asked)[0] == methods


@pytest.mark.parametrize("text", ["🙂 🙃", "שלום עולם שלום", "a\x00b", "<b>x</b> y", "one", "so, it ends."])
@pytest.mark.parametrize("times", ["1", "16"])
def test_any_text_is_shown(text, times):
    shown = message(open_page("compare", content="same words attract", text=text, times=times))
    query, key = shown["pair"]
    assert 0 <= key <= query < shown["count"]
    assert shown["count"] == int(times) * len(shown["tokens"])


def test_another_method_in_a_column_and_a_locked_pair_stand_in_the_address():
    at = release(open_page("compare"), methods="none,fire,sinusoidal,rope,t5,alibi", cell="9,4")
    assert names(at)[1] == "fire"
    assert address(at) == {"methods": "none,fire,sinusoidal,rope,t5,alibi", "cell": "9,4"}
    assert message(at)["query"] == 9, "its whole row comes along"
    again = open_page("compare", **address(at))
    assert hands(again)["values"] == hands(at)["values"]


def test_a_pair_in_the_future_is_none():
    assert hands(open_page("compare", cell="4,9"))["values"]["cell"] == ""


def test_a_name_opens_its_page_and_nothing_else_does():
    for method, title in (("rope", load("lab_rope").text("title")), ("alibi", load("slopes").text("title"))):
        at = open_page("compare")
        opens(at, method)
        assert at.title[0].value == title
    for method in ("none", "../x", "fire"):
        at = open_page("compare")
        opens(at, method)
        assert at.title[0].value == load("compare").text("title")


def opens(at, method):
    """As the browser reports a click on a column's name."""
    event = json.dumps([{"event": "open", "value": method}])
    send(at, WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{part(at).id}__events", json_trigger_value=event))
    assert not at.exception


def test_what_follows_with_length_is_what_the_runs_gave():
    every = study.rises()
    rises = {METHODS[name].title: every[name] for name in USUAL if name in every}
    stay = ", ".join(title for title, rise in rises.items() if rise <= table.WORSE)
    worse = ", ".join(title for title, rise in rises.items() if rise > table.WORSE)
    assert (stay, worse) == ("ALiBi", "No positions, Sinusoidal, RoPE, T5 bias")
    assert says(said(open_page("compare")), "compare", "seen", stay=stay, rise=worse, end="Learned", length=128)


@pytest.mark.parametrize("times", ["1", "4", "16"])
@pytest.mark.parametrize("name", PRESET_VALUES)
def test_a_message_stays_small(name, times):
    values = {key: str(value) for key, value in PRESET_VALUES[name].items()} | {"times": times}
    assert len(part(open_page("compare", **values)).bytes) < 80_000


def test_the_two_tests_are_a_small_table():
    at = open_page("compare", compare_open="tests,formulas", text=TEXT)
    table = at.dataframe[0].value
    before, after, reordered = (table.iloc[:, column].tolist() for column in (2, 3, 4))
    changed = [method for method, a, b in zip(USUAL, before, after, strict=True) if a != b]
    assert changed == ["learned", "sinusoidal"]
    assert [method for method, change in zip(USUAL, reordered, strict=True) if change == "0"] == ["none"]
    assert all(METHODS[name].formula in said(at) for name in USUAL)


OLD = (
    {"methods": "none,rope,alibi", "against": "No positions", "heads": "4", "compare_open": "matrices"},
    {"methods": "t5,learned", "weights": "trained", "size": "8", "trained": "128", "facts_n": "100", "shift": "5"},
    {"content": "trained model", "layer": "2", "methods": "alibi,rope", "head": "5"},
    {"content": "random", "stage": "scores", "axis": "linear", "farthest": "65536", "compare_open": "reach,code"},
)


@pytest.mark.parametrize("asked", OLD)
def test_an_address_of_the_page_before_this_one_opens(asked):
    at = open_page("compare", **asked)
    assert names(at) == list(parse_methods(asked.get("methods", ""))[0])
    corrected = asked.get("content", "equal") != "equal" or "stage" in asked or "compare_open" in asked
    assert bool(at.info) == corrected

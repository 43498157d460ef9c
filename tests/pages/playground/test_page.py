"""The playground as a link opens it, and as its picture reports a choice."""

from __future__ import annotations

import pytest

from alibi_viz.lessons import load
from alibi_viz.ui.controls.content import example
from tests.pages.apptest import open_page, said, says
from tests.ui.unpacking import unpack

LESSON = load("playground")


def shown(at):
    """The message of the picture."""
    (view,) = (view for view in at.get("bidi_component") if view.bytes and view.component_name.endswith("playground"))
    return unpack(view.bytes)[0]


@pytest.mark.parametrize(
    ("asked", "note", "facts"),
    [
        ({"text": "  "}, "empty", {}),
        ({"text": "word " * 10_000}, "long", {"given": 4000, "used": 1024}),
        ({"heads": "12"}, "heads", {"given": 12, "used": 16}),
        ({"slopes": "abc"}, "slopes", {}),
        ({"slopes": "2:nan, 9:0.5, 3:1e9"}, "slopes", {}),
        ({"query": "99"}, "query", {"given": 99, "used": 16}),
    ],
)
def test_what_cannot_be_shown_gets_a_sentence_and_the_nearest_picture(asked, note, facts):
    message = shown(open_page("playground", **asked))
    assert message["note"] == LESSON.entry("notes", note, facts)
    assert message["tokens"]


@pytest.mark.parametrize("text", ["🙂 🙃", "שלום עולם שלום", "a\x00b", "<b>x</b> y", "one"])
def test_any_text_is_shown(text):
    message = shown(open_page("playground", text=text))
    assert len(message["tokens"]) == len(message["ids"]) >= 1


@pytest.mark.parametrize(
    ("text", "asked", "query", "keys"),
    [("so, it ends.", {}, -1, 4), ("猫追老鼠。」", {}, -1, 4), ("a b.", {"query": "0"}, 0, 3)],
)
def test_the_first_query_is_a_word_and_a_link_may_ask_for_any(text, asked, query, keys):
    message = shown(open_page("playground", text=text, **asked))
    assert message["hands"]["values"]["query"] == query
    assert message["arrays"][message["rows"]]["shape"] == [8, keys]


@pytest.mark.parametrize("text", ["one", "one two"])
def test_no_share_is_claimed_where_no_word_is_far(text):
    at = open_page("playground", text=text)
    assert says(said(at), "playground", "seen_few")
    assert "nan" not in said(at) + shown(at)["alt"]


def test_a_link_opens_the_same_picture():
    asked = {"heads": "4", "head": "3", "strength": "2", "slopes": "3:0.1", "query": "2", "ratio": "4"}
    message = shown(open_page("playground", **asked))
    values = {"heads": "4", "head": 3, "strength": 2.0, "slopes": "3:0.1", "query": 2, "ratio": 4.0}
    assert message["hands"]["values"] == {"text": example(), **values}
    assert message["note"] == ""


REPORT = {
    "heads": 4,
    "head": 99,
    "strength": 1e9,
    "query": -3,
    "ratio": "x",
    "slopes": "1:0.3, <b>:y",
    "text": "two\x00 words",
}


def test_what_the_picture_reports_is_bounded_where_it_is_read():
    at = open_page("playground", **{key: str(value) for key, value in REPORT.items()})
    message = shown(at)
    values = {
        "text": "two words",
        "heads": "4",
        "head": 4,
        "strength": 4.0,
        "slopes": "1:0.3",
        "query": -1,
        "ratio": 1.0,
    }
    assert message["hands"]["values"] == values
    assert message["note"] == LESSON.entry("notes", "slopes")

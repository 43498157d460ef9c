"""The playground as a link opens it, and as its picture reports a choice."""

from __future__ import annotations

import pytest

from alibi_viz.lessons import load
from pages.playground import controls
from pages.playground.facts import Corrected
from tests.pages.apptest import open_page, said, says
from tests.ui.unpacking import unpack

LESSON = load("playground")


def shown(at):
    """The message of the picture."""
    (view,) = (view for view in at.get("bidi_component") if view.bytes and view.component_name.endswith("playground"))
    return unpack(view.bytes)[0]


@pytest.mark.parametrize(
    ("asked", "section", "facts"),
    [
        ({"text": "  "}, "note.empty", None),
        ({"text": "word " * 10_000}, "note.long", Corrected("4000", "1024")),
        ({"heads": "12"}, "note.heads", Corrected("12", "16")),
        ({"slopes": "abc"}, "note.slopes", None),
        ({"slopes": "2:nan, 9:0.5, 3:1e9"}, "note.slopes", None),
        ({"query": "99"}, "note.query", Corrected("99", "16")),
    ],
)
def test_what_cannot_be_shown_gets_a_sentence_and_the_nearest_picture(asked, section, facts):
    message = shown(open_page("playground", **asked))
    assert message["note"] == LESSON.text(section, facts)
    assert message["tokens"]


@pytest.mark.parametrize("text", ["🙂 🙃", "שלום עולם שלום", "a\x00b", "<b>x</b> y", "one"])
def test_any_text_is_shown(text):
    message = shown(open_page("playground", text=text))
    assert len(message["tokens"]) == len(message["ids"]) >= 1


@pytest.mark.parametrize(
    ("text", "asked", "back"), [("so, it ends.", {}, 1), ("猫追老鼠。」", {}, 2), ("a b.", {"query": "0"}, 0)]
)
def test_the_first_query_is_a_word_and_a_link_may_ask_for_any(text, asked, back):
    assert shown(open_page("playground", text=text, **asked))["chosen"]["query"] == back


@pytest.mark.parametrize("text", ["one", "one two"])
def test_no_share_is_claimed_where_no_word_is_far(text):
    at = open_page("playground", text=text)
    assert says(said(at), "playground", "seen_few")
    assert "nan" not in said(at) + shown(at)["alt"]


def test_a_link_opens_the_same_picture():
    message = shown(open_page("playground", heads="4", head="3", strength="2", slopes="3:0.1", query="2", ratio="4"))
    assert message["chosen"] == {"heads": 4, "head": 3, "strength": 2.0, "query": 2, "ratio": 4.0, "slopes": {"3": 0.1}}
    assert message["note"] == ""


def test_a_choice_of_the_picture_is_checked_and_kept(monkeypatch):
    at = open_page("playground")
    report = {"heads": 4, "head": 99, "strength": 1e9, "query": -3, "ratio": "x", "slopes": {"1": 0.3, "<b>": "y"}}
    at.session_state[controls.KEY] = {"choice": {**report, "text": "two\x00 words", "sequence": 7}}
    monkeypatch.setattr(controls.rerun, "request", lambda: None)
    written = {}
    monkeypatch.setattr(controls.state, "assign", written.update)
    monkeypatch.setattr(controls.playground, "reported", lambda key: at.session_state[key]["choice"])
    controls.keep()
    assert written == {
        "text": "two words",
        "heads": 4,
        "head": 99,
        "strength": 4.0,
        "slopes": "1:0.3",
        "query": -1,
        "ratio": 1.0,
    }

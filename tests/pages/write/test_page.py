"""The Writing page as a reader opens it: texts that are shipped, texts that are written now, and beginnings of any kind."""

from __future__ import annotations

import time

import pytest

from alibi_viz.lessons import load
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.words import known_words
from alibi_viz.results import pretrained, writing
from pages.write import study
from tests.pages.apptest import hands, open_page, said, says
from tests.ui.unpacking import unpack


def message(at):
    """The header and the arrays of the picture."""
    (part,) = (part.proto for part in at.get("bidi_component") if part.proto.component_name == "alibi_viz_write")
    return unpack(part.bytes)


def written(at) -> list[bytes]:
    head, arrays = message(at)
    return [bytes(arrays[column["text"]].astype("uint8")) for column in head["columns"]]


def when_done(at, seconds=60):
    """The page when all its texts are written: it is asked again and again, as the picture does."""
    for _ in range(int(seconds / 0.2)):
        if all(column["done"] for column in message(at)[0]["columns"]):
            return at
        time.sleep(0.2)
        at.run()
    raise AssertionError("the texts are not written")


def test_the_default_beginning_is_there_at_once_as_it_is_shipped():
    at = open_page("write")
    shipped = writing.shipped()
    head, _ = message(at)
    assert [column["method"] for column in head["columns"]] == ["alibi", "rope", "t5", "sinusoidal"]
    assert written(at) == [shipped.prompt + shipped.texts[column["method"]][0] for column in head["columns"]]
    assert says(said(at), "write", "seen", length=128)


def test_words_that_the_training_text_lacks_are_told_apart():
    head, arrays = message(open_page("write"))
    known = known_words(python_text().train)
    for column in head["columns"]:
        text, table = bytes(arrays[column["text"]].astype("uint8")), arrays[column["words"]].reshape(-1, 3)
        for start, end, is_known in table.astype(int).tolist():
            assert (text[start:end].lower() in known) == bool(is_known)


def test_another_try_is_another_text_and_the_same_for_all():
    shipped = writing.shipped()
    at = open_page("write", write_seed="2", write_methods="alibi")
    assert written(at) == [shipped.prompt + shipped.texts["alibi"][1]]


@pytest.mark.parametrize("beginning", ["", "🙂🙂", "x" * 2048, "a\x00b"])
def test_a_beginning_of_any_kind_is_written_on(beginning):
    at = when_done(open_page("write", write_text=beginning, write_length="64", write_methods="alibi"))
    (text,) = written(at)
    assert len(text) == 64 + max(1, len(beginning.replace("\x00", "").encode()))
    assert not at.exception


def test_learned_positions_end_with_their_sentence():
    at = when_done(open_page("write", write_methods="learned"))
    head, _ = message(at)
    assert "no vector" in head["columns"][0]["problem"]
    assert len(written(at)[0]) == 128


def test_after_a_long_text_the_beginning_is_held_out():
    at = open_page("write", write_after="1024", write_length="64", write_methods="alibi")
    assert written(at)[0][:1024] == writing.shipped().long_prompt
    assert "write_text" in [hand["key"] for hand in hands(at)["hands"] if hand["where"]]


@pytest.mark.parametrize("section", ["after", "all"])
def test_every_section_opens(section):
    at = open_page("write", write_open=section)
    assert says(said(at), "write", section)
    if section == "all":
        assert len(at.dataframe[0].value) == len(pretrained.METHODS)


def test_a_missing_file_of_shipped_texts_costs_the_tables_alone(monkeypatch):
    monkeypatch.setattr(writing, "shipped", lambda: None)
    at = when_done(open_page("write", write_length="64", write_methods="alibi", write_seed="91"))
    assert len(written(at)[0]) == len(study.beginning("The function returns a list of ", 0)) + 64
    assert load("write").entry("closer", "after") not in [expander.label for expander in at.expander]

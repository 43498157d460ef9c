"""The ALiBi lab as a reader opens it."""

from __future__ import annotations

from tests.pages.apptest import open_page, said


def test_an_empty_text_gets_a_sentence():
    assert "empty" in open_page("lab_alibi", text="   ").warning[0].value


def test_a_long_text_is_cut():
    assert "first 256" in said(open_page("lab_alibi", text="word " * 300))


def test_one_head_stands_alone():
    at = open_page("lab_alibi", lab_heads="1", lab_head="2")
    assert "Head 1, slope 1/4" in said(at)

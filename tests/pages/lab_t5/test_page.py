"""The T5 lab as a reader opens it."""

from __future__ import annotations

from tests.pages.apptest import open_page, said, says


def test_the_start_of_the_last_bucket_is_told():
    assert "begins at distance **113**, for a largest distance of 128" in said(open_page("lab_t5"))
    assert "begins at distance **91**, for a largest distance of 128" in said(open_page("lab_t5", two_sided="true"))


def test_the_note_counts_the_untrained_buckets():
    assert "never uses **5** of 32 buckets" in said(open_page("lab_t5"))
    assert "All distances from 113 on share the last one" in said(open_page("lab_t5", t5_trained="128"))


def test_the_bias_stands_in_its_section():
    assert len(open_page("lab_t5", t5_head="2").get("plotly_chart")) == 1
    at = open_page("lab_t5", t5_head="2", lab_t5_open="bias")
    assert "The bias of head 2" in at.get("plotly_chart")[1].proto.alt
    assert says(said(at), "lab_t5", "initialization")


def test_untrained_buckets_are_named():
    assert "27, 28, 29, 30, 31" in said(open_page("lab_t5"))
    assert says(said(open_page("lab_t5", t5_trained="128")), "lab_t5", "seen.all")
    assert "max_distance" in open_page("lab_t5", max_distance="2").warning[0].value.replace("\\", "")

"""The page on where the break comes from, as a reader opens it: losses, a text of the reader's, buckets, old addresses."""

from __future__ import annotations

import re

from tests.pages.apptest import asks, open_page, said, says


def test_loss_by_position_speaks_of_the_chosen_window():
    assert says(said(open_page("why", ext_window="512", ext_methods="sinusoidal")), "why", "course.jump")
    assert says(said(open_page("why", ext_window="1024", ext_methods="fire")), "why", "course.slow")
    assert says(said(open_page("why", ext_window="512", ext_methods="alibi")), "why", "course.flat")
    assert says(said(open_page("why", ext_window="128")), "why", "short")
    assert says(said(open_page("why", ext_window="256")), "why", "missing", names="Learned")


def test_a_reader_s_text():
    at = open_page("why", ext_read="a short one", why_open="attention")
    assert "11 bytes" in said(at)
    at = open_page("why", ext_read="ж" * 400, why_open="attention")
    assert "first 512" in said(at)
    at = open_page("why", ext_methods="learned,alibi", why_open="attention")
    assert "no vector" in said(at).replace("\\", "")
    assert "first 320 bytes" in said(at)


def test_the_link_knows_four_methods_of_six():
    """Four matrices fit; the words below them speak of the same four."""
    words = said(open_page("why", why_open="attention"))
    losses = re.search(r"Loss on this text\*\*.*? those beyond: (.*?)\. ", words)[1]
    names = [re.fullmatch(r"(.+) [\d.]+ → [\d.]+", part)[1] for part in losses.split(", ")]
    assert names == ["ALiBi", "RoPE", "T5 bias", "Sinusoidal"]


def test_lost_buckets_are_named():
    words = said(open_page("why", why_open="buckets"))
    assert "27, 28, 29, 30, 31" in words
    assert says(words, "why", "buckets.here")
    assert "largest distance of 128 it begins at\ndistance 113, so after a training at L = 128 there are none" in words
    assert says(words, "why", "buckets.here")
    assert not says(said(open_page("why", ext_window="128", why_open="buckets")), "why", "buckets.here")


def test_links_ask_for_the_model_as_trained():
    """A strength that an earlier visit left on the Attention page would change what the reader compares."""
    links = [link.proto for link in open_page("why", why_open="attention").get("page_link")]
    heads = [link.query_string for link in links if "passage=" in link.query_string]
    assert len(heads) == 4
    assert all("strength=1" in link.split("&") for link in heads)


def test_the_note_names_who_rises_most():
    words = said(open_page("why", ext_methods="sinusoidal,alibi"))
    assert "Just after L, the loss of **Sinusoidal** rises most" in words
    assert "The loss of ALiBi changes least" in words
    assert "no loss rises by more than 0.2 nats" in said(open_page("why", ext_methods="alibi"))
    assert says(said(open_page("why", ext_methods="")), "why", "nothing")
    assert "robe" in said(open_page("why", ext_methods="alibi,robe"))


def test_nothing_is_asked_where_no_loss_rises():
    for url in ({"ext_window": "128"}, {"ext_methods": "alibi,t5"}, {"ext_methods": "rope"}):
        assert not asks(open_page("why", predict="true", **url))

"""Why it breaks as a reader opens it."""

from __future__ import annotations

import json
import re

import pytest

from alibi_viz.lessons import load
from tests.pages.apptest import open_page, said, says


def test_each_method_has_its_sentence_and_the_note_the_largest_change():
    words = said(open_page("why", ext_methods="sinusoidal,alibi,fire", ext_window="1024"))
    for course, name in (("jump", "Sinusoidal"), ("slow", "FIRE"), ("flat", "ALiBi")):
        (listed,) = re.findall(re.escape(load("why").entries("courses")[course].split("{")[0]) + "(.*?)→", words)
        assert listed.startswith(f"{name} ")
    assert says(words, "why", "note", most="Sinusoidal", least="ALiBi")
    assert says(said(open_page("why", ext_methods="alibi")), "why", "note_flat", change=0.2)


def test_within_the_training_nothing_is_said_of_beyond():
    words = said(open_page("why", ext_window="128"))
    assert says(words, "why", "note_inside")
    assert not says(words, "why", "courses.jump")


def test_learned_positions_have_no_line_and_it_is_said():
    at = open_page("why", ext_window="256")
    assert not at.info
    assert says(said(at), "why", "courses.missing", listed="Learned")
    at = open_page("why", ext_window="256", ext_methods="learned")
    assert "Learned" in at.info[0].value
    assert not at.get("plotly_chart")
    assert says(said(at), "why", "hidden")


@pytest.mark.parametrize(("section", "charts"), [("heads", 2), ("stretched", 1), ("depth", 1)])
def test_every_section_opens(section, charts):
    at = open_page("why", why_open=section)
    assert len(at.get("plotly_chart")) == 1 + charts
    assert says(said(at), "why", {"heads": "ablated"}.get(section, section))


def test_lines_of_a_section_are_told_apart():
    chart = open_page("why", why_open="stretched").get("plotly_chart")[1]
    names = [trace["name"] for trace in json.loads(chart.proto.spec)["data"] if trace.get("name")]
    assert len(names) == len(set(names)) == 7

"""Why it breaks: the course of a loss by position, and what the records give of heads, depth and stretched positions."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.results import pretrained
from pages.why import study
from tests.pages.apptest import open_page, said, says

L = 16


@pytest.mark.parametrize(
    ("before", "after", "last", "name"),
    [(2.0, 2.3, 2.3, "jump"), (2.0, 2.1, 2.5, "slow"), (2.0, 2.1, 2.1, "flat"), (2.0, 1.5, 1.0, "flat")],
)
def test_a_course_has_its_name(before, after, last, name):
    """Of a window of 4 L: these means before L, just after it and in the last quarter."""
    parts = ((9.0, L // 2), (before, L // 2), (after, L // 2), ((after + last) / 2, 3 * L // 2), (last, L))
    found = study.course("alibi", np.concatenate([np.full(count, value) for value, count in parts]), L)
    assert (found.before, found.after, found.last, found.course) == (before, after, last, name)


def test_each_method_has_its_sentence_and_the_note_the_largest_change():
    words = said(open_page("why", ext_methods="sinusoidal,alibi,fire", ext_window="1024"))
    for course, name in (("jump", "Sinusoidal"), ("slow", "FIRE"), ("flat", "ALiBi")):
        (listed,) = re.findall(re.escape(load("why").entries("courses")[course].split("{")[0]) + "(.*?)→", words)
        assert listed.startswith(f"{name} ")
    assert says(words, "why", "note", most="Sinusoidal", least="ALiBi")
    words = said(open_page("why", ext_window="128"))
    assert says(words, "why", "note_inside"), "within the training nothing is said of beyond"
    assert not says(words, "why", "courses.jump")


def test_learned_positions_have_no_line_and_it_is_said():
    assert says(said(open_page("why", ext_window="256")), "why", "courses.missing", listed="Learned")
    at = open_page("why", ext_window="256", ext_methods="learned")
    assert "Learned" in at.info[0].value
    assert not at.get("plotly_chart")


def test_the_lines_are_those_of_the_records():
    records = [record for record in pretrained.load_all() if record["config"]["method"] == "rope"]
    tables = [next(e for e in record["nonoverlapping"] if e["length"] == 256)["by_position"] for record in records]
    (found,) = study.by_position(["rope"], 256, 128)
    assert found.before == pytest.approx(np.mean(tables, axis=0)[64:128].mean())
    edges = found.line.x + (found.line.x[1] - found.line.x[0]) / 2
    assert 128.5 in edges, "no point has positions on both sides of L"
    record = json.loads((pretrained.FOLDER / "text" / "alibi-0.json").read_text())
    whole = next(e["loss"] for e in record["windows"] if e["length"] == e["window"] == 128)
    assert study.without_heads(128)["alibi"][0, 0] == pytest.approx(record["without_heads"][0][0] - whole)
    ways = {"alibi": ("trained", "interpolated", "gentle half"), "rope": ("trained", "linear", "dynamic", "yarn")}
    assert set(study.stretched()) == {(method, way) for method, names in ways.items() for way in names}

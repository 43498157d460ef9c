"""Why it breaks: where perplexity leaves its level, and what the records give of heads, depth and stretched positions."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from alibi_viz.results import pretrained
from pages.why import study
from tests.pages.apptest import numbers, open_page, said, says

LEVEL = 1.3


@pytest.mark.parametrize(
    ("points", "leaves"),
    [
        ((0, 0, 0.3, 1, 1, 1, 1, 1), 2),  # right after L two points are as before
        ((0.3,) * 8, 0),
        ((0,) * 8, None),
        ((0.2,) * 8, None),  # less than a quarter higher
        ((0, 0.9, 0, 0, 0, 0, 0, 0), None),  # a single high point
        ((0.9, 0, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9), 2),
        ((0, 0, 0, 0, 0, 0.9, 0.9, 0.9), None),  # too near the end to say that it stays
        ((0, 0, 0, 0, 0.9, 0.9, 0.9, 0.9), 4),
    ],
)
def test_a_method_leaves_its_level_where_it_stays_above(points, leaves):
    """points: beyond L, nats above the level of the second half of L."""
    inside = (9.0, LEVEL + 0.1, LEVEL - 0.1, LEVEL + 0.1, LEVEL - 0.1)  # the first is outside the second half
    loss = np.repeat([*inside[:1] * 4, *inside[1:], *(LEVEL + point for point in points)], study.BLOCK)
    found = study.course("alibi", loss, 8 * study.BLOCK)
    assert found.level == pytest.approx(math.exp(LEVEL))
    assert found.leaves == (None if leaves is None else 8 + leaves)
    if leaves is not None:
        assert found.position == (8 + leaves) * study.BLOCK + 1
        assert found.then == pytest.approx(math.exp(LEVEL + points[leaves]))


def test_the_sentences_say_where_each_method_leaves_and_the_picture_marks_it():
    at = open_page("why", ext_methods="sinusoidal,rope,alibi", ext_window="512")
    words, (spec,) = said(at), (json.loads(chart.proto.spec) for chart in at.get("plotly_chart"))
    left = "Sinusoidal **129** (1.01 L), RoPE **177** (1.38 L)"
    assert says(words, "why", "note", left=left)
    assert says(words, "why", "leaving.stay", listed="ALiBi")
    assert re.search(r"Sinusoidal \d+\.\d+ → \d+\.\d+, RoPE 3\.8\d → 15\.\d+\.", words)
    rings = [trace for trace in spec["data"] if trace["marker"].get("symbol") == "circle-open"]
    assert sorted(float(numbers(ring["x"])[0]) for ring in rings) == [136.5, 184.5], "in the middle of their points"
    assert says(said(open_page("why", ext_methods="alibi,t5")), "why", "note_flat")
    words = said(open_page("why", ext_window="128"))
    assert says(words, "why", "note_inside"), "within the training nothing is said of beyond"
    assert not says(words, "why", "leaving.stay")


def test_learned_positions_have_no_line_and_it_is_said():
    assert says(said(open_page("why", ext_window="256")), "why", "leaving.missing", listed="Learned")
    at = open_page("why", ext_window="256", ext_methods="learned")
    assert "Learned" in at.info[0].value
    assert not at.get("plotly_chart")


def test_the_lines_are_those_of_the_records():
    records = [record for record in pretrained.load_all() if record["config"]["method"] == "rope"]
    tables = [next(e for e in record["nonoverlapping"] if e["length"] == 256)["by_position"] for record in records]
    (found,) = study.by_position(("rope",), 256, 128)
    assert found.level == pytest.approx(math.exp(np.mean(tables, axis=0)[64:128].mean()))
    edges = found.line.x + (found.line.x[1] - found.line.x[0]) / 2
    assert 128.5 in edges, "no point has positions on both sides of L"
    record = json.loads((pretrained.FOLDER / "text" / "alibi-0.json").read_text())
    whole = next(e["loss"] for e in record["windows"] if e["length"] == e["window"] == 128)
    assert study.without_heads(128)["alibi"][0, 0] == pytest.approx(math.exp(record["without_heads"][0][0] - whole) - 1)
    ways = {"alibi": ("trained", "interpolated", "gentle half"), "rope": ("trained", "linear", "dynamic", "yarn")}
    assert set(study.stretched()) == {(method, way) for method, names in ways.items() for way in names}

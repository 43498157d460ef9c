"""Why it breaks: the course of a loss by position, and what the records give of heads, depth and stretched positions."""

from __future__ import annotations

import json

import numpy as np
import pytest

from alibi_viz.results import pretrained
from pages.why import study

L = 16


def loss(before: float, after: float, last: float) -> np.ndarray:
    """Of a window of 4 L: these means before L, just after it and in the last quarter."""
    parts = ((9.0, L // 2), (before, L // 2), (after, L // 2), ((after + last) / 2, 3 * L // 2), (last, L))
    return np.concatenate([np.full(count, value) for value, count in parts])


@pytest.mark.parametrize(
    ("numbers", "name"),
    [((2, 2.3, 2.3), "jump"), ((2, 2.1, 2.5), "slow"), ((2, 2.1, 2.1), "flat"), ((2, 1.5, 1.0), "flat")],
)
def test_a_course_has_its_name(numbers, name):
    found = study.course("alibi", loss(*numbers), L)
    assert (found.before, found.after, found.last, found.course) == (*map(float, numbers), name)


def test_a_window_within_the_training_has_no_course_beyond_it():
    found = study.course("alibi", np.full(L, 2.0), L)
    assert np.isnan(found.after)
    assert found.course == "flat"


def test_no_point_has_positions_on_both_sides_of_l():
    for window in (128, 256, 512, 1024, 2048):
        (line,) = (found.line for found in study.by_position(["alibi"], window, 128))
        assert len(line.x) == 64
        block = line.x[1] - line.x[0] if len(line.x) > 1 else 1
        edges = line.x + block / 2
        assert window == 128 or 128.5 in edges.tolist()


def test_the_loss_by_position_is_the_mean_of_the_seeds():
    records = [record for record in pretrained.load_all() if record["config"]["method"] == "rope"]
    tables = [next(e for e in record["nonoverlapping"] if e["length"] == 256)["by_position"] for record in records]
    (found,) = study.by_position(["rope"], 256, 128)
    assert found.before == pytest.approx(np.mean(tables, axis=0)[64:128].mean())
    assert study.by_position(["learned"], 256, 128) == []


def test_heads_are_those_of_the_record():
    record = json.loads((pretrained.FOLDER / "text" / "alibi-0.json").read_text())
    whole = next(e["loss"] for e in record["windows"] if e["length"] == e["window"] == 128)
    assert study.without_heads(128)["alibi"][0, 0] == pytest.approx(record["without_heads"][0][0] - whole)


def test_stretched_and_deeper_models():
    ways = ["trained", "interpolated", "gentle half"], ["trained", "linear", "dynamic", "yarn"]
    stretched = study.stretched()
    assert set(stretched) == {("alibi", way) for way in ways[0]} | {("rope", way) for way in ways[1]}
    assert all(line.x.tolist() == [2, 4, 8, 16] for line in stretched.values())
    assert list(study.depth()) == [2, 4, 6]

"""A table of learned positions, its end, and what training has made of it."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.results import trained
from pages.lab_learned.study import LEAST_SHOWN, at_initialization, cosines_by_distance, neighbor_cosine, study, window
from tests.pages.apptest import header, note, open_page, picture_problem, said

ROWS = trained.load("learned").config.length


def test_learned_positions_end():
    result = study(ROWS)
    assert result.vector is None
    assert f"position {ROWS} has no vector" in result.refusal
    np.testing.assert_array_equal(study(ROWS - 1).vector, result.trained[ROWS - 1])


@pytest.mark.parametrize(
    ("tried", "kind", "words"),
    [(ROWS - 1, "vector", "−0."), (ROWS, "refused", f"position {ROWS} has no"), (1_000_000, "refused", "1000000")],
)
def test_the_answer_of_the_method_is_said(tried, kind, words):
    at = open_page("lab_learned", tried=str(tried))
    assert note(at) == load("lab_learned").entries("note")[kind]
    (message,) = (header(part.proto.bytes) for part in at.get("bidi_component") if b'"note"' in part.proto.bytes)
    assert any(words in number for number in message["note"]["numbers"].values())


def test_without_the_shipped_model_a_sentence_says_so(monkeypatch):
    monkeypatch.setattr("pages.lab_learned.study.trained.load", lambda ref: None)
    assert "missing" in picture_problem(open_page("lab_learned"))


def test_training_makes_neighbors_alike_and_the_start_does_not():
    table, start = study(0).trained, at_initialization(512, 64, 0)
    assert abs(neighbor_cosine(start)) < 0.05
    cosines = cosines_by_distance(table)
    assert cosines[1:5].min() > 0.3 > cosines[ROWS // 2 : ROWS // 2 + 16].max()
    assert cosines[1] == pytest.approx(neighbor_cosine(table))
    (chart,) = open_page("lab_learned", lab_learned_open="neighbors").get("plotly_chart")
    assert "after training, −0.0" in chart.proto.alt


def test_the_table_starts_as_that_of_gpt_2():
    """wpe in openai/gpt-2, src/model.py: random_normal_initializer(stddev=0.01)."""
    table = at_initialization(512, 512, 0)
    assert table.mean() == pytest.approx(0, abs=1e-4)
    assert table.std() == pytest.approx(0.01, rel=0.01)
    assert "standard deviation of 0.01" in said(open_page("lab_learned"))


def test_cosines_by_distance_are_means_over_all_pairs():
    table = np.float32([[1, 0], [2, 0], [0, 3], [0, -1]])
    assert cosines_by_distance(table).tolist() == pytest.approx([1, (1 + 0 - 1) / 3, 0, 0])
    assert neighbor_cosine(table) == pytest.approx(0)
    assert neighbor_cosine(table[:1]) == 0


@pytest.mark.parametrize(("position", "first"), [(0, 0), (100, 60), (511, 452), (512, 452), (1_000_000, 452)])
def test_of_a_long_table_the_part_around_the_asked_position_is_shown(position, first):
    start, values = window(at_initialization(512, 4, 0), position)
    assert (start, len(values)) == (first, LEAST_SHOWN)
    assert start <= min(position, 531) < start + len(values)
    assert np.isneginf(values[-1]).all() == (first == 452), "beyond the end no vector is"

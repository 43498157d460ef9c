"""The lab of learned positions as a reader opens it."""

from __future__ import annotations

from tests.pages.apptest import open_page, said
from tests.ui.unpacking import unpack


def test_a_learned_table_ends():
    assert "Position 128 has no vector" in open_page("lab_learned").warning[0].value
    at = open_page("lab_learned", tried="127")
    assert not at.warning
    assert "Position 127 has a vector" in at.success[0].value


def test_the_table_does_not_know_neighbors_before_training():
    at = open_page("lab_learned", lab_learned_open="neighbors")
    (chart,) = at.get("plotly_chart")
    assert "after training, and −0.0" in chart.proto.alt


def test_what_a_table_holds_before_training_is_a_section():
    trained = {"start": 32, "count": 128}  # to 32 positions beyond its end
    assert drawn(open_page("lab_learned")) == [trained]
    at = open_page("lab_learned", lab_learned_open="start", table_rows="512")
    assert drawn(at) == [trained, {"start": 416, "count": 128}]


def drawn(at):
    """The columns of each matrix on the page."""
    views = [part.proto for part in at.get("bidi_component") if part.proto.component_name == "alibi_viz_matrix_view"]
    axes = [unpack(view.bytes)[0]["cols"] for view in views]
    return [{name: axis[name] for name in ("start", "count")} for axis in axes]


def test_the_start_of_gpt_2_is_told_with_its_source():
    sources = said(open_page("lab_learned"))
    assert "github.com/openai/gpt-2/blob/master/src/model.py" in sources
    assert "standard deviation of 0.01" in sources

"""The lab of learned positions as a reader opens it."""

from __future__ import annotations

from tests.pages.apptest import open_page, said


def test_a_learned_table_ends():
    assert "Position 64 has no vector" in open_page("lab_learned", tried="64").warning[0].value
    at = open_page("lab_learned", tried="63")
    assert not at.warning
    assert "Position 63 has a vector" in at.success[0].value


def test_the_table_does_not_know_neighbors_before_training():
    at = open_page("lab_learned", lab_learned_open="neighbors")
    (chart,) = at.get("plotly_chart")
    assert "For neighbours it is −0.0" in chart.proto.alt


def test_the_start_of_gpt_2_is_told_with_its_source():
    sources = said(open_page("lab_learned"))
    assert "github.com/openai/gpt-2/blob/master/src/model.py" in sources
    assert "standard deviation of 0.01" in sources


def test_the_question_is_judged_by_the_method_s_answer():
    at = open_page("lab_learned", predict="true")
    at.button(key="predict_lab_learned.predict_1").click().run()
    assert "The answer is **No vector: an error**" in said(at)
    for option in (0, 1):
        at = open_page("lab_learned", predict="true", tried="63")
        at.button(key=f"predict_lab_learned.predict_{option}").click().run()
        assert "That is right" in said(at)

"""Charts of the sinusoidal lab: traces, not pixels."""

from __future__ import annotations

from alibi_viz.lessons import load
from pages.lab_sinusoidal import charts
from pages.lab_sinusoidal.study import Controls, study

WORDS = load("lab_sinusoidal").entries("chart")
RESULT = study(Controls(5, 4, 100, 1))


def test_the_chosen_pair_stands_before_the_others() -> None:
    fig = charts.waves(RESULT, WORDS, dark=False)
    assert [trace.name for trace in fig.data] == ["", "", "sine", "cosine"]
    assert list(fig.data[-2].y) == RESULT.table[:, 2].tolist()


def test_one_pair_is_drawn_beside_all_and_the_most_similar_positions_are_marked() -> None:
    result = study(Controls(100, 2, 10_000, 0))
    fig = charts.similarity(result, ("pair 0", "all"), WORDS, dark=True)
    alone, every, closest = fig.data
    assert list(alone.y) == list(every.y), "with one pair, the pair is all there is"
    assert (closest.x[0], closest.y[0]) == (44, every.y[44])
    assert fig.layout.height is None, "it fills the stage"

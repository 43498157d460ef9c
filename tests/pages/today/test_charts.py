"""The timeline as a chart: traces, not pixels."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from alibi_viz.charts.palette import LOOKS, color
from alibi_viz.lessons import load
from pages.today import charts
from pages.today.study import KINDS, timeline

LESSON = load("today")


def figure(entries=None, *, dark: bool = False):
    return charts.timeline(timeline() if entries is None else entries, LESSON.entries("lanes"), dark=dark)


@pytest.mark.parametrize("dark", [False, True])
def test_a_method_has_its_one_look_and_a_model_is_open(dark):
    for trace in figure(dark=dark).data:
        own = [entry for entry in timeline() if entry.method == trace.name]
        assert trace.marker.color == color(LOOKS.get(trace.name, charts.OTHER), dark)
        marks = dict(zip((text.strip() for text in trace.text), trace.marker.symbol, strict=True))
        for entry in own:
            name = entry.name if entry.kind == "model" else f"<b>{entry.name}</b>"
            assert marks[name] == LOOKS.get(entry.method, charts.OTHER).marker + "-open" * (entry.kind == "model")


def test_every_entry_stands_at_its_date_with_its_source():
    marks = [mark for trace in figure().data for mark in zip(trace.x, trace.text, trace.customdata, strict=True)]
    assert len(marks) == len(timeline())
    for entry in timeline():
        (x, hover), *more = [(x, hover) for x, text, hover in marks if text.strip(" <b>/") == entry.name]
        assert not more
        assert entry.date == f"{int(x)}-{int(x % 1 * 12) + 1:02}"
        assert entry.source.replace(" ", "") in re.sub(r"<\w+>|</\w+>| ", "", hover)


def test_names_of_a_row_leave_each_other_room():
    for methods in charts.LANES.values():
        places = charts.lane([entry for entry in timeline() if entry.method in methods])
        for row in range(max(place.row for place in places) + 1):
            own = [place for place in places if place.row == row]
            for before, after in pairwise(own):
                assert before.end <= after.entry.year - (after.side == "left") * charts.LETTER * len(after.entry.name)
            assert all(place.end <= charts.END for place in own)


def test_a_lane_without_entries_is_left_out():
    for kind in KINDS:
        entries = [entry for entry in timeline() if entry.kind == kind]
        lanes = {lane for lane, methods in charts.LANES.items() if any(entry.method in methods for entry in entries)}
        fig = figure(entries)
        assert set(fig.layout.yaxis.ticktext) == {f"<b>{LESSON.entries('lanes')[lane]}</b>" for lane in lanes}
        assert fig.layout.yaxis.range[0] < figure().layout.yaxis.range[0], "fewer rows"
    assert {method for methods in charts.LANES.values() for method in methods} >= {e.method for e in timeline()}

"""T5's buckets: which there are, which of them training uses, and what the page says and draws of them."""

from __future__ import annotations

import dataclasses
import json

import pytest

from alibi_viz.charts.palette import LOOKS, UNTRAINED
from pages.lab_t5.study import Controls, study
from tests.pages.apptest import open_page, said, says, shown

T5 = Controls(64, 32, 128, False, 300)
STARTS = [*range(16), 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]


def test_buckets_that_training_never_uses():
    result = study(T5)
    assert [int(result.distances[result.buckets == bucket][0]) for bucket in range(32)] == STARTS
    assert result.untrained == [bucket for bucket, start in enumerate(STARTS) if start > 63]
    assert study(dataclasses.replace(T5, train_length=128)).untrained == []
    both = study(dataclasses.replace(T5, bidirectional=True))
    assert (both.distances[0], both.distances[-1]) == (-300, 300)
    assert both.untrained == [14, 15, 30, 31]


@pytest.mark.parametrize(
    ("buckets", "max_distance", "bidirectional", "start"),
    [(32, 128, False, 113), (32, 128, True, 91), (32, 32, False, 31), (2, 2, False, 1), (32, 17, False, 17)],
)
def test_a_text_that_reaches_the_last_bucket_trains_all_of_them(buckets, max_distance, bidirectional, start):
    t5 = Controls(start + 1, buckets, max_distance, bidirectional, 300)
    result, last = study(t5), (buckets // 2 if bidirectional else buckets) - 1
    assert result.last_start == start == result.distances[result.buckets == last].min()
    assert result.untrained == []
    assert last in study(dataclasses.replace(t5, train_length=start)).untrained


@pytest.mark.parametrize(("url", "count"), [({}, 5), ({"t5_trained": "128"}, 0), ({"two_sided": "true"}, 4)])
def test_untrained_buckets_are_red_and_counted(url, count):
    at = open_page("lab_t5", **url)
    (chart,) = at.get("plotly_chart")
    traces = json.loads(chart.proto.spec)["data"]
    assert [trace["marker"]["color"] for trace in traces] == [LOOKS["t5"].light, UNTRAINED.light][: 2 if count else 1]
    assert says(said(at), "lab_t5", "note_untrained" if count else "note_all", count=count)
    assert says(said(at), "lab_t5", "last_bucket", last_start=91 if "two_sided" in url else 113)
    assert says(said(at), "lab_t5", "two_sided") == ("two_sided" in url)


def test_numbers_that_do_not_fit_together_are_said_and_the_widgets_stay():
    at = open_page("lab_t5", max_distance="2")
    assert "above 16" in at.warning[0].value
    at.toggle(key="widget_two_sided").set_value(True).run()
    assert (shown(at, "two_sided"), shown(at, "max_distance")) == (True, 2)
    assert "above 8" in at.warning[0].value


def test_a_slider_has_the_number_of_the_address_and_gives_back_its_own():
    at = open_page("lab_t5", t5_trained="100")  # between two stops
    slider = at.select_slider(key="widget_t5_trained")
    assert slider.value == 100
    slider.set_value(128).run()
    assert shown(at, "t5_trained") == 128
    assert at.select_slider(key="widget_t5_trained").value == 128

"""T5's buckets: which there are, which of them training uses, and what the page says and draws of them."""

import dataclasses

import pytest

from alibi_viz.charts.palette import LOOKS, UNTRAINED
from pages.lab_t5.study import Controls, compute
from tests.pages.apptest import address, hands, open_page, release, said, says, shown, traces

T5 = Controls(64, 32, 128, False, 300)
STARTS = [*range(16), 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]


def test_buckets_that_training_never_uses():
    result = compute(T5)
    assert [int(result.distances[result.buckets == bucket][0]) for bucket in range(32)] == STARTS
    assert result.untrained == [bucket for bucket, start in enumerate(STARTS) if start > 63]
    both = compute(dataclasses.replace(T5, bidirectional=True))
    assert (both.distances[0], both.distances[-1]) == (-300, 300)
    assert both.untrained == [14, 15, 30, 31]


@pytest.mark.parametrize(("url", "count"), [({}, 5), ({"t5_trained": "128"}, 0), ({"two_sided": "true"}, 4)])
def test_untrained_buckets_are_red_and_counted(url, count):
    at = open_page("lab_t5", **url)
    colours = [trace["marker"]["color"] for trace in traces(at)]
    assert colours == [LOOKS["t5"].light, UNTRAINED.light][: 2 if count else 1]
    assert says(said(at), "lab_t5", "note_untrained" if count else "note_all", count=count)
    assert says(said(at), "lab_t5", "last_bucket", last_start=91 if "two_sided" in url else 113)


def test_the_row_keeps_what_the_address_says():
    at = open_page("lab_t5", max_distance="2", t5_trained="100")  # they do not fit together
    assert "above 16" in at.warning[0].value
    release(at, two_sided=True)
    assert address(at) == {"two_sided": "true", "max_distance": "2", "t5_trained": "100"}
    release(at, t5_trained=128)
    assert shown(at, "t5_trained") == hands(at)["values"]["t5_trained"] == 128

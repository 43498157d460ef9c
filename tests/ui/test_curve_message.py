"""The curve view's message: what goes in comes out, and what cannot be drawn is refused with a sentence."""

import numpy as np
import pytest

from alibi_viz.charts.palette import DARK, LIGHT, LOOKS
from alibi_viz.pictures.curve_view.message import Axis, Curve, Family, Labels, Mark, pack
from tests.ui.unpacking import unpack

XS = np.array([1, 2, 4], np.float32)
X, Y = Axis("x", 1, 4, (1, 2, 4), log=True, whole=True), Axis("y", 0, 1, (0, 1))


def packed(*curves, xs=XS, **options):
    return pack(np.asarray(xs), curves, X, Y, **options)


def test_what_a_page_draws_comes_back_exactly():
    rows = np.array([[1, 0.1, 1e-30], [np.inf, -2, 3]], np.float32)
    curves = [Curve(row, facts={"slope": 0.5, "name": "“α”"}) for row in rows]
    families = [Family("a"), Family("b", "second"), Family("c", "t5")]
    options = {"labels": Labels("{slope}", (0.5, 0.4)), "mark": Mark(2, "trained"), "form": "decay", "locked": (0, 4)}
    header, arrays = unpack(packed(*curves, families=families, alt="It falls.", **options))
    np.testing.assert_array_equal(arrays[header["values"]].reshape(2, 3), rows)
    np.testing.assert_array_equal(arrays[header["xs"]], XS)
    assert header["counts"] == [3, 3]
    assert [one["facts"] for one in header["curves"]] == [{"slope": 0.5, "name": "“α”"}] * 2
    assert [family["light"] for family in header["families"]] == [LIGHT.accent, LIGHT.second, LOOKS["t5"].light]
    assert [family["dark"] for family in header["families"]] == [DARK.accent, DARK.second, LOOKS["t5"].dark]
    assert header["x"].items() >= {"low": 1, "high": 4, "ticks": [1, 2, 4], "log": True}.items()
    assert header["mark"] == {"at": 2, "name": "trained"}
    assert (header["alt"], header["form"], header["locked"]) == ("It falls.", "decay", [0, 4])
    assert header["labels"]["text"] == "{slope}"


@pytest.mark.parametrize(
    ("values", "options", "sentence"),
    [
        ([1, np.nan, 0], {}, "NaN"),
        ([1, 2], {}, r"values of shape \(2,\) for x of shape \(3,\)"),
        ([1, 2, 3], {"xs": [4, 2, 1]}, "must rise"),
        ([1, 2, 3], {"xs": [0, 1, 2]}, "cannot begin at 0"),
        ([1, 2, 3], {"form": "decay"}, "the slope of every curve"),
    ],
)
def test_what_cannot_be_drawn_is_refused(values, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        packed(Curve(np.asarray(values, np.float32)), **options)

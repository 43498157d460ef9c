"""The curve view's message: what goes in comes out, and what cannot be drawn is refused with a sentence."""

import numpy as np
import pytest

from alibi_viz.charts.palette import DARK, LIGHT, LOOKS
from alibi_viz.lessons import load
from alibi_viz.ui.components.curve_view import Axis, Curve, Family, Labels, Mark, Readout, pack
from tests.ui.unpacking import unpack

XS = np.array([1, 2, 4], np.float32)
X, Y = Axis("x", 1, 4, (1, 2, 4), log=True, whole=True), Axis("y", 0, 1, (0, 1))


def curve(values=(1, 0.5, 0.25), **changes):
    return Curve(np.asarray(values, np.float32), **changes)


def packed(*curves, xs=XS, x=X, y=Y, **options):
    return pack(np.asarray(xs), curves or (curve(),), x, y, **options)


def test_curves_come_back_exactly():
    rows = np.array([[1, 0.1, 1e-30], [np.inf, -2, 3]], np.float32)
    message = packed(curve(rows[0], facts={"head": 1, "slope": 0.5}), curve(rows[1], facts={"head": "“α”"}))
    header, arrays = unpack(message)
    np.testing.assert_array_equal(arrays[header["values"]].reshape(2, 3), rows)
    assert header["counts"] == [3, 3]
    np.testing.assert_array_equal(arrays[header["xs"]], XS)
    assert [one["facts"] for one in header["curves"]] == [{"head": 1, "slope": 0.5}, {"head": "“α”"}]
    assert (len(message) - sum(array.nbytes + -array.nbytes % 8 for array in arrays)) % 8 == 0


def test_everything_beside_the_curves_travels():
    header, _ = unpack(
        packed(
            curve(facts={"slope": 0.5}),
            key="k",
            alt="It falls.",
            labels=Labels("{slope}", (0.5, 0.4)),
            mark=Mark(2, "trained"),
            readout=Readout("{x} {y}", "none"),
            form="decay",
            locked=(0, 4),
            size="stage",
            filename="f",
        )
    )
    looks = {"log": True, "whole": True, "slopes": False}
    assert header["x"] == {"name": "x", "low": 1, "high": 4, "ticks": [1, 2, 4], **looks}
    assert header["labels"] == {"text": "{slope}", "at": [0.5, 0.4], "first": "", "family": 0, "most": 8}
    assert (header["form"], header["locked"]) == ("decay", [0, 4])
    assert header["mark"] == {"at": 2, "name": "trained"}
    assert (header["alt"], header["size"]) == ("It falls.", "stage")
    assert header["words"] == load("words").entries("picture") | load("words").entries("curve_view")


def test_what_is_left_out_is_null():
    header, _ = unpack(packed())
    assert [header[name] for name in ("labels", "mark", "readout", "form", "locked")] == [None] * 5


def test_looks_are_the_palette_s():
    families = [Family("a"), Family("b", "second"), Family("c", "t5"), Family("d", "kerple_power")]
    header, _ = unpack(packed(families=families))
    assert [family["light"] for family in header["families"][:3]] == [LIGHT.accent, LIGHT.second, LOOKS["t5"].light]
    assert [family["dark"] for family in header["families"][:3]] == [DARK.accent, DARK.second, LOOKS["t5"].dark]
    assert header["families"][3]["dash"] == "dash"


SLOPED = curve(facts={"slope": 0.5})
REFUSED = {
    "nan": (lambda: packed(curve([1, np.nan, 0])), "NaN"),
    "nan in x": (lambda: packed(xs=[1, np.nan, 4]), "must rise"),
    "length": (lambda: packed(curve(), curve([1, 2])), r"curve 1: values of shape \(2,\) for x of shape \(3,\)"),
    "no curve": (lambda: pack(XS, [], X, Y), "1 to 128 curves"),
    "many curves": (lambda: packed(*[curve()] * 129), "1 to 128 curves, not 129"),
    "one point": (lambda: packed(curve([1]), xs=[1]), "2 to 1024 numbers"),
    "falling x": (lambda: packed(xs=[4, 2, 1]), "must rise"),
    "log x": (lambda: packed(xs=[0, 1, 2]), "cannot begin at 0"),
    "log axis": (lambda: packed(y=Axis("y", 0, 1, (), log=True)), "the y axis is logarithmic"),
    "empty axis": (lambda: packed(x=Axis("x", 4, 4, ())), "must rise, not run from 4 to 4"),
    "endless axis": (lambda: packed(y=Axis("y", 0, np.inf, ())), "finite"),
    "some measured": (lambda: packed(curve(), curve(xs=XS)), "all curves have points of their own"),
    "measured": (lambda: packed(curve(xs=[1, 2])), r"for x of shape \(2,\)"),
    "family": (lambda: packed(curve(family=1)), "no family 1"),
    "look": (lambda: packed(families=[Family("a", "pink")]), "unknown look 'pink'"),
    "size": (lambda: packed(size="huge"), "unknown size"),
    "form": (lambda: packed(SLOPED, form="magic"), "unknown form 'magic'"),
    "no slope": (lambda: packed(curve(), form="decay"), "the slope of every curve"),
    "no number": (lambda: packed(curve(facts={"slope": np.nan}), form="decay"), "finite"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_drawn_is_refused(case):
    build, sentence = REFUSED[case]
    with pytest.raises(ValueError, match=sentence):
        build()

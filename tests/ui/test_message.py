"""The matrix view's message: what goes in comes out, and what cannot be sent is refused with a sentence."""

import math
import struct

import numpy as np
import pytest
import streamlit as st

from alibi_viz.charts.colormaps import QUANTITIES, THEMES, lut
from alibi_viz.lessons import load
from alibi_viz.pictures import message as message_module
from alibi_viz.pictures.matrix_view.message import Axis, Colours, Heads, Length, Mark, Model, Panel, Strength, pack
from alibi_viz.ui.components.matrix_view import picked
from alibi_viz.ui.components.mount import reported
from tests.ui.unpacking import unpack


def panel(values=None, *, title="A", domain=(0, 1), **changes):
    values = np.zeros((2, 3), np.float32) if values is None else values
    return Panel(title, values, Colours("weight", domain), **changes)


def test_values_come_back_exactly():
    values = np.array([[0.1, -np.inf, 3], [1e-30, 5, -2]], np.float32)
    header, arrays = unpack(pack([panel(values, title="Wörter – “α”")]))
    assert header["panels"][0]["title"] == "Wörter – “α”"
    np.testing.assert_array_equal(arrays[header["panels"][0]["values"]], values)


def test_every_array_starts_at_a_multiple_of_eight():
    model = Model(content=(np.ones((2, 5), np.float32), np.ones((3, 5), np.float32), 0.5), logsum=np.zeros(2))
    raw = pack([panel(), panel(np.ones((2, 3), np.float32), model=model)])
    (length,) = struct.unpack_from("<I", raw)
    assert (length + 4) % 8 == 0
    assert all(entry["at"] % 8 == 0 for entry in unpack(raw)[0]["arrays"])


def test_an_array_shared_by_panel_and_model_travels_once():
    values = np.ones((2, 3), np.float32)
    assert len(unpack(pack([panel(values, model=Model(content=values))]))[0]["arrays"]) == 1


def test_panels_share_a_model():
    shared, own = Model(), Model(slope=0.5)
    header, _ = unpack(pack([panel(model=shared), panel(), panel(model=own), panel(model=shared)]))
    assert [part["model"] for part in header["panels"]] == [0, None, 1, 0]
    assert [model["slope"] for model in header["models"]] == [1, 0.5]


def test_the_axis_counts_for_itself_when_not_told():
    header, _ = unpack(pack([panel()], rows=Axis(5, 4, name="query")))
    assert header["rows"] == {"start": 5, "step": 4, "count": 2, "labels": None, "name": "query"}


def test_words_come_from_the_lesson_file():
    header, _ = unpack(pack([panel()]))
    assert header["words"] == load("words").entries("picture") | load("words").entries("matrix_view")
    assert header["words"]["png"] == "PNG"


def test_labels_are_one_a_token():
    header, _ = unpack(pack([panel()], cols=Axis(0, 2, labels=tuple("abcde"))))
    assert header["cols"]["labels"] == list("abcde")


REFUSED = {
    "nan": ({"panels": [panel(np.full((2, 3), np.nan, np.float32))]}, "NaN"),
    "large": ({"panels": [panel(np.zeros((513, 1), np.float32))]}, "larger than 512"),
    "empty": ({"panels": [panel(np.zeros((0, 3), np.float32))]}, "must be a matrix"),
    "none": ({"panels": []}, "a matrix view shows 1 to"),
    "shapes": ({"panels": [panel(), panel(np.zeros((3, 3), np.float32))]}, "the first panel has"),
    "domain": ({"panels": [panel(domain=(1, 1))]}, "must rise"),
    "infinite domain": ({"panels": [panel(domain=(0, np.inf))]}, "finite"),
    "stage": ({"panels": [panel(stage="magic")]}, "unknown stage"),
    "labels": ({"panels": [panel()], "cols": Axis(labels=("a",))}, "1 labels for 3 samples"),
    "labels of samples": ({"panels": [panel()], "cols": Axis(step=2, labels=tuple("abc"))}, "3 labels for 3 samples"),
    "step": ({"panels": [panel()], "cols": Axis(step=0)}, "at least one token"),
    "form": ({"panels": [panel(model=Model(form="odd"))]}, "unknown form"),
    "dtype": ({"panels": [panel(model=Model(dtype="int4"))]}, "unknown number format"),
    "q and k": (
        {"panels": [panel(model=Model(content=(np.ones((2, 3)), np.ones((2, 4)), 1)))]},
        r"\[rows, d\]",
    ),
    "slope": ({"panels": [panel(model=Model(slope=np.nan))]}, "finite"),
    "value": ({"panels": [panel()], "follows": [Strength("s", np.inf)]}, "finite"),
    "channels": ({"panels": [panel()], "follows": [Strength("s", 1), Heads("s", 8)]}, "of one channel: s, s"),
    "length": (
        {"panels": [panel(model=Model(content=np.zeros((2, 3), np.float32)))], "follows": [Length("n", 2)]},
        "of a bias alone",
    ),
    "size": ({"panels": [panel()], "size": "fly"}, "unknown size"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_shown_is_refused(case):
    arguments, sentence = REFUSED[case]
    with pytest.raises(ValueError, match=sentence):
        pack(**arguments)


def test_a_message_that_would_be_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(message_module, "MAX_BYTES", 1000)
    with pytest.raises(ValueError, match="smaller window"):
        pack([panel(np.zeros((20, 20), np.float32))])


def test_marks_and_texts_need_no_escaping():
    header, _ = unpack(pack([panel()], marks=[Mark(0, 0, 2, 2, '</script>"<b>')]))
    assert header["marks"][0]["label"] == '</script>"<b>'


JUNK = [None, 3, "12", [], [1], [1, 2, 3, 4], ["a", "b", "c"], [True, 1, 1], [-1, 0, 0], [math.nan] * 3, {"0": 1}]


@pytest.mark.parametrize("report", JUNK, ids=repr)
def test_what_the_browser_reports_is_checked(report, monkeypatch):
    monkeypatch.setattr(st, "session_state", {"view": {"cell": report, "zoom": report}})
    assert reported("view", "cell", 2) is reported("view", "zoom", 3) is picked("view") is picked("other") is None


def test_what_the_reader_did(monkeypatch):
    state = {"cell": [2, 3], "picked": [5], "zoom": [7, 8, 0.5]}
    monkeypatch.setattr(st, "session_state", {"view": state})
    assert (reported("view", "cell", 2), picked("view"), reported("view", "zoom", 3)) == ([2, 3], 5, [7, 8, 0.5])


def lightness(rgb):
    """OKLab lightness of sRGB colours [..., 3] uint8."""
    c = rgb / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    to_lms = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566]]
    lms = linear @ np.array([*to_lms, [0.0883024619, 0.2817188376, 0.6299787005]]).T
    return np.cbrt(lms) @ np.array([0.2104542553, 0.7936177850, -0.0040720468])


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_colours_are_perceptually_even(quantity, theme):
    steps = np.diff(lightness(lut(quantity, theme, 65)))
    sign = -1 if theme == "light" else 1  # stronger is deeper on a light page, more luminous on a dark one
    halves = [-steps[:32], steps[32:]] if quantity in ("content", "scores") else [steps]
    for half in halves:
        assert (sign * half > 0).all()
        # 8-bit colours round each step; the mean of a few tells whether the map itself is even.
        means = half.reshape(-1, 8).mean(axis=1)
        np.testing.assert_allclose(means, half.mean(), rtol=0.08)


@pytest.mark.parametrize("theme", THEMES)
def test_zero_looks_like_the_page_in_every_map(theme):
    for quantity in QUANTITIES:
        table = lut(quantity, theme, 257)
        zero = table[128] if quantity in ("content", "scores") else table[0]
        assert int(np.ptp(zero.astype(int))) <= 12, "zero is nearly grey"
        assert abs(lightness(zero) - (0.968 if theme == "light" else 0.243)) < 0.02


def test_unknown_maps_are_refused():
    with pytest.raises(ValueError, match="unknown quantity"):
        lut("mood", "light")
    with pytest.raises(ValueError, match="unknown theme"):
        lut("weight", "sepia")

"""The message of matrices: what goes in comes out, and what cannot be sent is refused with a sentence."""

import re
import struct

import numpy as np
import pytest

from alibi_viz.charts.colormaps import SIGNED, STOPS, lut
from alibi_viz.pictures import message as message_module
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.matrices.message import Axis, Colours, Mark, Message, Model, Panel, Sentence, View, pack
from tests.pages.apptest import unpack


def panel(values=None, *, title="A", domain=(0, 1), **changes):
    values = np.zeros((2, 3), np.float32) if values is None else values
    return Panel(title, values, Colours("weight", domain), **changes)


def packed(*panels, **changes):
    return pack(Message("", Hands((), {}), [View(panels, **changes)], Sentence("", {})))


def test_what_a_page_shows_comes_back_exactly():
    values = np.array([[0.1, -np.inf, 3], [1e-30, 5, -2]], np.float32)
    shared, own = Model(3), Model(3, slope=0.5, content=values)
    panels = [panel(values, title="Wörter – “α”", model=shared), panel(), panel(values, model=own), panel(model=shared)]
    raw = packed(*panels, rows=Axis(5, 4), cols=Axis(labels=tuple("abc")), marks=[Mark(0, 0, 2, 2, '</script>"<b>')])
    (view,) = unpack(raw)["views"]
    np.testing.assert_array_equal(view["panels"][0]["values"], values)
    assert view["panels"][0]["title"] == "Wörter – “α”"
    assert [part["model"] for part in view["panels"]] == [0, None, 1, 0]
    assert np.shares_memory(view["models"][1]["content"], view["panels"][2]["values"]), "what two share travels once"
    assert (view["rows"]["start"], view["rows"]["step"], view["rows"]["count"]) == (5, 4, 2)
    assert view["cols"]["labels"] == list("abc")
    assert view["marks"][0]["label"] == '</script>"<b>'
    (length,), starts = struct.unpack_from("<I", raw), re.findall(rb'"at":(\d+)', raw)
    assert {(length + 4) % 8, *(int(start) % 8 for start in starts)} == {0}, "JavaScript reads it in place"


@pytest.mark.parametrize("shape", [(512, 512), (100, 300), (300, 100)])
def test_a_matrix_of_one_number_a_distance_travels_as_its_diagonals(shape):
    distance = np.arange(shape[0])[:, None] - np.arange(shape[1])
    bias = np.where(distance < 0, -np.inf, -0.1 * distance).astype(np.float32)
    other = bias.copy()
    other[-1, -1] += 1
    assert len(packed(panel(bias))) < 8_000
    for values in (bias, other):
        (view,) = unpack(packed(panel(values)))["views"]
        np.testing.assert_array_equal(view["panels"][0]["values"], values)


REFUSED = {
    "nan": (panel(np.full((2, 3), np.nan, np.float32)), {}, "NaN"),
    "large": (panel(np.zeros((513, 1), np.float32)), {}, "larger than 512"),
    "labels": (panel(), {"cols": Axis(step=2, labels=tuple("abc"))}, "3 labels for 3 samples"),
    "value": (panel(model=Model(3, strength=np.inf)), {}, "finite"),
    "bytes": (panel(np.zeros((20, 20), np.float32)), {}, "smaller window"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_shown_is_refused(case, monkeypatch):
    monkeypatch.setattr(message_module, "MAX_BYTES", 1000)
    shown, changes, sentence = REFUSED[case]
    with pytest.raises(ValueError, match=sentence):
        packed(shown, **changes)


def lightness(rgb):
    """OKLab lightness of sRGB colours [..., 3] uint8."""
    c = rgb / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    to_lms = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566]]
    lms = linear @ np.array([*to_lms, [0.0883024619, 0.2817188376, 0.6299787005]]).T
    return np.cbrt(lms) @ np.array([0.2104542553, 0.7936177850, -0.0040720468])


@pytest.mark.parametrize(("quantity", "theme"), STOPS)
def test_equal_steps_of_a_value_are_equal_steps_to_the_eye(quantity, theme):
    at = np.linspace(0, 255, 65).round().astype(int)
    steps = np.diff(lightness(lut(quantity, theme)[at]))
    sign = -1 if theme == "light" else 1  # stronger is deeper on a light page, more luminous on a dark one
    halves = [-steps[:32], steps[32:]] if quantity in SIGNED else [steps]
    for half in halves:
        assert (sign * half > 0).all()
        # 8-bit colours round each step; the mean of a few tells whether the map itself is even.
        means = half.reshape(-1, 8).mean(axis=1)
        np.testing.assert_allclose(means, half.mean(), rtol=0.08)

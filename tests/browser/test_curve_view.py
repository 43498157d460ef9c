"""The curve view in a real browser: its arithmetic, and the whole view in a demo."""

from __future__ import annotations

import json
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from alibi_viz.pictures import javascript
from alibi_viz.ui.components.curve_view import Axis, Curve, pack
from alibi_viz.ui.format import format_slope

X, Y = Axis("x", 1, 4096, (1,), log=True, whole=True), Axis("y", 0, 1, (0, 1))


@pytest.fixture(scope="module")
def js(run_module):
    """js(body, message) runs `body` with the component's module as `core` and the message as `data`."""
    return partial(run_module, javascript("curve_view/entry.js"))


# Its arithmetic


def test_without_a_form_values_lie_between_the_points(js):
    message = pack([1, 4, 16], [Curve(np.float32([1, 0.5, 0]))], X, Y)
    body = "(m => [1, 2, 4, 8, 16].map((x) => core.valueAt(m, m.curves[0], x)))(core.decode(data))"
    np.testing.assert_allclose(js(body, message), [1, 0.75, 0.5, 0.25, 0], atol=1e-9)


def test_measured_curves_have_points_of_their_own_and_the_cursor_stands_on_them(js):
    curves = [Curve([1, 0.5, 0], xs=[1, 4, 16]), Curve([0.9], xs=[2]), Curve([], xs=[])]
    message = pack([1, 64], curves, X, Y, markers=9)
    body = """((m) => [
      [1, 2, 16, 17].map((x) => String(core.valueAt(m, m.curves[0], x))),
      [1, 2].map((x) => String(core.valueAt(m, m.curves[1], x))),
      [1, 7, 9, 64].map((x) => core.nearestPoint(m, m.curves[0], x)),
      [1, 4, 16].map((x) => core.along(m, m.curves[0], x, 1)),
      core.along(m, m.curves[2], 5, 1),
    ])(core.decode(data))"""
    first, second, nearest, next_point, none = js(body, message)
    assert first == ["1", "0.75", "0", "NaN"]
    assert (second[0], float(second[1])) == ("NaN", pytest.approx(0.9))
    assert nearest == [1, 4, 16, 16]
    assert next_point == [4, 16, 16]
    assert none == 5


BROKEN = {
    "curves": (b'"curves":[', b'"curves":[{},', "do not fit the curves"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_message_is_refused_with_a_sentence(js, case):
    old, new, sentence = BROKEN[case]
    message = pack([1, 2, 4], [Curve(np.float32([1, 0.5, 0]), {"slope": 1.0})], X, Y, form="decay")
    length = int.from_bytes(message[:4], "little")
    header = message[4 : 4 + length].replace(old, new).rstrip()
    header += b" " * (-(len(header) + 4) % 8)
    broken = len(header).to_bytes(4, "little") + header + message[4 + length :]
    assert sentence in js("(() => { try { core.decode(data) } catch (error) { return error.message } })()", broken)


def test_slopes_read_as_in_python(js):
    values = [1, 2, 0.5, 1 / 7, 1 / 65536, 2**-0.5, 2**-128, 0.3, 0.0525, 0, -0.5]
    read = js(f"{json.dumps(values)}.map((value) => core.formatSlope(value))")
    assert read == [format_slope(value) for value in values]
    short = js("[1, 2, 8, 2048, 4096, 2 ** 128, 3.7].map((inverse) => core.formatSlope(1 / inverse, true))")
    assert short == ["1", "1/2", "1/8", "1/2,048", "2⁻¹²", "2⁻¹²⁸", "0.27"]


def test_keys_move_by_at_least_one_whole_number(js):
    axis = json.dumps({"low": 1, "high": 4096, "log": True, "whole": True})
    steps = (
        f"((axis) => {{ const seen = [1]; for (let at = 0; at < 400; at += 1) seen.push(core.away(axis, seen[at], 1)); \
      return [seen, core.away(axis, 4096, -1), core.away(axis, 1, -1), core.away(axis, 100, -10)] }})({axis})"
    )
    seen, back, start, far = js(steps)
    assert seen[:4] == [1, 2, 3, 4]
    assert seen[-1] == 4096
    assert all(isinstance(x, int) for x in seen)
    assert all(after > before or after == 4096 for before, after in pairwise(seen))
    assert back < 4096
    assert start == 1
    assert far < 90


def readout(page, at=0):
    return page.locator(".cv .readout .words").nth(at).inner_text()

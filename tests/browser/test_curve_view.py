"""The curve view in a real browser: its arithmetic against PyTorch, and the whole view in the app and in a demo."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.pictures import javascript
from alibi_viz.positions.alibi import slope_families, slopes
from alibi_viz.ui.components.curve_view import Axis, Curve, Heads, Slope, pack
from alibi_viz.ui.format import format_slope
from pages.lab_alibi.study import Controls as Lab
from pages.lab_alibi.study import at_distances, shapes
from pages.slopes.pictures import KEY
from pages.slopes.study import DISTANCES, FARTHEST, Controls, study
from tests.browser.actions import address_has, drag, dragging, open_at, painted, query, settle, slider

RULES = {"paper": "paper", "plain": "plain", "blog": "2^-h"}  # the rule's name, and what the page calls it
X, Y = Axis("x", 1, FARTHEST, (1,), log=True, whole=True), Axis("y", 0, 1, (0, 1))
PREVIEW = "((m) => (value) => core.previewCurves(m, m.follows[0], value))(core.decode(data))"
LAST_IS_PYTHON = "(key) => painted.filter((one) => one.key === key).at(-1)?.source === 'python'"
VIEW = ".st-key-stage_picture .cv"


@pytest.fixture(scope="module")
def js(run_module):
    """js(body, message) runs `body` with the component's module as `core` and the message as `data`."""
    return partial(run_module, javascript("curve_view/entry.js"))


# Its arithmetic


@pytest.mark.parametrize("rule", RULES)
def test_the_slopes_are_python_s(js, rule):
    for top in (8.0, 1.0, 16.5, 32.0):
        ours = js(f"Array.from({{length: 128}}, (_, at) => core.slopes(at + 1, '{rule}', {top}))")
        for heads, values in enumerate(ours, start=1):
            np.testing.assert_allclose(values, slopes(heads, rule, top), rtol=1e-13)


@pytest.mark.parametrize("rule", RULES)
def test_a_preview_is_what_the_study_gives(js, rule):
    follows = [Heads("heads", 1, rule, 12.0)]
    start = pack(DISTANCES, [Curve(np.ones_like(DISTANCES), {"slope": 1.0})], X, Y, form="decay", follows=follows)
    for heads in (1, 8, 12, 128):
        body = f"{PREVIEW}({heads}).map((c) => [c.facts, c.family, Array.from(c.values)])"
        facts, families, values = zip(*js(body, start), strict=True)
        expected = study(Controls(heads, RULES[rule], 12.0))
        assert [fact["head"] for fact in facts] == list(range(1, heads + 1))
        assert list(families) == (slope_families(heads) if rule == "paper" else [0] * heads)
        np.testing.assert_allclose(values, expected.weights, atol=1e-6)


@pytest.mark.parametrize(("exponent", "value"), [(False, 0.25), (True, 2.0)])
def test_one_slope_is_dragged_under_a_penalty(js, exponent, value):
    xs = np.arange(1, 9, dtype=np.float32)
    curves = [Curve(-slope * xs, {"slope": slope}) for slope in (0.5, 1.0)]
    follows = [Slope("m", 1.0, (1,), exponent)]
    message = pack(xs, curves, X, Y, form="penalty", follows=follows)
    body = f"{PREVIEW}({value}).map((curve) => Array.from(curve.values))"
    np.testing.assert_allclose(js(body, message), [-0.5 * xs, -0.25 * xs], rtol=1e-6)


@pytest.mark.parametrize("exponent", [0.0, 2.0, 7.25, 20.0])
def test_every_shape_is_that_of_the_attention(js, exponent):
    chosen = Lab((2.0**-exponent,), 1, ("a", "b"), "equal", 600, 16)
    found, xs = shapes(chosen), at_distances(chosen).astype(np.float32)
    curves = [Curve(np.zeros_like(xs), {"slope": 1.0, "shape": shape.name}) for shape in found]
    follows = [Slope("m", 0.0, tuple(range(len(curves))), exponent=True)]
    message = pack(xs, curves, Axis("x", 0, 600, (0,)), Y, form="penalty", follows=follows)
    ours = js(f"{PREVIEW}({exponent}).map((curve) => Array.from(curve.values, String))", message)
    for values, shape in zip(ours, found, strict=True):
        values = np.array([float(value.replace("Infinity", "inf")) for value in values])
        np.testing.assert_allclose(values, shape.penalty, rtol=1e-5, atol=1e-5, err_msg=shape.name)


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


ANSWERED = """((mount, messages) => {
  const host = document.body.appendChild(document.createElement("div")), seen = [];
  addEventListener("alibi-viz:painted", ({ detail }) => seen.push([detail.source, detail.value]));
  const send = (at) => mount({ parentElement: host, data: messages[at], setStateValue() {}, setTriggerValue() {} });
  const drag = (value, phase, sequence) => dispatchEvent(
    new CustomEvent("alibi-viz:drag", { detail: { channel: "m", value, phase, sequence } }));
  send(0);
  drag(4, "move", 1);
  drag(5, "release", 2);
  for (const at of [1, 2]) send(at);
  return seen;
})(core.default, %s.map((text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))))"""


def test_the_number_of_the_request_says_which_message_answers_a_drag(js):
    """Not the value: a page may make another one of it, and its numbers hold all the same."""
    xs = np.arange(1, 9, dtype=np.float32)
    messages = [
        b64encode(pack(xs, [Curve(xs, {"slope": value})], X, Y, form="penalty", follows=[follow])).decode()
        for value, follow in (
            (1.0, Slope("m", 1.0)),
            (4.0, Slope("m", 4.0, sequence=1)),
            (3.0, Slope("m", 3.0, sequence=2)),
        )
    ]
    assert js(ANSWERED % json.dumps(messages)) == [["python", 1], ["preview", 5], ["python", 3]]


BROKEN = {
    "curves": (b'"curves":[', b'"curves":[{},', "do not fit the curves"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_message_is_refused_with_a_sentence(js, case):
    old, new, sentence = BROKEN[case]
    sloped = [Curve(DISTANCES, {"slope": 1.0})]
    message = pack(DISTANCES, sloped, X, Y, form="decay", follows=[Heads("heads", 1)])
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


# The Slopes page


@pytest.fixture
def lesson(page, app):
    return open_at(page, f"{app}/slopes?heads=4")


def readout(page, at=0):
    return page.locator(".cv .readout .words").nth(at).inner_text()


def test_dragging_previews_every_head_and_ends_on_pytorch(lesson):
    seen = []
    for move in dragging(lesson, "Heads", start=0.03, stop=0.5, moves=30):
        lesson.wait_for_timeout(16)
        if move % 5 == 0:
            seen.append(lesson.locator(f"{VIEW} .badge").inner_text())
    lesson.wait_for_function(LAST_IS_PYTHON, arg=KEY)
    settle(lesson)
    assert "preview" in seen
    events = painted(lesson, KEY)
    previews = [event["value"] for event in events if event["source"] == "preview"]
    assert len(set(previews)) >= 10, "the hand is not waited for"
    assert previews == sorted(previews), "an older value is never painted over a newer"
    assert events[-1]["value"] == int(slider(lesson, "Heads").get_attribute("aria-valuetext"))
    badge = lesson.locator(f"{VIEW} .badge")
    badge.and_(lesson.locator("[data-difference]")).wait_for()
    assert float(badge.get_attribute("data-difference")) <= 1e-5
    assert "off" not in badge.get_attribute("class")


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["2%5E-h", pytest.param("plain", marks=pytest.mark.slow)])
def test_other_rules_are_previewed_too(page, app, rule):
    open_at(page, f"{app}/slopes?heads=4&rule={rule}&max_bias=16")
    drag(page, "Heads", start=0.03, stop=0.8, moves=12)
    page.locator(f"{VIEW} .badge[data-difference]").wait_for()
    assert float(page.locator(f"{VIEW} .badge").get_attribute("data-difference")) <= 1e-5


@pytest.mark.slow
def test_own_slopes_are_curves_without_a_preview(page, app):
    open_at(page, f"{app}/slopes?rule=own+list&own=1%2F2%2C+-0.01%2C+0")
    assert page.locator(f"{VIEW} .badge").is_hidden()
    for key in ("ArrowRight", "Shift+ArrowDown"):
        page.locator(f"{VIEW} .plots").press(key)
    assert readout(page) == "Head 1, m = 1/2: at distance 64 the weight is 1.27 × 10⁻¹⁴."
    page.locator(f"{VIEW} .plots").press("Shift+ArrowUp")
    assert readout(page) == "Head 2, m = −0.01: at distance 64 the weight is 1.896."


def test_the_pointer_reads_the_nearest_curve(lesson):
    box = lesson.locator(f"{VIEW} .base").bounding_box()
    for share in (0.3, 0.5, 0.7):
        lesson.mouse.move(box["x"] + share * box["width"], box["y"] + 0.5 * box["height"])
        words = readout(lesson)
        head, slope, distance, weight = re.fullmatch(
            r"Head (\d), m = 1/(\d+): at distance (\d+) the weight is ([\d.]+)\.", words
        ).groups()
        assert 4 ** int(head) == int(slope)
        assert float(weight) == pytest.approx(np.exp(-int(distance) / int(slope)), abs=1e-4)
    lesson.mouse.move(box["x"] + 0.5 * box["width"], box["y"] - 30)
    assert readout(lesson) == load("slopes").entry("readout", "empty")


@pytest.mark.slow
def test_keys_move_the_cursor_lock_it_and_let_it_go(lesson):
    plots = lesson.locator(f"{VIEW} .plots")
    assert plots.get_attribute("role") == "application"
    assert "Enter locks it" in plots.get_attribute("aria-label")
    assert "4 heads" in lesson.locator(f"{VIEW} [id='{plots.get_attribute('aria-describedby')}']").text_content()
    plots.press("ArrowRight")
    assert readout(lesson).startswith("Head 3, m = 1/64: at distance 64 the weight is 0.3679")
    plots.press("ArrowRight")
    assert "at distance 67 " in readout(lesson)
    plots.press("ArrowUp")
    assert readout(lesson).startswith("Head 4, m = 1/256: at distance 67 ")
    plots.press("ArrowUp")
    assert readout(lesson).startswith("Head 4"), "there is none above it"
    plots.press("Shift+ArrowDown")
    assert readout(lesson).startswith("Head 1, m = 1/4: at distance 67 ")
    plots.press("Home")
    assert readout(lesson) == "Head 1, m = 1/4: at distance 1 the weight is 0.7788."
    plots.press("Enter")
    pin = lesson.locator(f"{VIEW} .pin")
    pin.wait_for()
    box = lesson.locator(f"{VIEW} .base").bounding_box()
    lesson.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    assert readout(lesson).startswith("Head 1, m = 1/4: at distance 1 "), "a locked cursor stays"
    lesson.locator(f"{VIEW} .live", has_text="Head 1, m = 1/4: at distance 1 the weight is 0.7788.").wait_for(
        state="attached"
    )
    plots.press("Escape")
    assert pin.count() == 0
    plots.press("Escape")
    assert readout(lesson).startswith("Choose a curve")


@pytest.mark.slow
def test_a_click_locks_and_a_second_one_unlocks(lesson):
    box = lesson.locator(f"{VIEW} .base").bounding_box()
    lesson.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.55 * box["height"])
    lesson.locator(f"{VIEW} .pin").click()
    assert lesson.locator(f"{VIEW} .pin").count() == 0
    plots = lesson.locator(f"{VIEW} .plots")
    plots.press("ArrowRight")
    plots.press("Enter")
    settle(lesson)  # Python knows of it
    before = readout(lesson)
    drag(lesson, "Heads", start=0.03, stop=0.2, moves=6)
    settle(lesson)
    assert readout(lesson) != before
    assert readout(lesson).split(",")[0] == before.split(",")[0], (
        "the slope follows the heads, the cursor keeps its head"
    )


@pytest.mark.slow
def test_a_locked_point_is_in_the_address(lesson):
    plots = lesson.locator(f"{VIEW} .plots")
    for key in ("ArrowRight", "Enter", "ArrowRight"):
        plots.press(key)
    address_has(lesson, "cell", "2,67")
    settle(lesson)
    lesson.reload()
    lesson.locator(f"{VIEW} .pin").wait_for()
    assert readout(lesson).startswith("Head 3, m = 1/64: at distance 67 ")
    slider(lesson, "Heads").press("Home")  # one head: the curve is gone, and so is its point
    lesson.wait_for_function("() => !new URLSearchParams(location.search).has('cell')")
    settle(lesson)
    assert lesson.locator(f"{VIEW} .pin").count() == 0
    assert query(lesson) == {"heads": ["1"]}


@pytest.mark.slow
def test_the_lab_s_slopes_are_previewed_in_every_picture(page, app):
    open_at(page, f"{app}/lab_alibi?lab_alibi_open=shapes")
    page.locator(".cv").nth(1).wait_for()
    seen = []
    for move in dragging(page, "Head 2: slope 2⁻ᵉ, e =", start=0.2, stop=0.4, moves=15):
        page.wait_for_timeout(16)
        if move % 3 == 0:
            seen.append(page.locator(".cv .badge").all_inner_texts())
    assert ["preview", "preview"] in seen, "the hand is not waited for"
    page.wait_for_function("() => new URLSearchParams(location.search).has('m2')")
    settle(page)
    for badge in page.locator(".cv .badge").all():
        badge.and_(page.locator("[data-difference]")).wait_for()
        assert float(badge.get_attribute("data-difference")) <= 1e-5


# The demo


@pytest.fixture
def demo(page, views):
    page.set_viewport_size({"width": 1280, "height": 1400})
    return open_at(page, f"{views}/?view=curves")


@pytest.mark.slow
def test_a_penalty_follows_the_slope_of_one_head(demo):
    plots = demo.locator(".cv .plots").first
    for key in ("ArrowRight", "Home", "Shift+ArrowRight", "Shift+ArrowUp", "Shift+ArrowDown", "ArrowUp", "Enter"):
        plots.press(key)
    assert readout(demo) == "ALiBi, head 1, m = 1/4: at distance 10 the penalty is −2.5."
    drag(demo, "Exponent", start=0.34, stop=0.5, moves=12)
    demo.get_by_text("exponent: 3.0").wait_for()
    demo.locator(".cv .badge[data-difference]").first.wait_for()
    assert readout(demo) == "ALiBi, head 1, m = 1/8: at distance 10 the penalty is −1.25."
    assert "off" not in demo.locator(".cv .badge").first.get_attribute("class")


@pytest.mark.slow
def test_between_the_points_and_on_log_axes(demo):
    plots = demo.locator(".cv .plots").nth(1)
    plots.press("ArrowRight")
    plots.press("End")
    assert readout(demo, 1) == "x = 1,000, y = 0.001, {slope}"
    assert demo.locator(".cv .badge").nth(1).is_hidden()


@pytest.mark.slow
def test_the_picture_is_saved_as_png(demo):
    with demo.expect_download() as saved:
        demo.locator(".cv").first.get_by_role("button", name="Save the picture as a PNG file").click()
    assert saved.value.suggested_filename == "penalties.png"
    with open(saved.value.path(), "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"


@pytest.mark.slow
def test_a_phone_has_no_sideways_scroll_and_can_lock(new_page, app):
    page = new_page(viewport={"width": 390, "height": 844}, device_scale_factor=2, has_touch=True, color_scheme="dark")
    open_at(page, f"{app}/slopes?heads=12")
    assert page.evaluate("(e => e.scrollWidth - e.clientWidth)(document.querySelector('[data-testid=stMain]'))") <= 0
    box = page.locator(f"{VIEW} .base").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    pixels = page.locator(f"{VIEW} .base").evaluate("(canvas) => [canvas.width, canvas.getBoundingClientRect().width]")
    assert pixels[0] == pytest.approx(2 * pixels[1], abs=1), "as sharp as the screen"
    page.touchscreen.tap(box["x"] + 200, box["y"] + 150)
    page.locator(f"{VIEW} .pin").wait_for()

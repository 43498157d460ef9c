"""The picture of the slopes in a browser: its arithmetic against PyTorch, and every hand that a reader has on it."""

from __future__ import annotations

import random
import re
from functools import partial

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.pictures import javascript
from alibi_viz.positions.alibi import slopes
from pages.slopes.study import DISTANCES, RULES, study
from tests.browser.actions import address_has, drag, dragging, open_at, painted, query, settle, slider

BASE, PLOTS = ".plots canvas.base", ".cv .plots"
IS_PYTHON = "() => painted.at(-1)?.source === 'python'"


@pytest.fixture(scope="module")
def js(run_module):
    """js(body) runs `body` with the picture's module as `core`."""
    return partial(run_module, javascript("slopes/view.js"))


def test_two_hundred_states_are_python_s(js):
    chance = random.Random(43)
    states = []
    for _ in range(200):
        entries = range(chance.randint(1, 128))
        own = [chance.choice([f"1/{chance.randint(1, 999)}", f"{chance.uniform(-0.1, 2):.6g}"]) for _ in entries]
        rule, top = chance.choice(list(RULES)), chance.randint(2, 64) / 2
        states.append({"heads": chance.randint(1, 128), "rule": rule, "max_bias": top, "own": ", ".join(own)})
    body = """states.map((values) => {
      const all = core.slopesOf(values), curves = core.curvesOf({ xs: Float32Array.from(DISTANCES) }, all, values);
      const drawn = curves.map(({ values }) => [...values].map((one) => Math.min(one, 9)));
      return [all, curves.map(({ family }) => family), drawn];
    })"""
    ours = js(f"((states, DISTANCES) => {body})({states!r}, {DISTANCES.tolist()})")
    for values, (found, families, weights) in zip(states, ours, strict=True):
        expected = study(values["heads"], values["rule"], values["max_bias"], numbers(values["own"]))
        np.testing.assert_allclose(found, expected.slopes, rtol=1e-12)
        assert families == expected.families
        drawn = np.minimum(np.float64(weights), np.e)  # Python stops where a negative slope leaves the picture
        np.testing.assert_allclose(drawn, expected.weights, rtol=1e-5, atol=1e-5)


def test_a_written_slope_is_read_back(js):
    values = [1 / 256, 0.5, 1, 2, 1 / 3, 0.123456789, 2.0**-20]
    written = js(f"{values}.map(core.writtenSlope)")
    assert written == ["1/256", "1/2", "1", "2", "1/3", "0.123457", "1/1048576"]
    np.testing.assert_allclose(js(f"core.listed({', '.join(written)!r})"), values, rtol=1e-5)


@pytest.fixture
def plot(new_page, app):
    def opened(address="slopes", **options):
        page = new_page(**({"viewport": {"width": 1280, "height": 800}} | options))
        open_at(page, f"{app}/{address}")
        page.locator(BASE).wait_for()
        settle(page)
        return page

    return opened


def readout(page):
    return page.locator(".cv .readout .words").inner_text()


def pull(page, by, down=0):
    grip = page.locator(BASE)
    box, at = grip.bounding_box(), [float(part) for part in grip.get_attribute("data-grip").split(",")]
    page.mouse.move(box["x"] + at[0], box["y"] + at[1])
    page.mouse.down()
    page.mouse.move(box["x"] + at[0] + by, box["y"] + at[1] + down, steps=8)
    page.mouse.up()


def numbers(text):
    parts = (entry.partition("/") for entry in text.split(", "))
    return [float(above) / float(below or 1) for above, _, below in parts]


def own(page):
    """The slopes in the address, once it has a list."""
    page.wait_for_function("() => new URLSearchParams(location.search).get('rule') === 'own list'")
    settle(page)
    return numbers(query(page)["own"][0])


def test_a_drag_is_drawn_at_once_reported_once_and_undone_by_back(plot):
    page = plot("slopes?heads=4")
    before = page.evaluate("history.length")
    for _ in dragging(page, "Heads", start=0.03, stop=0.5, moves=25):
        page.wait_for_timeout(16)
    page.wait_for_function(IS_PYTHON)
    settle(page)
    events = [(event["source"], event["value"]) for event in painted(page, "slopes")]
    previews = [value for source, value in events if source == "preview"]
    assert len(set(previews)) >= 10, "the hand is not waited for"
    assert previews == sorted(previews)
    heads = int(query(page)["heads"][0])
    assert events[-1] == ("python", heads)
    assert page.evaluate("history.length") == before + 1, "one entry of the history a release"
    page.go_back()
    page.wait_for_function("() => location.search === '?heads=4'")
    settle(page)
    assert slider(page, "Heads").input_value() == "4"
    assert "4 heads, slopes from 1/4" in page.locator("[data-testid=stMain]").inner_text()


def test_a_bent_curve_is_an_own_slope_that_a_reload_and_a_second_tab_keep(plot):
    page = plot()
    pull(page, 120)
    values, rule = own(page), slopes(8, "paper", 8.0)
    changed = [at for at in range(8) if abs(values[at] / rule[at] - 1) > 1e-5]
    assert changed == [1]
    assert values[1] < rule[1], "to the right: it falls later"
    page.reload()
    page.locator(BASE).wait_for()
    assert own(page) == values
    other = plot(page.url.split("/", 3)[3])
    assert own(other) == values
    page.go_back()
    page.wait_for_function("() => !location.search.includes('own')")
    settle(page)
    assert slider(page, "Heads").is_visible(), "the rule is the paper's again"


def test_keys_bend_the_chosen_curve_and_backspace_gives_the_rule_back(plot):
    page, rule = plot("slopes?cell=2,16"), slopes(8, "paper", 8.0)
    page.locator(PLOTS).focus()
    page.keyboard.press("+")
    assert own(page)[2] == pytest.approx(rule[2] * 2**0.125, rel=1e-5)
    page.keyboard.press("Backspace")
    page.wait_for_function("() => new URLSearchParams(location.search).get('own').includes('1/8,')")
    assert own(page) == rule


def test_a_list_is_typed_and_a_wrong_one_says_what_to_change(plot):
    page = plot("slopes?rule=own+list")
    field = page.get_by_label("Your own slopes")
    field.fill("1/2, 1/10")
    address_has(page, "own", "1/2, 1/10")
    settle(page)
    assert "2 heads" in page.locator("[data-testid=stMain]").inner_text()
    field.fill("1/2, two")
    trouble = page.locator(".cv .trouble", has_text="“two” is not a number.")
    trouble.wait_for()
    assert field.input_value() == "1/2, two", "nothing is lost"
    field.fill("2^-1, 2^-3")
    trouble.wait_for(state="hidden")
    settle(page)
    page.locator(PLOTS).press("ArrowRight")
    assert re.match(r"Head [12], m = 1/[28]: ", readout(page))


def test_presets_and_the_model_list_set_several_hands_in_one_step(plot):
    page = plot()
    before = page.evaluate("history.length")
    page.get_by_role("button", name="The blog rule with 32 heads").click()
    settle(page)
    assert query(page) == {"heads": ["32"], "rule": ["2^-h"]}
    assert page.get_by_role("button", name="The blog rule").get_attribute("aria-pressed") == "true"
    page.get_by_label("Real model").select_option("MPT 7B StoryWriter")
    settle(page)
    assert query(page) == {"heads": ["32"], "max_bias": ["16"], "model": ["MPT 7B StoryWriter"]}
    assert page.evaluate("history.length") == before + 2
    page.go_back()
    address_has(page, "rule", "2^-h")


def test_a_locked_point_is_in_the_address_and_goes_with_its_curve(plot):
    page = plot("slopes?heads=4")
    plots = page.locator(PLOTS)
    for key in ("ArrowRight", "Enter", "ArrowRight"):
        plots.press(key)
    address_has(page, "cell", "2,67")
    settle(page)
    page.reload()
    page.locator(".cv .pin").wait_for()
    assert readout(page).startswith("Head 3, m = 1/64: at distance 67 ")
    slider(page, "Heads").press("Home")  # one head: the curve is gone, and so is its point
    address_has(page, "heads", "1")
    settle(page)
    assert page.locator(".cv .pin").count() == 0
    assert query(page) == {"heads": ["1"]}


def test_pointer_and_keys_read_the_curves(plot):
    page = plot("slopes?heads=4")
    box = page.locator(BASE).bounding_box()
    for share in (0.3, 0.5, 0.7):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + 0.5 * box["height"])
        found = re.fullmatch(r"Head (\d), m = 1/(\d+): at distance (\d+) the weight is ([\d.]+)\.", readout(page))
        head, slope, distance, weight = found.groups()
        assert 4 ** int(head) == int(slope)
        assert float(weight) == pytest.approx(np.exp(-int(distance) / int(slope)), abs=1e-4)
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] - 30)
    assert readout(page) == load("slopes").entry("picture", "empty")
    plots = page.locator(PLOTS)
    assert plots.get_attribute("role") == "application"
    assert "Enter locks" in plots.get_attribute("aria-label")
    for key, said in (
        ("ArrowRight", "Head 3, m = 1/64: at distance 64 the weight is 0.3679"),
        ("ArrowUp", "Head 4, m = 1/256: at distance 64 "),
        ("Shift+ArrowDown", "Head 1, m = 1/4: at distance 64 "),
        ("Home", "Head 1, m = 1/4: at distance 1 the weight is 0.7788."),
    ):
        plots.press(key)
        assert readout(page).startswith(said)
    page.locator(".cv .live", has_text="Head 1, m = 1/4: at distance 1 the weight is 0.7788.").wait_for(
        state="attached"
    )
    plots.press("Escape")
    assert readout(page).startswith("Choose a curve")


def test_presented_a_digit_is_a_preset_after_a_drag_too(plot):
    page = plot("slopes?present=true")
    drag(page, "Heads", start=0.03, stop=0.3, moves=6)
    settle(page)
    page.keyboard.press("2")
    address_has(page, "heads", "12")


def test_a_phone_bends_by_touch_and_nothing_leaves_the_window(plot):
    page = plot(viewport={"width": 390, "height": 844}, device_scale_factor=2, has_touch=True, color_scheme="dark")
    assert page.evaluate("(e => e.scrollWidth - e.clientWidth)(document.querySelector('[data-testid=stMain]'))") <= 0
    box = page.locator(BASE).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert min(box["width"], box["height"]) >= 280
    assert box["y"] + box["height"] <= 844, "the picture is in the first screen"
    pixels = page.locator(BASE).evaluate("(canvas) => [canvas.width, canvas.getBoundingClientRect().width]")
    assert pixels[0] == pytest.approx(2 * pixels[1], abs=1), "as sharp as the screen"
    page.touchscreen.tap(box["x"] + 200, box["y"] + 150)
    page.locator(".cv .pin").wait_for()
    grip = [float(part) for part in page.locator(BASE).get_attribute("data-grip").split(",")]
    touch = page.context.new_cdp_session(page)
    at = {"x": box["x"] + grip[0], "y": box["y"] + grip[1]}
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
    for step in range(1, 8):
        points = [{"x": at["x"] + 8 * step, "y": at["y"]}]
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert len(own(page)) == 8

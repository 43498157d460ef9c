"""The drag slider in a real browser: previews while dragged, Python's numbers after, and the number beside it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from alibi_viz.pictures import javascript
from alibi_viz.ui.components import drag_slider
from alibi_viz.ui.components.drag_slider import clamp


@pytest.fixture
def demo(page, views):
    page.goto(views)
    page.get_by_text("window: 0 3906").wait_for()
    page.locator(".mv .badge").first.wait_for()
    return page


def knob(page, value, low=0.0, high=4.0):
    """The point of the track where a linear slider's value stands."""
    box = page.locator("input[type=range]").bounding_box()
    return box["x"] + 12 + (value - low) / (high - low) * (box["width"] - 24), box["y"] + box["height"] / 2


def painted(page, source):
    return [seen for seen in page.evaluate("window.painted") if seen["source"] == source and seen["key"] == "main"]


def drag(page, start, stop, moves=30):
    page.mouse.move(*knob(page, start))
    page.mouse.down()
    for at in range(1, moves + 1):
        page.mouse.move(*knob(page, start + (stop - start) * at / moves))
        page.wait_for_timeout(16)
    page.mouse.up()


def settled(page, value):
    page.get_by_text(f"strength: {value}").wait_for()
    page.locator(".badge[data-difference]").first.wait_for()


def test_dragging_previews_and_ends_on_pythons_numbers(demo):
    drag(demo, 1.0, 3.0)
    settled(demo, "3.0")
    previews = painted(demo, "preview")
    assert len(previews) >= 8, "the hand is not waited for"
    last = painted(demo, "python")[-1]
    assert last["value"] == pytest.approx(3.0)
    assert demo.evaluate("window.painted.filter((seen) => seen.key === 'main').at(-1).source") == "python"
    for badge in demo.locator(".badge[data-difference]").all():
        assert float(badge.get_attribute("data-difference")) <= 1e-5
        assert "off" not in badge.get_attribute("class")
    values = [seen["value"] for seen in previews]
    assert values == sorted(values), "an older value is never painted over a newer"


@pytest.mark.slow
def test_the_number_follows_the_slider_and_the_slider_the_number(demo):
    drag(demo, 1.0, 2.0, 5)
    settled(demo, "2.0")
    number = demo.get_by_test_id("stNumberInput").locator("input")
    assert float(number.input_value()) == pytest.approx(2.0)
    number.fill("0.5")
    number.press("Enter")
    demo.get_by_text("strength: 0.5").wait_for()
    demo.wait_for_function("document.querySelector('[data-testid=stNumberInput] input').value === '0.50'")
    slider = demo.locator("input[type=range]")
    demo.wait_for_timeout(300)
    assert slider.get_attribute("aria-valuetext") == "0.5"
    assert painted(demo, "python")[-1]["value"] == pytest.approx(0.5)
    demo.wait_for_url("**strength=0.5**")


def test_keys_move_by_steps(demo):
    slider = demo.locator("input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    demo.get_by_text("strength: 1.05").wait_for()
    slider.press("PageDown")
    demo.get_by_text("strength: 0.55").wait_for()
    slider.press("End")
    demo.get_by_text("strength: 4.0").wait_for()
    slider.press("Home")
    demo.get_by_text("strength: 0.0").wait_for()


@pytest.mark.slow
def test_a_link_opens_the_value(page, views):
    page.goto(f"{views}/?strength=2.5")
    page.get_by_text("strength: 2.5").wait_for()
    page.locator("input[type=range]").wait_for()
    assert page.locator("input[type=range]").get_attribute("aria-valuetext") == "2.5"


@pytest.mark.slow
def test_another_page_is_not_told(demo, new_page, views):
    other = new_page()
    other.goto(views)
    other.get_by_text("window: 0 3906").wait_for()
    drag(demo, 1.0, 2.0, 5)
    settled(demo, "2.0")
    assert painted(other, "preview") == []


@pytest.mark.slow
def test_the_help_opens_as_text(demo):
    demo.get_by_role("button", name="Help: Strength of the bias").click()
    demo.get_by_text("How strongly distance is punished").wait_for()


@pytest.mark.parametrize(
    ("said", "value"),
    [(1.024, 1.0), (1.026, 1.05), (99, 4.0), (-99, 0.0), (3, 3.0), (0.15000000000000002, 0.15)],
)
def test_python_bounds_what_the_browser_says(said, value):
    assert clamp(said, 0.0, 4.0, 0.05) == value


@pytest.mark.parametrize("said", [math.nan, math.inf, "3", None, True, [1], {}])
def test_python_refuses_what_is_no_number(said):
    assert clamp(said, 0.0, 4.0, 0.05) is None


@pytest.fixture
def fragment(page, views):
    page.goto(f"{views}/?view=fragment")
    page.get_by_text("tokens: 1024").wait_for()
    page.locator("input[type=range]").wait_for()
    return page


def test_in_a_fragment_only_the_fragment_reruns(fragment):
    slider = fragment.locator("input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    fragment.get_by_text("tokens: 1024").wait_for(state="detached")
    fragment.get_by_text("full runs: 1").wait_for()


@pytest.mark.slow
def test_a_logarithmic_slider_of_whole_numbers(fragment):
    slider = fragment.locator("input[type=range]")
    slider.focus()
    slider.press("Home")
    fragment.get_by_text("tokens: 4", exact=True).wait_for()
    slider.press("ArrowRight")
    fragment.get_by_text("tokens: 5", exact=True).wait_for()
    slider.press("End")
    fragment.get_by_text("tokens: 1000000", exact=True).wait_for()
    assert slider.get_attribute("aria-valuetext") == "1,000,000"
    box = slider.bounding_box()
    fragment.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    fragment.wait_for_function("document.body.innerText.match(/tokens: (19|20)\\d\\d(?!\\d)/)")


@pytest.mark.slow
def test_a_locked_cell_outlives_a_run_and_not_its_matrix(fragment):
    plots, readout = fragment.locator(".plots"), fragment.locator(".readout")
    plots.focus()
    for key in ("ArrowDown", "End", "PageDown", "PageDown", "PageDown", "Enter"):
        plots.press(key)
    fragment.get_by_text("cell: (3, 3)").wait_for()
    readout.get_by_text("token 3 and token 3: 1").wait_for()
    plots.press("Escape")
    fragment.get_by_text("cell: None").wait_for()
    plots.press("Enter")
    fragment.get_by_text("cell: (3, 3)").wait_for()
    size = fragment.get_by_label("Size")
    size.fill("3")
    size.press("Enter")
    fragment.get_by_text("cell: None").wait_for()
    readout.get_by_text("none", exact=True).wait_for()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        plots.press(key)
    fragment.get_by_text("cell: (2, 1)").wait_for()
    readout.get_by_text("token 2 and token 1: 1").wait_for()
    plots.press("ArrowRight")
    fragment.get_by_text("cell: (2, 2)").wait_for()


# A slider on a clock of the test: moves so many ms apart, each answered after `took` ms. Gives the requests while it moved,
# and those after a rest.
PACED = """((mount, pause, took) => {
  const { setTimeout: later, clearTimeout: never } = window, read = performance.now.bind(performance);
  let now = 0, waiting = [], asked = [], number = 0;
  window.setTimeout = (run, ms) => (waiting.push({ at: now + ms, run, number: number += 1 }), number);
  window.clearTimeout = (gone) => { waiting = waiting.filter((one) => one.number !== gone); };
  performance.now = () => now;
  const pass = (ms) => {
    for (const end = now + ms; ;) {
      const next = waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) { now = end; return; }
      now = next.at;
      window.clearTimeout(next.number);
      next.run();
    }
  };
  const host = document.body.appendChild(document.createElement("div"));
  const data = { label: "n", value: 0, low: 0, high: 100, step: 1, log: false, places: 0, channel: "n", sequence: 0 };
  const show = (change) => mount({ parentElement: host, data: { ...data, ...change }, setStateValue: report });
  const report = (_, { value, sequence }) => {
    asked.push(now);
    window.setTimeout(() => show({ value, sequence }), took);
  };
  show({});
  const input = host.querySelector("input");
  input.dispatchEvent(new Event("pointerdown"));
  for (let move = 1; move <= 30; move += 1) {
    input.value = String(move);
    input.dispatchEvent(new Event("input"));
    pass(pause);
  }
  const moving = asked.length;
  pass(3000);
  Object.assign(window, { setTimeout: later, clearTimeout: never });
  performance.now = read;
  return [moving, asked.length];
})(core.default, %d, %d)"""


@pytest.mark.parametrize("took", [40, 400])
@pytest.mark.parametrize("pause", [16, 60, 100, 250])
def test_a_hand_that_moves_slowly_does_not_ask_at_every_move(run_module, pause, took):
    source = javascript(Path(drag_slider.__file__).parent / "slider.js")
    moving, rested = run_module(source, PACED % (pause, took))
    assert moving <= 2
    assert rested == moving + 1, "the value at rest is asked for"

"""What each picture has of its own in a real Chromium: a curve that bends, a window that moves, a hand that turns."""

import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from alibi_viz.rules import slopes
from tests.browser.actions import PHONE, address_has, finger, open_at, point_at, query, settle, value_of
from tests.cases import slow

BASE, PLOTS = ".plots canvas.base", ".slopes .plots"
NUMBER = r"([−\d.,]+(?: × 10[⁻⁰-⁹]+)?)"
WINDOW = "bias?n=1000000&row=995904&col=995904&span=4096&head=8"


def values(text):
    return [float(part) for part in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-").replace(",", ""))]


def grip(page):
    page.locator(BASE).wait_for()
    box, at = page.locator(BASE).bounding_box(), page.locator(BASE).get_attribute("data-grip").split(",")
    return box["x"] + float(at[0]), box["y"] + float(at[1])


def own(page):
    address_has(page, "rule", "own list")
    settle(page)
    parts = (entry.partition("/") for entry in query(page)["own"][0].split(", "))
    return [float(above) / float(below or 1) for above, _, below in parts]


def test_a_bent_curve_is_an_own_slope_that_a_reload_keeps_and_back_undoes(app, page):
    open_at(page, f"{app}/slopes")
    (x, y), rule = grip(page), slopes(8, "code", 8.0)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 120, y, steps=8)
    page.mouse.up()
    bent = own(page)
    assert [at for at in range(8) if abs(bent[at] / rule[at] - 1) > 1e-5] == [1]
    assert bent[1] < rule[1], "to the right: it falls later"
    page.reload()
    settle(page)
    assert own(page) == bent
    page.go_back()
    page.wait_for_function("() => !location.search.includes('own')")


def test_a_finger_bends_a_curve_and_a_tap_locks_a_point(app, new_page):
    page = open_at(new_page(viewport=PHONE, has_touch=True, device_scale_factor=2), f"{app}/slopes")
    (x, y), box = grip(page), page.locator(BASE).bounding_box()
    sharp = page.locator(BASE).evaluate("(canvas) => canvas.width")
    assert sharp == pytest.approx(2 * box["width"], abs=1), "as sharp as the screen"
    page.touchscreen.tap(box["x"] + 200, box["y"] + 150)
    page.locator(".slopes .pin").wait_for()
    x, y = grip(page)
    finger(page, [(x + 8 * step, y) for step in range(8)])
    assert len(own(page)) == 8


def test_keys_read_the_curves_and_bend_them(app, page):
    open_at(page, f"{app}/slopes?heads=4")
    plots, readout, rule = page.locator(PLOTS), page.locator(".slopes .readout .words"), slopes(4, "code", 8.0)
    for key, said in (
        ("ArrowRight", "Head 3, m = 1/64: at distance 64 the weight is 0.3679"),
        ("ArrowUp", "Head 4, m = 1/256: at distance 64 "),
        ("Shift+ArrowDown", "Head 1, m = 1/4: at distance 64 "),
        ("Home", "Head 1, m = 1/4: at distance 1 the weight is 0.7788."),
    ):
        plots.press(key)
        assert readout.inner_text().startswith(said)
    page.locator(".slopes .live", has_text="at distance 1 the weight is 0.7788.").wait_for(state="attached")
    page.keyboard.press("+")
    assert own(page)[0] == pytest.approx(rule[0] * 2**0.125, rel=1e-5)
    page.keyboard.press("Backspace")
    page.wait_for_function("() => new URLSearchParams(location.search).get('own').startsWith('1/4,')")
    assert own(page) == rule


WHERE = """(elements) => {
  const boxes = (parts) => parts.map((part) => Object.values(part.getBoundingClientRect().toJSON()).slice(0, 4));
  const canvases = elements.flatMap((element) => [...element.querySelectorAll("canvas")]);
  return { parts: boxes(elements), canvases: boxes(canvases.filter((one) => one.checkVisibility())) };
}"""


def cut(image, x, y, width, height):
    return image[round(2 * y) : round(2 * (y + height)), round(2 * x) : round(2 * (x + width))]


def squares(image, side=16):
    """The mean colours of squares of so many pixels: a letter may stand a pixel lower."""
    high, wide = (length // side for length in image.shape[:2])
    return image[: high * side, : wide * side].reshape(high, side, wide, side, 3).mean((1, 3))


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("slopes?cell=2,64", ".slopes .board"),
        slow("bias", ".matrices .plots:visible >> nth=0"),
        slow("", ".playground :is(.hero, .read, .chips, .lower)"),
    ],
)
def test_a_picture_that_is_taken_away_is_what_stands_on_the_page_twice_as_sharp(
    app, new_page, tmp_path, address, parts
):
    size = {"width": 1280, "height": 1100}
    plain, sharp = (
        open_at(new_page(viewport=size, **more), f"{app}/{address}") for more in ({}, {"device_scale_factor": 2})
    )
    plain.locator(parts).first.wait_for()
    with plain.expect_download() as saved:
        plain.get_by_role("button", name="Save the picture").first.click()
    sharp.locator(f"{parts} >> canvas").first.wait_for()
    expect(sharp.locator(parts)).to_have_text(plain.locator(parts).all_text_contents())  # some comes a second later
    sharp.screenshot(path=tmp_path / "page.png")
    taken, page = (
        np.asarray(Image.open(path).convert("RGB"), dtype=np.float64)
        for path in (saved.value.path(), tmp_path / "page.png")
    )
    places = sharp.locator(parts).evaluate_all(WHERE)
    boxes = places["parts"]
    left, top = min(box[0] for box in boxes) - 20, min(box[1] for box in boxes) - 20
    high, wide = (2 * (max(box[at] + box[2 + at] for box in boxes) + 20 - (left, top)[at]) for at in (1, 0))
    assert taken.shape[:2] == pytest.approx((high, wide), abs=1)
    for x, y, width, height in boxes:
        here, there = cut(taken, x - left, y - top, width, height), cut(page, x, y, width, height)
        assert (np.abs(squares(here) - squares(there)).max(-1) > 24).mean() < 0.1  # a line of words may move a little
    x, y, width, height = max(places["canvases"], key=lambda box: box[2] * box[3])
    images = cut(taken, x - left, y - top, width, height), cut(page, x, y, width, height)
    edges, on_page = (np.square(np.diff(image, axis=1)).mean() for image in images)
    assert edges > 0.75 * on_page, "what is enlarged has soft edges"


#: What is written on canvases, and what of it on one whose language is not that of the page.
WRITTEN = """() => {
  Object.assign(window, { written: [], astray: [] });
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    written.push(text);
    if (!this.canvas.matches(":lang(zh)")) astray.push(text);
    return fillText.call(this, text, ...place);
  };
}"""


def test_a_picture_that_is_taken_away_is_in_the_language_of_the_page_and_has_its_title(app, new_page):
    """Browsers choose the form of a Han character by the language; fonts of these languages are higher than a line."""
    page = open_at(new_page(), f"{app}/story?lang=zh&step=2")
    title = page.locator(".story .question")
    title.evaluate("(title) => title.style.lineHeight = 0.8")
    page.evaluate(WRITTEN)
    with page.expect_download():
        page.locator(".story .tool.png").click()
    assert title.inner_text() in "".join(page.evaluate("written"))
    assert page.evaluate("astray") == []


def corner(page):
    said = page.locator(".where").first.inner_text().replace(",", "")
    return tuple(map(int, re.search(r"queries (\d+)–\d+ keys (\d+)–\d+ of 1000000", said).groups()))


@pytest.mark.slow
def test_the_window_of_a_long_text_is_moved_by_hand_and_keys_choose_a_head(app, page):
    open_at(page, f"{app}/{WINDOW}")
    assert corner(page) == (995904, 995904)
    plot = page.locator(".stage .plot").first
    point_at(page, plot, 0.4, 0.5)
    page.mouse.down()
    point_at(page, plot, 0.7, 0.8)
    previewed = corner(page)
    page.mouse.up()
    assert max(previewed) < 995904 - 500, "the matrix follows the hand"
    address_has(page, "row", str(previewed[0]))
    settle(page)
    assert corner(page) == previewed, "Python shows the window that the hand has chosen"
    page.get_by_role("button", name="Zoom in (+)").click()
    page.wait_for_function("() => Number(new URLSearchParams(location.search).get('span')) < 4096")
    settle(page)
    point_at(page, plot, 0.3, 0.8)
    said = page.get_by_text(re.compile(r"^Query [\d,]+, key [\d,]+:")).first.inner_text()
    i, j, slope, distance, product = values(said)
    assert i - j == distance
    assert slope * distance == pytest.approx(product, rel=1e-3)
    page.locator(".beside.plots").press("End")
    page.locator(".beside.plots").press("Enter")
    page.get_by_text("Head 8, slope 1/256", exact=True).wait_for()


def test_the_arithmetic_under_the_cursor_is_right_in_all_four_steps_and_a_click_keeps_it(app, page):
    open_at(page, f"{app}/attention?content=random&seed=7&strength=2&attention_open=row")
    point_at(page, page.locator(".panel", has_text="softmax").locator(".plot").first, 0.4, 0.85)
    said = page.get_by_text(re.compile("attends to .* tokens back")).first.inner_text()
    pattern = rf"{NUMBER} − {NUMBER} × {NUMBER} × (\d+) = {NUMBER}\. Then e\^\({NUMBER}\) / {NUMBER} = {NUMBER}"
    found = [float(part.rstrip(".").replace("−", "-")) for part in re.search(pattern, said).groups()]
    content, strength, slope, distance, score, exponent, total, weight = found
    assert content - strength * slope * distance == pytest.approx(score, abs=2e-3)
    assert np.exp(exponent) / total == pytest.approx(weight, rel=1e-2)
    now = [float(text.replace("−", "-")) for text in page.locator(".stage .now").all_inner_texts()]
    assert now[0] + now[1] == pytest.approx(now[2], abs=2e-3)
    assert (now[2], now[3]) == (pytest.approx(score, abs=2e-3), pytest.approx(weight, abs=2e-3))
    page.mouse.down()
    page.mouse.up()
    page.get_by_text(re.compile("Token .*“{}”".format(re.search("“(.+?)” attends", said)[1]))).wait_for()
    value_of(page, "cell")
    before = query(page)
    page.reload()
    settle(page)
    assert query(page) == before
    page.locator(".readout .words", has_text=said[:40]).first.wait_for()


def test_a_hand_that_is_turned_in_its_dial_turns_all_others(app, page):
    open_at(page, f"{app}/lab_rope?position=0")
    base = page.locator(".clocks canvas.base")
    base.wait_for()
    for _ in range(2):
        page.locator(".clocks .plots").press("ArrowRight")
    page.locator(".clocks .live").get_by_text("Pair 1: 11.2 tokens for a full turn").wait_for(state="attached")
    box, (x, y) = base.bounding_box(), map(float, base.get_attribute("data-middle").split(","))
    for step in range(17):  # twice round the fastest clock, and a little more: 2 x 6.28 tokens
        angle = 2 * np.pi * 2.06 * step / 16
        page.mouse.move(box["x"] + x + 30 * np.sin(angle), box["y"] + y - 30 * np.cos(angle))
        if not step:
            page.mouse.down()
    assert "At position 13 all 16 clocks" in page.locator(".clocks > .note").inner_text()
    page.mouse.up()
    address_has(page, "position", "13")
    settle(page)
    page.get_by_role("button", name="Far beyond training").click()
    page.locator(".clocks > .note", has_text="5 of 16 clocks have passed").wait_for()
    page.get_by_role("radio", name="PI").click()
    page.locator(".clocks > .note", has_text="all 16 clocks are within").wait_for()


def pull_down(page, by=50):
    settle(page)
    x, y = grip(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + by, steps=6)
    page.mouse.up()


def test_a_step_is_pulled_down_alone_and_of_alibi_all_are(app, page):
    open_at(page, f"{app}/heirs")
    pull_down(page)
    page.locator(".heirs .readout", has_text="by your hand").wait_for()
    page.wait_for_function("() => /^7:[1-3]/.test(new URLSearchParams(location.search).get('fox_steps'))")
    page.locator(".heirs .preset", has_text="ALiBi").click()
    address_has(page, "stairs", "alibi")
    page.mouse.move(5, 5)
    pull_down(page)
    page.wait_for_function("() => Number(new URLSearchParams(location.search).get('alibi_step')) > 0.3")
    page.get_by_role("radio", name="Layer 1, head 5:").check()
    address_has(page, "layer", "1")
    assert query(page)["head"] == ["5"]
    assert "stairs" not in query(page)
    page.mouse.move(5, 5)
    pull_down(page, by=-50)  # of its steps, which are all taller than the picture, that of the last word is in sight
    page.wait_for_function("() => /^16:[3-6]/.test(new URLSearchParams(location.search).get('fox_steps'))")

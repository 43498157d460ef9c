"""Compare in a real Chromium: one cursor through all columns, which change at once, and methods that change places."""

from __future__ import annotations

import pytest

from alibi_viz.lessons import load
from tests.browser.actions import address_has, go, open_at, query, settle

WORDS = load("compare").entries("picture")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 1}
#: What every canvas of the picture shows: three a column, and the curves.
PIXELS = """() => [...document.querySelectorAll(".st-key-compare *")].find((one) => one.shadowRoot).shadowRoot
  .querySelectorAll(".plots canvas")"""
LOOKS = f"() => [...({PIXELS})()].map((canvas) => canvas.clientWidth ? canvas.toDataURL() : '')"
#: That all of them have changed but the measured lines.
MOVED = f"(before) => ({LOOKS})().every((look, at) => at % 3 === 2 || look !== before[at])"


@pytest.fixture
def compare(app, new_page):
    """compare(address, options): the page when its numbers are drawn."""

    def at(address="", **options):
        page = open_at(new_page(**options), f"{app}/compare{address}")
        page.locator(".column .sum .weight").first.wait_for()
        return page

    return at


def sums(page):
    return page.locator(".column .sum").all_inner_texts()


def reads(page, query, key):
    """Wait until the sentence speaks of this pair."""
    text = WORDS["pair"].format(query=f"word {query}", key=f"word {key}", distance=query - key)
    page.locator(".compare .sentence", has_text=text).wait_for()


def share_of(page, matrix, x, y):
    """A place in a matrix, in the window's pixels."""
    box = page.locator("canvas.matrix").nth(matrix).bounding_box()
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def test_pointer_keys_and_a_press_move_one_cursor_through_all_matrices_and_lines(compare):
    page = compare()
    assert page.locator("canvas.matrix").count() == 12
    reads(page, 16, 2)
    before, pixels = sums(page), page.evaluate(LOOKS)
    page.mouse.move(*share_of(page, 11, 0.4, 0.72))  # row and column of sixteen
    reads(page, 12, 7)
    assert len(set(zip(before, sums(page), strict=True))) == 6
    assert all(a != b for a, b in zip(before, sums(page), strict=True))
    page.wait_for_function(MOVED, arg=pixels)
    page.mouse.down()
    page.mouse.up()
    address_has(page, "cell", "11,6")
    settle(page)
    page.mouse.move(*share_of(page, 0, 0.2, 0.9))
    reads(page, 12, 7)  # a locked pair stays
    page.keyboard.press("ArrowLeft")
    address_has(page, "cell", "11,5")
    page.keyboard.press("ArrowDown")
    address_has(page, "cell", "12,5")
    page.locator(".compare .live", has_text="ALiBi: 2.00 − 1.75 → 4.0 %").wait_for(state="attached")
    page.keyboard.press("Escape")
    page.wait_for_function("() => !new URLSearchParams(location.search).has('cell')")
    curves = page.locator("canvas.curves").bounding_box()
    page.mouse.move(curves["x"] + curves["width"] * 0.97, curves["y"] + 40)
    reads(page, 13, 13)


def test_all_columns_change_together_when_pytorch_has_answered(compare):
    page = compare()
    before = sums(page)
    page.locator(".compare .columns").evaluate("""(columns) => {
      window.seen = new Set();
      const look = () => {
        window.seen.add([...columns.querySelectorAll(".sum")].map((sum) => sum.textContent).join("|"));
        requestAnimationFrame(look);
      };
      look();
    }""")
    page.get_by_role("radiogroup", name="Head").get_by_role("radio", name="5", exact=True).click()
    address_has(page, "head", "5")
    page.locator(".column .sum", has_text="2.00 − 0.44").wait_for()
    settle(page)
    after = sums(page)
    seen = page.evaluate("() => [...window.seen]")
    assert len(seen) == 2, "the old numbers and the new ones, and none between"
    assert before[0] == after[0], "without positions heads do not differ"
    page.get_by_role("radio", name="my words").click()
    page.locator("#hand-text").fill("one two three one")
    address_has(page, "text", "one two three one")
    page.locator(".compare .sentence", has_text="Query one, key one, 3 words back").wait_for()


def test_another_method_takes_a_place_and_a_name_opens_its_page(compare):
    page = compare()
    page.get_by_label(WORDS["swap"].format(name="Learned")).select_option("fire")
    address_has(page, "methods", "none,fire,sinusoidal,rope,t5,alibi")
    page.locator(".column .name", has_text="FIRE").wait_for()
    page.get_by_label(WORDS["swap"].format(name="FIRE")).select_option("alibi")
    address_has(page, "methods", "none,alibi,sinusoidal,rope,t5,fire")  # they change places
    page.go_back()
    address_has(page, "methods", "none,fire,sinusoidal,rope,t5,alibi")
    settle(page)
    page.locator(".column .name", has_text="ALiBi").click()
    page.locator("h1", has_text=load("slopes").text("title")).wait_for()
    go(page, "/compare?times=4&methods=learned,rope")
    page.locator(".ended", has_text="Learned positions go from 0 to 15").wait_for()
    assert sums(page)[0] == "–"
    assert sums(page)[1] != "–"


def test_on_a_phone_any_pair_is_tapped_and_a_switch_shows_the_weights(compare):
    page = compare(**PHONE)
    assert page.locator("canvas.matrix:visible").count() == 6
    page.locator(".hint", has_text=WORDS["tap"]).wait_for()
    page.touchscreen.tap(*share_of(page, 0, 0.4, 0.72))
    address_has(page, "cell", "11,6")
    reads(page, 12, 7)
    first = page.evaluate(LOOKS)
    page.get_by_role("radio", name=WORDS["weights"]).click()
    address_has(page, "stage", "weights")
    page.wait_for_function(f"(first) => ({LOOKS})()[1] !== first[1]", arg=first)
    settle(page)  # until then a column may be on its way out
    right = page.locator(".column").last.evaluate("(column) => column.getBoundingClientRect().right")
    assert 0 < right <= 391
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.slow
def test_a_long_text_is_drawn_by_samples_of_which_each_is_exact(compare):
    page = compare("?times=16&cell=255,241")
    assert sums(page)[5].startswith("2.00 − 3.50")
    assert WORDS["sampled"].format(step=4) in page.locator(".hint").inner_text()
    page.keyboard.press("Tab")
    page.locator(".compare .plots").press("ArrowRight")
    address_has(page, "cell", "255,242")
    page.reload()
    reads(page, 256, 243)
    assert query(page)["cell"] == ["255,242"]

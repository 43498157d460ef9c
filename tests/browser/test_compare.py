"""Compare in a real Chromium: one cursor through all columns, which change at once, and methods that change places."""

import pytest

from alibi_viz.lessons import load
from tests.browser.actions import PHONE, address_has, open_at, settle

WORDS = load("compare").entries("picture")


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
    page.locator(".compare .words", has_text=text).wait_for()


def share_of(page, matrix, x, y):
    box = page.locator("canvas.matrix").nth(matrix).bounding_box()
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def test_pointer_keys_and_a_press_move_one_cursor_through_all_matrices_and_lines(compare):
    page = compare()
    assert page.locator("canvas.matrix").count() == 12
    reads(page, 16, 2)
    before = sums(page)
    page.mouse.move(*share_of(page, 11, 0.4, 0.72))  # row and column of sixteen
    reads(page, 12, 7)
    assert all(a != b for a, b in zip(before, sums(page), strict=True))
    page.mouse.down()
    page.mouse.up()
    address_has(page, "cell", "11,6")
    settle(page)
    page.mouse.move(*share_of(page, 0, 0.2, 0.9))
    reads(page, 12, 7)  # a locked pair stays
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    address_has(page, "cell", "12,5")
    page.locator(".compare .live", has_text="ALiBi: 2.00 − 1.75 → 4.0%").wait_for(state="attached")
    page.keyboard.press("Escape")
    curves = page.locator("canvas.curves").bounding_box()
    page.mouse.move(curves["x"] + curves["width"] * 0.97, curves["y"] + 40)
    reads(page, 13, 13)


@pytest.mark.slow
def test_another_method_takes_a_place_and_a_name_opens_its_page(compare):
    page = compare()
    page.get_by_label(WORDS["swap"].format(name="Learned")).select_option("fire")
    address_has(page, "methods", "none,fire,sinusoidal,rope,t5,alibi")
    page.locator(".column .name", has_text="FIRE").wait_for()
    page.get_by_label(WORDS["swap"].format(name="FIRE")).select_option("alibi")
    address_has(page, "methods", "none,alibi,sinusoidal,rope,t5,fire")  # they change places
    page.locator(".column .name", has_text="ALiBi").click()
    page.locator("h1", has_text=load("slopes").text("title")).wait_for()
    page = compare("?times=4&methods=learned,rope")
    page.locator(".ended", has_text="Learned positions go from 0 to 15").wait_for()
    assert sums(page)[0] == "–"
    assert sums(page)[1] != "–"


@pytest.mark.slow
def test_on_a_phone_any_pair_is_tapped_and_a_switch_shows_the_weights(compare):
    page = compare(viewport=PHONE, has_touch=True, is_mobile=True, device_scale_factor=1)
    assert page.locator("canvas.matrix:visible").count() == 6
    page.locator(".hint", has_text=WORDS["tap"]).wait_for()
    page.touchscreen.tap(*share_of(page, 0, 0.4, 0.72))
    address_has(page, "cell", "11,6")
    reads(page, 12, 7)
    first = page.locator("canvas.matrix").first.evaluate("(canvas) => canvas.toDataURL()")
    page.get_by_role("radio", name=WORDS["weights"]).click()
    address_has(page, "stage", "weights")
    settle(page)
    assert page.locator("canvas.matrix").first.evaluate("(canvas) => canvas.toDataURL()") != first

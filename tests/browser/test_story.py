"""The story by keyboard alone, on a phone and on a projector; a class with real windows; a link to a view."""

from __future__ import annotations

import random
from urllib.parse import urlencode, urlsplit

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.pictures import javascript
from pages.story import study
from pages.story.page import SCENES as TABLE
from tests.browser.actions import address_has, open_at, point_at, query, settle
from tests.cases import some

STORY = load("story")
SCENES = tuple(TABLE)
SIDEBAR = "[data-testid=stSidebar]"
CHIPS = ".orders .chip"


def at_scene(page, number):
    page.get_by_text(f"{number} of {len(SCENES)}").wait_for()
    page.get_by_role("heading", name=STORY.text(f"{SCENES[number - 1]}.question")).wait_for()
    settle(page)


@pytest.mark.slow  # all nine scenes, there and back; the keys alone: test_no_key_press_is_lost
@pytest.mark.parametrize(
    ("size", "query"),
    [((1280, 800), ""), ((390, 844), ""), ((1920, 1080), "?present=true")],
    ids=["desk", "phone", "wall"],
)
def test_from_the_first_scene_to_the_last_by_keyboard(new_page, app, size, query):
    width, height = size
    page = open_at(new_page(viewport={"width": width, "height": height}), f"{app}/story{query}")
    for number in range(1, len(SCENES)):
        at_scene(page, number)
        assert page.locator(".st-key-stage_picture :is(.plots, .papers, .js-plotly-plot)").count()
        page.keyboard.press("Space" if number % 2 else "ArrowRight")
    at_scene(page, len(SCENES))
    page.keyboard.press("Space")
    settle(page)  # there is no scene after the last
    at_scene(page, len(SCENES))
    page.keyboard.press("ArrowLeft")
    at_scene(page, len(SCENES) - 1)
    assert page.locator(SIDEBAR).is_visible() == (width == 1280)


@pytest.mark.slow
def test_keys_stay_with_the_control_that_wants_them(new_page, app):
    page = open_at(new_page(), f"{app}/story?scene=3")
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => new URLSearchParams(location.search).get('story_slope') === '0.26'")
    at_scene(page, 3)


def test_the_bias_follows_the_slope_while_it_is_dragged(new_page, app):
    page = open_at(new_page(), f"{app}/story?scene=3")
    box = page.locator("input[type=range]").bounding_box()
    y, note = box["y"] + box["height"] / 2, page.locator(".matrices > .note")
    before = note.inner_text()
    page.mouse.move(box["x"] + 0.25 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.75 * box["width"], y, steps=8)
    assert note.inner_text() != before
    assert "story_slope" not in query(page), "only a released hand counts"
    page.mouse.up()
    page.wait_for_function("() => Number(new URLSearchParams(location.search).get('story_slope')) > 0.5")


@pytest.mark.parametrize("address", some(["/story", "/story?scene=3"], "/story?scene=3"))
def test_an_address_opens_its_scene(new_page, app, address):
    page = open_at(new_page(), f"{app}{address}")
    at_scene(page, 3 if "scene" in address else 1)
    assert not page.get_by_text("Page not found").count()
    page.keyboard.press("ArrowRight")
    address_has(page, "scene", "4" if "scene" in address else "2")
    assert urlsplit(page.url).path == address.split("?")[0]


def test_no_key_press_is_lost(new_page, app):
    page = open_at(new_page(), f"{app}/story")
    for _ in range(3):  # faster than a run of the page
        page.keyboard.press("ArrowRight")
    at_scene(page, 4)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    at_scene(page, 2)


@pytest.mark.slow
def test_keys_turn_the_theme_and_set_presets_while_presenting(new_page, app):
    page = open_at(
        new_page(viewport={"width": 1280, "height": 720}, color_scheme="light"), f"{app}/slopes?present=true"
    )
    page.get_by_text(load("words").label("keys")).wait_for()
    ground = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"
    light = page.evaluate(ground)
    page.keyboard.press("t")
    page.wait_for_function(f"(light) => {ground} !== light", arg=light)
    address_has(page, "theme", "dark")
    page.keyboard.press("2")
    address_has(page, "heads", "12")
    page.keyboard.press("t")
    page.wait_for_function(f"(light) => {ground} === light", arg=light)


@pytest.mark.slow
def test_pointing_at_a_cell_moves_nothing(new_page, app):
    page = open_at(new_page(viewport={"width": 1280, "height": 800}), f"{app}/story?scene=3")
    panel = page.locator(".plot").first
    before = panel.bounding_box()
    point_at(page, panel, 0.6, 0.7)
    page.locator(".now", has_text=".").first.wait_for()
    assert panel.bounding_box() == before


@pytest.mark.slow
def test_back_leads_to_the_scene_before(new_page, app):
    page = open_at(new_page(), f"{app}/story")
    for number in (1, 2):
        at_scene(page, number)
        page.get_by_role("button", name="Next", exact=True).click()
    at_scene(page, 3)
    address_has(page, "scene", "3")
    page.get_by_label("Slope m", exact=True).and_(page.locator("input[type=range]")).press("ArrowRight")
    address_has(page, "story_slope", "0.26")
    settle(page)
    page.go_back()  # the hand first
    page.wait_for_function("() => !new URLSearchParams(location.search).has('story_slope')")
    at_scene(page, 3)
    for number in (2, 1):
        page.go_back()
        at_scene(page, number)
    page.go_forward()
    at_scene(page, 2)
    address_has(page, "scene", "2")


SWIPES = {"left": (300, 80), "right": (80, 300)}


def swipe(page, way):
    """One finger across the words."""
    touch, y = page.context.new_cdp_session(page), 640
    start, stop = SWIPES[way]
    points = [{"x": start + (stop - start) * share, "y": y} for share in (0, 0.5, 1)]
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points[:1]})
    for point in points[1:]:
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.fixture
def phone(new_page):
    return new_page(viewport={"width": 390, "height": 844}, has_touch=True)


@pytest.mark.slow
def test_a_phone_turns_scenes_by_a_swipe_and_has_their_words(phone, app):
    page = open_at(phone, f"{app}/story")
    nexts = set()
    for number in (1, 2, 3):
        at_scene(page, number)
        picture, words, turn = (
            page.locator(part).bounding_box()
            for part in (".st-key-stage_picture", ".st-key-stage_note", "[class*=story_next]")
        )
        assert picture["y"] + picture["height"] <= words["y"] + 1
        assert words["y"] + 40 < turn["y"] < 844, "its first lines are in sight"
        nexts.add(round(turn["y"]))
        swipe(page, "left")
    assert len(nexts) == 1, "Next stands still"
    at_scene(page, 4)
    swipe(page, "right")
    at_scene(page, 3)


@pytest.mark.slow
@pytest.mark.parametrize("path", ["story?scene=3", "attention"])
def test_no_field_of_a_phone_is_so_small_that_it_enlarges_the_page(phone, app, path):
    page = open_at(phone, f"{app}/{path}")
    fields = page.locator("input:not([type=range]):not([type=checkbox]), textarea")
    sizes = fields.evaluate_all("(all) => all.map((one) => parseFloat(getComputedStyle(one).fontSize))")
    assert sizes
    assert min(sizes) >= 16


def order_is(page, order):
    address_has(page, "story_order", order)
    settle(page)
    assert page.locator(CHIPS).evaluate_all("(all) => all.map((chip) => chip.dataset.word).join()") == order


def test_words_are_dragged_and_stepped_into_another_order_and_both_attentions_follow(new_page, app):
    page = open_at(new_page(reduced_motion="reduce"), f"{app}/story?story_order=0,1,2,3")
    chips, note = page.locator(CHIPS), page.locator(".orders > .note")
    assert note.inner_text() == STORY.entries("orders")["note_same"]
    grabbed, target = chips.nth(0).bounding_box(), chips.nth(2).bounding_box()
    page.mouse.move(grabbed["x"] + 20, grabbed["y"] + 8)
    page.mouse.down()
    page.mouse.move(target["x"] + 20, target["y"] + 8, steps=5)
    plain, alibi = (float(number) for number in note.locator(".v").all_inner_texts())
    assert plain == 0 < alibi, "under the hand, by the browser alone"
    page.mouse.up()
    order_is(page, "1,2,0,3")
    assert [float(number) for number in note.locator(".v").all_inner_texts()] == [plain, alibi], "and by PyTorch"
    chips.nth(3).press("ArrowLeft")
    order_is(page, "1,2,3,0")
    page.reload()
    settle(page)
    order_is(page, "1,2,3,0")
    page.go_back()
    order_is(page, "1,2,0,3")


@pytest.mark.slow
def test_words_that_run_to_the_left_stand_and_step_so(app, new_page):
    page = open_at(new_page(), f"{app}/story?" + urlencode({"story_text": "שלום עולם טוב", "story_order": "0,1,2"}))
    chips = page.locator(CHIPS)
    chips.nth(2).wait_for()
    left = [chips.nth(at).bounding_box()["x"] for at in range(3)]
    assert left == sorted(left, reverse=True)
    chips.nth(0).press("ArrowLeft")
    order_is(page, "1,0,2")


def test_two_hundred_orders_are_python_s(run_module):
    """The attention that the browser computes under a hand."""
    words, chance = "the old man told the young man off".split(), random.Random(48)
    for causal in (False, True):
        orders = [chance.sample(range(8), 8) for _ in range(100)]
        content = study.orders(words, range(8), causal=causal).content.ravel().tolist()
        body = f"""{orders!r}.map((order) => [0, {study.SLOPE}].map((slope) => {{
          const found = core.weightsOf({content!r}, order, slope, {str(causal).lower()});
          return order.flatMap((query) => order.map((key) => found[query * 8 + key]));
        }}))"""
        for order, found in zip(orders, run_module(javascript("orders/view.js"), body), strict=True):
            expected = study.orders(words, order, causal=causal).weights.reshape(2, 64)
            np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.slow
def test_next_stands_still(new_page, app):
    page, nexts = open_at(new_page(viewport={"width": 1280, "height": 800}), f"{app}/story"), set()
    for number in range(1, len(SCENES) + 1):
        at_scene(page, number)
        nexts.add(round(page.locator("[class*=story_next]").bounding_box()["y"]))
        page.keyboard.press("ArrowRight")
    assert len(nexts) == 1
    assert nexts.pop() < 800

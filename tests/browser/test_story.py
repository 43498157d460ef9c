"""The story by keyboard alone, by a finger, and by Back; and words that are put into another order."""

from __future__ import annotations

import pytest

from alibi_viz.lessons import load
from pages.story.page import SCENES as TABLE
from tests.browser.actions import address_has, finger, open_at, settle

STORY = load("story")
SCENES = tuple(TABLE)
SIDEBAR = "[data-testid=stSidebar]"
CHIPS, NOTE = ".orders .chip", ".st-key-stage_note"


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
    page, nexts = open_at(new_page(viewport={"width": width, "height": height}), f"{app}/story{query}"), set()
    for number in range(1, len(SCENES)):
        at_scene(page, number)
        nexts.add(round(page.locator("[class*=story_next]").bounding_box()["y"]))
        page.locator(".st-key-stage_picture :is(.plots, .papers, .js-plotly-plot)").first.wait_for()
        page.keyboard.press("Space" if number % 2 else "ArrowRight")
    at_scene(page, len(SCENES))
    assert len(nexts) == 1, "Next stands still"
    assert nexts.pop() < height
    page.keyboard.press("Space")
    settle(page)  # there is no scene after the last
    at_scene(page, len(SCENES))
    page.keyboard.press("ArrowLeft")
    at_scene(page, len(SCENES) - 1)
    page.go_back()
    at_scene(page, len(SCENES))
    assert page.locator(SIDEBAR).is_visible() == (width == 1280)


def test_no_key_press_is_lost(new_page, app):
    page = open_at(new_page(), f"{app}/story")
    for _ in range(3):  # faster than a run of the page
        page.keyboard.press("ArrowRight")
    at_scene(page, 4)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    at_scene(page, 2)


@pytest.mark.slow
def test_a_phone_turns_scenes_by_a_swipe_and_has_their_words(new_page, app):
    phone = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page = open_at(phone, f"{app}/story")
    for number in (1, 2):
        at_scene(page, number)
        picture, words, turn = (
            page.locator(part).bounding_box()
            for part in (".st-key-stage_picture", ".st-key-stage_note", "[class*=story_next]")
        )
        assert picture["y"] + picture["height"] <= words["y"] + 1
        assert words["y"] + 40 < turn["y"] < 844, "its first lines are in sight"
        finger(page, [(300, 640), (190, 640), (80, 640)])
    at_scene(page, 3)
    finger(page, [(80, 640), (190, 640), (300, 640)])
    at_scene(page, 2)


def test_a_swipe_turns_one_scene_and_no_other_way_of_a_finger_turns_any(new_page, app):
    page = open_at(new_page(viewport={"width": 390, "height": 844}, has_touch=True), f"{app}/story?scene=2")

    def drag(place, x, y, across, down=0):
        """From a share of an element's box on, in three steps."""
        box = page.locator(place).first.bounding_box()
        x, y = box["x"] + x * box["width"], box["y"] + y * box["height"]
        finger(page, [(x + across * step / 3, y + down * step / 3) for step in range(4)])

    order = page.locator(CHIPS).evaluate_all("(all) => all.map((chip) => chip.dataset.word).join()")
    drag(CHIPS, 0.5, 0.5, across=150)
    page.wait_for_function("(order) => new URLSearchParams(location.search).get('story_order') !== order", arg=order)
    drag(NOTE, 0.5, 0.9, across=-70, down=-60)  # a thumb that scrolls
    for scene in (3, 4):  # with what was pressed before
        drag(NOTE, 0.8, 0.2, across=-150)
        at_scene(page, scene)
        address_has(page, "scene", str(scene))
        if scene == 3:
            drag(".plot:visible", 0.8, 0.8, across=-80)
            drag(".hands input[type=range]:visible", 0.25, 0.5, across=90)
            page.wait_for_function("() => location.search.includes('story_slope')")
            settle(page)
    drag(NOTE, 0.2, 0.2, across=150)
    at_scene(page, 3)
    address_has(page, "scene", "3")


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

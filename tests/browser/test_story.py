"""The story by hand: nine gestures by mouse, keys and a finger; turning, Back, and a shared link."""

from __future__ import annotations

import pytest

from alibi_viz.lessons import load
from alibi_viz.lessons.languages import ENGLISH, LANGUAGES
from pages.story.page import STEPS
from tests.browser.actions import address_has, finger, open_at, query, settle
from tests.browser.clipping import with_squares
from tests.cases import some

STORY = load("story")
WORDS = STORY.entries("picture")
COUNT = len(WORDS["sentence"].split())


def at_step(page, number):
    page.locator(".question", has_text=STORY.text(f"{STEPS[number - 1]}.question")).wait_for()
    settle(page)


def big(page) -> str:
    return page.locator(".story .big").inner_text().replace("\n", " ")


def answered(page):
    """Wait until the numbers are PyTorch's, of what the hand says now."""
    page.locator(".story[data-source=python]").wait_for()


def drag(page, *points):
    """Drag between places of the stage, which are shares of its width and height."""
    box = page.locator(".story .canvas").bounding_box()
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in points]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=5)
    page.mouse.up()
    settle(page)


def step(page, app, number, more=""):
    open_at(page, f"{app}/story?step={number}{more}")
    at_step(page, number)
    return page


@pytest.fixture
def still(new_page):
    return new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")


@pytest.mark.slow  # all nine steps, there and back; the keys alone: test_no_key_press_is_lost
@pytest.mark.parametrize(
    ("size", "more"),
    [((1280, 800), ""), ((390, 844), ""), ((768, 1024), ""), ((1920, 1080), "?present=true")],
    ids=["desk", "phone", "tablet", "wall"],
)
def test_from_the_first_step_to_the_last_by_keyboard(new_page, app, size, more):
    width, height = size
    page = new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    open_at(page, f"{app}/story{more}")
    places = set()
    for number in range(1, len(STEPS) + 1):
        at_step(page, number)
        places.add(round(page.locator(".turn .next").bounding_box()["y"]))
        assert page.locator(".story .text").evaluate("(one) => one.scrollHeight <= one.clientHeight + 1"), number
        head = page.locator(".story .say").evaluate("(one) => one.scrollHeight - one.clientHeight")
        assert head <= 1, f"the words of step {number} have room"
        page.keyboard.press("Space" if number % 2 else "ArrowRight")
    assert len(places) == 1, "Next stands still"
    assert places.pop() < height
    page.keyboard.press("ArrowLeft")
    at_step(page, len(STEPS) - 1)
    page.go_back()
    at_step(page, len(STEPS))


@pytest.mark.slow  # nine steps
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desk", "phone"])
@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() - {ENGLISH}))
def test_the_words_of_each_step_have_room_in_each_language(new_page, app, language, size):
    page = new_page(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    for number in range(1, len(STEPS) + 1):
        open_at(page, f"{app}/story?step={number}&lang={language}")
        page.locator(".say .caption").wait_for()
        with_squares(page)
        assert page.locator(".say").evaluate("(one) => one.scrollHeight - one.clientHeight") <= 1, number


def test_no_key_press_is_lost(still, app):
    page = step(still, app, 1)
    for _ in range(3):  # faster than a run of the page
        page.keyboard.press("ArrowRight")
    at_step(page, 4)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    at_step(page, 2)
    address_has(page, "step", "2")


def test_a_word_is_dragged_and_no_weight_changes_and_the_arrow_keys_still_turn(still, app):
    page = step(still, app, 1)
    drag(page, (0.185, 0.56), (0.42, 0.56))
    page.wait_for_function("() => new URLSearchParams(location.search).has('story_order')")
    order = query(page)["story_order"][0]
    assert order != ",".join(map(str, range(COUNT)))
    assert big(page) == "0.00"
    page.locator(".swap").click()
    page.wait_for_function("() => !new URLSearchParams(location.search).has('story_order')")
    page.go_back()
    address_has(page, "story_order", order)
    settle(page)
    assert big(page) == "0.00"
    page.get_by_label("causal mask").click()
    settle(page)
    assert float(big(page)) > 0.01, "behind a mask, moved words hide others"
    drag(page, (0.185, 0.56), (0.42, 0.56))
    page.keyboard.press("ArrowRight")
    at_step(page, 2)


def test_each_gesture_says_another_number_and_stands_in_the_address(still, app):
    page = still
    for number, points, key in (
        (2, ((0.5, 0.7), (0.5, 0.86)), "story_slope"),
        (3, ((0.2, 0.93), (0.2, 0.62)), "story_head"),
        (4, ((0.5, 0.35), (0.5, 0.6)), "cell"),
        (5, ((0.03, 0.93), (0.4, 0.93)), "story_times"),
        (9, ((0.1, 0.5), (0.4, 0.5)), "story_seen"),
    ):
        step(page, app, number)
        before = big(page)
        drag(page, *points)
        assert big(page) != before, key
        page.wait_for_function(f"() => new URLSearchParams(location.search).has('{key}')")
        answered(page)
        after = big(page)
        page.reload()
        at_step(page, number)
        answered(page)
        assert big(page) == after, f"{key}: the link shows the same"


GESTURES = {1: "story_order", 2: "story_slope", 3: "story_head", 5: "story_times"}


@pytest.mark.parametrize("number", some(GESTURES, 1))
def test_the_arrow_keys_on_the_stage_are_its_gesture(still, app, number):
    key = GESTURES[number]
    page = step(still, app, number)
    stage = page.get_by_role("slider", name=STORY.entry("gestures", STEPS[number - 1]))
    stage.focus()
    spoken = stage.get_attribute("aria-valuetext")
    page.keyboard.press("ArrowLeft" if number == 1 else "ArrowRight")
    page.wait_for_function(f"() => new URLSearchParams(location.search).has('{key}')")
    assert stage.get_attribute("aria-valuetext") != spoken
    at_step(page, number)


def test_under_the_hand_the_number_is_the_browser_s_and_pytorch_says_the_same(still, app):
    page = step(still, app, 2)
    box = page.locator(".story .canvas").bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.7 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.86 * box["height"], steps=5)
    root = page.locator(".story")
    page.wait_for_function("() => window.painted.at(-1)?.source === 'preview'")
    held = big(page)
    page.mouse.up()
    settle(page)
    page.wait_for_function("() => window.painted.at(-1)?.source === 'python'")
    assert big(page) == held
    assert root.get_attribute("data-source") == "python"


def test_what_was_measured_is_shown_after_two_lines_are_drawn(still, app):
    page = step(still, app, 6)
    far = "45.3"
    assert far not in page.locator(".story").inner_text()
    drag(page, (0.25, 0.87), (0.4, 0.8), (0.74, 0.75))
    drag(page, (0.25, 0.87), (0.4, 0.6), (0.74, 0.4))
    assert far not in big(page)
    assert "?" not in big(page)
    page.get_by_role("button", name=WORDS["show"]).click()
    page.locator(".story .big", has_text=far).wait_for()
    page.get_by_role("button", name=WORDS["again"]).click()
    settle(page)
    assert far not in big(page)


def test_hiding_far_keys_brings_words_back(still, app):
    page = step(still, app, 8)
    before = page.locator(".story .flow").all_inner_texts()
    rope = float(big(page).split()[-1])
    page.get_by_label("Hide keys").click()
    settle(page)
    after = page.locator(".story .flow").all_inner_texts()
    assert after[1] != before[1]
    assert float(big(page).split()[-1]) < 0.2 * rope
    assert page.locator(".story .far").count(), "what is out of reach is paler"


def test_a_swipe_above_the_stage_turns_one_step(new_page, app):
    phone = new_page(viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce")
    page = open_at(phone, f"{app}/story")
    at_step(page, 1)
    finger(page, [(300, 130), (190, 130), (80, 130)])
    at_step(page, 2)
    finger(page, [(80, 130), (190, 130), (300, 130)])
    at_step(page, 1)


def test_on_the_stage_a_finger_is_the_gesture_s(new_page, app):
    phone = new_page(viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce")
    page = step(phone, app, 1)
    box = page.locator(".story .canvas").bounding_box()
    y = box["y"] + 0.52 * box["height"]
    finger(page, [(box["x"] + share * box["width"], y) for share in (0.14, 0.25, 0.4, 0.5)])
    page.wait_for_function("() => new URLSearchParams(location.search).has('story_order')")
    at_step(page, 1)
    assert big(page) == "0.00"
    step(page, app, 2)
    box = page.locator(".story .canvas").bounding_box()
    finger(page, [(box["x"] + 0.5 * box["width"], box["y"] + share * box["height"]) for share in (0.7, 0.75, 0.85)])
    page.wait_for_function("() => new URLSearchParams(location.search).has('story_slope')")

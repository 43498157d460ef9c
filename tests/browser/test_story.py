"""The story by hand: nine gestures by mouse, keys and a finger; turning, Back, and a shared link."""

from __future__ import annotations

import re

import pytest

from alibi_viz.lessons import load
from alibi_viz.lessons.languages import ENGLISH, LANGUAGES
from alibi_viz.pictures import javascript
from alibi_viz.rules import slopes
from pages.story.page import STEPS
from pages.story.study import HEADS
from tests.browser.actions import address_has, finger, open_at, query, settle
from tests.browser.clipping import with_squares
from tests.browser.drawn import WATCH
from tests.cases import some

STORY = load("story")
WORDS = STORY.entries("picture")
COUNT = len(WORDS["sentence"].split())
#: The steps that say something else after the gesture, and their address then. All but the first ask: Next answers them.
AFTER = {1: "causal=true", 6: "story_shown=true", 8: "write_near=true", 9: "story_seen=128"}
ARABIC = "القطة جلست على السجادة والكلب رأى القطة"


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
        key = "Space" if number % 2 else "ArrowRight"
        question = page.locator(".story .text").inner_text()
        page.keyboard.press(key)
        if number > 1 and number in AFTER:
            page.locator(".story .text").filter(has_not_text=question).wait_for()
            at_step(page, number)
            assert page.locator(".story .say").evaluate("(one) => one.scrollHeight - one.clientHeight") <= 1, number
            page.keyboard.press(key)
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
    steps = [f"step={number}" for number in range(1, len(STEPS) + 1)]
    for more in [*steps, *(f"step={number}&{after}" for number, after in AFTER.items())]:
        open_at(page, f"{app}/story?{more}&lang={language}")
        page.locator(".say .caption").wait_for()
        with_squares(page)
        assert page.locator(".say").evaluate("(one) => one.scrollHeight - one.clientHeight") <= 1, more


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


def test_next_shows_the_answer_before_it_goes_on(still, app):
    page = step(still, app, 6)
    far, next_ = "45.3", page.locator(".turn .next")
    next_.click()
    page.locator(".story .big", has_text=far).wait_for()
    at_step(page, 6)
    next_.click()
    at_step(page, 7)
    step(page, app, 8)
    before, near = page.locator(".story .text").inner_text(), page.get_by_label("Hide keys")
    page.keyboard.press("ArrowRight")
    address_has(page, "write_near", "true")
    at_step(page, 8)
    assert near.is_checked()
    assert page.locator(".story .text").inner_text() != before
    page.keyboard.press("ArrowRight")
    at_step(page, 9)
    last = page.locator(".end li").first
    assert not last.is_visible(), "what remains is said after the gesture"
    page.keyboard.press("PageDown")
    last.wait_for()
    address_has(page, "story_seen", "128")
    assert next_.is_disabled()
    page.reload()
    at_step(page, 9)
    assert last.is_visible()


def test_the_causal_mask_hides_words_in_sight_and_the_words_above_hold_with_it(still, app):
    page = step(still, app, 1)
    without, number = page.locator(".story .text").inner_text(), big(page)
    page.get_by_label("causal mask").click()
    page.wait_for_function("() => new URLSearchParams(location.search).has('story_query')")
    settle(page)
    assert int(query(page)["story_query"][0]) < COUNT - 1, "to the last word the mask changes nothing"
    assert big(page) != number
    assert page.locator(".story .text").inner_text() != without


def test_the_dragged_order_stands_in_the_sentence_and_in_the_next_steps(still, app):
    page = step(still, app, 1)
    drag(page, (0.185, 0.56), (0.42, 0.56))
    page.wait_for_function("() => new URLSearchParams(location.search).has('story_order')")
    order = [int(word) for word in query(page)["story_order"][0].split(",")]
    words = WORDS["sentence"].split()
    dragged = " ".join(words[word] for word in order)
    line = page.locator("#hand-story_text")
    assert line.input_value() == dragged
    page.keyboard.press("ArrowRight")
    at_step(page, 2)
    answered(page)
    assert dragged in page.locator(".story .alt").inner_text()
    assert f"{COUNT - 1 - dragged.split().index('cat')} words back" in page.locator(".caption").inner_text()
    page.reload()
    at_step(page, 2)
    page.keyboard.press("ArrowLeft")
    at_step(page, 1)
    assert line.input_value() == dragged
    line.press("End")
    page.keyboard.type(" now")
    address_has(page, "story_text", f"{dragged} now")
    settle(page)
    assert "story_order" not in query(page), "it was of other words"


def test_the_slope_of_the_chosen_head_stays(still, app):
    page = step(still, app, 3)
    drag(page, (0.2, 0.93), (0.2, 0.62))
    head = int(query(page)["story_head"][0])
    page.keyboard.press("ArrowRight")
    at_step(page, 4)
    address_has(page, "story_slope", str(slopes(HEADS)[head - 1]))


def test_words_in_another_order_keep_what_stands_between_them(run_module):
    source = javascript("story/view.js")
    for text, words, order, expected in (
        ("a b, c", ["a", "b", ",", "c"], [1, 0, 2, 3], "b a, c"),
        ("猫追老鼠", ["猫", "追", "老鼠"], [2, 1, 0], "老鼠追猫"),
        ("another text", ["a", "q"], [1, 0], "another text"),
    ):
        assert run_module(source, f"core.reordered({text!r}, {words!r}, {order!r})") == expected


LINES = """(flow) => {
  const { top, bottom } = flow.getBoundingClientRect();
  return [...flow.querySelectorAll("span")].flatMap((one) => [...one.getClientRects()].map((line) => [
    line.top - top, bottom - line.bottom])).filter(([above, below]) => above > -40 && below > -40);
}"""


@pytest.mark.parametrize("more", ["7&write_at=1024", "8&write_near=true"])
def test_on_a_phone_no_line_of_the_written_texts_is_cut(new_page, app, more):
    page = new_page(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    open_at(page, f"{app}/story?step={more}")
    page.locator(".flow span").first.wait_for()
    settle(page)
    for flow in page.locator(".story .flow").all():
        lines = flow.evaluate(LINES)
        high = flow.evaluate("(one) => parseFloat(getComputedStyle(one).lineHeight)")
        assert min(abs(above) for above, _ in lines) < 0.3 * high, "a line begins where the text in sight does"
        assert min(below for _, below in lines if below > -high / 2) > 2, "what is under the last line is seen"


def watched(new_page, address, **options):
    """What the canvas of a step is given, in its last picture."""
    page = new_page(script=WATCH, reduced_motion="reduce", **options)
    open_at(page, address)
    answered(page)
    page.evaluate("window.drawn = []")
    page.set_viewport_size({**page.viewport_size, "height": page.viewport_size["height"] - 1})
    page.wait_for_function("() => drawn.length")
    settle(page)
    return page.evaluate("drawn")


@pytest.mark.parametrize("size", some([(1280, 800), (390, 844)], (390, 844)))
@pytest.mark.parametrize("number", [2, 3])
def test_the_ring_of_the_asking_word_stands_clear_of_its_percentage(new_page, app, number, size):
    viewport = {"width": size[0], "height": size[1]}
    drawn = watched(new_page, f"{app}/story?step={number}", viewport=viewport)
    ring = next(entry["box"] for entry in reversed(drawn) if entry.get("isRing"))
    middle = (ring[0][0] + ring[1][0]) / 2
    shares = [e for e in reversed(drawn) if re.fullmatch(r"[\d.]+%?", e.get("text", ""))]
    share = next(e for e in shares if abs(e["at"][0] - middle) < 4 and 0 < e["at"][1] - ring[1][1] < 40)
    assert share["at"][1] - 0.4 * share["size"] > ring[1][1] + 1


@pytest.mark.parametrize("number", [2, 3])
def test_an_arabic_sentence_runs_from_right_to_left(new_page, app, number):
    address = f"{app}/story?step={number}&story_text={ARABIC}"
    drawn = watched(new_page, address, viewport={"width": 1280, "height": 800})
    words = [next(e["at"][0] for e in reversed(drawn) if e.get("text") == word) for word in ARABIC.split()[1:]]
    assert words == sorted(words, reverse=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ARABIC, True),
        ("שלום world", True),
        ("“ابن” 3", True),
        ("the قط sat", False),
        ("猫追老鼠", False),
        ("1 + 2", False),
    ],
)
def test_which_texts_run_from_right_to_left(run_module, text, expected):
    assert run_module(javascript("story/view.js"), f"core.runsLeft({text!r})") is expected

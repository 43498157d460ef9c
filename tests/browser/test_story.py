"""The story by hand: a mystery, nine gestures by mouse, keys and a finger; turning, Back, and a shared link."""

import pytest

from alibi_viz.classroom.drawing import WRITERS
from alibi_viz.lessons import load, plain
from alibi_viz.lessons.languages import LANGUAGES
from alibi_viz.rules import slopes
from pages.story.page import RIVALS, STEPS
from pages.story.study import HEADS, written
from tests.browser.actions import DESK, PHONE, address_has, address_lacks, finger, open_at, query, settle, value_of
from tests.browser.clipping import with_squares
from tests.cases import slow, some

STORY = load("story")
WORDS = STORY.entries("picture")
COUNT = len(WORDS["sentence"].split())
#: The steps that say something else after the gesture, and their address then. All but the first ask: Next answers them.
AFTER = {1: "causal=true", 2: "story_bent=1", 6: "story_shown=true", 8: "write_near=true", 9: "story_seen=128"}


def at_step(page, number):
    page.locator(".question", has_text=STORY.text(f"{STEPS[number]}.question")).wait_for()
    settle(page)


def big(page):
    return page.locator(".story .big").inner_text().replace("\n", " ")


def answered(page):
    """Wait until the numbers are PyTorch's, of what the hand says now."""
    page.locator(".story[data-source=python]").wait_for()


def drag(page, *points):
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
    return new_page(viewport=DESK, reduced_motion="reduce")


@pytest.mark.slow  # all steps
@pytest.mark.parametrize("size", [DESK, PHONE, {"width": 768, "height": 1024}], ids=["desk", "phone", "tablet"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_of_each_step_have_room_in_each_language_and_next_stands_still(new_page, app, language, size):
    page = new_page(viewport=size, reduced_motion="reduce")
    steps = [f"step={number}" for number in range(len(STEPS))]
    places = set()
    for more in [*steps, *(f"step={number}&{after}" for number, after in AFTER.items())]:
        open_at(page, f"{app}/story?{more}&lang={language}")
        page.locator(".say .caption").wait_for()
        with_squares(page)
        assert page.locator(".say").evaluate("(one) => one.scrollHeight - one.clientHeight") <= 1, more
        if language != "en":
            terms = page.locator(".say .text a[href*=glossary]")
            assert terms.evaluate_all("(all) => all.every((term) => term.getClientRects().length === 1)"), more
        places.add(round(page.locator(".turn .next").bounding_box()["y"]))
    assert len(places) == 1
    assert places.pop() < size["height"]


def test_the_mystery_is_written_by_itself_and_names_nobody_before_step_7(new_page, app):
    page, models = new_page(viewport=DESK), []
    page.on("request", lambda request: models.append(request.url) if "/weights/" in request.url else None)
    open_at(page, f"{app}/story")
    at_step(page, 0)
    columns = page.locator(".column")
    colours = "(all) => all.map((column) => getComputedStyle(column.querySelector('h3')).borderBottomColor)"
    begun = columns.first.inner_text()
    page.wait_for_function(
        "(begun) => all(document).find((one) => one.matches('.column')).innerText.length > begun + 99", arg=len(begun)
    )
    assert not models, "what is shipped is there"
    seen = page.locator(".story .say, .story .board, .story .bar").all_inner_texts()
    assert not [text for text in seen if "ALiBi" in text or "RoPE" in text]
    assert columns.locator("h3").all_inner_texts() == ["A", "B"]
    assert len({*columns.evaluate_all(colours)}) == 1, "nor does a colour"
    page.locator(".dot").nth(7).click()
    at_step(page, 7)
    for letter, name in (("A", "ALiBi"), ("B", "RoPE")):
        page.get_by_text(STORY.entry("picture", "was", letter=letter, name=name)).wait_for()
    assert len({*columns.evaluate_all(colours)}) == 2
    page.go_back()
    at_step(page, 0)


@pytest.mark.slow
def test_two_models_write_after_a_reader_s_own_words(new_page, app):
    page, models = new_page(viewport=DESK), []
    page.on("request", lambda request: models.append(request.url) if "/weights/" in request.url else None)
    open_at(page, f"{app}/story")
    page.locator("#hand-story_text").fill("Once upon a time")
    page.locator(".column").first.filter(has_text="Once upon a time").wait_for()
    page.locator(".big", has_text="%").wait_for()
    assert models, "they write here"


@pytest.mark.slow
@pytest.mark.parametrize("language", ["zh", "ja"])
def test_of_a_text_in_han_or_kana_the_known_words_beyond_the_line_are_counted(still, app, language):
    """Its rubbish has hardly a word: of the few that are there, most are known."""
    open_at(still, f"{app}/story?step=7&lang={language}&write_at=420")
    still.locator(".big", has_text="RoPE").wait_for()
    settle(still)
    texts = [written(method, 1, language).words.reshape(-1, 3) for method in WRITERS]
    known = [sum(known for begin, end, known in words if begin >= 128 and end <= 420) for words in texts]
    assert known[0] > 2 * known[1]
    assert big(still) == "ALiBi {:.0f} RoPE {:.0f}".format(*known)


def test_no_key_press_is_lost(still, app):
    page = step(still, app, 1)
    for _ in range(4):  # faster than a run of the page; the second one bends the line
        page.keyboard.press("ArrowRight")
    at_step(page, 4)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    at_step(page, 2)
    address_has(page, "step", "2")


def test_a_word_is_dragged_and_no_weight_changes_and_the_arrow_keys_still_turn(still, app):
    page = step(still, app, 1)
    drag(page, (0.185, 0.56), (0.42, 0.56))
    order = value_of(page, "story_order")
    assert order != ",".join(map(str, range(COUNT)))
    page.locator(".story .big", has_text="0.00").wait_for()
    assert big(page) == "0.00"
    page.locator(".swap").click()
    address_lacks(page, "story_order")
    page.go_back()
    address_has(page, "story_order", order)
    settle(page)
    page.locator(".story .big", has_text="0.00").wait_for()
    assert big(page) == "0.00"
    page.get_by_label("causal mask").click()
    settle(page)
    assert float(big(page)) > 0.01, "behind a mask, moved words hide others"
    drag(page, (0.185, 0.56), (0.42, 0.56))
    page.keyboard.press("ArrowRight")
    at_step(page, 2)


@pytest.mark.parametrize(
    ("number", "points", "key"),
    [
        slow(2, ((0.5, 0.7), (0.5, 0.86)), "story_slope"),
        slow(3, ((0.2, 0.93), (0.2, 0.62)), "story_head"),
        (4, ((0.5, 0.35), (0.5, 0.6)), "cell"),
        slow(2, ((0.09, 0.95), (0.33, 0.95)), "story_bent"),
        slow(5, ((0.03, 0.93), (0.4, 0.93)), "story_times"),
        (5, ((0.6, 0.085), (0.8, 0.085)), "story_rival"),
        slow(9, ((0.1, 0.5), (0.4, 0.5)), "story_seen"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_each_gesture_says_another_number_and_stands_in_the_address(still, app, number, points, key):
    page = step(still, app, number)
    before = big(page)
    drag(page, *points)
    assert big(page) != before
    value_of(page, key)
    answered(page)
    after = big(page)
    page.reload()
    at_step(page, number)
    answered(page)
    assert big(page) == after, "the link shows the same"


GESTURES = {1: "story_order", 2: "story_bent", 3: "story_head", 5: "story_times"}


@pytest.mark.parametrize("number", some(GESTURES, 1))
def test_the_arrow_keys_on_the_stage_are_its_gesture(still, app, number):
    key = GESTURES[number]
    page = step(still, app, number)
    stage = page.get_by_role("slider", name=STORY.entry("gestures", STEPS[number]))
    stage.focus()
    spoken = stage.get_attribute("aria-valuetext")
    page.keyboard.press("ArrowLeft" if number == 1 else "ArrowRight")
    value_of(page, key)
    assert stage.get_attribute("aria-valuetext") != spoken
    at_step(page, number)


@pytest.mark.slow
def test_a_swipe_above_the_stage_turns_one_step(new_page, app):
    phone = new_page(viewport=PHONE, has_touch=True, reduced_motion="reduce")
    page = open_at(phone, f"{app}/story")
    at_step(page, 0)
    finger(page, [(300, 130), (190, 130), (80, 130)])
    at_step(page, 1)
    finger(page, [(80, 130), (190, 130), (300, 130)])
    at_step(page, 0)


def test_on_the_stage_a_finger_is_the_gesture_s(new_page, app):
    phone = new_page(viewport=PHONE, has_touch=True, reduced_motion="reduce")
    page = step(phone, app, 1)
    box = page.locator(".story .canvas").bounding_box()
    y = box["y"] + 0.52 * box["height"]
    finger(page, [(box["x"] + share * box["width"], y) for share in (0.14, 0.25, 0.4, 0.5)])
    value_of(page, "story_order")
    at_step(page, 1)
    assert big(page) == "0.00"
    step(page, app, 2)
    box = page.locator(".story .canvas").bounding_box()
    finger(page, [(box["x"] + 0.5 * box["width"], box["y"] + share * box["height"]) for share in (0.7, 0.75, 0.85)])
    value_of(page, "story_slope")


#: How far the caption stands below the stage.
LOWEST = """(([caption, board]) => caption.bottom - board.bottom)(
  [".rival", ".board"].map((name) => all(document).find((one) => one.matches(name)).getBoundingClientRect()))"""


def test_a_hand_leads_through_five_methods_and_each_has_its_caption(still, app):
    page = step(still, app, 5)
    caption, stage = page.locator(".story .rival"), page.get_by_role("slider", name=STORY.entry("gestures", "longer"))
    stage.focus()
    for method in RIVALS:
        caption.filter(has_text=plain(STORY.text(f"rival.{method}"))).wait_for()
        assert caption.locator("a[href*='glossary#'][title], a.term").count() == 1, "a word explains itself"
        page.keyboard.press("ArrowRight")
    assert page.evaluate(LOWEST) <= 0, "it stands on the stage"


def test_next_shows_the_answer_before_it_goes_on(still, app):
    page, next_ = step(still, app, 2), still.locator(".turn .next")
    next_.click()
    page.locator(".story .text", has_text=plain(STORY.text("far.after"))).wait_for()
    page.wait_for_function("() => Number(new URLSearchParams(location.search).get('story_bent')) === 2")
    at_step(page, 2)
    next_.click()
    at_step(page, 3)
    step(page, app, 6)
    far = "45.3"
    next_.click()
    page.locator(".story .big", has_text=far).wait_for()
    at_step(page, 6)
    next_.click()
    at_step(page, 7)
    step(page, app, 8)
    before, near = page.locator(".story .text").inner_text(), page.get_by_label("hidden")
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


def test_the_dragged_order_stands_in_the_sentence_and_in_the_next_steps(still, app):
    page = step(still, app, 1)
    drag(page, (0.185, 0.56), (0.42, 0.56))
    order = [int(word) for word in value_of(page, "story_order").split(",")]
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
    head = int(value_of(page, "story_head"))
    page.keyboard.press("ArrowRight")
    at_step(page, 4)
    address_has(page, "story_slope", str(slopes(HEADS)[head - 1]))


def test_drawn_guesses_outlive_a_reload_and_back(still, app):
    page = step(still, app, 6)
    drag(page, (0.25, 0.7), (0.8, 0.65))
    drag(page, (0.25, 0.7), (0.8, 0.2))
    drawn = big(page)
    assert "?" not in drawn
    page.wait_for_function(
        "() => new URLSearchParams(location.search).get('story_guess')?.match(/\\d\\.\\d\\d/g).length === 16"
    )
    page.reload()
    at_step(page, 6)
    assert big(page) == drawn
    page.get_by_role("button", name=WORDS["show"]).click()
    address_has(page, "story_shown", "true")
    page.go_back()
    page.get_by_role("button", name=WORDS["show"]).wait_for()
    assert big(page) == drawn

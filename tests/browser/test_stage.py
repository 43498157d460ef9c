"""The stage of every lesson: question, picture and controls on the first screen, at three sizes."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from alibi_viz.lessons import load, plain
from alibi_viz.ui.shell import navigation
from tests.browser.actions import go, open_at, settle
from tests.cases import some
from tests.pages.apptest import has_hands

SIZES = {"desk": (1280, 800), "phone": (390, 844), "wall": (1920, 1080)}
LONGEST = 1800  # pixels of a page with every section closed, on a desk
CONTROLS = 6  # in sight
PICTURE = """.st-key-stage_picture :is(.js-plotly-plot, .plots, [data-testid=stDataFrame])"""
# Whether the picture is in sight, and what lies in its middle is a part of it.
IN_FRONT = """() => {
  const place = document.querySelector(".st-key-stage_picture"), box = place.getBoundingClientRect();
  const picture = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  for (let one = picture; one; one = one.parentElement ?? one.getRootNode().host) {
    const look = getComputedStyle(one);
    if (look.visibility !== "visible" || Number(look.opacity) < 1) return false;
  }
  return place.contains(picture);
}"""
#: The controls of a lesson with hands stand in its picture.
LESSONS = [name for name in navigation.ICONS if not has_hands(name)]
#: Playground and pitfalls have tests of their own; a scene of the story shares its screen with its words.
HANDS = [name for name in navigation.ICONS if has_hands(name) and name not in ("playground", "pitfalls", "story")]
ASKING = ("extrapolation", "recall", "story?scene=1", "story?scene=6")
# What a hand can change: a slider with its number counts once, a group of buttons once, the presets once.
SEEN = """() => [...document.querySelectorAll(`.st-key-stage_side :is([data-testid=stNumberInput],
  [data-testid=stButtonGroup], [data-testid=stCheckbox], [data-testid=stSelectbox], [data-testid=stTextArea],
  [data-testid=stTextInput], [data-testid=stMultiSelect])`)]
  .filter((one) => one.offsetParent && !one.closest("details:not([open])")).length + 1"""
EACH_KIND = ("attention", "extrapolation")  # a view of ours, a Plotly chart
SHIFT = 0.1  # Cumulative Layout Shift while a page is opened by its address
WATCH_SHIFTS = """window.moved = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.moved += entry.value;
}).observe({ type: "layout-shift", buffered: true });"""
HEIGHT = "() => document.querySelector('[data-testid=stMainBlockContainer]').getBoundingClientRect().height"


def box(page, name):
    """Where an element stands in the window, also one inside a component."""
    at = page.locator(name).first.bounding_box()
    ends = {"bottom": at["y"] + at["height"], "right": at["x"] + at["width"], "area": at["width"] * at["height"]}
    return {"top": at["y"], "left": at["x"], **ends}


@pytest.fixture(scope="module")
def shared(app, new_shared_page):
    width, height = SIZES["desk"]
    return open_at(new_shared_page(viewport={"width": width, "height": height}), f"{app}/story")


@pytest.mark.parametrize("sizes", some([("desk", "phone"), ("desk", "wall")], ("desk", "phone")), ids=" ".join)
@pytest.mark.parametrize("lesson", some(LESSONS, *EACH_KIND))
def test_question_picture_and_controls_share_the_first_screen(shared, lesson, sizes):
    page, area = shared, {}
    if navigation.url_path(lesson) != urlsplit(page.url).path.strip("/"):
        go(page, f"/{lesson}")
    for name in sizes:
        width, height = SIZES[name]
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        page.get_by_test_id("stMain").evaluate("(one) => one.scrollTo(0, 0)")
        picture, side = box(page, PICTURE), box(page, ".st-key-stage_side")
        assert box(page, "h1")["top"] >= 0
        assert picture["bottom"] <= height + 1, (name, picture)
        assert side["top"] < height - 40, (name, side)
        if name != "phone":
            assert side["bottom"] <= height + 1, (name, side)
            assert picture["right"] <= side["left"] + 1, (name, picture, side)
            assert page.evaluate(HEIGHT) <= LONGEST or name == "wall", name
            assert page.evaluate(SEEN) <= CONTROLS
        area[name] = picture["area"]
    if "wall" in area:
        assert area["wall"] > area["desk"]


@pytest.fixture(scope="module")
def stranger(app, new_shared_page):
    """stranger(address): what somebody sees who opens it for the first time."""
    width, height = SIZES["desk"]
    page = new_shared_page(viewport={"width": width, "height": height})
    return lambda address: open_at(page, f"{app}/{address}")


@pytest.mark.parametrize("lesson", some(LESSONS, *EACH_KIND))
def test_a_stranger_sees_the_picture_at_once(stranger, lesson):
    page = stranger(lesson)
    picture, place = box(page, PICTURE), box(page, ".st-key-stage_picture")
    assert picture["area"] > 0.4 * place["area"]
    assert place["top"] - 1 <= picture["top"] < picture["bottom"] <= place["bottom"] + 4  # room for an outline
    assert picture["bottom"] <= SIZES["desk"][1]
    assert page.evaluate(IN_FRONT), "nothing lies over it"
    assert page.locator(".st-key-question_open").count() == 0


@pytest.mark.parametrize("address", some(ASKING, "extrapolation"))
def test_a_question_leaves_the_picture_in_sight(stranger, address):
    page = stranger(f"{address}{'&' if '?' in address else '?'}predict=true")
    page.locator(".st-key-question_open").wait_for()
    assert page.locator(PICTURE).first.is_visible()
    assert page.evaluate(IN_FRONT)
    assert box(page, ".st-key-stage_side")["bottom"] <= SIZES["desk"][1] + 1


@pytest.mark.parametrize("lesson", HANDS)
def test_a_picture_and_its_hands_share_the_first_screen(new_page, app, lesson):
    for name in ("desk", "phone"):
        width, height = SIZES[name]
        page = open_at(new_page(viewport={"width": width, "height": height}), f"{app}/{lesson}")
        picture = page.locator(".plots, .papers").first.bounding_box()
        assert picture["width"] >= 280
        assert picture["height"] >= (240 if lesson == "attention" and name == "desk" else 280), "four in a row are low"
        assert picture["y"] + picture["height"] <= height + 1
        first, presets = page.locator(".hand").first.bounding_box(), page.locator(".presets").bounding_box()
        assert first["y"] < presets["y"] < picture["y"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    if "predict" not in load(lesson):
        return  # it asks nothing
    page = open_at(new_page(), f"{app}/{lesson}?predict=true")
    page.locator(".st-key-question_open").wait_for()
    page.locator(".plots").first.wait_for()  # its script may come after the page's run
    assert page.locator(".presets").is_hidden(), "they would ask another question"
    assert page.locator(".note").first.is_hidden(), "it says the answer"


def test_on_a_phone_the_controls_stay_while_the_picture_is_in_sight(new_page, app):
    width, height = SIZES["phone"]
    page = open_at(new_page(viewport={"width": width, "height": height}), f"{app}/extrapolation")
    side = box(page, ".st-key-stage_side")
    assert side["bottom"] <= height + 1
    page.get_by_test_id("stMain").evaluate("(one) => one.scrollTo(0, 120)")
    moved, picture = box(page, ".st-key-stage_side"), box(page, PICTURE)
    assert picture["bottom"] <= moved["top"] + 1


def test_sections_are_open_together_and_stand_in_the_address(new_page, app):
    page = open_at(new_page(), f"{app}/slopes")
    assert page.get_by_test_id("stDataFrame").count() == 0, "what is closed is not computed"
    page.get_by_text("All numbers").click()
    page.get_by_test_id("stDataFrame").wait_for()
    page.get_by_text(load("slopes").entry("closer", "heads")).click()
    page.locator(".js-plotly-plot").first.wait_for()
    assert page.get_by_test_id("stDataFrame").count() == 1
    page.wait_for_function("() => new URLSearchParams(location.search).get('slopes_open') === 'heads,table'")
    again = open_at(new_page(), page.url)
    again.locator(".js-plotly-plot").first.wait_for()
    again.get_by_test_id("stDataFrame").wait_for()
    again.get_by_text("All numbers").click()
    again.wait_for_function("() => new URLSearchParams(location.search).get('slopes_open') === 'heads'")


@pytest.mark.slow
@pytest.mark.parametrize(("path", "key"), [("attention", "text"), ("story", "story_text")])
def test_a_text_is_read_while_one_types(new_page, app, path, key):
    page = open_at(new_page(), f"{app}/{path}")
    field = page.locator(f".st-key-{key} :is(textarea, input), #hand-{key}")
    field.press("End")
    field.press_sequentially(" owl")  # and no Enter
    page.wait_for_function(f"() => new URLSearchParams(location.search).get('{key}')?.endsWith(' owl')")
    assert field.evaluate("field => field === field.getRootNode().activeElement")


def test_a_term_explains_itself_where_it_stands(new_page, app):
    meaning = plain(load("glossary").entry("terms", "head"))
    page = open_at(new_page(), f"{app}/slopes")
    link, box = page.get_by_role("link", name="head", exact=True), page.locator(".term")
    link.hover()
    page.get_by_text(meaning).wait_for()
    assert link.get_attribute("title") == "", "one box, not the browser's beside it"
    page.mouse.move(600, 600)
    box.wait_for(state="hidden")
    link.focus()
    box.wait_for()
    page.keyboard.press("Escape")
    box.wait_for(state="hidden")
    assert link.get_attribute("title") == meaning
    with page.expect_popup() as glossary:
        link.click()
    assert glossary.value.url.endswith("/glossary#head")


@pytest.mark.slow
def test_the_first_tap_on_a_term_explains_it_and_the_second_follows_the_link(new_page, app):
    page = open_at(new_page(viewport={"width": 390, "height": 844}, has_touch=True), f"{app}/slopes")
    link = page.get_by_role("link", name="head", exact=True)
    link.tap()
    page.locator(".term").wait_for()
    with page.expect_popup() as glossary:
        link.tap()
    assert glossary.value.url.endswith("/glossary#head")


@pytest.mark.slow
def test_beside_an_open_menu_a_tablet_s_picture_keeps_its_width(new_page, app):
    """The controls go below it, and the row of buttons does not reach the title."""
    page = open_at(new_page(viewport={"width": 820, "height": 1180}), f"{app}/extrapolation")
    picture, side = (page.locator(f".st-key-stage_{part}").bounding_box() for part in ("picture", "side"))
    assert picture["width"] >= 400
    assert side["y"] >= picture["y"] + picture["height"]
    row, title = (page.locator(part).first.bounding_box() for part in (".st-key-top", "h1"))
    assert row["y"] + row["height"] <= title["y"]


@pytest.fixture(scope="module")
def opened_again(new_shared_page):
    """opened_again(size, address): the page of that size, loaded anew, with the question that a stranger sees."""
    pages = {}

    def load(size, address):
        if size not in pages:
            width, height = SIZES[size]
            pages[size] = new_shared_page(viewport={"width": width, "height": height})
            pages[size].add_init_script(WATCH_SHIFTS)
        pages[size].goto(address)
        settle(pages[size])
        return pages[size]

    return load


@pytest.mark.parametrize("size", some(["desk", "phone"], "desk"))
@pytest.mark.parametrize("lesson", some([*navigation.ICONS, navigation.GLOSSARY], "extrapolation"))
def test_nothing_jumps_while_a_page_is_opened(opened_again, app, size, lesson):
    page = opened_again(size, f"{app}/{navigation.url_path(lesson)}")
    assert page.evaluate("moved") < SHIFT


def test_the_page_is_presented_without_a_place_for_the_sidebar(opened_again, app):
    page = opened_again("desk", f"{app}/slopes?present=true")
    assert page.evaluate("moved") < SHIFT

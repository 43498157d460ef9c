"""A class: the plan of ten minutes with a wall, the second window of the teacher, and three phones. Every vote counts for
what its phone showed; the wall shows question and picture, large enough, and no answer too early."""

import re

import pytest

from alibi_viz.lessons import load, plain
from benchmarks.pages import PICTURES
from tests.browser.actions import DESK, LATE, PHONE, PROJECTOR, address_has, open_at, present, query, settle
from tests.browser.answers import answers_in, seen
from tests.browser.test_pages import ASKING

SHARED = load("shared")
WALLS = ((1920, 1080), (1280, 720), (1024, 768))
#: Where the picture of a page begins and ends, with what stands in it for readers (the last: the story's buttons).
EXTENT = """(places) => {
  const boxes = [...document.querySelectorAll(places)].flatMap(all)
    .filter((one) => one.matches("canvas, .main-svg, .plots, .attention, .readout, .turn") && one.checkVisibility())
    .map((one) => one.getBoundingClientRect()).filter(({ width, height }) => width > 20 && height > 20);
  return [Math.min(...boxes.map(({ top }) => top)), Math.max(...boxes.map(({ bottom }) => bottom))];
}"""
#: What is read on the wall, and smaller than 1/45 of its height.
SMALL = """() => {
  return all(document.querySelector(".st-key-page")).filter((one) => {
    const box = one.getBoundingClientRect();
    const isSeen = one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (!isSeen || box.width < 3 || box.height < 3 || box.top >= innerHeight) return false;
    const isWords = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!isWords || one.closest(".live, .alt, .ruler, .tools, .trouble, .modebar, style, script")) return false;
    const chart = one.closest(".js-plotly-plot");
    const enlarged = chart ? chart.getBoundingClientRect().width / chart.offsetWidth : 1;
    return parseFloat(getComputedStyle(one).fontSize) * enlarged * one.currentCSSZoom < innerHeight / 45 - 0.1;
  }).map((one) => `${getComputedStyle(one).fontSize} ${one.textContent.trim().slice(0, 40)}`);
}"""
#: Of the question, its options and its bars, without the reasons: the smallest type, as a share of the wall's height.
SMALLEST = """(box) => Math.min(...[...document.querySelectorAll(`${box} :is(.stMarkdown, .stProgress) :is(p, li)`)]
  .filter((one) => one.checkVisibility() && one.textContent.trim())
  .filter((one) => !one.closest("button, [data-testid=stCaptionContainer]"))
  .map((one) => (parseFloat(getComputedStyle(one).fontSize) * one.currentCSSZoom) / innerHeight))"""
TOO_HIGH = "(all) => all.filter((one) => one.scrollHeight > one.clientHeight + 1).map((one) => one.textContent)"
OUTSIDE = """(parts) => [...document.querySelectorAll(parts)].filter((one) => {
  const { left, top, right, bottom } = one.getBoundingClientRect();
  return left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1 || one.scrollWidth > one.clientWidth + 1;
}).map((one) => one.outerHTML.slice(0, 80))"""


def open_a_room(page, app):
    """The code of the teacher's room: a new one, or that of the test before in the same browser."""
    open_at(page, f"{app}/glossary")
    page.get_by_role("button", name="Class").first.click()
    opens, code = page.get_by_role("button", name="Open a room"), page.locator("[data-testid=stPopoverBody] h3")
    opens.or_(code).first.wait_for()
    if opens.is_visible():
        opens.click()
    return str(code.inner_text())


def at(app, address, more):
    return f"{app}/{address}{'&' if '?' in address else '?'}{more}"


def draw(page, *heights):
    canvas = page.locator(".story .canvas").last
    canvas.scroll_into_view_if_needed()
    for height in heights:
        box = canvas.bounding_box()
        page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.8 * box["height"])
        page.mouse.down()
        page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + height * box["height"], steps=6)
        page.mouse.up()
        settle(page)
    page.get_by_text(plain(SHARED.entry("predict", "drawn"))).wait_for()


def test_a_phone_draws_its_lines_and_sees_what_was_measured(another_browser, app):
    """Votes, sleep, late phones and the wall as a plan goes on: tests/serving/test_walk.py."""
    wall, phone = (another_browser(viewport=size) for size in (PROJECTOR, PHONE))
    code = open_a_room(wall, app)
    present(wall, f"{app}/story?step=6&present=true")
    draw(open_at(phone, f"{app}/glossary?room={code}"), 0.75, 0.3)
    wall.get_by_text("1 of 1 have answered").wait_for()
    wall.keyboard.press("r")
    for page in (wall, phone):
        page.get_by_text(re.compile("measured 45.3")).first.wait_for()


@pytest.mark.slow
def test_the_poster_is_read_from_the_back_row_and_nothing_of_it_is_cut(another_browser, app):
    teacher = another_browser(viewport=PROJECTOR)
    code = open_a_room(teacher, app)
    present(teacher, f"{app}/slopes?present=true&lang=en")
    teacher.keyboard.press("j")
    teacher.locator(".st-key-poster").get_by_role("heading", name=code).wait_for()
    address = teacher.locator(".st-key-poster code").first.inner_text()
    assert address.endswith(f"/slopes?room={code}"), "and no language"
    heading = teacher.locator(".st-key-poster h1")
    heading.evaluate("(one) => { one.querySelector('span').textContent = 'WWWWW'; }")  # the widest code
    for width, height in WALLS:
        teacher.set_viewport_size({"width": width, "height": height})
        settle(teacher)
        parts = ".st-key-poster, .st-key-poster :is(h1, h1 *, img, p, code)"
        assert teacher.evaluate(OUTSIDE, parts) == [], (width, height)
        size, code_box = heading.evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)"), heading.bounding_box()
        picture = teacher.locator(".st-key-poster img").first.bounding_box()
        assert size > 0.07 * width
        assert code_box["height"] < 2 * size, "in one line"
        assert picture["height"] > 0.44 * width or picture["height"] > 0.75 * height
        assert picture["x"] + picture["width"] <= code_box["x"]
    teacher.keyboard.press("Escape")
    teacher.locator(".st-key-poster").wait_for(state="hidden")


@pytest.mark.slow
@pytest.mark.parametrize("address", [*ASKING, "story?step=6"])
def test_presented_the_picture_has_the_height_that_its_question_leaves(another_browser, app, address):
    teacher = another_browser(viewport=PROJECTOR)
    open_a_room(teacher, app)
    present(teacher, at(app, address, "present=true"))
    for box in (".st-key-question_open", ".st-key-question"):
        teacher.locator(box).wait_for()
        for width, height in WALLS:
            teacher.set_viewport_size({"width": width, "height": height})
            settle(teacher)
            where = (box, width, height)
            teacher.wait_for_function(f"(places) => ({EXTENT})(places).every(Number.isFinite)", arg=PICTURES)
            top, bottom = teacher.evaluate(EXTENT, PICTURES)
            main, page = (teacher.locator(part) for part in ("[data-testid=stMain]", ".st-key-page"))
            assert main.evaluate("(one) => one.scrollHeight") <= height, where
            assert 0.87 * height < bottom <= height, (*where, bottom)
            assert bottom - top > 0.4 * height, (*where, top, bottom)
            assert page.bounding_box()["x"] >= 0
            assert teacher.evaluate(OUTSIDE, f":is({box}) :is(button, li)") == [], where
            assert teacher.evaluate(SMALL) == [], where
            assert teacher.evaluate(SMALLEST, box) > 0.032, where
            heads = teacher.locator(".story .say").evaluate_all(TOO_HIGH)
            assert heads == [], "the words of the story stand over its picture"
        teacher.keyboard.press("r")


@pytest.mark.slow
def test_a_member_s_picture_with_other_values_waits_for_the_answer(another_browser, app):
    """What is asked, voted and counted: tests/pages/test_room.py."""
    teacher, member = (another_browser(viewport=size) for size in (PROJECTOR, PHONE))
    code = open_a_room(teacher, app)
    present(teacher, f"{app}/slopes?heads=8&present=true")
    open_at(member, at(app, "slopes?heads=12", f"room={code}"))
    member.get_by_role("button", name="m = 1/256", exact=True).click()
    teacher.get_by_text("1 of 1 have answered").wait_for()
    assert member.locator(PICTURES).locator("visible=true").count() == 0
    teacher.keyboard.press("r")
    member.locator(".st-key-slopes").first.wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("address", ASKING)
def test_no_page_of_a_member_says_the_answer_before_it_is_revealed(another_browser, app, address):
    teacher, member = (another_browser(viewport=size) for size in (PROJECTOR, DESK))
    code = open_a_room(teacher, app)
    present(teacher, at(app, address, "present=true"))
    open_at(member, at(app, address, f"room={code}"))
    member.locator(".st-key-question_open").wait_for()
    assert member.locator(PICTURES).locator("visible=true").count(), "the picture of the question"
    for page in (teacher, member):
        assert answers_in(address, seen(page)) == []
    teacher.keyboard.press("r")
    member.locator(".st-key-question_open").wait_for(state="hidden")
    settle(member)
    assert answers_in(address, seen(member)), "then it says it"


@pytest.mark.slow
def test_a_wall_that_asks_late_for_a_part_of_the_page_before_shows_the_next_page_whole(new_page, app):
    open_a_room(wall := new_page(script=LATE, viewport=PROJECTOR), app)
    titles = {name: load(name).text("title") for name in ("slopes", "bias")}
    present(wall, f"{app}/slopes?present=true")
    for go, name in ((lambda: wall.keyboard.press("n"), "bias"), (lambda: wall.evaluate("history.back()"), "slopes")):
        wall.wait_for_timeout(2000)  # it has asked for the part of this page
        wall.evaluate("late(1200)")
        go()
        wall.get_by_role("heading", name=titles[name]).wait_for()
        wall.wait_for_timeout(2000)  # and for that of the next
        assert wall.get_by_role("heading", name=titles[name]).is_visible()
        assert query(wall)["present"] == ["true"]


@pytest.mark.slow
def test_a_wall_whose_messages_are_late_goes_on_in_the_story_and_out_of_it(new_page, app):
    open_a_room(wall := new_page(script=LATE, viewport=PROJECTOR), app)
    present(wall, f"{app}/story?step=8&present=true")
    wall.wait_for_timeout(2000)
    wall.evaluate("late(1200)")
    wall.keyboard.press("n")
    address_has(wall, "step", "9")
    wall.evaluate("history.back()")
    address_has(wall, "step", "8")
    for _ in range(2):
        wall.keyboard.press("n")
    wall.get_by_role("heading", name=load("slopes").text("title")).wait_for()
    wall.wait_for_timeout(3000)
    assert wall.get_by_role("heading", name=load("slopes").text("title")).is_visible()
    assert query(wall)["present"] == ["true"]


@pytest.mark.slow
def test_a_wall_that_went_white_loads_itself_again_as_a_wall(page, app):
    open_at(page, f"{app}/slopes?present=true&lang=ja")
    page.wait_for_timeout(500)
    page.evaluate("history.replaceState(history.state, '', '/bias'); document.getElementById('root').replaceChildren()")
    page.get_by_role("heading", name=load("bias", "ja").text("title")).wait_for()
    assert query(page) == {"present": ["true"], "lang": ["ja"]}

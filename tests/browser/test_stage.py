"""Around a picture: its sections, its terms, its controls on a phone, a text while it is typed, code, a question."""

from __future__ import annotations

import pytest

from alibi_viz.lessons import load, plain
from alibi_viz.lessons.languages import LANGUAGES
from pages.use.study import snippet
from tests.browser.actions import address_has, open_at, query, settle
from tests.cases import some

PHONE = {"viewport": {"width": 390, "height": 844}}
SAYING = (
    "extrapolation",
    "why",
    "recall",
    "early_token_curse",
    "lab_sinusoidal",
    "lab_t5",
    "models",
)  # words under a chart


@pytest.mark.slow
def test_on_a_phone_the_controls_stay_while_the_picture_is_in_sight(new_page, app):
    page = open_at(new_page(**PHONE), f"{app}/extrapolation")
    for far in (0, 120):
        page.get_by_test_id("stMain").evaluate("(one, far) => one.scrollTo(0, far)", far)
        side, chart = (page.locator(part).first.bounding_box() for part in (".st-key-stage_side", ".js-plotly-plot"))
        assert chart["y"] + chart["height"] <= side["y"] + 1
        assert side["y"] + side["height"] <= PHONE["viewport"]["height"] + 1


@pytest.mark.parametrize("language", some(LANGUAGES, "en"))
@pytest.mark.parametrize("lesson", some(SAYING, "early_token_curse"))
def test_on_a_phone_the_controls_cover_nothing_of_what_the_chart_shows_in_words(new_page, app, lesson, language):
    page = open_at(new_page(**PHONE), f"{app}/{lesson}?lang={language}")
    page.locator(".js-plotly-plot").first.wait_for()
    settle(page)
    side = page.locator(".st-key-stage_side").bounding_box()
    for part in (".js-plotly-plot", ".stMarkdown"):
        box = page.locator(f".st-key-stage_picture {part}").first.bounding_box()
        assert box["y"] + box["height"] <= side["y"] + 1, part
    assert side["y"] < 0.88 * PHONE["viewport"]["height"], "the first of them is in sight"


def test_sections_are_open_together_and_stand_in_the_address(new_page, app):
    page = open_at(new_page(), f"{app}/slopes")
    assert page.get_by_test_id("stDataFrame").count() == 0, "what is closed is not computed"
    page.get_by_text("All numbers").click()
    page.get_by_test_id("stDataFrame").wait_for()
    page.get_by_text(load("slopes").entry("sections", "heads")).click()
    page.locator(".js-plotly-plot").first.wait_for()
    assert page.get_by_test_id("stDataFrame").count() == 1
    page.wait_for_function("() => new URLSearchParams(location.search).get('slopes_open') === 'heads,table'")
    page.reload()
    page.locator(".js-plotly-plot").first.wait_for()
    page.get_by_text("All numbers").click()
    page.wait_for_function("() => new URLSearchParams(location.search).get('slopes_open') === 'heads'")


@pytest.mark.slow
def test_a_text_is_read_while_one_types(new_page, app):
    page = open_at(new_page(), f"{app}/attention")
    field = page.locator("#hand-text")
    field.press("End")
    field.press_sequentially(" owl")  # and no Enter
    page.wait_for_function("() => new URLSearchParams(location.search).get('text')?.endsWith(' owl')")
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
    finger = open_at(new_page(**PHONE, has_touch=True), f"{app}/slopes")
    link = finger.get_by_role("link", name="head", exact=True)
    link.tap()
    finger.locator(".term").wait_for()
    with finger.expect_popup() as glossary:
        link.tap()  # the second one follows it
    assert glossary.value.url.endswith("/glossary#head")


@pytest.mark.slow
def test_copy_gives_the_code_with_the_chosen_heads(new_page, app):
    page = new_page(**PHONE)  # no pointer hovers there
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_at(page, f"{app}/use")
    page.get_by_role("combobox").click()
    page.get_by_role("option", name="SDPA").click()
    address_has(page, "use_where", "sdpa")
    settle(page)
    page.locator(".st-key-use_code").get_by_role("button").click()
    assert page.evaluate("navigator.clipboard.readText()").strip() == snippet("sdpa", 8).code.strip()


def test_an_answer_shows_the_mistake_and_leads_to_the_next(new_page, app):
    page = open_at(new_page(), f"{app}/pitfalls")
    assert page.locator(".presets").is_hidden()
    page.get_by_role("button", name="A", exact=True).click()
    page.get_by_text("You chose").wait_for()
    page.get_by_text("The rows of the code are not in order").wait_for()
    assert page.locator(".title").all_inner_texts() == ["A: correct", "B: the mistake"]
    page.locator(".preset", has_text="Next").click()
    page.locator(".st-key-question_open").wait_for()
    settle(page)
    assert query(page) == {"pitfall": ["slopes_blog"]}
    page.go_back()
    page.get_by_text("You chose").wait_for()

"""Around a picture: its sections, its terms, its controls on a phone, a text while it is typed, code, a question."""

import pytest

from alibi_viz.lessons import load, plain
from alibi_viz.lessons.languages import LANGUAGES
from pages.use.study import snippet
from tests.browser.actions import PHONE, address_has, open_at, query, settle
from tests.cases import some

#: Lessons with words under a chart.
SAYING = "extrapolation why recall early_token_curse lab_sinusoidal lab_t5 models".split()


@pytest.mark.parametrize("language", some(LANGUAGES, "en"))
@pytest.mark.parametrize("lesson", some(SAYING, "recall"))
def test_on_a_phone_the_row_stands_under_the_chart_and_its_words(new_page, app, lesson, language):
    page = open_at(new_page(viewport=PHONE), f"{app}/{lesson}?lang={language}")
    page.locator(".js-plotly-plot").first.wait_for()
    settle(page)
    row = page.locator(".st-key-stage > [class*=st-key-row_]").bounding_box()
    for part in (".js-plotly-plot", ".stMarkdown"):
        box = page.locator(f".st-key-stage {part}").first.bounding_box()
        assert box["y"] + box["height"] <= row["y"] + 1, part
    assert row["y"] < 0.88 * PHONE["height"], "the first of them is in sight"


def test_back_undoes_what_a_row_above_a_chart_chose_in_one_step(new_page, app):
    page = open_at(new_page(), f"{app}/extrapolation")
    chosen = page.get_by_role("radio", checked=True)
    for name in ("nonoverlapping", "sliding"):
        if name == "sliding":
            page.go_back()
        else:
            page.locator(".seg label", has_text=name).click()
        page.get_by_text(f"In {name} windows").first.wait_for()
        page.locator(f".seg input[value={name}]:checked").wait_for(state="attached")
        settle(page)
        assert chosen.get_attribute("value") == name
    assert query(page) == {}


def test_sections_are_open_together_and_stand_in_the_address(new_page, app):
    page = open_at(new_page(), f"{app}/slopes")
    assert page.get_by_test_id("stDataFrame").count() == 0, "what is closed is not computed"
    page.get_by_text("All numbers").click()
    page.get_by_test_id("stDataFrame").wait_for()
    page.get_by_text(load("slopes").entry("sections", "heads")).click()
    page.locator(".js-plotly-plot").first.wait_for()
    assert page.get_by_test_id("stDataFrame").count() == 1
    address_has(page, "slopes_open", "heads,table")
    page.reload()
    page.locator(".js-plotly-plot").first.wait_for()
    page.get_by_text("All numbers").click()
    address_has(page, "slopes_open", "heads")


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
    assert link.get_attribute("title").startswith(meaning)
    link.blur()
    page.set_viewport_size({"width": 600, "height": 200})
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 5000)")
    page.wait_for_timeout(300)
    link.focus()  # the page scrolls to it, as to any link that Tab reaches
    page.wait_for_timeout(300)
    assert box.is_visible()
    finger = open_at(new_page(viewport=PHONE, has_touch=True), f"{app}/slopes")
    finger.get_by_role("link", name="head", exact=True).tap()
    with finger.expect_popup() as glossary:
        finger.locator(".term a").tap()
    assert glossary.value.url.endswith("/glossary#head")


def test_a_term_explains_itself_in_a_picture_and_is_marked_in_the_glossary(new_page, app):
    page = open_at(new_page(), f"{app}/story?step=6")
    address, box = page.url, page.locator(".term")
    link, other = (page.locator(f".story .text a[href$='#{term}']") for term in ("perplexity", "sliding"))
    link.hover()
    box.wait_for()
    other.hover()  # within the picture's own root
    page.get_by_text(plain(load("glossary").entry("terms", "sliding")).split(".")[0]).wait_for()
    link.click()
    page.mouse.move(600, 600)
    page.wait_for_timeout(300)
    assert box.inner_text().startswith(plain(load("glossary").entry("terms", "perplexity")))
    assert page.url == address, "a click leaves nothing"
    page.keyboard.press("Escape")
    box.wait_for(state="hidden")
    link.press("Enter")
    page.keyboard.press("Enter")  # “more” has the focus
    term = page.locator("#perplexity")
    term.wait_for()
    assert term.evaluate("node => getComputedStyle(node).backgroundColor") != "rgba(0, 0, 0, 0)"
    page.wait_for_function("() => document.querySelector('#perplexity').getBoundingClientRect().top < innerHeight")


@pytest.mark.slow
def test_copy_gives_the_code_with_the_chosen_heads(new_page, app):
    page = new_page(viewport=PHONE)  # no pointer hovers there
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_at(page, f"{app}/use")
    page.get_by_role("combobox").select_option("sdpa")
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

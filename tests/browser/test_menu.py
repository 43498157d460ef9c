"""From page to page in a real Chromium: the menu, the tabs, the row at the top, and what an address keeps on the way."""

import pytest

from alibi_viz.lessons import load
from alibi_viz.ui.shell import navigation
from tests.browser.actions import DESK, PHONE, PROJECTOR, cover, open_at, settle
from tests.cases import some

SIZES = {"desk": DESK, "phone": PHONE}
POPOVERS = {"projector": PROJECTOR, "phone": PHONE}
MENU = ":is([data-testid=stSidebarNavLink], [data-testid=stNavSectionHeader], [data-testid=stSidebarUserContent] p)"
PATHS = "all => all.map((link) => new URL(link.href).pathname.slice(1))"
#: Of each part of the row, the tabs and the title: the box of what is drawn, and whether a click in its middle reaches it.
ROW = """() => {
  const parts = '.st-key-top :is(button, label), .st-key-tabs :is(a, span[aria-current]), h1';
  return [...document.querySelectorAll(parts)].filter((part) => part.checkVisibility()).map((part) => {
    const words = document.createRange();
    words.selectNodeContents(part);
    const { left, top, right, bottom } = (part.tagName === 'H1' ? words : part).getBoundingClientRect();
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return { name: part.innerText, box: [left, top, right, bottom], reached: part.contains(hit) };
  });
}"""
NAMES = ("Share", "Class", "Language", "Theme")


def marked(page):
    return page.locator("[data-testid=stSidebarNavLink][aria-current=page] p").all_inner_texts()


@pytest.mark.slow
def test_the_whole_menu_is_in_sight(app, new_page):
    page = open_at(new_page(), f"{app}/")
    firsts = [next(iter(entry)) for entries in navigation.SECTIONS.values() for entry in entries]
    assert page.eval_on_selector_all("[data-testid=stSidebarNavLink]", PATHS) == [*map(navigation.url_path, firsts)]
    for part in page.locator(MENU).all():
        box = part.bounding_box()
        assert 0 <= box["y"] < box["y"] + box["height"] <= 900, part.inner_text()


@pytest.mark.slow
def test_tabs_by_pointer_and_by_keys(app, page):
    open_at(page, f"{app}/lab_sinusoidal")
    tabs, entry = page.locator(".st-key-tabs"), load("shared").entry("menu", "compare")
    for name in ("lab_rope", "lab_t5"):
        link = tabs.get_by_role("link", name=navigation.tab(name), exact=True)
        if name == "lab_rope":
            link.click()
        else:
            page.get_by_role("button", name="Share").focus()
            while not link.evaluate("(link) => link === document.activeElement"):
                page.keyboard.press("Tab")
                assert page.evaluate("!document.activeElement.closest('.st-key-stage')"), "it was passed over"
            page.keyboard.press("Enter")
        page.get_by_role("heading", level=1, name=load(name).text("title")).wait_for()
        settle(page)
        assert tabs.locator("[aria-current=page]").inner_text() == navigation.tab(name)
        assert marked(page) == [entry]
        assert navigation.tab(name) in page.title()
    page.go_back()
    page.get_by_role("heading", level=1, name=load("lab_rope").text("title")).wait_for()
    page.get_by_role("link", name="Slopes", exact=True).click()
    tabs.wait_for(state="detached")
    settle(page)
    assert marked(page) == ["Slopes"]


@pytest.mark.parametrize("size", some(SIZES, "phone"))
def test_the_row_stands_at_the_top_and_covers_nothing(app, new_page, size):
    page = new_page(viewport=SIZES[size])
    width, height = SIZES[size].values()
    for lesson in ("", "lab_rope"):
        open_at(page, f"{app}/{lesson}")
        page.get_by_role("button", name="Share").wait_for()
        parts = page.evaluate(ROW)
        tabs = len(navigation.ENTRIES[lesson or navigation.FIRST])
        assert len(parts) == len(NAMES) + 1 + (tabs if tabs > 1 else 0)
        for number, part in enumerate(parts):
            left, top, right, bottom = part["box"]
            assert 0 <= left < right <= width, part
            assert 0 <= top < bottom <= 0.25 * height, part
            assert part["reached"], part
            assert not [other for other in parts[number + 1 :] if cover(part["box"], other["box"])], part
        for name in NAMES:
            assert page.get_by_role("button", name=name, exact=True).is_visible(), "its name is for screen readers too"


@pytest.mark.slow
@pytest.mark.parametrize("size", POPOVERS)
def test_no_popover_of_the_row_is_cut(app, another_browser, size):
    page = another_browser(viewport=POPOVERS[size])  # a room belongs to its browser
    width, height = POPOVERS[size].values()
    open_at(page, f"{app}/slopes")
    body = page.get_by_test_id("stPopoverBody")
    for press in ("Class", "Open a room"):
        page.get_by_role("button", name=press, exact=press == "Class").click()
        body.locator("input" if press == "Class" else "img").first.wait_for()
        settle(page)
        box = body.bounding_box()
        assert 0 <= box["x"] < box["x"] + box["width"] <= width
        assert 0 <= box["y"] < box["y"] + box["height"] <= height
        assert body.evaluate("(body) => body.scrollHeight <= body.clientHeight + 1"), "nothing has to be scrolled for"

"""Every lesson on a phone in the dark, and on a desk in the light: nothing stands out, and everybody can use it.

One page goes through all lessons, so that the app is loaded once; each lesson is opened once for all of its tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from alibi_viz.ui.shell import navigation
from tests.browser.actions import go, open_at, settle
from tests.browser.axe import violations

WINDOWS = {"phone": ({"width": 390, "height": 844}, "dark"), "desk": ({"width": 1280, "height": 800}, "light")}
PAGES = [*navigation.ICONS, navigation.GLOSSARY]
TABS = 8  # presses from the top of a page to its first control
BACKGROUND = "() => getComputedStyle(document.querySelector('.stApp')).backgroundColor"
TOO_WIDE = "() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth"
BUTTONS = "all => all.map((button) => button.dataset.title || '')"
LABELS_INSIDE = """() => [...document.querySelectorAll('.js-plotly-plot .barlayer .bartext')].every((text) => {
  const label = text.getBoundingClientRect(), chart = text.closest('.js-plotly-plot').getBoundingClientRect();
  return label.left >= chart.left - 1 && label.right <= chart.right + 1;
})"""
PRESETS = """() => {
  const within = (root) => [...root.querySelectorAll("*")]
    .flatMap((one) => [one, ...(one.shadowRoot ? within(one.shadowRoot) : [])]);
  return within(document).filter((one) => one.matches(".presets .preset, .st-key-stage_presets button")).length;
}"""
HEIGHT = "() => document.querySelector('[data-testid=stMainBlockContainer]').getBoundingClientRect().height"
MOST_HEIGHT = 1_500  # pixels of a lesson on a desk before anything is opened
# Whether the focus stands on a control of the stage: a slider, a choice, a text, a button; not on its help.
ON_A_CONTROL = """() => {
  let focused = document.activeElement, host = focused;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  const help = /^(Help|\\?)/.test(focused.getAttribute('aria-label') || focused.innerText);
  const inSight = host.closest('.st-key-stage_side') || host.shadowRoot?.querySelector('.playground, .hands');
  return !help && focused.matches('input, textarea, button, select, [role=radio]') && Boolean(inSight);
}"""


@pytest.fixture(scope="module")
def shared(app: str, new_shared_page: Any) -> Any:
    size, scheme = WINDOWS["desk"]
    return open_at(new_shared_page(viewport=size, color_scheme=scheme), f"{app}/")


@pytest.fixture(scope="module", params=PAGES)
def opened(request: pytest.FixtureRequest, shared: Any) -> Iterator[tuple[str, Any]]:
    """A lesson on the shared page; afterwards the page has the desk's window again."""
    if request.param != navigation.FIRST:
        go(shared, f"/{request.param}")
    yield request.param, shared
    in_window(shared, "desk")


def in_window(page: Any, name: str) -> None:
    size, scheme = WINDOWS[name]
    if page.viewport_size == size:
        return  # every change of the colours draws the whole page again
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)
    settle(page)


def is_dark(page: Any) -> bool:
    return sum(int(part) for part in re.findall(r"\d+", page.evaluate(BACKGROUND))[:3]) < 200


@pytest.mark.parametrize("turn", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_page_fits_its_window_and_breaks_no_rule_of_accessibility(opened, turn):
    """The quick tests look at every page in one of the two windows, in turn."""
    name, page = opened
    window = list(WINDOWS)[(PAGES.index(name) + turn) % len(WINDOWS)]
    in_window(page, window)
    assert page.locator("[data-testid=stException]").count() == 0
    assert page.evaluate(TOO_WIDE) <= 0
    assert is_dark(page) == (window == "phone")
    assert page.evaluate(LABELS_INSIDE)
    assert violations(page) == []
    titles = page.eval_on_selector_all(".modebar-btn", BUTTONS)
    assert bool(titles) == (page.locator(".js-plotly-plot").count() > 0)
    assert not any("cloud" in title.lower() or "share" in title.lower() for title in titles), "no data is sent away"


def test_a_lesson_is_short_until_something_is_opened(opened):
    name, page = opened
    in_window(page, "desk")
    assert page.evaluate(PRESETS) <= 5
    assert page.locator(f"[class*='st-key-{name}_open_']").count() <= 4
    if name != navigation.GLOSSARY:
        assert page.evaluate(HEIGHT) <= MOST_HEIGHT


@pytest.mark.slow
def test_a_keyboard_reaches_the_controls_within_a_few_presses(opened):
    name, page = opened
    if name == navigation.GLOSSARY:
        assert page.locator(".st-key-stage_side").count() == 0, "it has no controls"
        return
    in_window(page, "desk")
    page.evaluate("() => { document.activeElement.blur(); getSelection().removeAllRanges(); }")
    page.locator("[data-testid=stSkipToContent]").focus()
    page.keyboard.press("Enter")  # Streamlit's link past the menu; the first press has led to it
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # ours past the picture
    presses = 2
    while presses < TABS and not page.evaluate(ON_A_CONTROL):
        page.keyboard.press("Tab")
        presses += 1
    assert page.evaluate(ON_A_CONTROL)

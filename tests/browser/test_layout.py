"""Every lesson on a phone in the dark, and on a desk in the light: nothing stands out of the window.

One page goes through all lessons, so that the app is loaded once.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from alibi_viz.ui.shell import navigation
from tests.browser.actions import go, open_at, settle

WINDOWS = {"phone": ({"width": 390, "height": 844}, "dark"), "desk": ({"width": 1280, "height": 844}, "light")}
BACKGROUND = "() => getComputedStyle(document.querySelector('.stApp')).backgroundColor"
TOO_WIDE = "() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth"
BUTTONS = "all => all.map((button) => button.dataset.title || '')"
LABELS_INSIDE = """() => [...document.querySelectorAll('.js-plotly-plot .barlayer .bartext')].every((text) => {
  const label = text.getBoundingClientRect(), chart = text.closest('.js-plotly-plot').getBoundingClientRect();
  return label.left >= chart.left - 1 && label.right <= chart.right + 1;
})"""


@pytest.fixture(scope="module")
def shared(app, new_shared_page):
    size, scheme = WINDOWS["phone"]
    return open_at(new_shared_page(viewport=size, color_scheme=scheme), f"{app}/")


def is_dark(page: Any) -> bool:
    return sum(int(part) for part in re.findall(r"\d+", page.evaluate(BACKGROUND))[:3]) < 200


@pytest.mark.parametrize("lesson", navigation.ICONS)
def test_a_page_fits_its_window(shared, lesson):
    page = shared
    if lesson != navigation.FIRST:
        go(page, f"/{lesson}")
    for size, scheme in WINDOWS.values():
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        settle(page)
        assert page.locator("[data-testid=stException]").count() == 0
        assert page.evaluate(TOO_WIDE) <= 0
        assert is_dark(page) == (scheme == "dark")
        assert page.evaluate(LABELS_INSIDE)
    titles = page.eval_on_selector_all(".modebar-btn", BUTTONS)
    assert bool(titles) == (page.locator(".js-plotly-plot").count() > 0)
    assert not any("cloud" in title.lower() or "share" in title.lower() for title in titles), "no data is sent away"
    size, scheme = WINDOWS["phone"]
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)

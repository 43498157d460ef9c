"""The Early token curse page in a real Chromium: its pictures follow the hand, and a link comes back."""

from __future__ import annotations

import re

import pytest

from tests.browser.actions import address_has, dragging, open_at, query, settle

PAGE = "/early_token_curse"
SIZES = """() => [...document.querySelectorAll('.js-plotly-plot .barlayer .bartext')].map((text) => {
    const matrix = text.transform.baseVal.consolidate()?.matrix;
    return parseFloat(getComputedStyle(text).fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : 1);
})"""
DRAWN = "() => document.querySelectorAll('.js-plotly-plot .barlayer .bartext').length > 8"


def passes(page) -> list[str]:
    """The line beside the picture for each of the two protocols."""
    return [line.split(": ")[1] for line in page.get_by_text(re.compile(r"ing: \d+ pass(es)? · ")).all_inner_texts()]


def test_dragging_the_window_changes_passes_and_a_sentence_is_text(app, page):
    open_at(page, f"{app}{PAGE}?predict=false")
    page.wait_for_function(DRAWN)
    assert [line.split(" ·")[0] for line in passes(page)] == ["2 passes", "4 passes"]
    drag = dragging(page, "Window (words)", start=0.4, stop=1.0, moves=8)
    for _ in range(8):
        next(drag)
    page.get_by_text(re.compile(r"ing: 1 pass · ")).first.wait_for()  # while the button is still down
    next(drag, None)
    address_has(page, "curse_window", "7")
    page.get_by_text("With windows of 7 words").wait_for()  # the words follow when the hand lets go
    assert [line.split(" ·")[0] for line in passes(page)] == ["1 pass", "1 pass"]

    page.get_by_role("button", name="More").click()
    box = page.get_by_label("Your sentence", exact=True)
    box.fill("<img src> $x$ two")
    box.press("Enter")
    page.wait_for_function("() => document.querySelector('.js-plotly-plot').textContent.includes('src')")
    assert page.locator(".js-plotly-plot img").count() == 0
    labels = page.locator(".js-plotly-plot").first.locator(".barlayer .bartext").all_text_contents()
    assert {"<", "img", "src", "$"} <= set(labels)


@pytest.mark.slow
def test_a_link_opens_the_same_picture(app, page):
    open_at(
        page,
        f"{app}{PAGE}?predict=false&curse_window=2&curse_stride=1&curse_least=2&curse_text=one+two+three+four+five",
    )
    page.wait_for_function(DRAWN)
    first = passes(page)
    assert [line.split(" ·")[0] for line in first] == ["2 passes", "3 passes"]
    assert query(page)["curse_window"] == ["2"]
    page.reload()
    settle(page)
    page.wait_for_function(DRAWN)
    assert passes(page) == first


@pytest.mark.slow
def test_long_words_stay_legible_on_a_phone(app, new_page):
    page = new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
    open_at(page, f"{app}{PAGE}?predict=false&curse_text=" + "+".join(["incomprehensibility"] * 12))
    page.wait_for_function(DRAWN)
    assert min(page.evaluate(SIZES)) >= 9.9

"""The Early token curse page in a real Chromium: its pictures follow the hand, and a link comes back."""

from __future__ import annotations

import re

import pytest

from tests.browser.actions import address_has, dragging, open_at, painted, query, settle, wait_for_paint

PAGE = "/early_token_curse"


def passes(page) -> list[str]:
    """The line beside the picture for each of the two protocols."""
    return [line.split(": ")[1] for line in page.get_by_text(re.compile(r"ing: \d+ pass(es)? · ")).all_inner_texts()]


@pytest.mark.slow
def test_dragging_the_window_changes_passes_and_a_sentence_is_text(app, page):
    open_at(page, f"{app}{PAGE}")
    wait_for_paint(page, "windows")
    assert [line.split(" ·")[0] for line in passes(page)] == ["2 passes", "4 passes"]
    seen = []
    for move in dragging(page, "Window (words)", start=0.4, stop=1.0, moves=12):
        page.wait_for_timeout(16)
        if move % 2 == 0:
            seen.append(page.locator(".wv .badge").inner_text())
    assert "preview" in seen, "the hand is not waited for"
    page.locator(".wv .badge[data-difference='0']").wait_for()
    address_has(page, "curse_window", "7")
    page.get_by_text("One window of 7 words").wait_for()  # the words follow when the hand lets go
    assert [line.split(" ·")[0] for line in passes(page)] == ["1 pass", "1 pass"]
    values = [event["value"] for event in painted(page, "windows") if event["source"] == "preview"]
    assert len(set(values)) >= 3
    assert values == sorted(values), "an older value is never painted over a newer"

    page.locator(".st-key-stage_more summary").click()
    box = page.get_by_label("Your sentence", exact=True)
    box.fill("<img src> $x$ two")
    box.press("Enter")
    page.wait_for_function("() => new URLSearchParams(location.search).get('curse_text')?.includes('img')")
    settle(page)
    page.keyboard.press("Escape")
    plots = page.locator(".wv .plots")
    for key in ("ArrowRight", "ArrowRight"):
        plots.press(key)
    page.locator(".wv .readout", has_text="“img” counts in pass 1. Its context length is 1: too short.").wait_for()
    assert page.locator(".wv img").count() == 0
    for key in ("End", "ArrowDown", "ArrowDown"):
        plots.press(key)
    page.locator(".wv .readout", has_text=re.compile("The context length of “two” is .;")).wait_for()


@pytest.mark.slow
def test_a_link_opens_the_same_picture(app, page):
    open_at(
        page,
        f"{app}{PAGE}?curse_window=2&curse_stride=1&curse_least=2&curse_text=one+two+three+four+five",
    )
    wait_for_paint(page, "windows")
    first = passes(page)
    assert [line.split(" ·")[0] for line in first] == ["2 passes", "3 passes"]
    assert query(page)["curse_window"] == ["2"]
    page.reload()
    settle(page)
    wait_for_paint(page, "windows")
    assert passes(page) == first

"""Compare and the labs in a real Chromium: the shared cursor, the clocks under the hand, and links that come back."""

from __future__ import annotations

import re

import pytest

from tests.browser.actions import (
    address_has,
    cells,
    drag,
    gone,
    open_at,
    painted,
    pictures,
    point_at,
    query,
    settle,
    slider,
    wait_for_paint,
)


@pytest.mark.slow
def test_one_cursor_in_six_matrices_and_the_controls_are_in_the_link(app, page):
    """Hover in one matrix: the cursor appears in all six, and one sentence names the number of every method."""
    open_at(page, f"{app}/compare?compare_open=matrices&weights=fresh")
    wait_for_paint(page, "compare_matrices")
    before = pictures(page)
    assert len(before) == 6
    point_at(page, cells(page, "ALiBi"), 0.4, 0.85)
    readout = page.get_by_text(re.compile("tokens back: No positions")).first
    readout.wait_for()
    assert all(one != other for one, other in zip(before, pictures(page), strict=True))
    sentence = readout.inner_text()
    numbers = re.findall(r"(No positions|Sinusoidal|RoPE|T5 bias|ALiBi|FIRE) (0\.\d+)", sentence)
    assert [name for name, _ in numbers] == ["No positions", "Sinusoidal", "RoPE", "T5 bias", "ALiBi", "FIRE"]
    assert len({number for _, number in numbers}) == 6  # six methods, six weights for the same pair of words
    page.mouse.down()
    page.mouse.up()
    page.keyboard.press("ArrowUp")
    gone(page, sentence)

    page.get_by_role("button", name="RoPE and ALiBi against none").click()
    address_has(page, "methods", "none,rope,alibi")
    page.get_by_text("What if tokens are moved, or reversed?").click()
    slider(page, "Moved by (tokens)").press("End")
    address_has(page, "shift", "4096")
    page.get_by_text("then at 4120 and 4112").wait_for()
    settle(page)
    page.reload()
    settle(page)
    wait_for_paint(page, "compare_matrices")
    titles = page.locator(".panel").all_inner_texts()
    assert len(titles) == 3
    assert "RoPE − No positions" in titles[1]
    assert query(page)["shift"] == ["4096"]


@pytest.mark.slow
def test_trained_models_share_one_cursor_and_the_layer_is_in_the_link(app, page):
    open_at(page, f"{app}/compare")
    page.get_by_role("button", name="Trained models, long text").click()
    wait_for_paint(page, "compare_models")
    settle(page)
    point_at(page, cells(page, "ALiBi"), 0.2, 0.4)
    sentence = page.get_by_text(re.compile("tokens back: No positions")).first.inner_text()
    assert len(set(re.findall(r"(?:No positions|Learned|Sinusoidal|RoPE|T5 bias|ALiBi) ([\d.]+)", sentence))) == 6
    page.get_by_test_id("stButtonGroup").filter(has_text="Layer").get_by_role("radio", name="2", exact=True).click()
    address_has(page, "layer", "2")
    page.get_by_role("heading", name="layer 2, head 3").wait_for()


@pytest.mark.slow
def test_the_clocks_turn_under_the_hand_and_end_right(app, page):
    open_at(page, f"{app}/lab_rope?position=0")
    wait_for_paint(page, "rope_clocks")
    drag(page, "Position", start=0.03, stop=0.3, moves=11)
    page.wait_for_function("() => new URLSearchParams(location.search).get('position') > 0")
    settle(page)
    position, seen = int(query(page)["position"][0]), painted(page, "rope_clocks")
    page.get_by_text(f"In a text up to position {position:,}").wait_for()
    turned = {event["value"] for event in seen if event["source"] == "preview"}
    assert len(turned) >= 8  # the hands moved in the browser, with the button still down
    assert (seen[-1]["source"], seen[-1]["value"]) == ("python", position)
    gap = page.locator(".clocks .badge").get_attribute("data-difference")
    assert float(gap) < 1e-9


@pytest.mark.slow
def test_a_clock_says_what_it_is_under_the_cursor(app, page):
    open_at(page, f"{app}/lab_rope")
    wait_for_paint(page, "rope_clocks")
    clocks = page.locator(".clocks .plots")
    clocks.focus()
    for key in ("ArrowRight", "ArrowRight"):
        clocks.press(key)
    page.locator(".clocks .live").get_by_text("Pair 1: a full turn takes").wait_for(state="attached")

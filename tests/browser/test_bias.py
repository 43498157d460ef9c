"""Bias in a real Chromium: a thumbnail opens its head, and a window of a million tokens stays exact."""

from __future__ import annotations

import re

import pytest

from tests.browser.actions import (
    address_falls,
    address_has,
    dragging,
    open_at,
    painted,
    point_at,
    query,
    settle,
    slider,
    wait_for_paint,
)


@pytest.mark.slow
def test_a_thumbnail_opens_its_head_and_a_zoom_stays_exact(app, page):
    open_at(page, f"{app}/bias?n=1000000&head=8")
    page.locator(".beside .panel").nth(5).click()
    page.get_by_text("Head 6, slope 1/64", exact=True).wait_for()
    address_has(page, "head", "6")
    settle(page)
    span = 1_000_000
    for _ in range(3):
        page.get_by_role("button", name="Zoom in (+)").click()
        span = address_falls(page, "span", below=span)
        settle(page)
    assert span > 0
    point_at(page, page.locator(".panel .plot").first, 0.3, 0.8)
    text = page.get_by_text(re.compile(r"^Query [\d,]+, key [\d,]+:")).first.inner_text().replace("−", "-")
    text = re.sub(r"(?<=\d),(?=\d)", "", text)  # thousands are set apart
    i, j, slope, distance, product = re.search(
        r"Query (\d+), key (\d+): -([\d.]+) × (\d+) = -([\d.]+)\.", text
    ).groups()
    assert int(i) - int(j) == int(distance)
    assert float(slope) * int(distance) == pytest.approx(float(product), rel=1e-3)


WINDOW = "bias?n=1000000&row=995904&col=995904&span=4096&head=8"


def corner(page) -> tuple[int, int]:
    """The first query and key in sight, as the picture says them over its strip."""
    said = page.locator(".where").first.inner_text().replace(",", "")
    return tuple(map(int, re.search(r"queries (\d+)–\d+ keys (\d+)–\d+ of 1000000", said).groups()))


@pytest.mark.slow
def test_the_window_of_a_long_text_is_moved_by_hand_and_by_keys(app, page):
    open_at(page, f"{app}/{WINDOW}")
    assert corner(page) == (995904, 995904)
    plot = page.locator(".stage .plot").first
    point_at(page, plot, 0.4, 0.5)
    page.mouse.down()
    point_at(page, plot, 0.7, 0.8)
    previewed = corner(page)
    page.mouse.up()
    assert max(previewed) < 995904 - 500, "the matrix follows the hand"
    address_has(page, "row", str(previewed[0]))
    address_has(page, "col", str(previewed[1]))
    settle(page)
    assert page.locator(".mv .pin").count() == 0, "a cell was not meant"
    assert corner(page) == previewed, "Python shows the window that the hand has chosen"
    plots = page.locator(".mv .plots").first
    for key in ("Escape", "ArrowUp", "ArrowUp"):  # the second shows the cursor in the corner, the third leads out
        plots.press(key)
    row = previewed[0] - 4096 // 8
    address_has(page, "row", str(row))
    page.reload()
    settle(page)
    assert corner(page) == (row, previewed[1])


@pytest.mark.slow
def test_the_keys_choose_another_head(app, page):
    open_at(page, f"{app}/bias")
    heads = page.locator(".beside.plots")
    heads.press("End")
    heads.press("Enter")
    page.get_by_text("Head 8, slope 1/256", exact=True).wait_for()
    address_has(page, "head", "8")


@pytest.mark.parametrize(
    ("label", "key", "start", "stop"), [("Heads", "heads", 0.06, 0.5), ("Sequence length n", "n", 0.35, 0.75)]
)
def test_a_dragged_slider_changes_the_matrix_at_once_and_back_undoes_it(app, page, label, key, start, stop):
    open_at(page, f"{app}/bias")
    wait_for_paint(page, "bias_large")
    entries = page.evaluate("history.length")
    for _ in dragging(page, label, start=start, stop=stop, moves=25):
        page.wait_for_timeout(16)
    page.wait_for_function("(key) => new URLSearchParams(location.search).has(key)", arg=key)
    settle(page)
    events = painted(page, "bias_large")
    previews = [event["value"] for event in events if event["source"] == "preview"]
    assert len(set(previews)) >= 8, "the hand is not waited for"
    assert previews == sorted(previews), "an older value is never painted over a newer"
    assert events[-1]["source"] == "python"
    assert page.evaluate("history.length") == entries + 1
    number = int(query(page)[key][0])
    what = f"{number:,} × {number:,}" if key == "n" else f"{number} heads"
    assert what in page.locator("[data-testid=stMain]").inner_text()
    page.go_back()
    page.wait_for_function("() => location.search === ''")
    settle(page)
    assert slider(page, label).get_attribute("aria-valuetext") == {"n": "128", "heads": "8"}[key]
    assert page.locator(".beside .panel").count() == 8


def test_the_sentence_follows_the_hand_and_further_hands_stand_behind_more(app, page):
    open_at(page, f"{app}/bias")
    sentence = page.locator(".matrices > .note")
    assert sentence.inner_text().startswith("Head 3 subtracts 1/8 ")
    for move in dragging(page, "Heads", start=0.06, stop=0.02, moves=6):
        if move == 6:
            assert re.match(r"Head [123] subtracts 1/(16|64|256) ", sentence.inner_text()), "before Python hears of it"
    settle(page)
    page.get_by_role("button", name="More").click()
    page.get_by_role("radio", name="key only").click()
    address_has(page, "form", "key only")
    settle(page)
    assert sentence.inner_text().startswith("All rows are the same.")
    page.get_by_role("switch", name="After softmax").click()
    address_has(page, "after", "true")


@pytest.mark.slow
def test_a_locked_cell_is_in_the_address_until_the_picture_has_it_no_more(app, page):
    open_at(page, f"{app}/bias?cell=100,90")
    page.locator(".mv .readout", has_text="Query 100, key 90:").wait_for()
    page.locator(".mv .plots").first.press("ArrowLeft")
    address_has(page, "cell", "100,89")
    slider(page, "Sequence length n").press("PageUp")
    page.wait_for_function("() => Number(new URLSearchParams(location.search).get('n')) > 128")
    page.locator(".mv .readout", has_text="Query 100, key 89:").wait_for()
    settle(page)
    page.reload()
    page.locator(".mv .readout", has_text="Query 100, key 89:").wait_for()
    page.locator(".mv .plots").first.press("Escape")
    page.wait_for_function("() => !new URLSearchParams(location.search).has('cell')")
    assert page.locator(".mv .pin").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize(("cell", "sentence"), [("500,3", "500,3 is outside the picture"), ("a,b", "is not a cell")])
def test_a_cell_that_is_not_there_is_said(app, page, cell, sentence):
    open_at(page, f"{app}/bias?cell={cell}")
    page.get_by_text(sentence).first.wait_for()
    assert page.locator(".mv .pin").count() == 0
    assert query(page) == {}


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["1e6", "1,000,000", "1_000_000"])
def test_a_length_may_be_typed_as_people_write_it(app, page, typed):
    open_at(page, f"{app}/bias")
    field = page.get_by_role("spinbutton", name="Sequence length n")
    field.click()
    field.press("Control+a")
    page.keyboard.type(typed)
    page.keyboard.press("Enter")
    address_has(page, "n", "1000000")

"""Words of the first lesson in another order, by pointer and keys: in the address, and after a reload."""

from __future__ import annotations

from urllib.parse import urlencode

from tests.browser.actions import address_has, open_at, settle


def test_words_are_dragged_and_stepped_into_another_order(new_page, app):
    page = open_at(new_page(), f"{app}/start")
    words, field = page.locator(".word"), page.locator(".st-key-second input")
    before = words.all_inner_texts()
    assert field.input_value() == " ".join(before)
    grabbed, target = words.nth(1).bounding_box(), words.nth(3).bounding_box()
    page.mouse.move(grabbed["x"] + 20, grabbed["y"] + 8)
    page.mouse.down()
    page.mouse.move(target["x"] + 20, target["y"] + 8, steps=5)
    page.mouse.up()
    dragged = [before[at] for at in (0, 2, 3, 1, 4)]
    asked = "order => new URLSearchParams(location.search).get('second') === order"
    page.wait_for_function(asked, arg=" ".join(dragged))
    settle(page)
    assert (words.all_inner_texts(), field.input_value()) == (dragged, " ".join(dragged))
    words.nth(4).press("ArrowLeft")
    page.wait_for_function(asked, arg=" ".join([*dragged[:3], dragged[4], dragged[3]]))
    settle(page)
    assert words.nth(3).evaluate("word => word.getRootNode().activeElement === word"), "it can be stepped on"
    page.reload()
    words.nth(4).wait_for()
    assert words.all_inner_texts() == [*dragged[:3], dragged[4], dragged[3]]


def test_words_that_run_to_the_left_stand_and_step_so(app, new_page):
    page = open_at(new_page(), f"{app}/start?" + urlencode({"first": "שלום עולם טוב", "second": "עולם שלום טוב"}))
    words = page.locator(".word")
    words.nth(2).wait_for()
    left = [words.nth(at).bounding_box()["x"] for at in range(3)]
    assert left == sorted(left, reverse=True)
    words.nth(0).press("ArrowLeft")
    address_has(page, "second", "שלום עולם טוב")

"""From page to page in a real Chromium: addresses, tabs, Back. (A server that nobody has visited: test_training.py.)"""

from __future__ import annotations

import re

import pytest

from tests.browser.actions import address_falls, address_has, drag, open_at, query, settle


def test_two_tabs_do_not_share_their_state_and_back_returns(app, new_page):
    first, second = new_page(), new_page()
    open_at(first, f"{app}/slopes?heads=12")
    open_at(second, f"{app}/slopes?heads=64")
    assert first.get_by_text("12 heads, slopes from").count() == 1
    assert second.get_by_text("64 heads, slopes from").count() == 1
    first.get_by_role("link", name="Bias", exact=True).click()
    first.get_by_role("heading", name="What does ALiBi add to the attention scores?").wait_for()
    first.go_back()
    first.get_by_role("heading", name="How fast does attention fall with distance?").wait_for()
    first.get_by_text("12 heads, slopes from").wait_for()


def test_a_number_that_a_page_cannot_show_is_not_lost_for_the_others(app, page):
    open_at(page, f"{app}/slopes?heads=112")
    page.get_by_text("112 heads, slopes from").wait_for()
    for menu, path in (("Attention", "/attention"), ("Playground", "/"), ("Bias", "/bias"), ("Slopes", "/slopes")):
        page.get_by_role("link", name=menu, exact=True).first.click()
        page.wait_for_function("(path) => location.pathname === path", arg=path)
        settle(page)
        address_has(page, "heads", "112")
    page.get_by_text("112 heads, slopes from").wait_for()


@pytest.mark.slow
def test_a_corrected_value_stays_in_the_url_until_a_drag(app, page):
    open_at(page, f"{app}/slopes?heads=1e9")
    page.get_by_text("too large").wait_for()
    address_has(page, "heads", "1000000000")
    drag(page, "Heads", start=0.1, stop=0.3, moves=8)
    address_falls(page, "heads", below=128)
    settle(page)
    heads = int(query(page)["heads"][0])
    assert heads > 8
    page.get_by_text(re.compile(rf"^{heads} heads, slopes from")).wait_for()
    assert page.locator("input[aria-label=Heads][type=number]").input_value() == str(heads)

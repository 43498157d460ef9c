"""Use ALiBi in a browser: the changed lines on a desk and on a phone, Copy, and the old address of Cost."""

from __future__ import annotations

import pytest

from pages.use.study import snippet
from tests.browser.actions import address_has, open_at, settle
from tests.browser.axe import violations

SEEN = "(cells) => cells.filter((cell) => cell.offsetHeight).map((cell) => cell.className)"
SCROLLS = "(box) => [box.scrollHeight > box.clientHeight + 40, box.scrollWidth <= box.clientWidth + 1]"
WIDE = "() => document.querySelector('[data-testid=stMain]').scrollWidth <= innerWidth"


def test_the_changed_lines_stand_beside_each_other_on_a_desk_and_below_on_a_phone(new_page, app):
    page = open_at(new_page(viewport={"width": 1280, "height": 800}), f"{app}/use")
    box, cells = page.locator(".two-sources"), page.locator(".two-sources td")
    first, second = (
        page.locator(f".two-sources td.{side}.changed").first.bounding_box() for side in ("first", "second")
    )
    assert first["y"] == second["y"]
    assert first["y"] < 800, "in the first screen"
    assert box.evaluate(SCROLLS) == [True, True]
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    assert box.evaluate(SCROLLS) == [True, True]
    assert page.evaluate(WIDE)
    seen = cells.evaluate_all(SEEN)
    assert seen[:2] == ["first changed", "second changed"]
    assert not {"second equal", "second gap", "first none", "second none"} & set(seen)
    assert first["y"] < 844


def test_copy_gives_the_code_with_the_chosen_heads(new_page, app):
    page = new_page(viewport={"width": 390, "height": 844})  # no pointer hovers there
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_at(page, f"{app}/use")
    page.get_by_role("combobox").click()
    page.get_by_role("option", name="SDPA").click()
    address_has(page, "use_where", "sdpa")
    settle(page)
    page.locator(".st-key-use_code").get_by_role("button").click()
    assert page.evaluate("navigator.clipboard.readText()").strip() == snippet("sdpa", 8).code.strip()


def test_the_address_of_cost_leads_to_memory_and_time(new_page, app):
    page = open_at(new_page(viewport={"width": 1280, "height": 800}), f"{app}/cost")
    page.wait_for_url("**/use?use_open=memory*time")
    settle(page)
    assert page.locator(".js-plotly-plot").count() == 2


@pytest.mark.parametrize("place", ["block", "transformers", "xformers"])
def test_the_code_breaks_no_rule(new_page, app, place):
    page = open_at(new_page(), f"{app}/use?use_where={place}&use_open=learned,memory,time,code")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        assert violations(page) == []

"""The curves of Slopes under a hand: by pointer and keys, in the address, after a reload; and where a link locks them."""

from __future__ import annotations

import pytest

from alibi_viz.positions.alibi import slopes
from tests.browser.actions import open_at, query, settle

WRITTEN = "() => new URLSearchParams(location.search).get('rule') === 'own list'"


def own(page):
    """The slopes in the address, once it has a list."""
    page.wait_for_function(WRITTEN)
    settle(page)
    return [number(part) for part in query(page)["own"][0].split(",")]


def number(text):
    above, _, below = text.partition("/")
    return float(above) / float(below or 1)


@pytest.fixture
def plot(new_page, app):
    def opened(address="slopes"):
        page = new_page(viewport={"width": 1280, "height": 800})
        open_at(page, f"{app}/{address}")
        page.locator(".cv canvas.base").wait_for()
        settle(page)
        return page

    return opened


def pull(page, by):
    grip = page.locator(".cv canvas.base")
    box, at = grip.bounding_box(), [float(part) for part in grip.get_attribute("data-grip").split(",")]
    page.mouse.move(box["x"] + at[0], box["y"] + at[1])
    page.mouse.down()
    page.mouse.move(box["x"] + at[0] + by, box["y"] + at[1], steps=5)
    page.mouse.up()


def test_a_dragged_curve_is_an_own_slope_that_a_reload_keeps(plot):
    page = plot()
    pull(page, 120)
    values, rule = own(page), slopes(8, "paper", 8.0)
    changed = [at for at in range(8) if abs(values[at] / rule[at] - 1) > 1e-5]
    assert len(changed) == 1
    assert values[changed[0]] < rule[changed[0]]  # to the right: it falls later
    page.reload()
    page.locator(".cv canvas.base").wait_for()
    assert own(page) == values


def test_keys_bend_the_chosen_curve_and_home_gives_the_rule_back(plot):
    page, rule = plot("slopes?cell=2,16"), slopes(8, "paper", 8.0)
    page.locator(".cv .plots").focus()
    page.keyboard.press("ArrowRight")
    assert own(page)[2] == pytest.approx(rule[2] * 2**0.125, rel=1e-5)
    page.keyboard.press("Home")
    page.wait_for_function("() => new URLSearchParams(location.search).get('own').includes('1/8,')")
    assert own(page) == rule


def test_a_locked_rule_has_no_grip(plot):
    page = plot("slopes?lock=rule")
    assert page.locator(".cv canvas.base").get_attribute("data-grip") is None

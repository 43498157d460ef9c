"""What a hand moves: curves of Slopes and of the ALiBi lab, words of the first lesson. By pointer and keys, in the address,
after a reload; and where a link locks it."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from alibi_viz.positions.alibi import slopes
from tests.browser.actions import address_has, open_at, query, settle

BASE = ".st-key-stage_picture .cv canvas.base"
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
        page.locator(BASE).wait_for()
        settle(page)
        return page

    return opened


def pull(page, by, down=0):
    grip = page.locator(BASE)
    box, at = grip.bounding_box(), [float(part) for part in grip.get_attribute("data-grip").split(",")]
    page.mouse.move(box["x"] + at[0], box["y"] + at[1])
    page.mouse.down()
    page.mouse.move(box["x"] + at[0] + by, box["y"] + at[1] + down, steps=5)
    page.mouse.up()


@pytest.mark.slow
def test_a_dragged_curve_is_an_own_slope_that_a_reload_keeps(plot):
    page = plot()
    pull(page, 120)
    values, rule = own(page), slopes(8, "paper", 8.0)
    changed = [at for at in range(8) if abs(values[at] / rule[at] - 1) > 1e-5]
    assert len(changed) == 1
    assert values[changed[0]] < rule[changed[0]]  # to the right: it falls later
    page.reload()
    page.locator(BASE).wait_for()
    assert own(page) == values


@pytest.mark.slow
def test_keys_bend_the_chosen_curve_and_backspace_gives_the_rule_back(plot):
    page, rule = plot("slopes?cell=2,16"), slopes(8, "paper", 8.0)
    page.locator(".st-key-stage_picture .cv .plots").focus()
    page.keyboard.press("+")
    assert own(page)[2] == pytest.approx(rule[2] * 2**0.125, rel=1e-5)
    page.keyboard.press("Backspace")
    page.wait_for_function("() => new URLSearchParams(location.search).get('own').includes('1/8,')")
    assert own(page) == rule


@pytest.mark.slow
def test_a_locked_rule_has_no_grip(plot):
    page = plot("slopes?lock=rule")
    assert page.locator(BASE).get_attribute("data-grip") is None
    assert plot().locator(BASE).get_attribute("data-grip"), "without the lock there is one"


@pytest.mark.slow
def test_a_line_of_the_lab_is_turned_and_its_slider_follows(plot):
    page, slope = plot("lab_alibi"), ".st-key-m2-slider input[type=number]"
    pull(page, 0, down=100)
    page.wait_for_function("() => new URLSearchParams(location.search).has('m2')")
    steeper = float(query(page)["m2"][0])
    assert 0 < steeper < 4
    page.wait_for_function(f"() => Number(document.querySelector('{slope}').value) === {steeper}")
    page.locator(".st-key-stage_picture .cv .plots").focus()
    page.keyboard.press("-")
    page.wait_for_function(f"() => new URLSearchParams(location.search).get('m2') > {steeper}")
    assert plot("lab_alibi?lock=m2").locator(BASE).get_attribute("data-grip") is None


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

"""RoPE's clocks in a browser: their arithmetic against PyTorch, and the hands that turn them."""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pytest

from alibi_viz.pictures import javascript
from alibi_viz.positions.rotary import SCALINGS
from pages.lab_rope.study import Controls, study
from tests.browser.actions import address_has, dragging, open_at, painted, query, settle, slider, wait_for_paint

CLOCKS = "rope_clocks"
NAMES = ("rope_dim", "rope_base", "scaling", "factor", "rope_trained", "position")


@pytest.fixture(scope="module")
def js(run_module):
    """js(body) runs `body` with the picture's module as `core`."""
    return partial(run_module, javascript("clocks/view.js"))


def test_two_hundred_states_are_python_s(js):
    chance, states = random.Random(45), []
    for _ in range(200):
        dim, base = 2 * chance.randint(2, 64), round(2 * 10 ** chance.uniform(0, 6.3))
        scaling, factor = chance.choice(SCALINGS), chance.randint(2, 256) / 2
        states.append((dim, base, scaling, factor, round(10 ** chance.uniform(0, 5)), chance.randint(0, 16_384)))
    values = [dict(zip(NAMES, state, strict=True)) for state in states]
    body = f"{values!r}.map(core.dialsOf).map((dials) => Object.values(dials).map((all) => [...all]))"
    for state, ours in zip(states, js(body), strict=True):
        expected = study(Controls(*state))
        for found, one in zip(ours, (expected.turns, expected.plain, expected.trained), strict=True):
            np.testing.assert_allclose(found, one, rtol=1e-12, err_msg=str(state))
    past = js(f"{values!r}.map((values) => core.countsOf(core.dialsOf(values), values.position).beyond)")
    assert past == [int((~study(Controls(*state)).within).sum()) for state in states]


@pytest.fixture
def clocks(new_page, app):
    def opened(address="lab_rope", **options):
        page = open_at(new_page(**({"viewport": {"width": 1280, "height": 800}} | options)), f"{app}/{address}")
        wait_for_paint(page, CLOCKS)
        return page

    return opened


def sentence(page):
    return page.locator(".clocks > .note").inner_text()


def test_the_clocks_turn_under_the_slider_and_back_undoes_it(clocks):
    page = clocks("lab_rope?position=0")
    before = page.evaluate("history.length")
    for move in dragging(page, "Position", start=0.03, stop=0.97, moves=20):
        page.wait_for_timeout(16)
        if move == 20:
            assert "clocks have passed" in sentence(page), "before Python hears of it"
    page.wait_for_function("() => new URLSearchParams(location.search).get('position') > 2048")
    settle(page)
    position, seen = int(query(page)["position"][0]), painted(page, CLOCKS)
    page.get_by_text(f"Up to position {position:,}").wait_for()
    assert len({event["value"] for event in seen if event["source"] == "preview"}) >= 8, "the hand is not waited for"
    assert (seen[-1]["source"], seen[-1]["value"]) == ("python", position)
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    address_has(page, "position", "0")
    settle(page)
    assert slider(page, "Position").get_attribute("aria-valuetext") == "0"


def test_a_hand_that_is_turned_in_its_dial_turns_all_others(clocks):
    page = clocks("lab_rope?position=0")
    base = page.locator(".clocks canvas.base")
    box, (x, y) = base.bounding_box(), map(float, base.get_attribute("data-middle").split(","))
    for step in range(17):  # twice round the fastest clock, and a little more: 2 x 6.28 tokens
        angle = 2 * np.pi * 2.06 * step / 16
        page.mouse.move(box["x"] + x + 30 * np.sin(angle), box["y"] + y - 30 * np.cos(angle))
        if not step:
            page.mouse.down()
    assert "At position 13 all 16 clocks" in sentence(page)
    page.mouse.up()
    address_has(page, "position", "13")


@pytest.mark.slow
def test_scaling_and_head_size_are_drawn_at_once_and_a_preset_is_one_step(clocks):
    page = clocks()
    page.get_by_role("button", name="Far beyond training").click()
    address_has(page, "position", "16000")
    settle(page)
    assert "5 of 16 clocks have passed" in sentence(page)
    page.get_by_role("radio", name="PI").click()
    page.locator(".clocks > .note", has_text="all 16 clocks are within").wait_for()
    address_has(page, "scaling", "linear")
    settle(page)
    page.get_by_role("button", name="More").click()
    slider(page, "Head size").press("ArrowRight")
    page.locator(".clocks > .note", has_text="all 17 clocks are within").wait_for()
    address_has(page, "rope_dim", "34")


@pytest.mark.slow
def test_what_cannot_be_is_said_and_the_hands_lead_out_of_it(clocks):
    page = clocks("lab_rope?rope_dim=4&scaling=dynamic")
    page.get_by_role("button", name="More").click()
    slider(page, "Head size").press("Home")
    page.locator(".clocks .trouble", has_text="above 2").wait_for()
    page.get_by_role("radio", name="none").click()
    page.locator(".clocks .trouble").wait_for(state="hidden")
    settle(page)
    assert "all 1 clocks" in sentence(page)


@pytest.mark.slow
def test_a_clock_says_what_it_is_under_the_cursor(clocks):
    page = clocks()
    plots = page.locator(".clocks .plots")
    for key in ("ArrowRight", "ArrowRight"):
        plots.press(key)
    page.locator(".clocks .live").get_by_text("Pair 1: 11.2 tokens for a full turn").wait_for(state="attached")

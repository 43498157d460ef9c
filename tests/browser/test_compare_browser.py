"""Compare and the labs in a real Chromium: the shared cursor, the clocks under the hand, and links that come back."""

from __future__ import annotations

import math
import re

import pytest

from tests.browser.test_pages import cells, open_at, query, settle, slider

LABS = ("/lab_sinusoidal", "/lab_rope", "/lab_t5", "/lab_learned", "/lab_alibi")
PICTURES = "all => all.map((panel) => [...panel.querySelectorAll('canvas')].map((one) => one.toDataURL()).join())"
HANDS = "all => all.map((hand) => Number(hand.getAttribute('transform').match(/rotate\\(([\\d.]+)/)[1]))"


@pytest.fixture
def app(serve) -> str:
    return serve("app.py")


@pytest.mark.parametrize("path", ["/compare", *LABS])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_page_fits_its_window(app, new_page, path, width, scheme):
    page = new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    open_at(page, app + path)
    assert page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth") <= 0
    assert page.locator("[data-testid=stException]").count() == 0


def test_one_cursor_in_six_matrices(app, page):
    """Hover in one matrix: the cursor appears in all six, and one sentence names the number of every method."""
    open_at(page, app + "/compare")
    page.wait_for_function("() => painted.some((one) => one.key === 'compare_matrices')")
    panel = cells(page, "ALiBi")
    panel.scroll_into_view_if_needed()
    before = page.locator(".panel").evaluate_all(PICTURES)
    assert len(before) == 6
    box = panel.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.85)
    readout = page.get_by_text(re.compile("tokens back: No positions")).first
    readout.wait_for()
    after = page.locator(".panel").evaluate_all(PICTURES)
    assert all(one != other for one, other in zip(before, after, strict=True))
    sentence = readout.inner_text()
    numbers = re.findall(r"(No positions|Sinusoidal|RoPE|T5 bias|ALiBi|FIRE) (0\.\d+)", sentence)
    assert [name for name, _ in numbers] == ["No positions", "Sinusoidal", "RoPE", "T5 bias", "ALiBi", "FIRE"]
    assert len({number for _, number in numbers}) == 6  # six methods, six weights for the same pair of words
    page.mouse.click(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.85)
    page.keyboard.press("ArrowUp")
    page.wait_for_function("(before) => !document.body.innerText.includes(before)", arg=sentence)


def test_the_clocks_turn_under_the_hand_and_end_right(app, page):
    open_at(page, app + "/lab_rope?position=0")
    hands = page.locator(".clocks .hand")
    assert hands.count() == 16
    assert set(hands.evaluate_all(HANDS)) == {0}
    handle = slider(page, "Position (drag it)")
    box = handle.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 10, y)
    page.mouse.down()
    seen = set()
    for step in range(1, 12):
        page.mouse.move(box["x"] + 10 + step * 7, y)
        seen.add(tuple(hands.evaluate_all(HANDS)))
    assert len(seen) >= 8  # the hands moved in the browser, with the button still down
    page.mouse.up()
    page.wait_for_function("() => new URLSearchParams(location.search).get('position') > 0")
    settle(page)
    position = int(query(page)["position"][0])
    page.get_by_role("heading", name=f"The clocks at position {position:,}").wait_for()
    for pair, angle in enumerate(hands.evaluate_all(HANDS)):
        turns = position * 10_000 ** (-2 * pair / 32) / (2 * math.pi)
        assert angle == pytest.approx(360 * (turns % 1), abs=0.01)


def test_a_choice_of_methods_is_in_the_link(app, page):
    open_at(page, app + "/compare")
    page.get_by_role("button", name="RoPE and ALiBi against none").click()
    page.wait_for_function("() => new URLSearchParams(location.search).get('methods') === 'none,rope,alibi'")
    settle(page)
    page.reload()
    settle(page)
    page.wait_for_function("() => painted.some((one) => one.key === 'compare_matrices')")
    titles = page.locator(".panel").all_inner_texts()
    assert len(titles) == 3
    assert "RoPE − No positions" in titles[1]


def test_the_shift_slider_moves_the_pair(app, page):
    open_at(page, app + "/compare?methods=sinusoidal,alibi")
    page.get_by_role("heading", name="Shift test").scroll_into_view_if_needed()
    slider(page, "Moved by (tokens)").press("End")
    page.wait_for_function("() => new URLSearchParams(location.search).get('shift') === '4096'")
    page.get_by_text("then at 4120 and 4112").wait_for()


def test_trained_models_share_one_cursor_and_the_layer_is_in_the_link(app, page):
    open_at(page, app + "/compare")
    page.get_by_role("button", name="Trained models, beyond their length").click()
    page.wait_for_function("() => painted.some((one) => one.key === 'compare_models')")
    settle(page)
    panel = cells(page, "ALiBi")
    panel.scroll_into_view_if_needed()
    box = panel.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.4)
    sentence = page.get_by_text(re.compile("tokens back: No positions")).first.inner_text()
    assert len(set(re.findall(r"(?:No positions|Learned|Sinusoidal|RoPE|T5 bias|ALiBi) ([\d.]+)", sentence))) == 6
    page.get_by_test_id("stButtonGroup").filter(has_text="Layer").get_by_role("radio", name="2", exact=True).click()
    page.wait_for_function("() => new URLSearchParams(location.search).get('layer') === '2'")
    page.get_by_role("heading", name="layer 2, head 3").wait_for()

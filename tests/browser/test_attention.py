"""Attention in a real Chromium: the cursor and its arithmetic, previews under the hand, and a reader's text."""

from __future__ import annotations

import re

import pytest

from alibi_viz.positions.alibi import slopes
from alibi_viz.ui.format import format_slope
from tests.browser.actions import cells, drag, dragging, gone, open_at, painted, point_at, query, settle
from tests.browser.drawn import drawn

KEY = "attention"
NUMBER = r"[−\d.,]+(?: × 10[⁻⁰-⁹]+)?"
PIXELS = "all => all.map((canvas) => canvas.toDataURL())"
LAST_IS_PYTHON = """(key) => {
  const last = painted.filter((event) => event.key === key).at(-1);
  return last && last.source === "python" && last.value > 2;
}"""


def readout(page) -> str:
    """The arithmetic of the cell under the mouse."""
    return page.get_by_text(re.compile("attends to .* tokens back")).first.inner_text()


def drag_strength(page) -> list[dict]:
    """Drag until the strength is above 2, and return what the picture has painted: previews, then PyTorch's numbers."""
    drag(page, "Strength of ALiBi", start=0.25, stop=0.73, moves=24)
    page.wait_for_function(LAST_IS_PYTHON, arg=KEY)
    settle(page)
    events = painted(page, KEY)
    assert sum(event["source"] == "preview" for event in events) >= 3
    assert events[-1]["source"] == "python"
    return events


def test_hover_click_arrows_and_reload(app, page):
    open_at(page, f"{app}/attention?content=random&seed=7&strength=2&attention_open=row")
    point_at(page, cells(page, "softmax"), 0.4, 0.85)
    text = readout(page)
    assert re.search(rf"{NUMBER} − 2 × {NUMBER} × \d+ = {NUMBER}\. Then e\^\({NUMBER}\) / {NUMBER} = {NUMBER}", text)
    plain = text.replace("−", "-").replace("e^", "")
    content, strength, slope, distance, score = map(
        float, re.search(r": (-?[\d.]+) - ([\d.]+) × ([\d.]+) × (\d+) = (-?[\d.]+)\.", plain).groups()
    )
    assert content - strength * slope * distance == pytest.approx(score, abs=2e-3)
    exponent, total, weight = map(float, re.search(r"\((-?[\d.]+)\) / ([\d.]+) = ([\d.]+?)\.?$", plain).groups())
    assert 2.718281828**exponent / total == pytest.approx(weight, rel=1e-2)
    page.mouse.down()
    page.mouse.up()
    word = re.search("“(.+?)” attends", text)[1]
    page.get_by_text(re.compile(f"Token .*“{word}”")).wait_for()
    page.keyboard.press("ArrowUp")
    gone(page, text)
    before = query(page)
    page.reload()
    settle(page)
    assert query(page) == before
    page.get_by_role("button", name="More").click()
    assert page.get_by_role("spinbutton", name="Seed").input_value() == "7"


def test_the_sentence_follows_the_strength_and_back_undoes_it(app, page):
    open_at(page, f"{app}/attention")
    sentence, entries = page.locator(".matrices > .note"), page.evaluate("history.length")
    before = sentence.inner_text()
    for move in dragging(page, "Strength of ALiBi", start=0.25, stop=0.73, moves=12):
        if move == 12:
            page.wait_for_timeout(50)
            dragged = sentence.inner_text()
    assert share(dragged) > share(before) + 5, "before Python hears of it"
    page.wait_for_function("() => new URLSearchParams(location.search).has('strength')")
    settle(page)
    assert sentence.inner_text() == dragged, "PyTorch has the same number"
    assert page.evaluate("history.length") == entries + 1
    page.go_back()
    page.wait_for_function("() => location.search === ''")
    settle(page)
    assert sentence.inner_text() == before


def share(sentence: str) -> int:
    """Percent of the weight on the nearest tokens."""
    return int(re.search(r"gives (\d+)%", sentence)[1])


@pytest.mark.slow
def test_dragged_heads_have_their_slopes_at_once(app, page):
    open_at(page, f"{app}/attention?head=8")
    for move in dragging(page, "Heads", start=0.16, stop=0.3, moves=4):
        if move == 4:
            page.wait_for_timeout(50)
            title = page.locator(".panel .title").nth(1).inner_text()
    settle(page)
    heads = int(query(page)["heads"][0])
    assert heads > 8
    assert (
        title == f"+ bias, slope {format_slope(slopes(heads)[7])}" == page.locator(".panel .title").nth(1).inner_text()
    )


def test_a_text_of_a_reader_stays_text(app, page):
    open_at(page, f"{app}/attention?attention_open=row")
    page.on("dialog", lambda dialog: pytest.fail("a script of the reader ran"))
    page.get_by_label("Text", exact=True).fill(
        "<img src=x onerror=alert(1)> **bold** $x^2$ [link](http://example.com) 🙂"
    )
    page.keyboard.press("Enter")
    page.get_by_text("“🙂”").first.wait_for()
    assert page.locator("img[src=x]").count() == 0
    assert page.locator("a[href*='example.com']").count() == 0


@pytest.mark.slow
def test_the_four_steps_are_one_picture(app, page):
    """The cursor stands in all of them, the sum is right, and a preview that Python confirms holds for each."""
    open_at(page, f"{app}/attention?content=random&head=2")
    point_at(page, cells(page, "softmax"), 0.4, 0.9)
    now = [float(text.replace("−", "-")) for text in page.locator(".stage .now").all_inner_texts()]
    assert len(now) == 4
    content, bias, score, weight = now
    assert content + bias == pytest.approx(score, abs=2e-3)
    assert bias < 0 < weight < 1
    before = page.locator(".stage canvas.base").evaluate_all(PIXELS)
    drag_strength(page)
    after = page.locator(".stage canvas.base").evaluate_all(PIXELS)
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, False, False], "all but the content"


@pytest.mark.slow
def test_on_a_phone_a_tab_brings_another_matrix_and_the_cursor_stays(app, new_page):
    page = open_at(new_page(viewport={"width": 390, "height": 844}), f"{app}/attention?cell=9,2")
    panels, readout = page.locator(".stage .panel:visible"), page.locator(".mv .readout .words")
    assert panels.count() == 1
    box = drawn(page.locator(".st-key-attention"))
    assert box["bottom"] - box["top"] >= 300
    assert box["right"] - box["left"] >= 0.9 * 358
    said = readout.inner_text()
    assert "attends to" in said
    page.locator(".tab", has_text="bias").click()
    assert panels.count() == 1
    assert panels.first.get_attribute("data-index") == "1"
    assert readout.inner_text() == said


@pytest.mark.slow
def test_presented_a_chosen_pair_in_type_that_can_be_read(app, new_page):
    page = open_at(new_page(viewport={"width": 1280, "height": 720}), f"{app}/attention?present=true")
    shown = page.locator(".stage .panel:visible")
    assert shown.count() == 2
    page.locator(".tab", has_text="bias").click()
    assert [one.get_attribute("data-index") for one in shown.all()] == ["1", "3"]
    box = drawn(page.locator(".st-key-attention"))
    assert box["type"] >= 18
    assert box["right"] - box["left"] >= 0.7 * 1280


@pytest.mark.slow
def test_a_trained_model_previews_its_first_layer_and_pytorch_agrees(app, page):
    open_at(page, f"{app}/attention?content=trained+model&head=5")
    drag_strength(page)


@pytest.mark.slow
def test_the_readout_of_a_trained_model_without_slopes_adds_up(app, page):
    open_at(page, f"{app}/attention?content=trained+model&model=t5&layer=2")
    point_at(page, cells(page, "softmax"), 0.5, 0.9)
    plain = page.get_by_text(re.compile("with the bias .* added")).first.inner_text().replace("−", "-")
    content, bias, score = map(
        float, re.search(r"content (-?[\d.]+), with the bias (-?[\d.]+) added: (-?[\d.]+)\.", plain).groups()
    )
    assert content + bias == pytest.approx(score, abs=2e-3)
    point_at(page, cells(page, "softmax"), 0.9, 0.5)
    page.get_by_text("it comes later").first.wait_for()


@pytest.mark.slow
def test_a_text_too_long_for_the_address_stays_in_its_tab_over_a_reload(app, page):
    open_at(page, f"{app}/attention")
    field, text = page.get_by_label("Text", exact=True), " ".join(hex(number**9)[2:] for number in range(9, 900))
    field.fill(text)
    field.press("Enter")
    page.get_by_text("too long for a link").wait_for()
    settle(page)
    page.reload()
    page.get_by_text("too long for a link").wait_for()
    settle(page)
    assert field.input_value() == text
    open_at(page, f"{app}/attention?head=5")
    settle(page)
    assert field.input_value() != text, "a link shows what it says"

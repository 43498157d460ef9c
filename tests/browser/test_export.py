"""The file that moves: from the disk, in a sandboxed frame, twice on one page, in the dark; nothing is asked of anyone."""

from __future__ import annotations

import html
import re
import time

import pytest

from alibi_viz.ui.exporting import main
from tests.cases import some

PAINTED = """() => {
  window.painted = [];
  const note = ({ detail }) => window.painted.push(detail);
  for (const root of document.querySelectorAll("[data-alone]")) root.addEventListener("alibi-viz:painted", note);
}"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """exported(address): the file that the command makes of this page."""
    files = {}

    def made(address):
        if address not in files:
            lesson, _, query = address.partition("?")
            files[address] = tmp_path_factory.mktemp("exported") / f"{len(files)}.html"
            assert main("export", lesson, str(files[address]), *filter(None, query.split("&"))) == 0
        return files[address]

    return made


@pytest.fixture
def opened(new_page):
    """opened(file): the file in a browser of its own. Any request but that for the file fails the test."""

    def opened(file, **context):
        page = new_page(viewport={"width": 1280, "height": 800}, **context)
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(file.as_uri())
        page.locator("canvas").first.wait_for()
        page.evaluate(PAINTED)
        assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
        return page

    return opened


def pixels(page, canvases="canvas.base"):
    return page.locator(canvases).evaluate_all("all => all.map((canvas) => canvas.toDataURL()).join()")


def test_two_sliders_add_up_without_a_server(exported, opened):
    page = opened(exported("bias"))
    length = page.get_by_role("slider", name="Sequence length n")
    before = pixels(page)
    for count in (18, 28):
        page.get_by_role("spinbutton", name="Heads").fill(str(count))
        page.wait_for_function(f"() => window.painted.some(({{ value }}) => value === {count})")
    many = page.locator(".mv").first.inner_text()
    assert pixels(page) != before
    length.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.painted.some(({ value }) => value > 128)")
    slope = re.search(r"slope \S+", many)[0]
    assert slope in page.locator(".mv").first.inner_text(), "the slope is still that of 28 heads"
    page.wait_for_timeout(2500)  # longer than a hand waits for Python
    assert slope in page.locator(".mv").first.inner_text()


@pytest.mark.parametrize("address", some(["slopes", "attention?heads=7", "lab_rope"], "slopes"))
def test_every_slider_moves_its_picture(exported, opened, address):
    page = opened(exported(address))
    assert page.locator("input[type=range]").count()
    for slider in page.locator("input[type=range]").all():
        before = pixels(page)
        slider.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("() => window.painted.length")
        page.wait_for_timeout(60)
        assert pixels(page) != before
        page.evaluate("window.painted = []")


def test_copies_in_sandboxed_frames_do_not_move_together(exported, new_page, tmp_path):
    source = html.escape(exported("slopes").read_text(encoding="utf-8"))
    frame = f'<iframe sandbox="allow-scripts" width="1000" height="760" srcdoc="{source}"></iframe>'
    outer = tmp_path / "outer.html"
    outer.write_text(f"<!DOCTYPE html><meta charset='utf-8'>{frame}{frame}", encoding="utf-8")
    page = new_page(viewport={"width": 1280, "height": 1600})
    page.goto(outer.as_uri())
    first, second = (page.frame_locator("iframe").nth(at) for at in (0, 1))
    for one in (first, second):
        one.get_by_role("slider", name="Heads").wait_for()
    first.get_by_role("slider", name="Heads").press("ArrowRight")
    assert first.get_by_role("spinbutton", name="Heads").input_value() == "9"
    assert second.get_by_role("spinbutton", name="Heads").input_value() == "8"


def test_two_copies_in_one_document_do_not_move_together(exported, opened, tmp_path):
    text = exported("slopes").read_text(encoding="utf-8")
    main = re.search(r'<main class="lesson">.*?</main>', text, re.DOTALL)[0]
    twice = tmp_path / "twice.html"
    twice.write_text(text.replace(main, main + main), encoding="utf-8")
    page = opened(twice)
    fields = page.get_by_role("spinbutton", name="Heads")
    page.get_by_role("slider", name="Heads").first.press("ArrowRight")
    page.wait_for_function("() => window.painted.length")
    assert [fields.nth(at).input_value() for at in (0, 1)] == ["9", "8"]


def test_a_curve_is_bent_by_hand_and_stays(exported, opened):
    page = opened(exported("slopes"))
    canvas = page.locator("canvas.base")
    box, at = canvas.bounding_box(), [float(part) for part in canvas.get_attribute("data-grip").split(",")]
    before = pixels(page)
    page.mouse.move(box["x"] + at[0], box["y"] + at[1])
    page.mouse.down()
    page.mouse.move(box["x"] + at[0] + 90, box["y"] + at[1], steps=4)
    page.mouse.up()
    page.wait_for_timeout(300)
    assert pixels(page) != before
    assert canvas.get_attribute("data-grip") != f"{at[0]:g},{at[1]:g}"


def test_it_follows_the_readers_theme(exported, opened):
    page = opened(exported("slopes"), color_scheme="dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor"), pixels(page)
    page.emulate_media(color_scheme="light")
    page.wait_for_timeout(200)
    light = page.evaluate("getComputedStyle(document.body).backgroundColor"), pixels(page)
    assert dark[0] != light[0]
    assert dark[1] != light[1]


@pytest.mark.slow
def test_the_playground_goes_too(exported, new_page):
    page = new_page(viewport={"width": 1280, "height": 800})
    page.emulate_media(reduced_motion="reduce")  # at first the words would move by themselves
    page.goto(exported("playground").as_uri())
    page.locator("input[type=range]").first.focus()
    before = pixels(page, "canvas")
    page.wait_for_timeout(400)
    assert pixels(page, "canvas") == before, "nothing moves by itself"
    page.keyboard.press("End")
    until = time.monotonic() + 30
    while pixels(page, "canvas") == before:
        assert time.monotonic() < until, "the slider moves the picture"


def test_what_models_wrote_is_played_without_a_server(exported, opened):
    page = opened(exported("write?write_seed=2"))
    page.get_by_text("trained up to here: 128").first.wait_for()
    page.get_by_role("slider").press("End")
    page.locator(".rail output", has_text="1,024 bytes").wait_for()
    assert page.get_by_role("textbox").count() == 0, "no model is there to write on"
    assert page.get_by_role("button").all_inner_texts() == ["Write", "PNG"]

"""What a reader takes away: the picture with its question and settings, and the worksheet, printed."""

from __future__ import annotations

import io
import re
from urllib.parse import urlsplit

import pytest
from PIL import Image

from alibi_viz.ui.shell import navigation
from tests.browser.actions import open_at


@pytest.fixture
def opened(new_page, app):
    """A page with “Download” open."""

    def open_lesson(path):
        page = open_at(new_page(), f"{app}{path}")
        page.get_by_role("button", name="Download", exact=True).click()
        page.locator(".take button").first.wait_for()
        return page

    return open_lesson


def taken(page, name):
    with page.expect_download() as download:
        page.locator(".take").get_by_role("button", name=name, exact=True).click()
    file = download.value
    return file.suggested_filename, file.path().read_bytes()


def worksheet(page, sheet, folder):
    """The worksheet of a page, opened in the other page `sheet`."""
    name, html = taken(page, "Worksheet")
    file = folder / name
    file.write_bytes(html)
    sheet.goto(file.as_uri())
    return sheet


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/slopes?heads=12", "/story?scene=3", "/story?scene=8", "/playground?ratio=2"])
def test_a_picture_has_its_question_its_settings_and_its_source(opened, path):
    page = opened(path)
    title = page.locator("h1").inner_text()
    name, svg = taken(page, "SVG")
    text = svg.decode()
    assert name.endswith(".svg")
    assert title.split()[0] in text
    assert "ALiBi Visualizer" in text
    assert "@font-face" in text, "the page's font travels with it"
    assert ("Heads: 12" in text) == ("slopes" in path)
    name, png = taken(page, "PNG")
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    assert name.endswith(".png")
    assert picture.width > 1000
    assert picture.getpixel((2, 2)) == (255, 255, 255), "on white"
    assert len(picture.getcolors(1 << 24)) > 50, "something is drawn"


@pytest.fixture(scope="module")
def dark_page(new_shared_page):
    """One page in the dark theme for all worksheets: they are made for paper all the same."""
    return new_shared_page(color_scheme="dark")


SHEETS = [*navigation.ICONS, "attention?content=trained+model&head=8"]


@pytest.mark.slow  # every lesson is opened
@pytest.mark.parametrize("lesson", SHEETS)
def test_each_worksheet_prints_with_its_figure_three_questions_and_the_answers_last(
    app, dark_page, new_page, tmp_path, lesson
):
    page = open_at(dark_page, f"{app}/{'' if lesson == navigation.FIRST else lesson}")
    page.get_by_role("button", name="Download", exact=True).click()
    sheet = worksheet(page, new_page(), tmp_path)
    assert sheet.locator("figure > svg").count() == 1
    drawn = Image.open(io.BytesIO(sheet.locator("figure > svg").screenshot())).convert("RGB")
    assert drawn.getpixel((2, 2)) == (255, 255, 255), "on white, though the page is dark"
    assert len(drawn.getcolors(1 << 24)) > 50, "something is drawn"
    assert sheet.locator("ol.questions li").count() == 3
    assert sheet.locator("h2.answers ~ ol li").count() == 3
    assert urlsplit(page.url).path in sheet.locator("footer p").inner_text()
    assert sheet.locator("footer svg").count() == 0, "no phone opens a link to this machine alone: no QR code"
    assert len(re.findall(rb"/Type /Page\b(?!s)", sheet.pdf())) == 2, "questions, then answers"
    assert not re.search(r"\{\{|undefined|null|NaN|\*\*|\[\[", sheet.locator("body").inner_text())


def test_a_worksheet_has_the_figure_questions_answers_and_the_link(opened, new_page, tmp_path):
    page = opened("/slopes?heads=12")
    sheet = worksheet(page, new_page(), tmp_path)
    assert sheet.locator("figure svg").count() == 1
    assert sheet.locator("ol.questions li").count() == 3
    assert "0.98 and 177 tokens" in sheet.locator("ol").last.inner_text()
    assert "heads=12" in sheet.locator("footer p").inner_text()
    assert sheet.locator("footer svg").count() == 0, "no phone opens a link to this machine alone: no QR code"
    pages = len(re.findall(rb"/Type /Page\b(?!s)", sheet.pdf()))
    assert pages == 2, "questions, then answers"
    assert not re.search(r"\{\{|undefined|null", sheet.locator("body").inner_text())


def chosen(page, name, *, on=True):
    page.locator(".take").get_by_label(name).set_checked(on)


@pytest.mark.slow
def test_a_slide_is_sixteen_to_nine_without_the_settings(opened):
    page = opened("/slopes?heads=12")
    chosen(page, "For slides (16:9)")
    _, svg = taken(page, "SVG")
    assert "Heads: 12" not in svg.decode()
    assert "ALiBi Visualizer" in svg.decode()
    _, png = taken(page, "PNG")
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    assert picture.width / picture.height == pytest.approx(16 / 9, rel=1e-3)
    drawn = Image.eval(picture.convert("L"), lambda shade: 255 - shade).getbbox()
    assert drawn[3] - drawn[1] > 0.85 * picture.height, "it fills the slide"


@pytest.mark.slow
def test_answers_can_be_left_off_and_the_title_stands_once(opened, new_page, tmp_path):
    page = opened("/slopes?heads=12")
    title = page.locator("h1").inner_text()
    chosen(page, "With answers", on=False)
    sheet = worksheet(page, new_page(), tmp_path)
    assert sheet.locator("body").inner_text().count(title) == 1
    assert sheet.locator(".answers").count() == 0
    assert sheet.locator(".blank span").all_inner_texts() == ["Name", "Date"]
    assert len(re.findall(rb"/Type /Page\b(?!s)", sheet.pdf())) == 1
    figure, body = sheet.locator("figure svg").bounding_box(), sheet.locator("section").bounding_box()
    assert figure["width"] >= body["width"], "as wide as the page"


@pytest.mark.slow
def test_several_lessons_make_one_worksheet(opened, new_page, app, tmp_path):
    page = opened("/slopes?heads=12")
    collect = page.locator(".take").get_by_role("button", name="Keep for a worksheet of several lessons")
    collect.click()
    page.locator(".take").get_by_role("button", name="Worksheet of 1").wait_for()
    open_at(page, f"{app}/bias")
    page.get_by_role("button", name="Download", exact=True).click()
    collect.click()
    page.locator(".take").get_by_role("button", name="Worksheet of 2").wait_for()
    name, html = taken(page, "Worksheet of 2")
    file, sheet = tmp_path / name, new_page()
    file.write_bytes(html)
    sheet.goto(file.as_uri())
    assert sheet.locator("section").count() == 2
    assert sheet.locator("ol.questions li").count() == 6
    assert sheet.locator("h3").count() == 2, "answers lesson by lesson"
    assert len(re.findall(rb"/Type /Page\b(?!s)", sheet.pdf())) == 3
    page.locator(".take").get_by_role("button", name="Begin again").click()
    page.locator(".take").get_by_role("button", name="Begin again").wait_for(state="hidden")


@pytest.mark.slow
def test_a_caption_names_what_stands_on_the_stage_alone(opened):
    page = opened("/extrapolation?extrapolation_open=paper,made")
    _, svg = taken(page, "SVG")
    assert "Windows: sliding" in svg.decode()
    assert "paper’s training length" not in svg.decode()

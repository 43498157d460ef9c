"""A file without a server: a page that moves, from the disk or in a frame."""

import html
import re

import pytest

from alibi_viz.classroom import drawing
from alibi_viz.lessons import load, plain
from alibi_viz.lm.writing import Writer
from alibi_viz.results import pretrained, trained
from alibi_viz.ui import weights
from alibi_viz.ui.exporting import main
from alibi_viz.ui.shell import navigation
from pages.write.page import default_prompt
from tests.browser.actions import DESK
from tests.browser.axe import violations

NONE = ("use",)  # lessons without a picture that moves by itself
RANGES = "input[type=range]:visible:enabled"
PIXELS = "all => all.filter((canvas) => canvas.checkVisibility()).map((canvas) => canvas.toDataURL()).join()"


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


def pixels(page):
    """What the pictures show; that of Writing is text."""
    return page.locator("canvas").evaluate_all(PIXELS), page.locator(".papers").all_inner_texts()


def test_two_sliders_add_up_and_nothing_is_asked_of_anyone(exported, new_page):
    page, asked = new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(exported("bias").as_uri())
    page.locator("canvas").first.wait_for()
    length = page.get_by_role("slider", name="Sequence length n")
    before = pixels(page)
    assert page.get_by_text(load("bias").label("after"), exact=True).count() == 0, "only Python answers it"
    for count in (18, 28):
        page.get_by_role("spinbutton", name="Heads").fill(str(count))
        page.wait_for_function(f"() => window.painted.some(({{ value }}) => value.heads === {count})")
    many = page.locator(".mv").first.inner_text()
    assert pixels(page) != before
    length.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.painted.some(({ value }) => value.n > 128)")
    slope = re.search(r"slope \S+", many)[0]
    assert slope in page.locator(".mv").first.inner_text(), "the slope is still that of 28 heads"
    page.wait_for_timeout(2500)  # longer than a hand waits for Python
    assert slope in page.locator(".mv").first.inner_text()
    page.get_by_label("Head", exact=True).last.fill("8")
    page.keyboard.press("Enter")
    page.locator(".pick .picked:nth-child(8)").wait_for()  # the frame of the chosen head moves with its field
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


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


@pytest.mark.slow
def test_a_trained_model_of_a_file_reads_a_text_of_the_reader(exported, new_page):
    page = new_page()
    page.goto(exported("attention_model").as_uri())
    field, note = page.locator("#hand-passage"), page.locator(".matrices > .note")
    field.fill("The bird sings. " * 20 + "Zebras")
    note.filter(has_text="“s”").wait_for()
    page.select_option("#hand-model", "learned")
    page.locator(".remark", has_text="The page uses the first 128 bytes.").wait_for()
    note.filter(has_text="adds a vector").wait_for()
    assert page.locator("#hand-strength:visible").count() == 0
    titles = [
        load("shared").entry("one_head", f"panel_{name}") for name in ("alone", "content", "masked_plain", "weights")
    ]
    assert page.locator(".panel .title").all_inner_texts() == titles
    field.fill("")
    page.locator(".trouble:visible").wait_for()
    field.fill("One two.")
    page.locator(".trouble:visible").wait_for(state="hidden")


def shown(page, url):
    page.goto(url)
    page.locator(".note").first.wait_for(state="attached")
    assert page.locator(".trouble:visible").count() == 0, url
    return page


def moves(page, slider, key):
    """Whether the pictures change when the slider goes ten steps on, or to its beginning."""
    before = pixels(page)
    slider.focus()
    page.keyboard.press(key)
    page.wait_for_timeout(150)
    return pixels(page) != before


@pytest.mark.slow  # a lesson is computed, and its page opened for each slider
@pytest.mark.parametrize("lesson", [name for name in navigation.ICONS if name not in NONE])
def test_every_slider_moves_its_picture(exported, new_page, lesson):
    page, asked = new_page(viewport=DESK), []
    page.on("request", lambda request: asked.append(request.url))
    address = exported(lesson).as_uri()
    sliders = shown(page, address).locator(RANGES).count()
    for number in range(sliders):  # from the first setting each: one may leave nothing to do for another
        slider = shown(page, address).locator(RANGES).nth(number)
        assert any(moves(page, slider, key) for key in ("PageUp", "Home")), number
    assert violations(page) == []
    assert all(url.startswith((address, "data:", "blob:")) for url in asked)


def test_the_story_turns_and_is_moved_in_a_file(exported, new_page):
    page = new_page(viewport=DESK, reduced_motion="reduce")
    page.goto(exported("story").as_uri())
    question, number = page.locator(".question"), page.locator(".big")
    seen = [question.inner_text()]
    for turn in (page.locator(".dot").nth(2).click, page.locator(".dot").nth(5).click):
        turn()
        seen.append(question.inner_text())
        if len(seen) == 2:
            number.filter(has_text=re.compile(r"%[\s\S]*%")).wait_for()  # it is said with the next frame
            far, without = re.findall(r"[\d.]+%", number.inner_text())
            assert float(far[:-1]) < 0.5 * float(without[:-1]), "the browser computes what no server answers"
    assert len(set(seen)) == 3
    page.locator(".canvas").focus()
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    assert number.inner_text() != "0%"
    assert page.locator(".trouble:visible, a:visible[href*=glossary]").count() == 0
    page.locator(".dot").nth(6).click()
    page.locator(".text .meaning", has_text="Perplexity").first.click()
    assert page.locator(".term").inner_text() == plain(load("glossary").entry("terms", "perplexity"))


@pytest.mark.slow
def test_the_story_writes_after_a_reader_s_sentence_what_pytorch_writes(exported, new_page):
    """Here and not on the page: the story is about what models write, and Writing says who has checked it."""
    page, own, count = new_page(viewport=DESK, reduced_motion="reduce"), "my dog reads ", 400
    page.goto(exported(f"story?story_text={own.strip()}&step=7&write_at={count}").as_uri())
    for place, method in enumerate(drawing.WRITERS):
        text = own + Writer(trained.shipped(method), own.encode()).write(count - len(own)).decode()
        page.locator(".column .flow").nth(place).filter(has_text=text).wait_for()


def test_a_file_of_writing_has_the_models_of_its_language_and_says_so(exported, new_page):
    """Every method can be chosen in it, and it writes after any beginning: eight models that few ask for stay away."""
    file, page = exported("write?write_length=64"), new_page(viewport=DESK)
    text = file.read_text(encoding="utf-8")
    for name, (_, of) in pretrained.MODELS.items():
        assert (f'"{weights.address_of(name)}":' in text) == (of == "en"), name
    page.goto(file.as_uri())
    page.locator(".signs", has_text=load("write").entry("picture", "file")).wait_for()
    field = page.get_by_role("textbox").first
    field.fill(default_prompt(load("write", "zh")))
    field.press("Enter")
    page.locator(".paper", has_text=default_prompt(load("write", "zh"))).nth(1).wait_for()
    assert page.locator(".paper .problem").all_inner_texts() == [""] * page.locator(".paper").count()


@pytest.mark.slow
def test_what_was_written_for_the_first_setting_goes_with_a_hand(exported, new_page):
    page = new_page(viewport=DESK, color_scheme="dark")
    page.goto(exported("slopes").as_uri())
    page.locator("input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    assert page.get_by_role("spinbutton", name="Heads").input_value() == "9"
    assert page.locator("section > .note").is_hidden()
    assert page.locator(".settings").is_hidden(), "they would say 8"

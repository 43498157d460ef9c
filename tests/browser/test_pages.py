"""Every page once, as a reader meets it: at a desk in the light, on a phone in the dark, and presented to a room.

Its picture stands in the first screen, nothing jumps while it is opened, nothing stands out or is cut off in any language,
and everybody can use it.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from alibi_viz.lessons import load
from alibi_viz.lessons.languages import ENGLISH, LANGUAGES
from alibi_viz.ui.shell import navigation
from benchmarks.pages import PICTURES
from tests.browser.actions import DESK, PHONE, PROJECTOR, open_at, settle, speak
from tests.browser.answers import answers_in, seen
from tests.browser.axe import violations
from tests.browser.clipping import clipped, with_squares
from tests.browser.drawn import smallest_type
from tests.cases import some

SIZES = {"desk": DESK, "phone": PHONE, "presented": PROJECTOR}
PAGES = [*navigation.ICONS, navigation.GLOSSARY]
#: One page of each kind of picture, and one without: these are toured in every run of the tests.
KINDS = (
    *("playground", "story", "slopes", "bias", "attention", "compare", "heirs", "write", "train", navigation.GLOSSARY),
)
ASKING = [name for name in navigation.ICONS if "predict" in load(name) or name == "extrapolation"]  # there it is drawn
CHOOSABLE = ("attention?attention_open=heads", "attention_model?attention_model_open=heads", "bias")  # matrices
WITHOUT_CONTROLS = ("sources", navigation.GLOSSARY)
SMALL_TYPE = ("today", "use", "sources")  # names, lines of code, powers of ten: nobody reads them from the back row
SHIFT = 0.1  # Cumulative Layout Shift that is called good
MOST_HEIGHT = 1_500  # pixels of a lesson on a desk before anything is opened
#: The formulas of six methods; verdicts on thirteen, and what newer ones were reduced by; what a claim does not show.
HIGHER = {"compare": 1_720, "extrapolation": 1_900, "heirs": 1_740, "why": 1_700}
TABS = 8  # presses from the top of a page to its first control
WATCH_SHIFTS = """window.moved = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.moved += entry.value;
}).observe({ type: "layout-shift", buffered: true });"""
TOO_WIDE = "() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth"
BACKGROUND = "() => getComputedStyle(document.querySelector('.stApp')).backgroundColor"
PLACE_ENDS = """(places) => Math.max(
  ...[...document.querySelectorAll(places)].map((one) => one.getBoundingClientRect().bottom))"""
HEIGHT = "() => document.querySelector('[data-testid=stMainBlockContainer]').getBoundingClientRect().height"
LABELS_INSIDE = """() => [...document.querySelectorAll('.js-plotly-plot .barlayer .bartext')].every((text) => {
  const label = text.getBoundingClientRect(), chart = text.closest('.js-plotly-plot').getBoundingClientRect();
  return label.left >= chart.left - 1 && label.right <= chart.right + 1;
})"""
#: The box of what is painted in the first screen, and whether what lies in its middle is a part of the page's picture.
SEEN = """(places) => {
  const kinds = "canvas, .main-svg, .paper, .papers, .attention, .stCode";
  const parts = [...document.querySelectorAll(places)].flatMap(all)
    .filter((one) => one.matches(kinds) && one.checkVisibility({ visibilityProperty: true }))
    .map((one) => one.getBoundingClientRect())
    .filter(({ width, height, top }) => width > 20 && height > 20 && top < innerHeight);
  if (!parts.length) return null; // a script may come after the page's run
  const end = (pick, side) => pick(...parts.map((box) => box[side]));
  const [left, top, right] = [end(Math.min, "left"), end(Math.min, "top"), end(Math.max, "right")];
  const bottom = Math.min(end(Math.max, "bottom"), innerHeight);
  const [first] = parts, middle = (first.top + Math.min(first.bottom, innerHeight)) / 2;
  const hit = document.elementFromPoint((first.left + first.right) / 2, middle);
  return { left, top, right, bottom, inFront: Boolean(hit?.closest(places)) };
}"""
#: Pixels of the type in fields, also in those of a picture.
FIELDS = """() => {
  return all(document).filter((one) => one.checkVisibility()
    && one.matches("textarea, select, input:not([type=range], [type=checkbox], [type=radio], [type=file])"))
    .map((one) => parseFloat(getComputedStyle(one).fontSize));
}"""
#: Whether the focus stands on a control of the stage: a slider, a choice, a text, a button; not on its help.
ON_A_CONTROL = """() => {
  let focused = document.activeElement, host = focused;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  const help = /^(Help|\\?)/.test(focused.getAttribute('aria-label') || focused.innerText);
  const inSight = host.shadowRoot?.querySelector('.playground, .hands');
  return !help && focused.matches('input, textarea, button, select, [role=radio]') && Boolean(inSight);
}"""


@pytest.fixture(scope="module")
def opened(app: str, new_shared_page: Any) -> Callable[[str, str], Any]:
    """opened(size, address): the page of that size, loaded anew."""
    pages: dict[str, Any] = {}

    def load_anew(size: str, address: str) -> Any:
        if size not in pages:
            scheme = "dark" if size == "phone" else "light"
            pages[size] = new_shared_page(viewport=SIZES[size], color_scheme=scheme, script=WATCH_SHIFTS)
        return open_at(pages[size], f"{app}/{address}")

    return load_anew


def shows_its_picture(page: Any) -> None:
    width, height = page.viewport_size["width"], page.viewport_size["height"]
    seen, title = page.wait_for_function(SEEN, arg=PICTURES).json_value(), page.locator("h1").bounding_box()
    assert title["y"] >= 0
    assert seen["inFront"], "nothing lies over it"
    assert title["y"] + title["height"] <= seen["top"] < 0.66 * height, seen
    assert seen["bottom"] - seen["top"] >= 0.22 * height, seen
    assert seen["right"] - seen["left"] >= (0.78 if width < 640 else 0.4) * width, seen


def views() -> list[Any]:
    """Each page in both windows, in all languages, and presented. Quick: one of each kind, in one of the windows, in turn,
    and in English."""
    others = sorted(LANGUAGES.keys() - {ENGLISH})
    return [
        pytest.param(lesson, size, [], id=f"{lesson}-{size}")
        if number % 2 == turn and lesson in KINDS
        else pytest.param(lesson, size, others, id=f"{lesson}-{size}", marks=pytest.mark.slow)
        for turn, size in enumerate(SIZES)
        for number, lesson in enumerate(PAGES)
    ]


@pytest.mark.parametrize(("lesson", "size", "others"), views())
def test_a_page_has_its_picture_in_the_first_screen_and_breaks_no_rule(opened, lesson, size, others):
    query = "?present=true" if size == "presented" else ""
    page = opened(size, navigation.url_path(lesson) + query)
    assert page.get_by_test_id("stException").count() == 0
    assert page.evaluate("moved") < SHIFT
    assert page.evaluate(TOO_WIDE) <= 0
    assert page.evaluate(LABELS_INSIDE)
    red, green, blue = map(int, re.findall(r"\d+", page.evaluate(BACKGROUND))[:3])
    assert (red + green + blue < 200) == (size == "phone")
    if lesson != navigation.GLOSSARY:
        shows_its_picture(page)
    if size == "phone":
        assert min(page.evaluate(FIELDS), default=16) >= 16, "a phone enlarges the page for a smaller field"
    if size == "presented":
        assert lesson in (*SMALL_TYPE, navigation.GLOSSARY) or smallest_type(page.locator(PICTURES)) >= 18
        return
    assert violations(page) == []
    if size == "desk" and lesson != navigation.GLOSSARY:
        assert page.evaluate(HEIGHT) <= HIGHER.get(lesson, MOST_HEIGHT)
        assert page.locator(f"[class*='st-key-{lesson}_open_']").count() <= 4
    assert clipped(page) == []
    with_squares(page)
    for language in others:
        speak(page, language)
        assert clipped(page) == [], language
        assert page.evaluate(TOO_WIDE) <= 0, language


BEFORE_ITS_SCRIPT = ["playground", "slopes", "bias", "attention", "attention_model", "compare", "lab_rope"]
BEFORE_ITS_SCRIPT += ["lab_learned", "write", "pitfalls"]
BEFORE_ITS_SCRIPT += ["story", "story?step=4", "story?step=6", "story?step=7"]  # words, a matrix, lines, texts


@pytest.mark.parametrize(
    "opened_at",
    some([(address, size) for address in BEFORE_ITS_SCRIPT for size in ("desk", "phone")], ("story?step=4", "phone")),
    ids=" ".join,
)
def test_what_stands_below_a_picture_stands_there_before_it_is_drawn(app, new_page, opened_at):
    address, size = opened_at
    page, height = new_page(viewport=SIZES[size]), SIZES[size]["height"]
    held, are_held = [], True
    page.route("**/modules-*/pictures/**", lambda route: held.append(route) if are_held else route.continue_())
    end = partial(page.evaluate, PLACE_ENDS, PICTURES)
    page.goto(f"{app}/{address}".replace("/playground", "/"), wait_until="commit")  # what is held would keep it waiting
    settle(page)
    before, are_held = end(), False
    for route in held:
        route.continue_()
    page.wait_for_function(SEEN, arg=PICTURES)
    settle(page)
    assert min(end(), height) == pytest.approx(min(before, height), abs=8)


def addresses() -> list[str]:
    """What a page shows beside its first view: all sections of each lesson, the steps of the story, other code."""
    opened = []
    for lesson in navigation.ICONS:
        names = [*(load(lesson).entries("sections") if "sections" in load(lesson) else ()), "code"]
        opened.append(f"{navigation.url_path(lesson)}?{lesson}_open={','.join(names)}")
    steps = [f"story?step={number}" for number in range(2, 10)]
    return [*opened, *steps, "use?use_where=transformers", "use?use_where=xformers"]


@pytest.mark.slow
@pytest.mark.parametrize("address", addresses())
def test_what_is_opened_further_down_breaks_no_rule_of_accessibility(opened, address):
    page = opened("desk", address)
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        assert violations(page) == [], scheme


@pytest.mark.parametrize("address", some(CHOOSABLE, CHOOSABLE[0]))
def test_matrices_to_choose_from_are_options_that_are_called_as_they_are_titled(opened, address):
    """A figure with a caption may have no other role, and a name that leaves out what is written says less than it."""
    page = opened("desk", address)
    options = page.locator("[role=option]")
    options.first.scroll_into_view_if_needed()  # what is out of sight is not drawn, and has no words
    settle(page)
    assert violations(page) == []
    assert not options.evaluate_all("(all) => all.filter((one) => one.matches('figure, [aria-label]')).length")
    titles = options.locator(".title").all_text_contents()
    assert len(titles) == 8
    for title, option in zip(titles, options.all(), strict=True):
        assert title in option.aria_snapshot()


@pytest.mark.parametrize("address", some(ASKING, "slopes"))
def test_a_question_leaves_the_picture_in_sight_and_hides_what_answers_it(opened, address):
    page = opened("desk", f"{address}{'&' if '?' in address else '?'}predict=true")
    page.locator(".st-key-question_open").wait_for()
    shows_its_picture(page)
    assert page.locator(".presets:visible").count() == 0, "they would ask another question"
    assert page.locator(":is(.note, .st-key-stage .stMarkdown):visible").count() == 0, "it says the answer"
    assert answers_in(address, seen(page)) == []
    page.get_by_role("button", name="Show the answer").click()
    page.locator(".st-key-question_open").wait_for(state="hidden")
    settle(page)
    assert answers_in(address, seen(page)), "it stood there all the time"


@pytest.mark.slow
@pytest.mark.parametrize("lesson", [name for name in PAGES if name not in WITHOUT_CONTROLS])
def test_a_keyboard_reaches_the_controls_within_a_few_presses(opened, lesson):
    page = opened("desk", navigation.url_path(lesson))
    page.locator("[data-testid=stSkipToContent]").focus()
    page.keyboard.press("Enter")  # Streamlit's link past the menu; the first press has led to it
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # ours past the picture
    presses = 2
    while presses < TABS and not page.evaluate(ON_A_CONTROL):
        page.keyboard.press("Tab")
        presses += 1
    assert page.evaluate(ON_A_CONTROL)

"""Every page once, as a reader meets it: at a desk in the light, on a phone in the dark, and presented to a room.

Before it has run, a frame stands where its picture will be. The picture is in the first screen, nothing jumps while the
page is opened, nothing stands out or is cut off in any language, no line breaks where none may, and everybody can use it.
"""

import re
from functools import partial
from itertools import combinations, pairwise, product
from typing import Any

import pytest

from alibi_viz.lessons import load
from alibi_viz.lessons.languages import ENGLISH, LANGUAGES
from alibi_viz.ui.shell import navigation
from benchmarks.pages import PICTURES
from pages.today.study import timeline
from tests.browser.actions import DESK, PHONE, PROJECTOR, cover, open_at, settle, speak
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
def opened(app, new_shared_page):
    """opened(size, address): the page of that size, loaded anew."""
    pages: dict[str, Any] = {}

    def load_anew(size, address):
        if size not in pages:
            scheme = "dark" if size == "phone" else "light"
            pages[size] = new_shared_page(viewport=SIZES[size], color_scheme=scheme, script=WATCH_SHIFTS)
        return open_at(pages[size], f"{app}/{address}")

    return load_anew


def shows_its_picture(page):
    width, height = page.viewport_size["width"], page.viewport_size["height"]
    seen, title = page.wait_for_function(SEEN, arg=PICTURES).json_value(), page.locator("h1").bounding_box()
    assert title["y"] >= 0
    assert seen["inFront"], "nothing lies over it"
    assert title["y"] + title["height"] <= seen["top"] < 0.66 * height, seen
    assert seen["bottom"] - seen["top"] >= 0.22 * height, seen
    assert seen["right"] - seen["left"] >= (0.78 if width < 640 else 0.4) * width, seen


def views():
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


def addresses():
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


SEVERAL = re.compile("[\u3041-\u309f、]")  # in a term of several words
#: By lines as they stand: those that begin with a mark, and terms of which the parts stand in two. A formula is one letter.
BROKEN = r"""({ terms, isJapanese }) => {
  const mark = /^[、。，．：；？！／）」』】》”’…ー々〜％%ぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u, found = new Set();
  const NARROW = 40; // pixels
  const range = document.createRange(), blocks = new Map();
  const blockOf = (node) => {
    let box = node.parentElement;
    while (box.parentElement && getComputedStyle(box).display.startsWith("inline")) box = box.parentElement;
    return box;
  };
  const visit = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
      node.parentElement?.closest(".katex, math, pre, svg, script, style, [data-testid=stSidebar], .alt, .live")
        ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    for (let node = walker.currentNode; node; node = walker.nextNode()) {
      if (node.shadowRoot) visit(node.shadowRoot);
      const isFormula = node instanceof Element && node.matches(".katex, math");
      if (!isFormula && !(node instanceof Text && node.data.trim())) continue;
      if (blockOf(node).clientWidth < NARROW) continue; // for screen readers
      if (!node.parentElement?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const block = blockOf(node), letters = blocks.get(block) ?? [];
      blocks.set(block, letters);
      const of = node instanceof Text ? Array.from(node.data) : ["□"], linked = Boolean(node.parentElement.closest("a"));
      let at = 0;
      for (const letter of of) {
        if (node instanceof Text) {
          range.setStart(node, at);
          range.setEnd(node, at += letter.length);
        }
        const box = (node instanceof Text ? range : node).getBoundingClientRect();
        const last = letters.at(-1); // a blank at the end of a line has no width
        if (box.width) letters.push({ letter, linked, middle: (box.top + box.bottom) / 2, high: box.height });
        else if (last && !letter.trim()) letters.push({ ...last, letter });
      }
    }
  };
  visit(document.body);
  for (const letters of blocks.values()) {
    let line = 0;
    letters.forEach((one, at) => {
      const before = letters[at - 1];
      if (before && one.middle - before.middle > Math.min(one.high, before.high) / 2) line += 1;
      one.line = line;
      if (before && line > before.line && mark.test(one.letter)) {
        found.add(`${letters.slice(Math.max(0, at - 9), at).map(({ letter }) => letter).join("")}│${one.letter}`);
      }
    });
    const text = letters.map(({ letter }) => letter).join("");
    if (isJapanese) {
      for (const { segment, index } of new Intl.Segmenter("ja", { granularity: "word" }).segment(text)) {
        const place = Array.from(text.slice(0, index)).length, end = place + Array.from(segment).length - 1;
        const before = text.slice(Math.max(0, index - 6), index);
        if (letters[place].line !== letters[end].line) found.add(`${before}[${segment}]`);
      }
    }
    for (const { term, isAlways } of terms) {
      for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1)) {
        const place = (end) => Array.from(text.slice(0, end)).length;
        const first = letters[place(at)], last = letters[place(at + term.length) - 1];
        if (first.line === last.line || !(isAlways || first.linked)) continue;
        found.add(`${term}: ${text.slice(Math.max(0, at - 6), at + term.length + 4)}`);
      }
    }
  }
  return [...found];
}"""
WIDE_TABLES = """() => [...document.querySelectorAll("[data-testid=stMarkdownContainer] table")]
  .filter((table) => table.getBoundingClientRect().right > innerWidth).map((table) => table.innerText.slice(0, 40))"""


@pytest.mark.parametrize("opened", some(product(("zh", "ja"), PAGES), ("ja", "heirs")), ids="-".join)
def test_no_line_begins_with_a_mark_or_cuts_a_term(app, new_page, opened):
    language, lesson = opened
    book = load(lesson, language)
    sections = ",".join(book.entries("sections")) if "sections" in book else ""
    page = open_at(new_page(viewport=PHONE), f"{app}/{lesson}?lang={language}&{lesson}_open={sections}")
    names = [name for name in load("glossary", language).entries("names").values() if not name.isascii()]
    terms = [{"term": name, "isAlways": language == "ja" and not SEVERAL.search(name)} for name in names]
    assert page.evaluate(BROKEN, {"terms": terms, "isJapanese": language == "ja"}) == []
    assert page.evaluate(WIDE_TABLES) == []


NEAR = 12  # pixels: half a line


@pytest.mark.parametrize("view", some(product(navigation.ICONS, ("desk", "phone")), ("slopes", "phone")), ids="-".join)
def test_a_frame_stands_where_the_picture_will_be_until_it_is_painted(new_page, app, view):
    name, size = view
    page, held = new_page(viewport=SIZES[size]), []
    page.route("**/_stcore/host-config*", lambda route: held.append(route))
    page.goto(f"{app}/{navigation.url_path(name)}")
    before = page.locator("#frame").bounding_box()
    while not held:
        page.wait_for_timeout(50)
    held[0].continue_()
    page.locator("#frame").wait_for(state="detached")
    drawn = page.locator(PICTURES).locator("canvas, .main-svg, .paper, .papers, .attention, .stCode")
    assert drawn.filter(visible=True).count() > 0  # a phone shows one matrix at a time, not always the first one
    after = page.locator(PICTURES).filter(visible=True).first.bounding_box()
    assert abs(before["x"] - after["x"]) < NEAR
    assert before["y"] < after["y"] + after["height"]
    assert after["y"] < before["y"] + before["height"]


@pytest.mark.slow
def test_no_frame_stands_before_the_sentence_that_is_there_instead_of_a_picture(new_page, app):
    page = new_page()
    page.goto(f"{app}/attention?kv_heads=3")
    page.get_by_role("alert").filter(has_text="cannot share").wait_for()
    page.evaluate("() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))")
    assert page.locator("#frame").count() == 0


#: The boxes of all names and of all marks, of the chart, and of what stands below it.
BOXES = """() => {
  const sides = ({ left, top, right, bottom }) => [left, top, right, bottom];
  const box = (part) => sides(part.getBoundingClientRect());
  const all = (selector) => [...document.querySelectorAll('.js-plotly-plot ' + selector)].map(box);
  return { names: all('.textpoint text'), marks: all('.points path'), chart: all('.main-svg')[0],
    titles: all('.xtitle'), ticks: all('.xtick text'), notes: all('.annotation text') };
}"""


@pytest.mark.slow
@pytest.mark.parametrize(("size", "query"), [("desk", ""), ("phone", ""), ("desk", "?present=true")])
def test_every_name_can_be_read(app, new_page, size, query):
    page = open_at(new_page(viewport=SIZES[size]), f"{app}/today{query}")
    page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot .textpoint text').length > 0")
    settle(page)
    boxes = page.evaluate(BOXES)
    names, marks, chart = boxes["names"], boxes["marks"], boxes["chart"]
    assert len(names) == len(marks) == timeline()["shown"].sum()
    for number, name in enumerate(names):
        assert chart[0] <= name[0], number
        assert name[2] <= chart[2], number
        slack = 3.0 if query else 1.0  # on a wall type is larger, and so is what its boxes have above it
        assert not [other for other in names[number + 1 :] if cover(name, other, slack)], number
        assert not [mark for mark in marks if cover(name, mark, slack)], number
    if size == "desk":
        assert chart[3] <= DESK["height"], "the figure is on the first screen"


@pytest.mark.slow
def test_the_names_at_the_ends_of_lines_do_not_touch(new_page, app):
    page = open_at(new_page(), f"{app}/extrapolation?ext_methods=alibi,rope,t5,sinusoidal,none,fire,sandwich")
    chart = page.locator(".js-plotly-plot").first
    edge, labels = chart.bounding_box(), chart.locator(".annotation-text")
    lines = ("RoPE", "Sinusoidal", "No positions", "T5 bias", "ALiBi", "FIRE", "Sandwich (one seed)")
    boxes = [labels.get_by_text(name, exact=True).bounding_box() for name in lines]
    assert all(box["x"] + box["width"] <= edge["x"] + edge["width"] for box in boxes)
    tops = sorted((box["y"], box["y"] + box["height"]) for box in boxes)
    assert all(low[1] <= high[0] + 1 for low, high in pairwise(tops))


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_words_below_a_picture_stand_over_nothing_on_a_phone(new_page, app, language):
    """Words in Han characters are written downwards; others are turned, and their boxes are wider than they."""
    page = new_page(viewport=PHONE)
    for address, part in (("attention?attention_open=row", ".xtitle"), ("early_token_curse?", ".annotation")):
        open_at(page, f"{app}/{address}&lang={language}")
        page.locator(f".js-plotly-plot {part}").first.wait_for()
        settle(page)
        boxes = page.evaluate(BOXES)
        pairs = [*product(boxes["titles"], boxes["ticks"]), *combinations(boxes["notes"], 2)]
        pairs += combinations(boxes["ticks"], 2) if language == "zh" else []
        assert not [pair for pair in pairs if cover(*pair)], address


LARGE = 1_500  # bytes: what is smaller fits into one packet as it is
MOST_SCRIPTS = 1.0e6  # bytes of scripts, style sheets and the document


def test_the_scripts_of_the_first_page_come_compressed_and_are_kept(new_page, app):
    page, asked_for = new_page(service_workers="block"), []  # a window of its own, which has kept nothing
    page.on("requestfinished", lambda request: asked_for.append(request))
    page.goto(app)
    page.locator("#frame").wait_for(state="detached")
    kinds = ("script", "stylesheet", "document")
    texts = [asked for asked in asked_for if asked.resource_type in kinds and asked.url.startswith("http")]
    scripts = [asked for asked in texts if asked.resource_type != "document"]
    assert len(scripts) > 50
    for asked in texts:
        headers = asked.response().headers
        assert headers.get("content-encoding") == "gzip" or int(headers["content-length"]) < LARGE, asked.url
    assert {asked.url for asked in scripts if "immutable" not in asked.response().headers["cache-control"]} == set()
    assert sum(asked.sizes()["responseBodySize"] for asked in texts) < MOST_SCRIPTS

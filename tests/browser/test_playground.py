"""The playground in a real browser: its arithmetic against PyTorch, and each gesture by pointer, touch and keys."""

from __future__ import annotations

import json
import random
import re
from functools import partial
from urllib.parse import urlencode, urlsplit

import numpy as np
import pytest

from alibi_viz.content.words import words
from alibi_viz.lessons import load
from alibi_viz.pictures import javascript
from pages.playground import study
from pages.playground.study import Controls
from tests.browser.actions import address_has, open_at, query, settle
from tests.cases import some

SENTENCE = "the cat sat on the mat and the dog sat on the rug near the cat"
WORDS = load("playground").entries("picture")
SIZES = {"desk": (1280, 800), "wide": (1440, 900), "phone": (390, 844)}
STORE = """((state) => { const store = new core.Store();
  const vectors = Float32Array.from(state.vectors); vectors.shape = state.shape;
  store.setWords(state.words, Uint16Array.from(state.ids), vectors);
  store.take(state.values);
  const weights = (_, at) => Array.from(store.weights(store.query, store.slope(at + 1) * store.strength));
  return [...Array.from({length: store.heads}, weights), Array.from(store.weights(store.query, 0))];
})"""


@pytest.fixture(scope="module")
def js(run_module):
    """The component's module, with its store in sight."""
    return partial(run_module, javascript("playground/view.js"))


def test_the_picture_computes_what_pytorch_computes(js):
    rng, texts = (
        random.Random(0),
        (SENTENCE, "a", "a b c", "to be or not to be 🙂", " ".join(f"w{n % 70}" for n in range(200))),
    )
    worst = 0.0
    for _ in range(200):
        text = tuple(words(rng.choice(texts)))
        heads = rng.choice(study.COUNTS)
        bent = rng.sample(range(1, heads + 1), rng.randint(0, heads))
        own = {head: rng.uniform(study.GENTLEST, study.STEEPEST) for head in bent}
        strength, ratio = rng.uniform(0, 4), rng.choice((rng.uniform(1, 16), rng.randint(2, 32) / 2))
        count = Controls(text, heads, 1, strength, (), 0, ratio).count
        chosen = Controls(text, heads, 1, strength, tuple(own.items()), rng.randrange(count), ratio)
        result = study.study(chosen)
        values = {"heads": str(heads), "head": 1, "strength": strength, "query": chosen.back, "ratio": ratio}
        values["slopes"] = ", ".join(f"{head}:{slope!r}" for head, slope in own.items())
        state = {"words": text, "ids": result.ids, "shape": result.vectors.shape, "values": values}
        state["vectors"] = result.vectors.ravel().tolist()
        ours = np.array(js(f"{STORE}({json.dumps(state)})"))
        worst = max(worst, float(np.abs(ours - [*result.rows, result.plain]).max()))
    assert worst <= 1e-5


#: Reports and answers of hands on a clock of their own: what is shown after each of these, and what was reported.
ANSWERS = """(() => {
  const { setTimeout: later, clearTimeout: never } = window, timers = [], shown = [], told = [];
  window.setTimeout = (act, after = 0) => timers.push({ act, after });
  window.clearTimeout = (number) => { if (timers[number - 1]) timers[number - 1].act = () => {}; };
  const pass = () => { for (const { act } of timers.splice(0, timers.length, ...timers.map(() => ({ act() {} })))) act(); };
  const hands = new core.Hands({ alone: false, moved() {}, report: (values) => told.push(values.head) });
  const answer = (head) => {
    hands.answer({ hands: [], presets: [], more: "", values: { head } }, () => {});
    shown.push(hands.values.head);
  };
  const choose = (head) => { hands.set({ head }); hands.release(); };
  answer(1);
  choose(2);
  choose(3);
  answer(2);
  pass();
  shown.push(hands.values.head);
  pass();
  answer(3);
  hands.held = true;
  hands.set({ head: 4 });
  answer(3);
  hands.release();
  answer(5);
  pass();
  shown.push(hands.values.head);
  hands.close();
  Object.assign(window, { setTimeout: later, clearTimeout: never });
  return { shown, told };
})()"""


def test_an_answer_never_undoes_what_was_changed_since_and_is_asked_for_again(js):
    found = js(ANSWERS)
    assert found["shown"] == [1, 3, 3, 3, 4, 4, 5], "what Python has corrected is drawn when no other answer comes"
    assert found["told"] == [2, 3, 3, 4]


class Hand:
    """The playground on a page, and what a reader does with it."""

    def __init__(self, page):
        self.page, self.hero = page, page.locator("canvas.arcs")

    def at(self, x, y):
        box = self.hero.bounding_box()
        return box["x"] + x * box["width"], box["y"] + y * box["height"]

    def drag(self, start, *stops):
        self.page.mouse.move(*self.at(*start))
        self.page.mouse.down()
        for stop in stops:
            self.page.mouse.move(*self.at(*stop), steps=4)
        self.page.mouse.up()
        self.answered()

    def answered(self):
        self.page.locator(".playground[data-source=python]").wait_for()
        settle(self.page)

    def asked(self, key):
        """What the address says of a control, which was changed."""
        self.page.wait_for_function("(key) => new URLSearchParams(location.search).has(key)", arg=key)
        return query(self.page)[key][0]

    def is_default(self, *keys):
        """Wait until the address says nothing of these."""
        none = "(keys) => !keys.some((key) => new URLSearchParams(location.search).has(key))"
        self.page.wait_for_function(none, arg=list(keys))
        return True

    @property
    def read(self):
        return self.page.locator(".playground .read").inner_text()


@pytest.fixture
def hand(new_page, app, request):
    width, height = SIZES[getattr(request, "param", "desk")]
    page = new_page(viewport={"width": width, "height": height})
    page.emulate_media(reduced_motion="reduce")
    open_at(page, f"{app}/playground")
    page.locator("canvas.arcs").wait_for()
    hand = Hand(page)
    hand.answered()
    return hand


@pytest.mark.parametrize("hand", some(SIZES, "desk"), indirect=True)
def test_every_gesture_by_pointer_at_three_sizes(hand):
    page = hand.page
    start = page.locator(".playground .read").inner_text()
    x, y = (float(part) for part in page.locator("canvas.arcs").get_attribute("data-grip").split(","))
    hand.drag((x, y), (x - 0.1, y), (x - 0.15, y))  # the curve follows the hand
    bent = float(hand.asked("slopes").split(":")[1])
    assert hand.asked("slopes").startswith("2:")
    assert bent < 1 / 4
    assert hand.read != start
    page.get_by_role("button", name=WORDS["undo"]).click()
    hand.answered()
    assert hand.is_default("slopes")
    page.locator(".seg button").nth(2).click()
    hand.answered()
    address_has(page, "heads", "4")
    page.locator(".chip").nth(3).click()
    hand.answered()
    address_has(page, "head", "4")
    page.locator(".seg button").nth(3).click()
    hand.answered()
    page.locator(".seg button").nth(2).click()
    hand.answered()
    address_has(page, "head", "4")  # each number of heads remembers its own
    page.locator("#hand-strength").fill("2")
    hand.answered()
    address_has(page, "strength", "2")
    page.locator("#hand-text").fill("one two three one")
    hand.answered()
    address_has(page, "text", "one two three one")
    assert hand.read.startswith("one → one, 3 back")
    page.locator("button.pull").press("PageUp")
    hand.answered()
    address_has(page, "ratio", "2")
    assert page.locator(".beat .said").inner_text().startswith("At 2×")
    page.get_by_role("button", name=WORDS["reset"]).click()
    hand.answered()
    assert hand.is_default("slopes", "strength", "ratio", "query")


@pytest.mark.parametrize("hand", some(SIZES, "phone"), indirect=True)
def test_hero_arithmetic_and_heads_share_the_first_screen(hand):
    page, height = hand.page, hand.page.viewport_size["height"]
    boxes = [page.locator(f".playground {part}").bounding_box() for part in ("#hand-text", ".hero", ".read", ".chips")]
    tops, ends = [box["y"] for box in boxes], [box["y"] + box["height"] for box in boxes]
    assert tops == sorted(tops)
    assert tops[0] >= 0
    assert max(ends) <= height
    assert boxes[1]["width"] > 0.6 * page.viewport_size["width"]


@pytest.mark.parametrize("address", some(["/", "/playground", "/?strength=2"], "/"))
def test_the_first_page_has_an_address_by_its_name_too(new_page, app, address):
    page = open_at(new_page(), f"{app}{address}")
    Hand(page).answered()
    assert not page.get_by_text("Page not found").count()
    title = load("playground").label("page")
    assert page.locator("[data-testid=stSidebarNavLink][aria-current=page] p").all_inner_texts() == [title]
    page.locator("button.pull").press("PageUp")
    address_has(page, "ratio", "2")
    assert urlsplit(page.url).path == urlsplit(address).path


@pytest.mark.parametrize("text", ["猫追老鼠", "שלום עולם זה מבחן"])
def test_a_short_text_of_any_script_keeps_its_headline_and_its_order(new_page, app, text):
    page = open_at(new_page(), f"{app}/?{urlencode({'text': text})}")
    page.locator(".playground[data-source=python]:not(.fading) .legend").wait_for()
    said = page.locator(".legend").text_content()
    near = re.escape(load("playground").entry("picture", "near", count=2))
    assert re.fullmatch(rf"\d+ %{near}\d+ % without ALiBi", said)
    # At once, since the picture may draw the sentence anew between two questions.
    left = "(read, names) => names.map((name) => read.querySelector(name).getBoundingClientRect().x)"
    at = page.locator(".read").evaluate(left, [".query", ".key", ".distance", ".weight"])
    assert at == sorted(at)


def test_a_drag_is_one_step_that_back_undoes_and_typing_is_none(hand):
    page = hand.page
    before = page.evaluate("history.length")
    x, y = (float(part) for part in hand.hero.get_attribute("data-grip").split(","))
    hand.drag((x, y), (x - 0.05, y), (x - 0.1, y), (x - 0.15, y))
    assert hand.asked("slopes")
    page.locator("#hand-text").fill("one two three one")
    hand.answered()
    address_has(page, "text", "one two three one")
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    assert hand.is_default("slopes", "text")
    hand.answered()
    assert page.locator("#hand-text").input_value() == SENTENCE


def test_the_address_keeps_a_number_of_heads_that_only_other_pages_have(new_page, app):
    page = open_at(new_page(viewport={"width": 1280, "height": 800}), f"{app}/?heads=12")
    hand = Hand(page)
    hand.answered()
    assert page.locator(".seg [aria-checked=true]").inner_text() == "16"
    hand.hero.press("ArrowRight")
    hand.answered()
    assert hand.asked("slopes")
    assert hand.asked("heads") == "12"


@pytest.mark.slow
def test_the_query_follows_a_pull_along_the_words(hand):
    hand.drag((0.72, 0.5), (0.5, 0.5))
    assert int(hand.asked("query")) > 3


@pytest.mark.slow
def test_keys_alone(hand):
    page, hero = hand.page, hand.hero
    hero.focus()
    steps = (("ArrowRight", "slopes", "2:0.272627"), ("ArrowUp", "head", "3"), ("Shift+ArrowLeft", "query", "1"))
    for key, name, value in steps:
        page.keyboard.press(key)
        hand.answered()
        address_has(page, name, value)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Home")
    hand.answered()
    assert hand.is_default("slopes")
    page.locator("canvas.lines").focus()
    page.keyboard.press("End")
    hand.answered()
    address_has(page, "ratio", "16")
    assert page.locator("canvas.lines").get_attribute("aria-valuenow") == "16"


@pytest.mark.slow
def test_at_strength_zero_a_drag_bends_again(hand):
    hand.page.locator("#hand-strength").fill("0")
    hand.answered()
    address_has(hand.page, "strength", "0")
    x, y = (float(part) for part in hand.hero.get_attribute("data-grip").split(","))
    hand.drag((x, y), (x, y + 0.12))
    assert hand.is_default("strength")
    assert hand.asked("slopes")


@pytest.mark.slow
def test_a_reload_and_a_second_browser_show_the_same_picture(hand, another_browser):
    x, y = (float(part) for part in hand.hero.get_attribute("data-grip").split(","))
    hand.drag((x, y), (x - 0.1, y))
    hand.page.locator("button.pull").press("PageUp")
    hand.answered()
    assert hand.asked("slopes")
    address_has(hand.page, "ratio", "2")
    address, read = hand.page.url, hand.read
    hand.page.reload()
    settle(hand.page)
    hand.answered()
    assert hand.read == read
    other = open_at(another_browser(reduced_motion="reduce"), address)
    Hand(other).answered()
    assert Hand(other).read == read


@pytest.mark.slow
def test_a_finger_bends_a_curve_and_scrolls_past_it(new_page, app):
    page = new_page(has_touch=True, is_mobile=True, device_scale_factor=1, reduced_motion="reduce")
    page.set_viewport_size({"width": 390, "height": 844})
    open_at(page, f"{app}/playground")
    hand = Hand(page)
    hand.answered()
    x, y = (float(part) for part in hand.hero.get_attribute("data-grip").split(","))
    touch = page.context.new_cdp_session(page)
    at = [hand.at(x - step * 0.03, y) for step in range(6)]
    for kind, points in (("touchStart", at[:1]), *(("touchMove", [one]) for one in at[1:]), ("touchEnd", [])):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})
    hand.answered()
    assert hand.asked("slopes").startswith("2:")


@pytest.mark.slow
def test_six_hundred_random_gestures_leave_no_error(hand):
    rng, page = random.Random(1), hand.page
    for step in range(600):
        kind = rng.randrange(7)
        if kind == 0:
            page.mouse.move(*hand.at(rng.random(), rng.random()))
            page.mouse.down()
            for _ in range(3):
                page.mouse.move(*hand.at(rng.random(), rng.random()))
            page.mouse.up()
        elif kind == 1:
            page.locator(".seg button").nth(rng.randrange(5)).click()
        elif kind == 2:
            page.locator("#hand-strength").fill(str(rng.choice((0, 0.5, 1, 4))))
        elif kind == 3:
            hand.hero.press(rng.choice(("ArrowLeft", "ArrowRight", "ArrowUp", "Home", "Shift+ArrowLeft", "Control+z")))
        elif kind == 4:
            page.locator("button.pull").press(rng.choice(("PageUp", "PageDown", "End", "Home", "ArrowRight")))
        elif kind == 5:
            page.locator("#hand-text").fill(rng.choice((SENTENCE, "", "a", "🙂 b", "x " * 300)))
        else:
            where = {"x": rng.randrange(1, 90), "y": rng.randrange(1, 90)}
            page.locator(".mat canvas").nth(rng.randrange(4)).hover(position=where)
        if step % 40 == 0:
            assert "NaN" not in page.locator(".playground").inner_text()
    hand.answered()
    assert page.locator(".playground .trouble").is_hidden()

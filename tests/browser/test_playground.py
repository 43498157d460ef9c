"""The playground in a real browser: each gesture by pointer, touch and keys. (Its arithmetic: test_arithmetic.py.)"""

import math
import re

import pytest

from alibi_viz.lessons import load
from tests.browser.actions import DESK, PHONE, address_has, address_lacks, open_at, settle, value_of
from tests.browser.drawn import WATCH
from tests.cases import some

WORDS = load("playground").entries("picture")
SIZES = {"desk": DESK, "phone": PHONE}


class Hand:
    def __init__(self, page):
        self.page, self.hero = page, page.locator("canvas.arcs")

    @property
    def grip(self):
        return tuple(float(part) for part in self.hero.get_attribute("data-grip").split(","))

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

    @property
    def read(self):
        return self.page.locator(".playground .read").inner_text()


@pytest.fixture
def hand(new_page, app, request):
    page = new_page(viewport=SIZES[getattr(request, "param", "desk")], reduced_motion="reduce")
    open_at(page, f"{app}/playground")
    hand = Hand(page)
    hand.answered()
    return hand


@pytest.mark.parametrize("hand", some(SIZES, "desk"), indirect=True)
def test_every_gesture_by_pointer(hand):
    page, start = hand.page, hand.read
    (x, y), entries = hand.grip, page.evaluate("history.length")
    hand.drag((x, y), (x - 0.1, y), (x - 0.15, y))  # the curve follows the hand
    head, slope = value_of(page, "slopes").split(":")
    assert head == "2"
    assert float(slope) < 1 / 4
    assert hand.read != start
    assert page.evaluate("history.length") == entries + 1, "a drag is one step"
    page.go_back()
    hand.answered()
    address_lacks(hand.page, "slopes")
    page.locator(".seg label").nth(2).click()
    address_has(page, "heads", "4")
    page.locator(".chip").nth(3).click()
    address_has(page, "head", "4")
    page.locator("#hand-strength").fill("2")
    address_has(page, "strength", "2")
    entries = page.evaluate("history.length")
    page.locator("#hand-text").fill("one two three one")
    address_has(page, "text", "one two three one")
    hand.answered()
    assert hand.read.startswith("one → one, 3 back")
    assert page.evaluate("history.length") == entries, "typing is no step"
    page.locator("button.pull").press("PageUp")
    address_has(page, "ratio", "2")
    assert page.locator(".beat .said").inner_text().startswith("At 2×")
    page.get_by_role("button", name=WORDS["reset"]).click()
    address_lacks(hand.page, "slopes", "strength", "ratio", "query")


@pytest.mark.slow
def test_keys_alone(hand):
    page = hand.page
    hand.hero.focus()
    steps = (("ArrowRight", "slopes", "2:0.272627"), ("ArrowUp", "head", "3"), ("Shift+ArrowLeft", "query", "1"))
    for key, name, value in steps:
        page.keyboard.press(key)
        hand.answered()
        address_has(page, name, value)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Home")
    address_lacks(hand.page, "slopes")
    page.locator("button.pull").press("End")
    address_has(page, "ratio", "16")


SLOPE = re.compile(r"slope (?:([\d.]+) × )?(?:1/)?([\d.]+): every ([\d.]+) words halve it")


def watched(new_page, address, **options):
    page = new_page(**options, script=WATCH)
    open_at(page, address)
    Hand(page).answered()
    return page


@pytest.mark.parametrize("strength", some(["1", "2"], "2"))
def test_the_slope_that_is_read_is_the_one_that_is_drawn(app, new_page, strength):
    """At every moment: while the bias comes on, while a curve is bent, and with another strength."""
    page = watched(new_page, f"{app}/playground?strength={strength}", viewport=DESK)
    page.wait_for_function("() => drawn.some(({ text }) => text?.includes('halve it'))")
    hand = Hand(page)
    (x, y) = hand.grip
    hand.drag((x, y), (x - 0.1, y), (x + 0.05, y), (x - 0.2, y))
    read = {entry["text"] for entry in page.evaluate("drawn") if "halve it" in entry.get("text", "")}
    assert len(read) > 4, "the curve was seen to move"
    for text in read:
        times, slope, words = SLOPE.fullmatch(text).groups()
        rate = float(times or 1) * (1 / float(slope) if "1/" in text else float(slope))
        assert (times or "1") == strength
        assert float(words) == pytest.approx(math.log(2) / rate, rel=0.06), text


def test_an_arabic_text_runs_from_right_to_left_and_the_hand_with_it(app, new_page):
    words = "القطة جلست على السجادة والكلب رأى النهر".split()
    page = watched(new_page, f"{app}/playground?text={' '.join(words)}", viewport=DESK, reduced_motion="reduce")
    drawn = page.evaluate("drawn")
    places = [next(e["at"][0] for e in reversed(drawn) if e.get("text") == word) for word in words]
    assert places == sorted(places, reverse=True)
    hand = Hand(page)
    (x, y) = hand.grip
    hand.drag((x, y), (x + 0.1, y))  # away from the query
    assert float(value_of(page, "slopes").split(":")[1]) < 1 / 4

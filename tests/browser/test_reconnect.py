"""A page that slept: the server has forgotten its session, and the next change of a control shows what it always shows.

Lessons stand open, as tabs do. Their connection is cut until their sessions are over, and a change is lost on the way. One
set of tabs serves all of it. (A server that is started again: tests/serving/test_walk.py.)
"""

import time
from hashlib import sha512
from typing import Any
from urllib.parse import urlsplit

import pytest

from alibi_viz.ui.controls.packing import pack
from benchmarks.pages import PICTURES
from tests.browser.actions import address_has, open_at, query, settle
from tests.browser.conftest import FORGOTTEN, VIEWPORT, prepare
from tests.cases import some
from tests.wire import Wire

LONG = " ".join(sha512(bytes([n])).hexdigest() for n in range(90))  # no address holds it, compressed either
DRAFT = LONG + "this is not sent yet"
COUNT_RUNS = """() => {
  const app = document.querySelector("[data-testid=stApp]");
  const look = () => { window.runs += app.dataset.testScriptState === "running"; };
  window.runs = 0;
  new MutationObserver(look).observe(app, {attributes: true});
}"""
CONNECTED = "document.querySelector('[data-testid=stApp]').dataset.testConnectionState === 'CONNECTED'"
AWAKE = f"() => window.runs > 0 && {CONNECTED}"
FIELD = ".st-key-attention .hand.line input"
SAYS = """(wanted) => {
  const sorted = (said) => [...new URLSearchParams(said)].sort().join("&");
  return sorted(location.search) === sorted(wanted);
}"""


def clicked(name):
    return lambda page: page.locator(".seg label", has_text=name).first.click()


def written(label, value):
    def act(page):
        field = page.get_by_role("spinbutton", name=label, exact=True)
        field.fill(str(value))
        field.press("Enter")

    return act


def moved(label):
    return lambda page: page.get_by_role("slider", name=label, exact=True).press("ArrowRight")


#: A view, a long text, a Plotly chart: where it is opened, and what is done before it sleeps and after that, each with the
#: address that follows. Of the first, the number of heads is back at its default, which an address does not name.
TABS = {
    "slopes": ("heads=20&max_bias=16", (written("Heads", 8), "max_bias=16"), (moved("Heads"), "heads=9&max_bias=16")),
    "attention": ("head=2", (written("Head", 4), "head=4"), (moved("Strength of ALiBi"), "head=4&strength=1.01")),
    "extrapolation": (
        "ext_methods=alibi",
        (clicked("RoPE"), "ext_methods=alibi,rope"),
        (clicked("nonoverlapping"), "ext_methods=alibi,rope&ext_protocol=nonoverlapping"),
    ),
}
assert pack((("text", LONG),))[1]


class Desk:
    """The wire to the app, and the open tabs, each with its first change."""

    def __init__(self, window, app):
        self.wire = Wire(port_of(app))
        self.window, self.pages = window, dict[str, Any]()

    def tab(self, name):
        """A tab, as it lies on top: those behind are hardly painted. It is opened when it is first asked for."""
        if name in self.pages:
            self.pages[name].bring_to_front()
            return self.pages[name]
        page, (opened, before, _) = self.window.new_page(), TABS[name]
        self.pages[name] = open_at(page, f"http://127.0.0.1:{self.wire.port}/{name}?{opened}")
        if name == "attention":
            field = page.locator(FIELD)
            field.fill(LONG)
            field.press("Enter")
        change(page, *before)
        page.evaluate(COUNT_RUNS)
        return page

    def sleep(self):
        """No connection until the server has forgotten all tabs. From now on a page is awake after it has run since."""
        self.wire.cut()
        for page in self.pages.values():
            page.evaluate("window.runs = 0")
        time.sleep(FORGOTTEN + 0.5)
        self.wire.mend()


@pytest.fixture(scope="module")
def desk(browser, app):
    """Not watched: the browser writes to the console that its server is gone."""
    window = prepare(browser.new_context(viewport=VIEWPORT))
    opened = Desk(window, app)
    yield opened
    window.close()
    opened.wire.close()


def port_of(address):
    return urlsplit(address).port or 80


def awake(page):
    """Wait until the page has its connection again, and has run."""
    page.wait_for_function(AWAKE)
    settle(page)


def change(page, act, address):
    """Change a control: the address says all of the page's controls, and the picture is another one."""
    picture = page.locator(PICTURES)
    before = picture.screenshot()
    act(page)
    page.wait_for_function(SAYS, arg=address)
    settle(page)
    assert picture.screenshot() != before


@pytest.mark.slow
def test_after_a_sleep_a_control_changes_its_picture(desk):
    for name in TABS:
        desk.tab(name)
    field = desk.tab("attention").locator(FIELD)
    field.fill(DRAFT)
    desk.sleep()
    for name, (_, _, slept) in TABS.items():
        page = desk.tab(name)
        awake(page)
        change(page, *slept)
    assert field.input_value() == DRAFT


@pytest.mark.parametrize("typed", some([True, False], False), ids=["typed", "stepped"])
def test_a_change_that_was_lost_on_the_way_is_shown(desk, typed):
    """What stands on the screen counts, not the address, which was written before."""
    page = desk.tab("slopes")
    field = page.get_by_role("spinbutton", name="Heads")
    heads = 17 if typed else int(field.input_value()) + 1
    control, act = str(heads), written("Heads", heads) if typed else moved("Heads")
    desk.wire.hang()
    act(page)
    desk.sleep()
    address_has(page, "heads", control)
    awake(page)
    assert query(page)["heads"] == [control]
    assert field.input_value() == control
    assert page.get_by_role("slider", name="Heads").get_attribute("aria-valuetext") == control


@pytest.mark.slow
def test_a_text_typed_before_a_sleep_gives_way_to_one_typed_in_it(desk):
    """The browser goes on to name the address of before both: what is typed stands there in place."""
    page = desk.tab("attention")
    field = page.locator(FIELD)
    field.fill("typed before")
    address_has(page, "text", "typed before")
    settle(page)
    desk.wire.cut()
    field.fill("typed while asleep")
    desk.sleep()
    awake(page)
    address_has(page, "text", "typed while asleep")
    assert field.input_value() == "typed while asleep"


def test_a_picture_whose_code_was_lost_on_the_way_is_drawn(new_window, app):
    """A phone fell asleep while it fetched it. A browser keeps that an import has failed, also one of a module."""
    page, lost = new_window(), []
    for module in ("**/slopes/view.js", "**/pictures/plot.js"):
        page.route(module, lambda route: (lost.append(route.request.url), route.abort()), times=1)
    page.goto(f"{app}/slopes")
    page.locator(PICTURES).locator("canvas").first.wait_for()
    assert len(lost) == 2

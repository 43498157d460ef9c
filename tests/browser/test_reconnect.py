"""A page that slept: the server has forgotten its session, and the next change of a control shows what it always shows.

Lessons stand open, as tabs do. Their connection is cut until their sessions are over, and a change is lost on the way. One
set of tabs serves all of it. (A server that is started again: tests/walk.py.)
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha512
from typing import Any
from urllib.parse import urlsplit

import pytest

from alibi_viz.ui.controls.packing import pack
from benchmarks.pages import PICTURES
from tests.browser.actions import open_at, query, settle
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
Act = Callable[[Any], None]


def clicked(name: str) -> Act:
    """One of several words."""
    return lambda page: page.locator(".seg label", has_text=name).first.click()


def written(label: str, value: int) -> Act:
    """A number in the field of a picture's own hand."""

    def act(page: Any) -> None:
        field = page.get_by_role("spinbutton", name=label, exact=True)
        field.fill(str(value))
        field.press("Enter")

    return act


def moved(label: str) -> Act:
    """One step of such a hand."""
    return lambda page: page.get_by_role("slider", name=label, exact=True).press("ArrowRight")


@dataclass(frozen=True)
class Tab:
    """A lesson: where it is opened, what is done before it sleeps and after that, each with the address that follows."""

    opened: str
    before: tuple[Act, str]
    slept: tuple[Act, str]


TABS = {  # a view, a long text, a Plotly chart
    "slopes": Tab(
        "heads=20&max_bias=16",
        (written("Heads", 8), "max_bias=16"),  # back at a default, which the address does not name
        (moved("Heads"), "heads=9&max_bias=16"),
    ),
    "attention": Tab("head=2", (written("Head", 4), "head=4"), (moved("Strength of ALiBi"), "head=4&strength=1.01")),
    "extrapolation": Tab(
        "ext_methods=alibi",
        (clicked("RoPE"), "ext_methods=alibi,rope"),
        (clicked("nonoverlapping"), "ext_methods=alibi,rope&ext_protocol=nonoverlapping"),
    ),
}
assert pack((("text", LONG),))[1]


class Desk:
    """The wire to the app, and the open tabs, each with its first change."""

    def __init__(self, window: Any, app: str) -> None:
        self.wire = Wire(port_of(app))
        self.window, self.pages = window, dict[str, Any]()

    def tab(self, name: str) -> Any:
        """A tab, as it lies on top: those behind are hardly painted. It is opened when it is first asked for."""
        if name in self.pages:
            self.pages[name].bring_to_front()
            return self.pages[name]
        page = self.pages[name] = self.window.new_page()
        open_at(page, f"http://127.0.0.1:{self.wire.port}/{name}?{TABS[name].opened}")
        if name == "attention":
            field = page.locator(FIELD)
            field.fill(LONG)
            field.press("Enter")
        change(page, *TABS[name].before)
        page.evaluate(COUNT_RUNS)
        return page

    def sleep(self) -> None:
        """No connection until the server has forgotten all tabs. From now on a page is awake after it has run since."""
        self.wire.cut()
        for page in self.pages.values():
            page.evaluate("window.runs = 0")
        time.sleep(FORGOTTEN + 0.5)
        self.wire.mend()


@pytest.fixture(scope="module")
def desk(browser: Any, app: str) -> Iterator[Desk]:
    """Not watched: the browser writes to the console that its server is gone."""
    window = prepare(browser.new_context(viewport=VIEWPORT))
    opened = Desk(window, app)
    yield opened
    window.close()
    opened.wire.close()


def port_of(address: str) -> int:
    return urlsplit(address).port or 80


def awake(page: Any) -> None:
    """Wait until the page has its connection again, and has run."""
    page.wait_for_function(AWAKE)
    settle(page)


def change(page: Any, act: Act, address: str) -> None:
    """Change a control: the address says all of the page's controls, and the picture is another one."""
    picture = page.locator(PICTURES)
    before = picture.screenshot()
    act(page)
    page.wait_for_function(SAYS, arg=address)
    settle(page)
    assert picture.screenshot() != before


@pytest.mark.slow
def test_after_a_sleep_a_control_changes_its_picture(desk: Desk) -> None:
    for name in TABS:
        desk.tab(name)
    field = desk.tab("attention").locator(FIELD)
    field.fill(DRAFT)
    desk.sleep()
    for name, tab in TABS.items():
        page = desk.tab(name)
        awake(page)
        change(page, *tab.slept)
    assert field.input_value() == DRAFT


@pytest.mark.parametrize("typed", some([True, False], False), ids=["typed", "stepped"])
def test_a_change_that_was_lost_on_the_way_is_shown(desk: Desk, typed: bool) -> None:
    """What stands on the screen counts, not the address, which was written before."""
    page = desk.tab("slopes")
    field = page.get_by_role("spinbutton", name="Heads")
    heads = 17 if typed else int(field.input_value()) + 1
    control, act = str(heads), written("Heads", heads) if typed else moved("Heads")
    desk.wire.hang()
    act(page)
    desk.sleep()
    page.wait_for_function("(heads) => new URLSearchParams(location.search).get('heads') === heads", arg=control)
    awake(page)
    assert query(page)["heads"] == [control]
    assert field.input_value() == control
    assert page.get_by_role("slider", name="Heads").get_attribute("aria-valuetext") == control


def test_a_text_typed_before_a_sleep_gives_way_to_one_typed_in_it(desk: Desk) -> None:
    """The browser goes on to name the address of before both: what is typed stands there in place."""
    page = desk.tab("attention")
    says = "(text) => new URLSearchParams(location.search).get('text') === text"
    field = page.locator(FIELD)
    field.fill("typed before")
    page.wait_for_function(says, arg="typed before")
    settle(page)
    desk.wire.cut()
    field.fill("typed while asleep")
    desk.sleep()
    awake(page)
    page.wait_for_function(says, arg="typed while asleep")
    assert field.input_value() == "typed while asleep"


def test_a_picture_whose_code_was_lost_on_the_way_is_drawn(browser: Any, app: str) -> None:
    """A phone fell asleep while it fetched it. A browser keeps that an import has failed, also one of a module."""
    window = prepare(browser.new_context(viewport=VIEWPORT))
    page, lost = window.new_page(), []
    for module in ("**/slopes/view.js", "**/pictures/plot.js"):
        page.route(module, lambda route: (lost.append(route.request.url), route.abort()), times=1)
    page.goto(f"{app}/slopes")
    page.locator(PICTURES).locator("canvas").first.wait_for()
    assert len(lost) == 2
    window.close()

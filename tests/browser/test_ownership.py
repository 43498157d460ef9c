"""A server of several readers, in real browsers: a run stays with the browser that started it, whatever happens to both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from alibi_viz.ui.reader import COOKIE
from benchmarks.reader import Reader
from tests.browser.conftest import ROOT, _start, _stop
from tests.browser.test_training import LONG, button, status, wait_for_status
from tests.threads import run_in_a_thread

OPEN = f"train?{LONG}&train_open=runs"
NONE, ONE = "Your runs, and those that belong to everybody: 0.", "Your runs, and those that belong to everybody: 1."


@pytest.fixture
def class_server(tmp_path: Path) -> Iterator[Callable[[], str]]:
    """Starts the server of a class, anew each time, on the same data folder; returns its address."""
    running: list[Any] = []

    def start() -> str:
        _stop(running)
        process, address = _start(ROOT / "app.py", tmp_path / "log.txt", ALIBI_VIZ_CLASS="1")
        running[:] = [process]
        return address

    yield start
    _stop(running)


def test_the_key_comes_with_the_page_and_no_script_reads_it(app, page):
    page.goto(f"{app}/slopes")
    page.locator("h1").wait_for()
    (cookie,) = [cookie for cookie in page.context.cookies() if cookie["name"] == COOKIE]
    assert cookie["httpOnly"]
    assert COOKIE not in page.evaluate("document.cookie")
    assert cookie["value"] not in page.content()
    assert cookie["value"] not in page.url


@pytest.mark.slow
def test_a_run_stays_with_its_browser(class_server, another_browser):
    address = class_server()
    owner, other = another_browser(), another_browser()
    owner.goto(f"{address}/{OPEN}")
    button(owner, "25 steps").click()
    wait_for_status(owner, "paused at step 25 of 5,000")
    other.goto(f"{address}/{OPEN}")
    wait_for_status(other, "another reader’s")
    other.get_by_text(NONE).wait_for()
    assert button(other, "Reset").is_disabled()
    tab = owner.context.new_page()
    for page in (owner, other):
        page.close()
    for anew in (False, True):  # another tab of the owner's browser, and then another server
        tab.goto(f"{class_server() if anew else address}/{OPEN}")
        wait_for_status(tab, "paused at step 25")
        tab.get_by_text(ONE).wait_for()
        assert button(tab, "Reset").is_enabled()
    button(tab, "Reset").click()
    wait_for_status(tab, "not trained yet")


@pytest.mark.slow
def test_two_readers_share_a_run_until_the_last_has_paused_it(class_server, another_browser):
    address = class_server()
    first, second = another_browser(), another_browser()
    first.goto(f"{address}/train?{LONG}")
    button(first, "Play").click()
    wait_for_status(first, "of 5,000")
    second.goto(f"{address}/train?{LONG}")
    wait_for_status(second, "another reader’s run")
    assert button(second, "Pause").is_disabled()
    button(second, "Play").click()
    second.wait_for_function("() => !document.body.innerText.includes('another reader’s run')")
    button(second, "Pause").click()
    second.get_by_text("It goes on for them").wait_for()
    first.reload()
    wait_for_status(first, "of 5,000")
    assert "paused" not in status(first).inner_text()
    button(first, "Pause").click()
    for page in (first, second):
        wait_for_status(page, "paused at step")


@pytest.mark.slow
def test_a_browser_that_presses_grey_buttons_of_anothers_run_changes_nothing(class_server):
    assert run_in_a_thread(_press_grey_buttons(class_server()))


async def _press_grey_buttons(address: str) -> bool:
    """Two readers over Streamlit's own protocol, which knows nothing of grey; whether the owner's run is still there."""
    said: list[str] = []
    async with Reader(address, said.append) as owner, Reader(address) as other:
        await owner.open("train", LONG)
        await owner.press("train_step")
        while "paused at step 25 of 5,000" not in " ".join(said):
            await asyncio.sleep(0.2)
        await other.open("train", LONG)
        for key in ("train_reset", "train_pause"):
            control = other.controls[key]  # a press that is refused reruns nothing that could be waited for
            await other._ask(control.fragment, {control.element.id: {"trigger_value": True}})
            await other.open("train", LONG)
        said.clear()
        await owner.open("train", LONG)
        return "paused at step 25 of 5,000" in " ".join(said)

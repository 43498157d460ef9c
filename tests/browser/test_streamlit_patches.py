"""What Streamlit alone does in a browser. Each of these tests fails when a file of ours is needed no more.

Windows are not watched here: Streamlit alone writes errors to the console.
"""

import contextlib
import time
from urllib.parse import urlsplit

import pytest

from tests.browser.actions import LATE, open_at, settle
from tests.browser.conftest import FORGOTTEN
from tests.browser.test_reconnect import AWAKE, CONNECTED, COUNT_RUNS, port_of
from tests.wire import Wire

ALONE = "tests/browser/apps/alone.py"
BACKGROUND = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"


@pytest.fixture(scope="module")
def alone(start_app):
    return start_app(script=ALONE)[1]


@pytest.mark.slow
@pytest.mark.hook("alibi_viz/ui/streamlit_patches/server_address.py")
def test_streamlit_alone_asks_below_the_page_for_its_server(new_window, alone, app):
    missing: dict[str, list[str]] = {alone: [], app: []}
    for address, paths in missing.items():
        page = new_window()
        page.on(
            "response", lambda answer, paths=paths: answer.status == 404 and paths.append(urlsplit(answer.url).path)
        )
        open_at(page, f"{address}/{'second' if address == alone else 'slopes'}")
    assert set(missing[alone]) == {"/second/_stcore/health", "/second/_stcore/host-config"}
    assert missing[app] == []


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/theme.py")
def test_streamlit_alone_follows_the_address_only_when_it_is_loaded(new_window, alone):
    page = open_at(new_window(), f"{alone}/?embed_options=dark_theme")
    dark = page.evaluate(BACKGROUND)
    assert dark == "rgb(21, 24, 28)"
    page.evaluate("history.replaceState(history.state, '', '/?embed_options=light_theme')")
    page.get_by_role("button", name="Again").click()
    settle(page)
    assert page.evaluate(BACKGROUND) == dark


@pytest.mark.slow
@pytest.mark.hook("alibi_viz/ui/streamlit_patches/fragments.py")
def test_streamlit_alone_empties_a_page_when_a_part_of_the_one_before_is_asked_for(new_window, alone):
    page = new_window()
    page.add_init_script(LATE)
    open_at(page, f"{alone}/?runs")
    page.wait_for_timeout(700)
    page.evaluate("late(1000)")
    page.get_by_role("link", name="Second").click()
    page.wait_for_timeout(2000)
    assert page.get_by_role("heading").count() == 0


@pytest.mark.slow
@pytest.mark.hook("alibi_viz/ui/streamlit_patches/phone_menu.py")
def test_streamlit_alone_opens_the_menu_of_a_phone_that_lies_on_its_side(new_window, alone, app):
    phone = {"viewport": {"width": 844, "height": 390}, "has_touch": True, "is_mobile": True}
    page, other = (open_at(new_window(**phone), address) for address in (f"{app}/slopes", alone))
    title = page.locator("h1").bounding_box()
    assert max(title["x"], title["y"]) < 60, "beside nothing, below one line"
    assert other.locator("h1").bounding_box()["x"] > 300
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_test_id("stSidebarCollapseButton").wait_for(state="attached")
    page.reload()
    settle(page)
    assert page.locator("h1").bounding_box()["x"] > 300, "its reader has opened it"


@pytest.mark.slow  # it waits for what does not come
@pytest.mark.hook("alibi_viz/ui/streamlit_patches/sessions.py")
def test_streamlit_alone_does_not_wake_a_page_that_slept(new_window, alone):
    with contextlib.closing(Wire(port_of(alone))) as wire:
        asking, silent = new_window(), new_window()
        for page, query in ((asking, "?asks"), (silent, "")):
            open_at(page, f"http://127.0.0.1:{wire.port}/{query}")
            page.evaluate(COUNT_RUNS)
        wire.cut()
        for page in (asking, silent):
            page.wait_for_function(f"!({CONNECTED})")
        time.sleep(FORGOTTEN + 0.5)
        wire.mend()
        asking.wait_for_function(AWAKE)
        silent.wait_for_function(CONNECTED)
        assert silent.evaluate("window.runs") == 0

"""A real browser against a real server: fixtures that start both, and that fail a test on any console error."""

import contextlib
import json
import os
import subprocess
import sys
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from alibi_viz.cli import serving
from alibi_viz.pictures import bundle
from benchmarks.chromium import FLAGS, free_port, wait_until_ready
from tests.browser.actions import LISTEN
from tests.ensure_browser import find_browser, playwright_browser

ROOT = Path(__file__).resolve().parents[2]
VIEWPORT = {"width": 1280, "height": 900}
FORGOTTEN = 1  # seconds after which a server forgets a session without a connection
# A page of a test lives for seconds: to compile its scripts for speed takes more time than it brings.
TEST_FLAGS = [*FLAGS, "--js-flags=--no-opt --no-maglev --max-lazy"]
RUN = """async ({source, base64, body}) => {
  const modules = globalThis.modules ??= new Map();  // each is compiled once
  if (!modules.has(source)) modules.set(source, URL.createObjectURL(new Blob([source], {type: "text/javascript"})));
  const { default: core } = await import(modules.get(source));
  const letters = atob(base64 ?? ""), data = new Uint8Array(letters.length);
  for (let at = 0; at < data.length; at++) data[at] = letters.charCodeAt(at);
  return await (new Function("core", "data", body))(core, data);
}"""


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The browser to drive: ALIBI_VIZ_BROWSER, else one on the PATH, else the one Playwright installed."""
    path = find_browser() or playwright_browser()
    if path is None:
        pytest.skip("no Chromium: set ALIBI_VIZ_BROWSER, or run `python -m playwright install chromium`")
    return path


@pytest.fixture(scope="session")
def driver() -> Iterator[Any]:
    """Playwright, started once: it cannot be started twice in a thread."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(driver: Any, chromium_path: str) -> Iterator[Any]:
    """One headless browser for the whole session, for windows that share nothing."""
    launched = driver.chromium.launch(executable_path=chromium_path, args=TEST_FLAGS)
    yield launched
    launched.close()


@pytest.fixture(scope="session")
def main_window(driver: Any, chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The window of most pages. In its folder Chromium keeps compiled scripts: a page opens with a third less work."""
    folder = tmp_path_factory.mktemp("chromium")
    launch = driver.chromium.launch_persistent_context
    opened = prepare(launch(folder, executable_path=chromium_path, args=TEST_FLAGS, viewport=VIEWPORT))
    yield opened
    opened.close()


def prepare(context: Any) -> Any:
    """What every page of a browser window has; returns the window."""
    context.set_default_timeout(60_000)  # a loaded machine is slow, not wrong
    context.add_init_script(LISTEN)
    return context


class Watch:
    """What a page must never do: write an error to the console, or ask another host."""

    def __init__(self, page: Any) -> None:
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self._page = page
        self._listeners = {"console": self._console, "pageerror": self._error, "request": self._request}
        for event, listener in self._listeners.items():
            page.on(event, listener)

    def end(self) -> None:
        """The page is another test's."""
        for event, listener in self._listeners.items():
            self._page.remove_listener(event, listener)

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _error(self, error: Any) -> None:
        self.errors.append(str(error))

    def _request(self, request: Any) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("127.0.0.1", "localhost"):
            self.foreign.append(request.url)


class Pages:
    """Pages that a test leaves and the next opens again: their process has the scripts, so an address costs far less.

    They are of the main window; with options that a page cannot have by itself, of a window of its own.
    """

    def __init__(self, main: Any, new_window: Callable[..., Any]) -> None:
        self._windows: dict[str, Any] = {"[]": main}
        self._new_window = new_window
        self._left: dict[Any, list[Any]] = defaultdict(list)  # window -> its pages
        self._with_script: list[Any] = []

    def open(
        self,
        viewport: dict[str, int] = VIEWPORT,
        color_scheme: str = "light",
        reduced_motion: str = "no-preference",
        script: str = "",
        **options: Any,
    ) -> Any:
        """script: is run at the beginning of each document; the page is never opened again, as it would keep it."""
        key = repr(sorted(options.items()))
        window = self._windows[key] = self._windows.get(key) or self._new_window(**options)
        page = self._left[window].pop() if self._left[window] and not script else window.new_page()
        if script:
            page.add_init_script(script)
            self._with_script.append(page)
        page.bring_to_front()
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
        return page

    def leave(self, page: Any) -> None:
        """It is empty again: no address, no history, no mouse over it, nothing that a test has added."""
        if page.is_closed():
            return
        if page in self._with_script:
            page.close()
            return
        page.unroute_all(behavior="ignoreErrors")
        page.goto("about:blank")
        page.mouse.up()
        page.mouse.move(-1, -1)
        session = page.context.new_cdp_session(page)
        session.send("Page.resetNavigationHistory")
        session.detach()
        self._left[page.context].append(page)


@pytest.fixture(scope="session")
def any_page(main_window: Any, request: pytest.FixtureRequest) -> Pages:
    """The pages of all tests."""
    return Pages(main_window, lambda **options: prepare(request.getfixturevalue("browser").new_context(**options)))


@contextlib.contextmanager
def watched_pages(
    new: Callable[..., Any], leave: Callable[[Any], None] = lambda page: page.close()
) -> Iterator[Callable[..., Any]]:
    """Open pages with any options; they are left in the end, and what they must never do is an error.

    A page that went on would use the machine beside the next test.
    """
    opened: list[tuple[Any, Watch]] = []

    def open_page(**options: Any) -> Any:
        page = new(**options)
        opened.append((page, Watch(page)))
        return page

    yield open_page
    for page, watch in opened:
        leave(page)
        watch.end()
    assert [error for _, watch in opened for error in watch.errors] == [], "the console had errors"
    assert [url for _, watch in opened for url in watch.foreign] == [], "another host was asked"


@pytest.fixture
def new_window(browser: Any) -> Iterator[Callable[..., Any]]:
    """new_window(**options): a page of a browser that shares nothing with others, not even cookies; it is not watched."""
    with contextlib.ExitStack() as opened:

        def window(**options: Any) -> Any:
            context = browser.new_context(**{"viewport": VIEWPORT, "color_scheme": "light"} | options)
            opened.callback(context.close)
            return prepare(context).new_page()

        yield window


@pytest.fixture
def another_browser(new_window: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """The same, watched as all pages are."""
    with watched_pages(new_window) as open_page:
        yield open_page


@pytest.fixture
def new_page(any_page: Pages) -> Iterator[Callable[..., Any]]:
    """Open pages with any options; every one is watched, and the test fails on what was seen."""
    with watched_pages(any_page.open, any_page.leave) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def new_shared_page(any_page: Pages) -> Iterator[Callable[..., Any]]:
    """As `new_page`, for a page that all tests of a module use one after the other."""
    with watched_pages(any_page.open, any_page.leave) as open_page:
        yield open_page


@pytest.fixture
def page(new_page: Callable[..., Any]) -> Any:
    """One watched page, 1280 × 900."""
    return new_page()


@pytest.fixture(scope="module")
def run_module(browser: Any) -> Iterator[Callable[..., Any]]:
    """run_module(entry, body, message): an expression with all that a view's modules export as `core`, and the message
    as `data`."""
    context = browser.new_context()
    page = context.new_page()

    def run(entry: str, body: str, message: bytes | None = None) -> Any:
        source = f"{bundle({'': (entry, ())})}\nexport default Object.assign({{}}, ...modules);"
        base64 = None if message is None else b64encode(message).decode()
        return json.loads(
            page.evaluate(RUN, {"source": source, "base64": base64, "body": f"return JSON.stringify({body})"})
        )

    yield run
    context.close()


@contextlib.contextmanager
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., tuple[Any, str]]]:
    """start(port, script, **settings): `streamlit run script` when it answers, and its address. port: 0 is a free one."""
    started: list[subprocess.Popen[bytes]] = []

    def start(port: int = 0, script: str = "app.py", **settings: str) -> tuple[Any, str]:
        port, folder = port or free_port(), tmp_path_factory.mktemp("streamlit")
        command = [sys.executable, "-m", "streamlit", "run", str(ROOT / script), "--server.port", str(port)]
        command += ["--server.headless", "true", "--server.address", "127.0.0.1", "--browser.gatherUsageStats", "false"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        environment["ALIBI_VIZ_DATA"] = str(folder / "data")  # each server has its own runs
        environment["ALIBI_VIZ_HELD_OUT"] = "2048"  # bytes: measuring a run would take longer than its training
        environment["STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL"] = str(FORGOTTEN)
        environment |= serving.environment("127.0.0.1") | settings
        with (folder / "log.txt").open("wb") as out:
            started.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out))
        wait_until_ready(f"http://127.0.0.1:{port}/_stcore/health", seconds=90)
        return started[-1], f"http://127.0.0.1:{port}"

    yield start
    for process in started:
        process.terminate()
    for process in started:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the app, on the one server of this session."""
    with servers(tmp_path_factory) as start:
        yield start()[1]


@pytest.fixture(scope="module")
def start_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., tuple[Any, str]]]:
    """start_app(port, script, **settings): the process of a server of this module's own, and its address."""
    with servers(tmp_path_factory) as start:
        yield start

"""What the first page asks of a network: bytes and answers of a browser that has nothing yet, and seconds to its picture.

Chromium slows what comes over HTTP down; the messages of the websocket, 20 kB, come at once.
"""

from playwright.sync_api import Browser, CDPSession

from alibi_viz.ui.shell import navigation
from benchmarks.chromium import chromium, serving
from benchmarks.pages import SIZES, by_address, new_page
from benchmarks.report import Figure

MOST_BYTES = 2.2  # MB
#: What is slow: kbit a second, milliseconds for each request, the size of the window, and the bound in seconds.
NETWORKS = {"750 kbit/s": (750, 100, "phone", 25.0), "20 Mbit/s": (20_000, 20, "desk", 2.5)}


def slowed(session: CDPSession, kbits: float, latency: float) -> None:
    session.send("Network.enable")
    bytes_a_second = kbits * 1000 / 8
    conditions = {"downloadThroughput": bytes_a_second, "uploadThroughput": bytes_a_second, "latency": latency}
    session.send("Network.emulateNetworkConditions", {"offline": False, **conditions})


def first_visit(browser: Browser, address: str, network: str) -> tuple[float, list[float]]:
    """Seconds to the picture of the first page, and the bytes of each answer."""
    kbits, latency, size, _ = NETWORKS[network]
    page = new_page(browser, SIZES[size])  # in a context of its own, so nothing is kept
    session, answers = page.context.new_cdp_session(page), list[float]()
    session.on("Network.loadingFinished", lambda event: answers.append(event["encodedDataLength"]))
    slowed(session, kbits, latency)
    took, _ = by_address(page, address, navigation.FIRST)
    page.wait_for_load_state("networkidle")  # fonts
    page.context.close()
    return took / 1000, answers


def measure() -> list[Figure]:
    figures = []
    with serving("app.py") as address, chromium() as browser:
        first_visit(browser, address, "20 Mbit/s")  # the server has served it, and keeps its files compressed
        for network, (_, latency, size, limit) in NETWORKS.items():
            took, answers = first_visit(browser, address, network)
            note = f"{size}, {latency} ms a request"
            figures.append(Figure(f"first page, nothing kept, {network}: its picture", took, "s", limit, note=note))
    about = f"{len(answers)} answers"
    return [Figure("first page, nothing kept: bytes", sum(answers) / 1e6, "MB", MOST_BYTES, note=about), *figures]

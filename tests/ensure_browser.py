"""Make sure that a Chromium is there for the browser tests, and print which.

Order: one named in ALIBI_VIZ_BROWSER, one already on the machine, Debian's package (as root), Playwright's own
download. The app itself never needs this.
"""

import os
import shutil
import subprocess
import sys

# The first one has no window to draw, so that a page costs a sixth less; it lays out text without hinting, as a Mac does.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_browser() -> str | None:
    """Path of a Chromium or Chrome on this machine, or None."""
    if named := os.environ.get("ALIBI_VIZ_BROWSER"):
        return named if os.path.exists(named) else None
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def playwright_browser() -> str | None:
    """Path of Playwright's own Chromium if it was downloaded, else None."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


def install() -> None:
    if shutil.which("apt-get") and os.geteuid() == 0:
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for words in (["update", "-qq"], ["install", "-y", "-qq", NAMES[0]]):
            subprocess.run(["apt-get", *words], env=environment, stdout=subprocess.DEVNULL, check=False)
    if find_browser() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


if __name__ == "__main__":
    if not (find_browser() or playwright_browser()):
        install()
    if not (browser := find_browser() or playwright_browser()):
        sys.exit("No Chromium could be found or installed: install one, or name it in ALIBI_VIZ_BROWSER.")
    print(f"Browser for the tests: {browser}")

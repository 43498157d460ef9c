"""Make sure that a Chromium is there for the browser tests, and print which.

Order: one named in ALIBI_VIZ_BROWSER, one already on the machine, Debian's package (as root), Playwright's own
download. The app itself never needs this.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

# The first one has no window to draw, so that a page costs a sixth less; it lays out text without hinting, as a Mac does.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_browser() -> str | None:
    """Path of a Chromium or Chrome on this machine, or None."""
    named = os.environ.get("ALIBI_VIZ_BROWSER")
    if named:
        return named if os.path.exists(named) else None
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def playwright_browser() -> str | None:
    """Path of Playwright's own Chromium if it was downloaded, else None."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


def install_with_apt() -> bool:
    if os.name != "posix" or os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    quiet = {"stdout": subprocess.DEVNULL, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
    for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", NAMES[0]]):
        if subprocess.run(command, check=False, **quiet).returncode != 0:  # type: ignore[call-overload]
            return False
    return True


def main() -> int:
    browser = find_browser() or playwright_browser()
    if browser is None and install_with_apt():
        browser = find_browser()
    if browser is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
        browser = playwright_browser()
    if browser is None:
        print(
            "No Chromium could be found or installed: install one, or name it in ALIBI_VIZ_BROWSER.",
            file=sys.stderr,
        )
        return 1
    print(f"Browser for the tests: {browser}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

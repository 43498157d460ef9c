"""Train it yourself, in a real browser, with real workers beside a real Streamlit server.

One server for all: every test leaves it without the runs that the others ask for.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

SMALL = "train_length=32&train_width=16&train_layers=1&train_heads=4&train_steps=75&train=alibi,sinusoidal"
LONG = "train_length=64&train_width=32&train_heads=4&train_steps=5000&train=alibi"
WAIT = 240_000  # milliseconds: workers start slowly on a loaded machine


def button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def status(page: Any, method: str = "ALiBi") -> Any:
    """What stands beside the method's name."""
    return page.locator(".st-key-train_states").get_by_text(re.compile(rf"^{method} · ")).first


def wait_for_status(page: Any, text: str, method: str = "ALiBi") -> None:
    status(page, method).filter(has_text=text).wait_for(timeout=WAIT)


def steps(page: Any) -> int:
    """Steps that ALiBi has done."""
    return int(re.findall(r"step ([\d,]+) of", status(page).inner_text())[0].replace(",", ""))


def reset(page: Any) -> None:
    """Forget the run."""
    button(page, "Reset").click()
    wait_for_status(page, "not trained yet")


@pytest.mark.slow
def test_training_in_the_page_and_after_a_reload(fresh_app, page):
    page.goto(f"{fresh_app}/train?{SMALL}")
    wait_for_status(page, "not trained yet")
    # The first visitor of this server: the whole app is there.
    assert page.get_by_test_id("stSidebarNav").get_by_text("The story", exact=True).count() == 1
    assert page.get_by_test_id("stSidebarNav").get_by_text("app", exact=True).count() == 0
    assert page.get_by_text("Page not found").count() == 0
    assert button(page, "Pause").is_disabled()
    button(page, "Play").click()
    for method in ("ALiBi", "Sinusoidal"):
        wait_for_status(page, "finished, 75 steps in", method)
    page.get_by_text("on held-out text in sliding windows").wait_for()
    page.locator(".cv .plots").press("ArrowRight")  # along the live curves
    page.get_by_text(re.compile(r"(ALiBi|Sinusoidal): \d+ bytes, perplexity \d")).first.wait_for()
    assert button(page, "Play").is_disabled()
    page.get_by_text("Which runs are on this machine?").click()
    page.get_by_text("Runs: 2.").wait_for()
    page.reload()
    wait_for_status(page, "finished, 75 steps in")
    page.get_by_text("on held-out text in sliding windows").wait_for()


@pytest.mark.slow
def test_pause_steps_and_reset(fresh_app, page):
    page.goto(f"{fresh_app}/train?{LONG}")
    button(page, "25 steps").click()
    wait_for_status(page, "paused at step 25 of 5,000")
    button(page, "Play").click()
    status(page).filter(has_text="of 5,000", has_not_text=re.compile("step 25 |paused")).wait_for(timeout=WAIT)
    button(page, "Pause").click()
    wait_for_status(page, "paused at step")
    paused = steps(page)
    page.reload()
    wait_for_status(page, "paused at step")
    assert steps(page) >= paused > 25  # a chunk that was on the way still counts
    reset(page)


@pytest.mark.slow
def test_the_page_stays_usable_while_it_trains(fresh_app, page):
    page.goto(f"{fresh_app}/train?{LONG}")
    button(page, "Play").click()
    wait_for_status(page, "of 5,000")
    before = status(page).inner_text()
    page.get_by_role("radio", name="loss in training").click()
    page.wait_for_url("**train_show=loss**")
    page.wait_for_function("(text) => !document.body.innerText.includes(text)", arg=before, timeout=WAIT)
    wait_for_status(page, "of 5,000")
    assert "train_show=loss" in page.url
    reset(page)

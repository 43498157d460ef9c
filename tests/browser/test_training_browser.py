"""Train it yourself, in a real browser, with real workers beside a real Streamlit server."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

SMALL = "train_length=32&train_width=16&train_layers=1&train_heads=4&train_steps=75&train=alibi,sinusoidal"
LONG = "train_length=64&train_width=32&train_heads=4&train_steps=5000&train=alibi"
WAIT = 120_000  # milliseconds: workers start slowly on a loaded machine


@pytest.fixture
def address(serve_fresh: Callable[..., str]) -> str:
    """A server of its own: its queue and its data folder are empty."""
    return serve_fresh("app.py")


def button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def status(page: Any, method: str) -> Any:
    """What stands beside the method's name."""
    return page.get_by_text(re.compile(rf"^{method} · ")).first


def told(page: Any, method: str, words: str) -> None:
    status(page, method).filter(has_text=words).wait_for(timeout=WAIT)


def steps(page: Any) -> int:
    """Steps that ALiBi has done."""
    return int(re.findall(r"step ([\d,]+) of", status(page, "ALiBi").inner_text())[0].replace(",", ""))


def drawn_points(page: Any) -> int:
    """Points of the live curves."""
    return int(page.locator(".mark-symbol path").count())


def test_training_in_the_page_and_after_a_reload(address: str, new_page: Callable[..., Any]) -> None:
    page = new_page()
    page.goto(f"{address}/extrapolation?{SMALL}")
    told(page, "ALiBi", "not trained yet")
    assert button(page, "Pause").is_disabled()
    button(page, "Play").click()
    for method in ("ALiBi", "Sinusoidal"):
        told(page, method, "finished, 75 steps in")
    page.get_by_text("on the held-out text (perplexity per byte)").wait_for()
    assert drawn_points(page) > 0
    assert button(page, "Play").is_disabled()
    page.get_by_text("Runs on this machine (2)").wait_for()
    page.reload()
    told(page, "ALiBi", "finished, 75 steps in")
    page.get_by_text("on the held-out text (perplexity per byte)").wait_for()


def test_pause_steps_and_reset(address: str, new_page: Callable[..., Any]) -> None:
    page = new_page()
    page.goto(f"{address}/extrapolation?{LONG}")
    button(page, "25 steps").click()
    told(page, "ALiBi", "paused at step 25 of 5,000")
    button(page, "Play").click()
    status(page, "ALiBi").filter(has_text="of 5,000", has_not_text=re.compile("step 25 |paused")).wait_for(timeout=WAIT)
    button(page, "Pause").click()
    told(page, "ALiBi", "paused at step")
    paused = steps(page)
    page.reload()
    told(page, "ALiBi", "paused at step")
    assert steps(page) >= paused > 25  # a chunk that was on the way still counts
    button(page, "Reset").click()
    told(page, "ALiBi", "not trained yet")


def test_what_another_reader_watches_goes_on(address: str, new_page: Callable[..., Any]) -> None:
    first, second = new_page(), new_page()
    first.goto(f"{address}/extrapolation?{LONG}")
    button(first, "Play").click()
    told(first, "ALiBi", "of 5,000")
    second.goto(f"{address}/extrapolation?{LONG}")
    told(second, "ALiBi", "of 5,000")
    button(second, "Pause").click()
    second.get_by_text("Other readers (1) watch").wait_for()
    told(first, "ALiBi", "of 5,000")
    assert "paused" not in status(first, "ALiBi").inner_text()
    second.context.close()
    first.wait_for_timeout(3_000)
    button(first, "Reset").click()
    told(first, "ALiBi", "not trained yet")


def test_the_page_stays_usable_while_it_trains(address: str, page: Any) -> None:
    page.goto(f"{address}/extrapolation?{LONG}")
    button(page, "Play").click()
    told(page, "ALiBi", "of 5,000")
    before = status(page, "ALiBi").inner_text()
    page.get_by_role("radio", name="sliding").click()
    page.wait_for_url("**ext_protocol=sliding**")
    page.wait_for_function("(text) => !document.body.innerText.includes(text)", arg=before, timeout=WAIT)
    told(page, "ALiBi", "of 5,000")
    assert "ext_protocol=sliding" in page.url
    button(page, "Reset").click()
    told(page, "ALiBi", "not trained yet")

"""Train it yourself, in a real browser, with real workers beside a real server; and whose run it is, whatever happens."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from alibi_viz.lessons import load

SMALL = "train_length=32&train_width=16&train_layers=1&train_heads=4&train_steps=75&train=alibi,sinusoidal"
LONG = "train_length=64&train_width=32&train_heads=4&train_steps=5000&train=alibi"
OPEN = f"train?{LONG}&train_open=runs"
NONE, ONE = (load("train").text("runs", {"count": count}) for count in (0, 1))
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


@pytest.fixture(scope="module")
def fresh_app(start_app: Callable[..., tuple[Any, str]]) -> str:
    """The address of an app of this module's own: nobody has asked it for anything, and it has no runs."""
    return start_app(ALIBI_VIZ_WARM="1")[1]


@pytest.mark.slow
def test_training_in_the_page_and_after_a_reload(fresh_app, page):
    page.goto(f"{fresh_app}/train?{SMALL}")
    wait_for_status(page, "not trained yet")
    # The first visitor of this server: the whole app is there.
    assert page.get_by_test_id("stSidebarNav").get_by_text("The story", exact=True).count() == 1
    assert page.get_by_test_id("stSidebarNav").get_by_text("app", exact=True).count() == 0
    assert page.get_by_text("Page not found").count() == 0
    assert button(page, "Pause").is_disabled()
    picture = page.locator(".st-key-train_picture")
    picture.locator(".main-svg").first.wait_for()
    top = picture.bounding_box()["y"]
    button(page, "Play").click()
    status(page).filter(has_text=re.compile("step|trained|test")).wait_for(timeout=WAIT)
    assert picture.bounding_box()["y"] == top, "the picture does not jump at Play"
    for method in ("ALiBi", "Sinusoidal"):
        wait_for_status(page, "finished, 75 steps in", method)
    page.get_by_text("on held-out text in sliding windows").wait_for()
    verdict = status(page).bounding_box()
    assert verdict["y"] + verdict["height"] < picture.bounding_box()["y"] == top, (
        "nor later: the verdict stands over it"
    )
    page.locator(".st-key-train_picture .point").last.hover(force=True)  # Plotly's own layer lies over it
    page.get_by_text(re.compile(r"(ALiBi|Sinusoidal): \d+ bytes, perplexity \d")).first.wait_for()
    assert button(page, "Seed 1").is_enabled()
    page.get_by_text("Which runs are on this machine?").click()
    page.get_by_text("Runs: 2.").wait_for()
    page.reload()
    wait_for_status(page, "finished, 75 steps in")
    page.get_by_text("on held-out text in sliding windows").wait_for()
    button(page, "Seed 1").click()
    page.wait_for_url("**train_seed=1**")
    status(page).filter(has_not_text="finished").wait_for(timeout=WAIT)
    button(page, "Reset").click()
    wait_for_status(page, "not trained yet")


@pytest.mark.slow
def test_in_a_class_a_run_stays_with_its_browser(start_app, tmp_path, another_browser):
    kept = {"ALIBI_VIZ_CLASS": "1", "ALIBI_VIZ_DATA": str(tmp_path)}
    process, address = start_app(**kept)
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
        if anew:
            process.terminate()
            process.wait()
            _, address = start_app(**kept)
        tab.goto(f"{address}/{OPEN}")
        wait_for_status(tab, "paused at step 25")
        tab.get_by_text(ONE).wait_for()
        assert button(tab, "Reset").is_enabled()
    button(tab, "Reset").click()
    wait_for_status(tab, "not trained yet")

"""Train it yourself, in a real browser, with real workers beside a real server; and whose run it is, whatever happens."""

import re

import pytest

SMALL = "train_length=32&train_width=16&train_layers=1&train_heads=4&train_steps=75&train=alibi,sinusoidal"
WAIT = 240_000  # milliseconds: workers start slowly on a loaded machine


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def status(page, method="ALiBi"):
    return page.locator(".st-key-train_states").get_by_text(re.compile(rf"^{method} · ")).first


def wait_for_status(page, text, method="ALiBi"):
    status(page, method).filter(has_text=text).wait_for(timeout=WAIT)


def steps(page):
    return int(re.findall(r"step ([\d,]+) of", status(page).inner_text())[0].replace(",", ""))


@pytest.fixture(scope="module")
def fresh_app(start_app):
    """The address of an app of this module's own: nobody has asked it for anything, and it has no runs."""
    return start_app(ALIBI_VIZ_WARM="1")[1]


@pytest.mark.slow
def test_training_in_the_page_and_after_a_reload(fresh_app, page):
    page.goto(f"{fresh_app}/train?{SMALL}")
    wait_for_status(page, "faint")
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
    wait_for_status(page, "faint")

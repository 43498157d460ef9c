"""Writing in a real Chromium: it plays by itself, and a rail shows every moment of what is written."""

import re

from tests.browser.actions import address_has, open_at, settle

EDGE = "trained up to here: 128"


def shown(page):
    return int(re.sub(r"\D", "", page.locator(".rail output").inner_text()))


def test_it_writes_by_itself_past_the_dashed_line_and_the_rail_shows_every_moment(app, page):
    open_at(page, f"{app}/write")
    page.get_by_text(EDGE).first.wait_for()
    assert page.locator(".paper").count() == 4
    page.get_by_role("button", name="Pause").click()
    address_has(page, "write_at", str(shown(page)))
    rail = page.get_by_role("slider", name="Byte that is shown")
    rail.press("End")
    page.locator(".rail output", has_text="1,024 bytes").wait_for()
    scores = page.locator(".paper .score").all_inner_texts()
    counts = [re.match(r"(\d+) of (\d+) words", score).groups() for score in scores]
    shares = [int(known) / int(every) for known, every in counts]
    assert min(shares[0], shares[2]) > 0.75 > 0.4 > max(shares[1], shares[3]), (
        "ALiBi and T5 write words, the others do not"
    )
    address_has(page, "write_at", "1024")
    settle(page)
    page.keyboard.press("Home")  # the rail has kept the focus while Python answered
    page.locator(".rail output", has_text=re.compile("^31 bytes")).wait_for()
    assert page.get_by_text(EDGE).count() == 0
    paper = page.locator(".paper .text").first
    paper.press("ArrowRight")
    address_has(page, "write_at", "47")
    settle(page)
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause").wait_for()

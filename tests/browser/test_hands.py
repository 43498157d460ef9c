"""The hands on top of a picture, in a real Chromium: drawn at once, reported once, undone by Back, kept by a reload."""

import pytest

from tests.browser.actions import address_has, address_lacks, dragging, open_at, painted, query, settle, slider
from tests.cases import slow

READ = ".readout .words"


@pytest.mark.parametrize(
    ("address", "label", "key", "picture", "way"),
    [
        ("slopes?heads=4", "Heads", "heads", "slopes", (0.03, 0.5)),
        slow("bias", "Heads", "heads", "bias", (0.06, 0.5)),
        slow("bias", "Sequence length n", "n", "bias", (0.35, 0.75)),
        slow("attention?head=5", "Strength of ALiBi", "strength", "attention", (0.25, 0.73)),
        slow("attention_model?head=5", "Strength of ALiBi", "strength", "attention_model", (0.25, 0.73)),
        slow("lab_rope?position=0", "Position", "position", "lab_rope", (0.03, 0.97)),
    ],
)
def test_a_drag_is_drawn_at_once_reported_once_and_undone_by_back(app, page, address, label, key, picture, way):
    open_at(page, f"{app}/{address}")
    page.wait_for_function("(key) => painted.some((event) => event.key === key)", arg=picture)
    note = page.locator(".note:visible").first
    entries, url, before = page.evaluate("history.length"), page.url, note.inner_text()
    value = slider(page, label).get_attribute("aria-valuetext")
    start, stop = way
    for move in dragging(page, label, start=start, stop=stop, moves=25):
        page.wait_for_timeout(16)
        if move == 25:
            under_the_hand = note.inner_text()
    page.wait_for_function("(url) => location.href !== url", arg=url)
    settle(page)
    events = painted(page, picture)
    for event in events:
        event["value"] = event["value"][key]  # of what all hands say
    previews = [event["value"] for event in events if event["source"] == "preview"]
    assert len(set(previews)) >= 5, "the hand is not waited for"
    assert previews == sorted(previews), "an older value is never painted over a newer"
    assert (events[-1]["source"], float(events[-1]["value"])) == ("python", float(query(page)[key][0]))
    assert (under_the_hand != before) == (key != "n"), "the sentence follows the hand; no length stands in it"
    assert note.inner_text() == under_the_hand, "and PyTorch says the same"
    assert page.evaluate("history.length") == entries + 1, "one entry of the history a release"
    page.go_back()
    page.locator(f"input[type=range][aria-label='{label}'][aria-valuetext='{value}']").wait_for()
    settle(page)
    assert page.url == url
    assert note.inner_text() == before


def test_presets_lists_and_digits_set_several_hands_in_one_step(app, page):
    open_at(page, f"{app}/slopes")
    before = page.evaluate("history.length")
    page.get_by_role("button", name="The blog rule with 32 heads").click()
    address_has(page, "rule", "2^-h")
    settle(page)
    assert query(page) == {"heads": ["32"], "rule": ["2^-h"]}
    assert page.get_by_role("button", name="The blog rule").get_attribute("aria-pressed") == "true"
    page.get_by_label("Real model").select_option("MPT 7B StoryWriter")
    address_has(page, "model", "MPT 7B StoryWriter")
    settle(page)
    assert query(page) == {"heads": ["32"], "max_bias": ["16"], "model": ["MPT 7B StoryWriter"]}
    assert page.evaluate("history.length") == before + 2
    page.go_back()
    address_has(page, "rule", "2^-h")
    open_at(page, f"{app}/slopes?present=true")
    for _ in dragging(page, "Heads", start=0.03, stop=0.3, moves=6):
        pass  # a hand on a slider does not take the keys away
    settle(page)
    page.keyboard.press("2")
    address_has(page, "heads", "12")


def test_what_cannot_be_is_said_and_nothing_typed_is_lost(app, page):
    open_at(page, f"{app}/slopes?rule=own+list")
    field, trouble = (
        page.get_by_label("Your own slopes"),
        page.locator(".slopes .trouble", has_text="“two” is not a number."),
    )
    field.fill("1/2, two")
    trouble.wait_for()
    assert field.input_value() == "1/2, two"
    field.fill("1/2, 1/10")
    address_has(page, "own", "1/2, 1/10")
    trouble.wait_for(state="hidden")
    page.get_by_text("2 heads").first.wait_for()
    open_at(page, f"{app}/lab_rope?rope_dim=4&scaling=dynamic")
    page.get_by_role("button", name="More").click()
    slider(page, "Head size").press("Home")
    page.locator(".clocks .trouble", has_text="above 2").wait_for()
    page.get_by_role("radio", name="none").click()  # the hands lead out of it
    page.locator(".clocks .trouble").wait_for(state="hidden")


@pytest.mark.parametrize(
    ("address", "key", "moved", "readout", "label", "gone"),
    [
        ("slopes?heads=4&cell=2,64", "ArrowRight", "2,67", "Head 3, m = 1/64: at distance 67 ", "Heads", "Home"),
        slow("bias?cell=100,90", "ArrowLeft", "100,89", "Query 100, key 89:", "Sequence length n", "Home"),
    ],
)
def test_a_locked_point_is_in_the_address_until_the_picture_has_it_no_more(
    app, page, address, key, moved, readout, label, gone
):
    open_at(page, f"{app}/{address}")
    page.locator(".pin").first.wait_for()
    page.locator(".plots").first.press(key)
    address_has(page, "cell", moved)
    settle(page)
    page.reload()
    page.locator(READ, has_text=readout).wait_for()
    slider(page, label).press(gone)  # the least of its values: the point is not in the picture
    address_lacks(page, "cell")
    page.locator(".pin").wait_for(state="detached")

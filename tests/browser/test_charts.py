"""What a browser makes of the charts: every name in them can be read."""

from itertools import combinations, pairwise, product

import pytest

from pages.today.study import timeline
from tests.browser.actions import DESK, PHONE, cover, open_at, settle

SIZES = {"desk": DESK, "phone": PHONE}
#: The boxes of all names and of all marks, of the chart, and of what stands below it.
BOXES = """() => {
  const sides = ({ left, top, right, bottom }) => [left, top, right, bottom];
  const box = (part) => sides(part.getBoundingClientRect());
  const all = (selector) => [...document.querySelectorAll('.js-plotly-plot ' + selector)].map(box);
  return { names: all('.textpoint text'), marks: all('.points path'), chart: all('.main-svg')[0],
    titles: all('.xtitle'), ticks: all('.xtick text'), notes: all('.annotation text') };
}"""


@pytest.mark.slow
@pytest.mark.parametrize(("size", "query"), [*((size, "") for size in SIZES), ("desk", "?present=true")])
def test_every_name_can_be_read(app, new_page, size, query):
    page = open_at(new_page(viewport=SIZES[size]), f"{app}/today{query}")
    page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot .textpoint text').length > 0")
    settle(page)
    boxes = page.evaluate(BOXES)
    names, marks, chart = boxes["names"], boxes["marks"], boxes["chart"]
    assert len(names) == len(marks) == timeline()["shown"].sum()
    for number, name in enumerate(names):
        assert chart[0] <= name[0], number
        assert name[2] <= chart[2], number
        slack = 3.0 if query else 1.0  # on a wall type is larger, and so is what its boxes have above it
        assert not [other for other in names[number + 1 :] if cover(name, other, slack)], number
        assert not [mark for mark in marks if cover(name, mark, slack)], number
    if size == "desk":
        assert chart[3] <= DESK["height"], "the figure is on the first screen"


@pytest.mark.slow
def test_the_names_at_the_ends_of_lines_do_not_touch(new_page, app):
    page = open_at(new_page(), f"{app}/extrapolation?ext_methods=alibi,rope,t5,sinusoidal,none,fire,sandwich")
    chart = page.locator(".js-plotly-plot").first
    edge, labels = chart.bounding_box(), chart.locator(".annotation-text")
    lines = ("RoPE", "Sinusoidal", "No positions", "T5 bias", "ALiBi", "FIRE", "Sandwich (one seed)")
    boxes = [labels.get_by_text(name, exact=True).bounding_box() for name in lines]
    assert all(box["x"] + box["width"] <= edge["x"] + edge["width"] for box in boxes)
    tops = sorted((box["y"], box["y"] + box["height"]) for box in boxes)
    assert all(low[1] <= high[0] + 1 for low, high in pairwise(tops))


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_words_below_a_picture_stand_over_nothing_on_a_phone(new_page, app, language):
    """Words in Han characters are written downwards; others are turned, and their boxes are wider than they."""
    page = new_page(viewport=PHONE)
    for address, part in (("attention?attention_open=row", ".xtitle"), ("early_token_curse?", ".annotation")):
        open_at(page, f"{app}/{address}&lang={language}")
        page.locator(f".js-plotly-plot {part}").first.wait_for()
        settle(page)
        boxes = page.evaluate(BOXES)
        pairs = [*product(boxes["titles"], boxes["ticks"]), *combinations(boxes["notes"], 2)]
        pairs += combinations(boxes["ticks"], 2) if language == "zh" else []
        assert not [pair for pair in pairs if cover(*pair)], address

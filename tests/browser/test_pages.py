"""The pages in a real Chromium: what only a browser shows."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

PATHS = ("/", "/slopes", "/bias", "/attention")
LISTEN = """
window.painted = [];
addEventListener("alibi-viz:painted", (event) => window.painted.push(event.detail));
"""
READY = "() => !document.querySelector('[data-testid=stStatusWidget], [data-testid=stSkeleton]')"


def settle(page) -> None:
    page.wait_for_selector("h1")
    page.wait_for_timeout(400)
    page.wait_for_function(READY)
    page.wait_for_timeout(300)


def open_at(page, address: str):
    page.add_init_script(LISTEN)
    page.goto(address)
    settle(page)
    return page


def slider(page, label: str):
    return page.get_by_label(label, exact=True).and_(page.locator("input[type=range]"))


def query(page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def cells(page, name: str):
    """The canvas of the n-th panel whose title holds `name`."""
    return page.locator(".panel", has_text=name).locator(".plot").first


@pytest.fixture
def app(serve) -> str:
    return serve("app.py")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_page_fits_its_window(app, new_page, path, width, scheme):
    page = new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    open_at(page, app + path)
    overflow = page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth")
    assert overflow <= 0
    assert page.locator("[data-testid=stException]").count() == 0
    background = page.evaluate("() => getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    dark = sum(int(part) for part in re.findall(r"\d+", background)[:3]) < 200
    assert dark == (scheme == "dark")


def test_no_chart_offers_to_send_data_away(app, page):
    open_at(page, app + "/slopes")
    page.wait_for_selector(".js-plotly-plot .modebar-btn", state="attached")
    titles = page.eval_on_selector_all(".modebar-btn", "all => all.map((one) => one.dataset.title || '')")
    assert titles
    assert not any("cloud" in title.lower() or "share" in title.lower() for title in titles)


def test_dragging_the_heads_draws_the_ladder_anew(app, page):
    open_at(page, app + "/slopes?heads=8")
    page.wait_for_selector(".js-plotly-plot .point")
    handle = slider(page, "Heads")
    box = handle.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 20, y)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(box["x"] + 20 + step * 10, y)
    page.mouse.up()
    page.wait_for_function("() => new URLSearchParams(location.search).get('heads') > 8")
    heads = int(query(page)["heads"][0])
    page.get_by_text(re.compile(rf"^{heads} heads, slopes from")).wait_for()
    assert page.locator("input[aria-label=Heads][type=number]").input_value() == str(heads)


def test_hover_click_arrows_and_reload_on_the_attention_page(app, page):
    open_at(page, app + "/attention?content=random&seed=7")
    panel = cells(page, "weight")
    panel.scroll_into_view_if_needed()
    box = panel.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.85)
    readout = page.get_by_text(re.compile("looks at .* tokens back")).first
    readout.wait_for()
    before = readout.inner_text()
    number = r"[−\d.,]+(?: × 10[⁻⁰-⁹]+)?"
    assert re.search(rf"{number} − 1 × {number} × \d+ = {number}\. Then e\^\({number}\) / {number} = {number}", before)
    page.mouse.click(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.85)
    query_word = re.search("“(.+?)” looks", before)[1]
    page.get_by_text(f"One query and its keys: “{query_word}”").wait_for()
    page.keyboard.press("ArrowUp")
    page.wait_for_function("(before) => !document.body.innerText.includes(before)", arg=before)
    url = page.url
    page.reload()
    settle(page)
    assert query(page) == parse_qs(urlsplit(url).query)
    assert page.locator("input[aria-label=Seed]").input_value() == "7"


def test_the_arithmetic_in_the_readout_is_right(app, page):
    open_at(page, app + "/attention?content=random&seed=3&strength=2")
    cells(page, "weight").scroll_into_view_if_needed()
    box = cells(page, "weight").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.9)
    text = page.get_by_text(re.compile("looks at .* tokens back")).first.inner_text()
    plain = text.replace("−", "-").replace("e^", "")
    content, strength, slope, distance, score = map(
        float, re.search(r": (-?[\d.]+) - ([\d.]+) × ([\d.]+) × (\d+) = (-?[\d.]+)\.", plain).groups()
    )
    assert content - strength * slope * distance == pytest.approx(score, abs=2e-3)
    exponent, total, weight = map(float, re.search(r"\((-?[\d.]+)\) / ([\d.]+) = ([\d.]+?)\.?$", plain).groups())
    assert 2.718281828**exponent / total == pytest.approx(weight, rel=1e-2)


def test_dragging_the_strength_previews_and_pytorch_agrees(app, page):
    open_at(page, app + "/attention")
    handle = slider(page, "Strength of ALiBi")
    box = handle.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.25, y)
    page.mouse.down()
    for step in range(1, 25):
        page.mouse.move(box["x"] + box["width"] * (0.25 + step * 0.02), y)
    page.mouse.up()
    page.wait_for_function(
        "() => { const last = painted.filter((one) => one.key === 'attention_stages').at(-1);"
        " return last && last.source === 'python' && last.value > 2; }"
    )
    page.wait_for_timeout(500)
    events = [one for one in page.evaluate("() => painted") if one["key"] == "attention_stages"]
    assert sum(one["source"] == "preview" for one in events) >= 3
    assert events[-1]["source"] == "python"
    shown = float(page.locator("input[type=number][aria-label='Strength of ALiBi']").input_value())
    assert events[-1]["value"] == pytest.approx(shown)
    for badge in page.locator(".badge[data-difference]").all():
        assert float(badge.get_attribute("data-difference")) <= 1e-5


def test_text_of_a_reader_stays_text(app, page):
    nasty = "<img src=x onerror=alert(1)> **bold** $x^2$ [link](http://example.com) 🙂"
    page.on("dialog", lambda dialog: pytest.fail("a script of the reader ran"))
    open_at(page, f"{app}/attention")
    page.get_by_label("Text", exact=True).fill(nasty)
    page.keyboard.press("Control+Enter")
    page.get_by_text("“🙂”").first.wait_for()
    assert page.locator("img[src=x]").count() == 0
    assert page.locator("a[href*='example.com']").count() == 0


def test_a_thumbnail_opens_its_head(app, page):
    open_at(page, app + "/bias")
    page.locator(".panel", has_text=re.compile("^6")).locator(".plot").first.click()
    page.get_by_role("heading", name="Head 6, slope 1/64").wait_for()
    page.wait_for_function("() => new URLSearchParams(location.search).get('head') === '6'")


def test_zooming_into_a_million_tokens_stays_exact(app, page):
    open_at(page, app + "/bias?n=1000000&head=8")
    button = page.get_by_role("button", name="Zoom in (+)")
    for _ in range(3):
        button.click()
        settle(page)
    span = int(query(page)["span"][0])
    assert 0 < span < 1_000_000
    large = page.locator(".panel .plot").last
    large.scroll_into_view_if_needed()
    box = large.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.8)
    text = page.get_by_text(re.compile("the distance is")).first.inner_text().replace("−", "-")
    i, j, distance, slope, product = re.search(
        r"Query (\d+), key (\d+): the distance is (\d+)\. The bias is -([\d.]+) × \d+ = -([\d.]+)\.", text
    ).groups()
    assert int(i) - int(j) == int(distance)
    assert float(slope) * int(distance) == pytest.approx(float(product), rel=1e-3)


def test_two_tabs_do_not_share_their_state(app, new_page):
    first, second = new_page(), new_page()
    open_at(first, app + "/slopes?heads=12")
    open_at(second, app + "/slopes?heads=64")
    assert first.get_by_text("12 heads, slopes from").count() == 1
    assert second.get_by_text("64 heads, slopes from").count() == 1


def test_back_returns_to_the_page_before(app, page):
    open_at(page, app + "/slopes?heads=12")
    page.get_by_role("link", name="Bias", exact=True).click()
    page.get_by_role("heading", name="Bias: the matrix that ALiBi adds").wait_for()
    page.go_back()
    page.get_by_role("heading", name="Slopes: one number for each head").wait_for()
    page.get_by_text("12 heads, slopes from").wait_for()


def test_a_corrected_value_reaches_the_url(app, page):
    open_at(page, app + "/slopes?heads=1e9")
    page.get_by_text("too large").wait_for()
    page.wait_for_function("() => new URLSearchParams(location.search).get('heads') === '128'")


@pytest.mark.parametrize("path", ["/slopes", "/attention"])
def test_a_fresh_server_shows_its_own_navigation_on_any_page(serve_fresh, new_page, path):
    page = open_at(new_page(), serve_fresh("app.py") + path)
    assert page.get_by_test_id("stSidebarNav").get_by_text("Start", exact=True).count() == 1
    assert page.get_by_test_id("stSidebarNav").get_by_text("app", exact=True).count() == 0


def test_a_trained_model_previews_its_first_layer_and_pytorch_agrees(app, page):
    open_at(page, app + "/attention?content=trained+model&head=5")
    handle = slider(page, "Strength of ALiBi")
    box = handle.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.25, y)
    page.mouse.down()
    for step in range(1, 15):
        page.mouse.move(box["x"] + box["width"] * (0.25 + step * 0.03), y)
    page.mouse.up()
    page.wait_for_function(
        "() => { const last = painted.filter((one) => one.key === 'trained_stages').at(-1);"
        " return last && last.source === 'python' && last.value > 2; }"
    )
    page.wait_for_timeout(500)
    events = [one for one in page.evaluate("() => painted") if one["key"] == "trained_stages"]
    assert sum(one["source"] == "preview" for one in events) >= 3
    for badge in page.locator(".badge[data-difference]").all():
        assert float(badge.get_attribute("data-difference")) <= 1e-5
    page.get_by_text(re.compile("That is with the strength")).wait_for()


def test_the_readout_of_a_trained_model_without_slopes_adds_up(app, page):
    open_at(page, app + "/attention?content=trained+model&model=t5&layer=2")
    cells(page, "weight").scroll_into_view_if_needed()
    box = cells(page, "weight").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.9)
    plain = page.get_by_text(re.compile("looks at .* bytes back")).first.inner_text().replace("−", "-")
    content, bias, score = map(
        float, re.search(r"content (-?[\d.]+), with the bias (-?[\d.]+) added: (-?[\d.]+)\.", plain).groups()
    )
    assert content + bias == pytest.approx(score, abs=2e-3)
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.5)
    page.get_by_text("it comes later").first.wait_for()

"""The site: every link leads somewhere, nothing of another host is loaded, it stays small, and its hands move.

It is built once, or is the folder that ALIBI_VIZ_BUILT_SITE names. Tests whose names end in “browser” need one.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import http.server
import json
import os
import re
import subprocess
import sys
import threading
import zipfile
from base64 import b64decode
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from plotly.offline import get_plotlyjs_version

import alibi_viz
from alibi_viz.export.site import HERE, PLOTLY, dark_of_light, markdown
from alibi_viz.lessons import languages, load, problems
from alibi_viz.lessons.problems import Problem
from alibi_viz.pictures.story.message import MOST_WORDS
from alibi_viz.results import table, writing
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.params import Param, clean
from alibi_viz.ui.format import format_slope
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.site import cards, extras, files
from tests.browser.actions import value_of
from tests.browser.axe import violations
from tests.pages.apptest import NONSENSE

#: What an address may say of a control, beside the nonsense of all tests.
ODD = (" 12 ", "0x10", "-Infinity", "1e2", "12px", "Yes", " 3 , 04 ", "3;4", "constructor")
#: Bytes: two pages over the wire, and the whole folder without these.
FIRST, CHART, ALL = 148_000, 560_000, 6_000_000
#: Pictures of a page, models, and the app: a reader asks for them.
OTHER = ("card.png", "weights", extras.WHEEL, extras.ARCHIVE)
ADDRESS, CODE = "https://example.org/some/path", "https://example.org/code"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of ALIBI_VIZ_BUILT_SITE, or one that is built now."""
    if "ALIBI_VIZ_BUILT_SITE" in os.environ:
        return Path(os.environ["ALIBI_VIZ_BUILT_SITE"])
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "-m", "alibi_viz.ui.site", str(folder), ADDRESS, CODE], check=True)
    return folder


@pytest.mark.slow
def test_two_builds_are_the_same_bytes(site, tmp_path):
    """But for the cards, which a browser draws."""
    subprocess.run([sys.executable, "-m", "alibi_viz.ui.site", str(tmp_path), ADDRESS, CODE], check=True)

    def sums(folder):
        files = (file for file in folder.rglob("*") if file.is_file() and file.name not in ("card.png", extras.ARCHIVE))
        return {file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}

    assert sums(tmp_path) == sums(site)


@pytest.fixture(scope="module")
def served(site, tmp_path_factory):
    """The address of the site on a static host, below a path."""
    root = tmp_path_factory.mktemp("host")
    (root / "some").mkdir()
    (root / "some/path").symlink_to(site.resolve())
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(root))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/some/path/"
        server.shutdown()


def moves(page):
    """Whether the first hand of a page's picture moves, and what it says goes into the address; True where it has none."""
    hand = page.locator(".hands input[type=range]:visible:enabled").first
    if not hand.count():
        return True
    key = hand.get_attribute("id").removeprefix("hand-")
    hand.focus()
    before = hand.input_value()
    page.keyboard.press("ArrowLeft" if before == hand.get_attribute("max") else "ArrowRight")
    value_of(page, key)
    return hand.input_value() != before


#: Whether all that moves is drawn, but in sections that are closed.
DRAWN = "() => !document.querySelector('#lesson .picture-frame:not(.drawn, .chart, details:not([open]) *)')"


@pytest.mark.slow
@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_every_page_opens_its_hand_moves_and_everybody_can_use_it_in_a_browser(served, new_page, language):
    """With all its sections: in the light on a phone, in the dark at a desk."""
    page, found = new_page(), {}
    for name in navigation.ENTRIES:
        page.set_viewport_size({"width": 390, "height": 844})
        page.emulate_media(color_scheme="light")
        page.goto(f"{served}{navigation.folder_of(language, name)}")
        assert page.locator(".trouble:visible").count() == 0, page.url
        page.evaluate("for (const section of document.querySelectorAll('details')) section.open = true")
        page.wait_for_function(DRAWN)
        found[name] = violations(page)
        page.set_viewport_size({"width": 1280, "height": 800})
        page.emulate_media(color_scheme="dark")
        found[name] += violations(page)
        assert language != languages.ENGLISH or moves(page), name
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.slow
def test_an_address_of_the_app_opens_the_same_picture_in_a_browser(served, site, page):
    slope = format_slope(-float(alibi_viz.bias(12, 2)[2, 1, 0]))
    for start in (served, f"{site.resolve().as_uri()}/"):
        page.goto(f"{start}bias/index.html?heads=12&head=3&n=64")
        page.wait_for_function("() => window.painted.length")
        assert page.get_by_role("spinbutton", name="Heads").input_value() == "12"
        assert slope in page.locator(".matrices").first.inner_text()
        assert page.locator(".stands").is_visible(), "the sentences stand at other values"
    page.goto(f"{served}bias/?cell=40,12")
    page.get_by_text("Query 40, key 12").first.wait_for()
    assert page.locator("#asks").is_hidden()
    page.goto(f"{served}attention/?kv_heads=2")
    page.locator("#asks").wait_for()
    page.goto(f"{served}slopes?lang=ja&heads=4")
    page.wait_for_url("**/ja/slopes/**")
    assert parse_qs(urlsplit(page.url).query) == {"heads": ["4"]}
    assert page.evaluate("document.documentElement.lang") == "ja"


EMPTY, NO_ROOM = Problem("texts.empty"), Problem("texts.words", most=MOST_WORDS)
BIRD = "my green bird <b>sings and sleeps"
#: Lesson -> where it says the last word of a sentence or its first one; that word, the sentence, one refused, and why.
SENTENCES = {
    "playground": (".read", "sleeps", BIRD, " ", EMPTY),
    "story": (".swap", "zebras", "zebras <b>sing", "one", NO_ROOM),
    "attention": (".note", "sleeps", BIRD, " ", EMPTY),
    "heirs": (".note", "sleeps", BIRD, " ", EMPTY),
}


@pytest.mark.slow
@pytest.mark.parametrize("lesson", SENTENCES)
def test_a_sentence_of_the_reader_is_in_the_picture_and_in_its_address_browser(served, new_page, lesson):
    """One that is refused in between leaves the picture as it was."""
    page, asked, (where, word, sentence, refused, why) = new_page(), [], SENTENCES[lesson]
    page.goto(served if lesson == "playground" else f"{served}{lesson}/")
    page.wait_for_function("() => window.painted.length")
    page.on("request", lambda request: asked.append(request.url))
    if lesson == "story":
        page.locator(".dot").nth(1).click()  # past the mystery
    field = page.locator("input[id^=hand-][id$=text]").first
    said = page.locator(f"{where}:visible").filter(has_text=word).first
    field.fill(sentence)
    said.wait_for()
    assert page.locator("b", has_text="sing").count() == 0, "a text is no HTML"
    remark, before = page.locator(".remark", has_text=problems.say(why)), said.inner_text()
    field.fill(refused)
    remark.wait_for()
    assert said.inner_text() == before
    field.fill(sentence)
    remark.wait_for(state="hidden")
    page.wait_for_url(
        lambda url: sentence in [text for texts in parse_qs(urlsplit(url).query).values() for text in texts]
    )
    assert all(url.startswith("blob:") or "/weights/" in url for url in asked), "a model, if it has one"
    page.reload()
    said.wait_for()


@pytest.mark.slow
def test_a_choice_shows_what_python_has_drawn_for_it_in_a_browser(served, page):
    losses = table.losses()
    at_length = losses[(losses.method == "alibi") & (losses.length == table.train_length())]
    said = {
        protocol: f"{np.exp(rows.loss.mean()):.2f} at L"
        for protocol, rows in at_length.groupby("protocol", observed=True)
    }
    page.goto(f"{served}extrapolation/?ext_protocol=nonoverlapping&theme=dark")
    page.get_by_text(said["nonoverlapping"]).first.wait_for()
    page.get_by_role("button", name="sliding", exact=True).click()
    page.get_by_text(said["sliding"]).first.wait_for()
    assert page.evaluate("location.search") == "?theme=dark"
    assert page.evaluate("document.activeElement.textContent") == "sliding"
    page.go_back()
    page.get_by_text(said["nonoverlapping"]).first.wait_for()
    page.goto(f"{served}extrapolation/?ext_paper=1024&ext_methods=alibi,rope,t5")
    for preset in (1, 0):  # ALiBi and two rivals, six methods
        page.locator(".row .choice button").nth(preset).click()
    page.wait_for_url("**/?ext_paper=1024")  # a preset of the stage leaves what stands in a section
    assert page.locator("#asks").is_hidden()
    page.goto(f"{served}write/?write_seed=2&write_at=900")
    written = writing.shipped().texts["alibi"][1].decode("latin-1").split()
    page.locator(".text", has_text=" ".join(written[:3])).wait_for()
    assert page.locator("#asks").is_hidden()
    page.goto(f"{served}pitfalls/")
    page.get_by_role("button", name=load("shared").label("skip")).click()
    page.get_by_text(load("pitfalls").label("is_wrong", side=load("pitfalls").label("a"))).or_(
        page.get_by_text(load("pitfalls").label("is_wrong", side=load("pitfalls").label("b")))
    ).first.wait_for()


@pytest.mark.slow
def test_an_address_that_no_state_has_opens_the_nearest_and_leads_to_the_app_in_a_browser(served, page):
    page.goto(f"{served}extrapolation/?ext_protocol=nonoverlapping&ext_methods=alibi,rope")
    asks = page.locator("#asks")
    asks.wait_for()
    assert "ALiBi, RoPE" in asks.locator("output").inner_text()
    assert page.get_by_role("button", name="nonoverlapping", exact=True).get_attribute("aria-pressed") == "true"
    query = parse_qs(urlsplit(page.locator("[data-copy=app] + output").text_content()).query)
    assert query == {"ext_protocol": ["nonoverlapping"], "ext_methods": ["alibi,rope"]}
    page.goto(f"{served}attention/?kv_heads=2&seed=3")
    asks.wait_for()
    assert "2" in asks.locator("output").inner_text(), "no browser shares keys"
    assert "3" not in asks.locator("output").inner_text()
    page.goto(f"{served}bias/?form=symmetric&n=64")
    page.get_by_role("button", name=load("bias").choice("symmetric"), exact=True).wait_for()
    page.wait_for_function("() => window.painted.some(({ value }) => value.n === 64)")
    assert asks.is_hidden(), "Python has drawn the form, the browser its length"
    page.goto(f"{served}bias/?toString=1&constructor=x&__proto__=1&valueOf=1&n=64")
    page.wait_for_function("() => window.painted.some(({ value }) => value.n === 64)")
    assert asks.is_hidden(), "no control has a name that every object has"


@pytest.mark.slow
def test_the_site_reads_an_address_as_the_app_does_in_a_browser(site, new_page):
    page = new_page()
    module = (HERE / "address.js").read_text(encoding="utf-8")
    wrong = []
    for file in (*site.glob("page.js"), *site.glob("*/page.js")):
        for key, control in in_script(file)["controls"].items():
            ends = {end: control[end] for end in ("low", "high") if end in control}
            default = {"int": int, "float": float}.get(control["kind"], str)(control["default"])
            param = Param(key, control["kind"], default, choices=tuple(control["titles"]), **ends)
            texts = [*NONSENSE, *ODD, control["default"], *param.choices, ",".join(param.choices[:-3:-1])]
            sent = {"module": module, "control": control, "texts": texts}
            read = page.evaluate(READ, sent)
            for text, value in zip(texts, read, strict=True):
                cleaned = clean(param, text)
                usable = cleaned.problem in (None, "too_small", "too_large", "not_whole")
                usable = usable and (cleaned.value != "" or control["kind"] == "choice")
                if value != (cleaned.value if usable else None) and control["kind"] != "text":
                    wrong.append((file.parent.name, key, text, value, cleaned))
    assert wrong == []


READ = """async ({ module, control, texts }) => {
  globalThis.address ??= await import(URL.createObjectURL(new Blob([module], { type: "text/javascript" })));
  return texts.map((text) => address.bounded(control, text) ?? null);
}"""


@pytest.mark.slow
def test_what_is_shared_can_be_copied_and_shows_the_picture_in_another_page_in_a_browser(served, site, page, tmp_path):
    page.goto(f"{served}playground/?heads=4")  # the app's own address of the first page
    page.wait_for_url(f"{served}?heads=4")
    page.get_by_role("button", name=load("shared").entry("share", "title"), exact=True).click()
    page.locator("[data-copy=embed]").click()
    page.get_by_role("button", name=load("shared").entry("picture", "copied"), exact=True).wait_for()
    snippet = page.locator("[data-copy=embed] + output").text_content()
    outer = tmp_path / "blog.html"
    outer.write_text(f"<!DOCTYPE html><meta charset='utf-8'><h1>A blog</h1>{snippet}", encoding="utf-8")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(outer.as_uri())
        frame = page.frame_locator("iframe")
        frame.get_by_role("radio", name="4", exact=True, checked=True).first.wait_for(state="attached")
        assert frame.locator("header").is_hidden()
        page.wait_for_function("() => document.querySelector('iframe').height !== '760'")
        inner = page.locator("iframe").element_handle().content_frame()
        fits = "() => document.documentElement.scrollHeight <= innerHeight + 1"
        inner.wait_for_function(fits)
        assert inner.evaluate(fits), "all of it is in sight"
        assert frame.locator(".whole a").get_attribute("href") == f"{served}?heads=4"
    with zipfile.ZipFile(site / extras.ARCHIVE) as archive:
        archive.extractall(tmp_path)
    page.goto((tmp_path / "alibi-viz/slopes/index.html").as_uri())
    page.wait_for_function("() => window.painted.length")
    assert page.locator(f"a[href$='{extras.ARCHIVE}']").count() == 0, "it is not in itself"


def test_a_page_for_a_lost_reader_has_no_link_that_leads_nowhere():
    assert "<a " not in files.lost("")
    for language in languages.LANGUAGES:
        assert f'href="{ADDRESS}/{navigation.folder_of(language)}"' in files.lost(f"{ADDRESS}/")


@pytest.mark.slow
def test_the_links_in_pictures_lead_to_lessons_in_a_browser(served, page):
    for picture, lesson in (("zh/story/?step=9", "/zh/playground/"), ("compare/", "/lab_rope/")):
        page.goto(served + picture)
        links = page.locator("[data-picture] a[href]")
        links.first.wait_for()
        targets = links.evaluate_all("(links) => links.map(({href}) => href)")
        assert any(lesson in target for target in targets)
        assert all(page.request.get(target).ok for target in targets)


@pytest.mark.slow
def test_a_section_and_the_dark_theme_open_in_a_browser(served, page):
    page.goto(f"{served}slopes/?slopes_open=heads&theme=dark")
    page.locator("[data-section=heads] .main-svg").first.wait_for()
    fills = page.locator("[data-section=heads] .xtitle").first.evaluate("(title) => getComputedStyle(title).fill")
    assert fills == "rgb(228, 226, 221)", "the text of the dark theme"
    page.locator("#theme").click()
    assert page.evaluate("document.body.dataset.theme") == "light"


@pytest.mark.slow
def test_a_tab_trains_from_the_disk_in_a_browser(site, new_page):
    """Grey until it does; paused between two steps; what it lacks is told."""
    page, text = new_page(viewport={"width": 1280, "height": 800}), load("train")
    address = f"{site.resolve().as_uri()}/train/index.html?train=alibi,t5&train_length=32&train_width=16"
    page.goto(address)
    states = page.locator(".states p")
    states.filter(has_text=text.entry("tab", "shipped")).nth(1).wait_for()
    page.get_by_role("button", name=text.label("step", steps=25)).click()
    states.filter(has_text=text.entry("tab", "running", step=25, steps=800)).nth(1).wait_for()
    page.get_by_role("button", name=text.label("again", seed=1), exact=True).click()
    page.wait_for_url("**train_seed=1**")
    states.filter(has_text=text.entry("tab", "yours")).nth(1).wait_for()
    page.get_by_role("button", name=text.label("reset"), exact=True).click()
    states.filter(has_text=text.entry("tab", "shipped")).nth(1).wait_for()
    page.add_init_script("delete window.Worker")
    page.goto(address)
    page.get_by_role("button", name=text.label("play"), exact=True).click()
    page.get_by_text("Worker is not defined").nth(1).wait_for()


def wire(*files):
    return sum(len(gzip.compress(file.read_bytes())) for file in files)


def test_the_reader_of_markdown_makes_no_html_of_a_text():
    made = markdown("<script>alert(1)</script> $m_h$ [a](glossary#head)")
    assert "<script" not in made
    assert "<math" in made
    assert 'href="glossary#head"' in made


@pytest.mark.slow
def test_no_link_is_broken_and_nothing_is_loaded_from_elsewhere(site):
    pages = list(site.rglob("index.html"))
    assert len(pages) == len(languages.LANGUAGES) * len(navigation.PATHS)
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    names = {page: set(re.findall(r'id="([^"]+)"', text)) for page, text in texts.items()}
    for file in site.rglob("states.js"):
        texts[file.parent / "index.html"] += "".join(in_script(file)["pieces"])
    broken, asked = [], []
    for page, text in texts.items():
        assert "$$" not in re.sub(r"<(pre|code).*?</\1>", "", text, flags=re.DOTALL), page
        assert not re.search(r"<m[ion][^>]*>[^<]*\\", text), f"{page}: a formula has LaTeX in it"
        assert not re.search(r'<(?:script|img|link rel="(?:icon|style))[^>]* (?:src|href)="(?:https?:)?//', text), page
        for link in map(unescape, re.findall(r'(?:href|src)="([^"]+)"', text)):
            parts = urlsplit(link)
            file = (page.parent / parts.path).resolve() if parts.path else page
            if parts.scheme in ("http", "https"):
                continue
            if query := parse_qs(parts.query):
                asked.append((file, query))
            if not file.is_file() or (file in names and parts.fragment and parts.fragment not in names[file]):
                broken.append((str(page.relative_to(site)), link))
    assert broken == []
    for file, query in asked:
        controls = in_script(file.parent / "page.js")["controls"]
        known = {param.key for param in page_options.PARAMS} | {"train_steps"}  # a tab trains until it is stopped
        assert query.keys() - known <= controls.keys(), (file, query)


def written_pages(site):
    """Each page's file, and its HTML."""
    return {
        file.parent / "index.html": (file.parent / "index.html").read_text("utf-8") for file in site.rglob("page.js")
    }


@pytest.mark.slow
def test_no_page_says_what_only_a_program_understands(site):
    # “None of them” may begin a sentence, and a pitfall explains what NaN is.
    odd = re.compile(r"<[\w/!]|0x|(?<!\. )\bNone\b|undefined|\bNaN\b(?! ?[(（])|`|\*\*")
    for page, text in written_pages(site).items():
        if (states := page.parent / "states.js").exists():
            text += "".join(in_script(states)["pieces"])
        said = " ".join(re.findall(r'(?:content|title|alt|aria-label)="([^"]*)"', text))
        shown = re.sub(r"<(script|style|pre|code|math)\b.*?</\1>|<[^>]*>", " ", text, flags=re.DOTALL)
        for visible in (said, shown):
            words = " ".join(unescape(visible).split())
            assert not (found := odd.search(words)), f"{page}: {words[max(0, found.start() - 60) : found.end() + 60]}"


@pytest.mark.slow
def test_every_page_has_a_preview_of_its_own(site):
    start = re.search(r'rel="canonical" href="([^"]*)"', (site / "index.html").read_text("utf-8"))[1]
    seen = {}
    for page, text in written_pages(site).items():
        address = f"{start}{page.parent.relative_to(site).as_posix()}/".replace("/./", "/")
        told = dict(re.findall(r'<meta (?:property|name)="([^"]*)" content="([^"]*)"', text))
        assert all(told[name] for name in ("description", "og:title", "og:description", "og:site_name", "og:type"))
        assert told["og:url"] == re.search(r'rel="canonical" href="([^"]*)"', text)[1] == address
        others = dict(re.findall(r'hreflang="([^"]*)" href="([^"]*)"', text))
        assert others.keys() == {*languages.LANGUAGES, "x-default"}
        assert others[re.search(r'<html lang="([^"]*)"', text)[1].split("-")[0]] == address
        seen[address] = told.get("og:image")
        if cards.browser():
            card = (site / told["og:image"].removeprefix(start)).read_bytes()
            assert [int.from_bytes(card[at : at + 4]) for at in (16, 20)] == [1200, 630]
            assert told["twitter:card"] == "summary_large_image"
    assert len(set(seen.values())) in (1, len(seen))
    assert set(re.findall("<loc>(.*?)</loc>", (site / "sitemap.xml").read_text("utf-8"))) == seen.keys()
    assert json.loads((site / "site.webmanifest").read_text("utf-8"))["start_url"] == "./"


@pytest.mark.slow
def test_the_site_offers_the_app_and_promises_nothing_that_it_does_not_have(site):
    first = (site / "index.html").read_text("utf-8")
    with zipfile.ZipFile(site / re.search(r'href="([^"]*\.whl)"', first)[1]) as wheel:
        assert "alibi_viz/_app/app.py" in wheel.namelist()
    assert "127.0.0.1" not in first, "no link leads to an app that may not be there"
    assert 'data-section="code"' in first, "there is something to look at closer"
    shown = {name: (site / name / "index.html").read_text("utf-8") for name in ("lesson", "models", "pitfalls")}
    assert load("pitfalls").entry("sections", "mine") not in shown["pitfalls"]
    assert load("lesson").label("keys").split(":")[0] not in shown["lesson"]
    assert "<code>R</code>" not in shown["lesson"]
    assert len(re.findall(r"model_example=|model_source=", shown["models"])) >= 3
    menu = re.search(r'<nav id="menu".*?</nav>', first, re.DOTALL)[0]
    assert 'href="lesson/index.html"' in menu


@pytest.mark.slow
def test_the_pages_are_small(site):
    shared = [site / "site.js", site / "site.css"]
    assert wire(site / "index.html", site / "page.js", *shared) <= FIRST
    chart = site / "extrapolation"
    assert wire(chart / "index.html", chart / "page.js", site / PLOTLY, *shared) <= CHART
    assert PLOTLY not in (site / "index.html").read_text(encoding="utf-8")
    assert "class Trainer" not in (site / "site.js").read_text(encoding="utf-8"), "it comes with its own page alone"
    files = [
        file
        for file in site.rglob("*")
        if file.is_file() and not {file.name, file.relative_to(site).parts[0]} & {*OTHER}
    ]
    assert sum(file.stat().st_size for file in files) <= ALL
    assert f"v{get_plotlyjs_version()}" in (site / PLOTLY).read_text(encoding="utf-8")[:200]


@pytest.mark.slow
def test_each_chart_is_of_the_small_bundle_and_of_colours_that_the_dark_theme_knows(site):
    figures = [
        part["data"]["figure"]
        for parts in (
            *(in_script(file)["parts"] for file in site.glob("*/page.js")),
            *map(in_script, site.glob("*/sections.js")),
            *(state["parts"] for file in site.glob("*/states.js") for state in in_script(file)["states"].values()),
        )
        for part in parts.values()
        if part["kind"] == "chart"
    ]
    assert {trace["type"] for figure in figures for trace in figure["data"]} == {"scatter", "bar"}
    colour = r"#[0-9A-Fa-f]{6}|rgba\((?!0,0,0,0)\d+,\d+,\d+,"
    assert set(re.findall(colour, json.dumps(figures))) <= dark_of_light().keys()


def in_script(file):
    sent = re.fullmatch(r'alibiViz\("[\w-]+", "(.*)"\);', file.read_text(encoding="utf-8"))[1]
    return json.loads(gzip.decompress(b64decode(sent)))

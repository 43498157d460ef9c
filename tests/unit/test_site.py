"""The site as a folder: every link leads somewhere, nothing of another host is loaded, and it stays small."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from plotly.offline import get_plotlyjs_version

from alibi_viz.export.site import PLOTLY, dark_of_light, markdown
from alibi_viz.lessons import languages
from alibi_viz.ui.shell import navigation

FIRST, CHART, ALL = (
    120_000,
    550_000,
    6_000_000,
)  # bytes: two pages over the wire, and the whole folder without its stills


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of ALIBI_VIZ_SITE, or one that is built now."""
    if "ALIBI_VIZ_SITE" in os.environ:
        return Path(os.environ["ALIBI_VIZ_SITE"])
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "-m", "alibi_viz.ui.site", str(folder)], check=True)
    return folder


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
    assert len(pages) == len(languages.LANGUAGES) * len(navigation.ENTRIES)
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    broken, names = [], {page: set(re.findall(r'id="([^"]+)"', text)) for page, text in texts.items()}
    for page, text in texts.items():
        assert "$$" not in re.sub(r"<(pre|code).*?</\1>", "", text, flags=re.DOTALL), page
        assert not re.search(r'<(?:script|link|img)[^>]* (?:src|href)="(?:https?:)?//', text), page
        for link in map(unescape, re.findall(r'(?:href|src)="([^"]+)"', text)):
            parts = urlsplit(link)
            file = (page.parent / parts.path).resolve() if parts.path else page
            if parts.scheme in ("http", "https"):
                continue
            if not file.is_file() or (file in names and parts.fragment and parts.fragment not in names[file]):
                broken.append((str(page.relative_to(site)), link))
    assert broken == []


@pytest.mark.slow
def test_the_pages_are_small(site):
    shared = [site / "site.js", site / "site.css"]
    assert wire(site / "index.html", site / "page.js", *shared) <= FIRST
    chart = site / "extrapolation"
    assert wire(chart / "index.html", chart / "page.js", site / PLOTLY, *shared) <= CHART
    assert PLOTLY not in (site / "index.html").read_text(encoding="utf-8")
    files = [file for file in site.rglob("*") if file.is_file() and file.parent.name != "pictures"]
    assert sum(file.stat().st_size for file in files) <= ALL
    assert f"v{get_plotlyjs_version()}" in (site / PLOTLY).read_text(encoding="utf-8")[:200]


@pytest.mark.slow
def test_a_chart_has_no_colour_that_the_dark_theme_does_not_know(site):
    colour = r"#[0-9A-Fa-f]{6}|rgba\((?!0,0,0,0)\d+,\d+,\d+,"
    charts = [
        json.dumps(part["data"]["figure"])
        for file in site.glob("*/page.js")
        for part in json.loads(file.read_text(encoding="utf-8")[len("alibiViz.page(") : -2])["parts"].values()
        if part["kind"] == "chart"
    ]
    assert charts
    assert {found for chart in charts for found in re.findall(colour, chart)} <= dark_of_light().keys()

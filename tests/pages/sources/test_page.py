"""The Sources page: what it says is read from where it is known."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from alibi_viz.lessons import load
from alibi_viz.positions import METHODS, build
from alibi_viz.positions.alibi import slopes
from alibi_viz.results import pretrained, published
from alibi_viz.ui.controls.params import clean
from pages.sources.facts import said_of
from pages.sources.study import PACKAGES, checks, method_sources, runs, tables
from tests.pages.apptest import open_page, params, said, says, shown, visible


def test_every_comparison_has_its_name_and_its_place():
    recorded = json.loads((published.FOLDER / "parity.json").read_text())["checks"]
    assert {check.check for check in checks()} == {row["check"] for row in recorded}
    assert set(load("sources").entries("checks")) == {row["check"] for row in recorded}
    assert {check.package for check in checks()} == set(PACKAGES)
    found = [check.difference for check in checks()]
    assert found == sorted(found, reverse=True)


def test_every_method_names_its_source():
    assert [title for title, _ in method_sources()] == [method.title for method in METHODS.values()]
    missing = [title for title, source in method_sources() if len(source) <= 20]
    assert missing == [], "their modules need a paragraph that begins with “Source:”"


def test_every_run_is_counted_once():
    for kind in pretrained.KINDS:
        assert sum(row["runs"] for row in runs() if row["kind"] == kind) == len(pretrained.load_all(kind))
    assert all(row["torch"] and row["hours"] > 0 for row in runs())


def test_every_published_table_is_listed():
    assert len(tables()) == sum(name.startswith("table") for name in published.load())


@pytest.mark.parametrize("section", ["methods", "published", "models", "checks", "runs"])
def test_a_section_is_a_table(section):
    assert len(open_page("sources", sources_open=section).dataframe[0].value) > 3


def test_the_citation_is_that_of_the_citation_file():
    at = open_page("sources", sources_open="cite")
    text = next(block.value for block in at.code if block.value.startswith("@inproceedings"))
    citation = Path("CITATION.cff").read_text()
    for words in ("Train Short, Test Long", "Press", "Smith", "Lewis", "2022", "2108.12409"):
        assert words in text
        assert words in citation


@pytest.mark.parametrize("package", PACKAGES)
def test_one_reference_alone(package):
    at = open_page("sources", sources_package=package)
    assert f"**{len(checks(package))} comparisons" in said(at)
    assert "{{" not in visible(at)


def links() -> list[str]:
    """Of what is often said, where to see it: one a row."""
    return re.findall(r"\]\(([^)]+)\) \|$", load("sources").text("said", said_of()), re.MULTILINE)


@pytest.mark.parametrize("link", links())
def test_what_is_often_said_leads_to_its_picture(link):
    parts = urlsplit(link)
    query = dict(parse_qsl(parts.query, strict_parsing=True))
    table = {param.key: param for param in params(parts.path)}
    at = open_page(parts.path, **query)
    assert not at.info, "a corrected value"
    for key, text in query.items():
        assert shown(at, key) == clean(table[key], text).value, key


def test_what_is_often_said_has_a_verdict_and_a_picture_each():
    rows = load("sources").text("said", said_of()).splitlines()[2:]
    assert len(rows) == len(links()) == 9
    assert all(re.search(r"\| \*\*(True|Not quite|False|Not shown)\.\*\* ", row) for row in rows)
    assert says(said(open_page("sources", sources_open="said")), "sources", "said")


def test_the_verdicts_are_what_the_files_say():
    tables = published.load()
    speeds = {(row["method"], row["train_length"]): row["train_wps"] for row in tables["table1_speed_memory"]["rows"]}
    facts = said_of()
    assert (facts.alibi_speed, facts.sinusoidal_speed) == (speeds["ALiBi", 512], speeds["Sinusoidal", 512])
    assert abs(facts.alibi_speed / facts.sinusoidal_speed - 1) < 0.01, "as fast"
    assert all(speeds[method, 512] > speeds[method, 3072] for method, _ in speeds), "shorter windows save time"
    for name in ("alibi", "sinusoidal", "rope"):
        assert not list(build(name, heads=8, head_dim=16, max_length=8).parameters()), "none has parameters"
    (large,) = (row for row in tables["table12_1p3B_equal_updates"]["rows"] if row["model"] == "ALiBi, L = 512")
    assert (facts.large_best, facts.large_far) == (large["ppl_1024"], large["ppl_2048"]) == (9.3, 9.54)
    sliding = tables["table15_sliding_alibi"]["rows"]["512"]
    assert (facts.sliding_short, facts.sliding_far) == (sliding[0], sliding[-1])
    assert facts.sliding_far > facts.sliding_short, "longer context does not help"
    assert slopes(8) == [2.0**-head for head in range(1, 9)]
    assert slopes(32) == pytest.approx([2 ** (-8 * head / 32) for head in range(1, 33)])

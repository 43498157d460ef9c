"""The Sources page: what it says is read from where it is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from alibi_viz.lessons import load
from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained, published
from pages.sources.study import PACKAGES, checks, method_sources, runs, tables
from tests.pages.apptest import open_page, said, visible


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

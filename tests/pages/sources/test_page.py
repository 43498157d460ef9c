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
from pages.sources import study
from tests.pages.apptest import numbers, open_page, params, said, says, shown

LINKS = re.findall(r"\]\(([^)]+)\) \|$", load("sources").sections["said"], re.MULTILINE)


def test_every_recorded_comparison_is_drawn():
    recorded = json.loads((published.FOLDER / "parity.json").read_text())["checks"]
    names = load("sources").entries("checks")
    assert set(names) == {row["check"] for row in recorded}
    (chart,) = open_page("sources").get("plotly_chart")
    *_, allowed, found = json.loads(chart.proto.spec)["data"]
    for trace, part in ((allowed, "bound"), (found, "difference")):
        drawn = dict(zip(trace["y"], numbers(trace["x"]), strict=True))
        assert drawn == pytest.approx({names[row["check"]]: max(row[part], 1e-9) for row in recorded})
    for row in recorded:
        assert f"{names[row['check']]}: " in chart.proto.alt
        assert any(f"{row['package']} {row['version']}" in text for text in found["text"])


def test_every_method_names_its_source():
    assert [title for title, _ in study.method_sources()] == [method.title for method in METHODS.values()]
    missing = [title for title, source in study.method_sources() if len(source) <= 20]
    assert missing == [], "their modules need a paragraph that begins with “Source:”"


def test_every_run_and_every_published_table_is_listed():
    at = open_page("sources", sources_open="methods,runs")
    methods, tables, runs, models = (table.value for table in at.dataframe)
    assert len(methods) == len(METHODS)
    assert len(tables) == sum(name.startswith("table") for name in published.load())
    assert runs["Runs"].sum() == sum(len(pretrained.load_all(kind)) for kind in pretrained.KINDS)
    assert set(runs["Set"]) == set(load("sources").entries("kinds").values())
    assert runs["Hours"].min() > 0
    assert runs["With"].str.contains("torch 2").all()
    assert len(models) > 10


def test_the_citation_is_that_of_the_citation_file():
    at = open_page("sources", sources_open="cite")
    text = next(block.value for block in at.code if block.value.startswith("@inproceedings"))
    citation = Path("CITATION.cff").read_text()
    for words in ("Train Short, Test Long", "Press", "Smith", "Lewis", "2022", "2108.12409"):
        assert words in text
        assert words in citation


@pytest.mark.parametrize("link", LINKS)
def test_what_is_often_said_leads_to_its_picture(link):
    parts = urlsplit(link)
    query = dict(parse_qsl(parts.query, strict_parsing=True))
    table = {param.key: param for param in params(parts.path)}
    at = open_page(parts.path, **query)
    assert not at.info, "a corrected value"
    for key, text in query.items():
        assert shown(at, key) == clean(table[key], text).value, key


def test_what_is_often_said_has_a_verdict_and_a_picture_each():
    rows = load("sources").sections["said"].splitlines()[2:]
    assert len(rows) == len(LINKS) == 9
    assert all(re.search(r"\| \*\*(True|Not quite|False|Not shown)\.\*\* ", row) for row in rows)
    assert says(
        said(open_page("sources", sources_open="said")), "sources", "said", sliding_short=17.98, sliding_far=18.3
    )


def test_the_verdicts_are_what_the_files_say():
    tables, facts = published.load(), study.papers_numbers()
    speeds = {(row["method"], row["train_length"]): row["train_wps"] for row in tables["table1_speed_memory"]["rows"]}
    assert (facts["alibi_speed"], facts["sinusoidal_speed"]) == (speeds["ALiBi", 512], speeds["Sinusoidal", 512])
    assert abs(facts["alibi_speed"] / facts["sinusoidal_speed"] - 1) < 0.01, "as fast"
    for name in ("alibi", "sinusoidal", "rope"):
        assert not list(build(name, heads=8, head_dim=16, max_length=8).parameters()), "none has parameters"
    (large,) = (row for row in tables["table12_1p3B_equal_updates"]["rows"] if row["model"] == "ALiBi, L = 512")
    assert (facts["large_best"], facts["large_far"]) == (large["ppl_1024"], large["ppl_2048"]) == (9.3, 9.54)
    sliding = tables["table15_sliding_alibi"]["rows"]["512"]
    assert (facts["sliding_short"], facts["sliding_far"]) == (sliding[0], sliding[-1])
    assert facts["sliding_far"] > facts["sliding_short"], "longer context does not help"
    assert slopes(8) == [2.0**-head for head in range(1, 9)]
    assert slopes(32) == pytest.approx([2 ** (-8 * head / 32) for head in range(1, 33)])

"""The Sources page: what it says is read from where it is known."""

import json
from math import exp

import pytest

from alibi_viz import timing
from alibi_viz.lessons import load
from alibi_viz.positions import METHODS, build
from alibi_viz.results import pretrained, published
from pages.sources import study
from tests.pages.apptest import numbers, open_page, said, says, traces


def test_every_recorded_comparison_is_drawn():
    recorded = json.loads((published.FOLDER / "parity.json").read_text())["checks"]
    names = load("sources").entries("checks")
    *_, allowed, found = traces(open_page("sources"))
    for trace, part in ((allowed, "bound"), (found, "difference")):
        drawn = dict(zip(trace["y"], numbers(trace["x"]), strict=True))
        assert drawn == pytest.approx({names[row["check"]]: max(row[part], 1e-9) for row in recorded})
    for row in recorded:
        assert any(f"{row['package']} {row['version']}" in text for text in found["text"])


def test_every_method_run_and_published_table_is_listed():
    _, tables, runs, _ = (table.value for table in open_page("sources", sources_open="methods,runs").dataframe)
    sources = dict(study.method_sources())
    assert list(sources) == [method.title for method in METHODS.values()]
    assert all(len(source) > 20 for source in sources.values()), "a paragraph that begins with “Source:”"
    assert tables["Table"].tolist() == [name for name in published.load() if name.startswith("table")]
    assert runs["Runs"].sum() == sum(len(pretrained.load_all(kind)) for kind in pretrained.KINDS)


def test_what_is_said_is_what_the_files_say():
    tables, facts = published.load(), study.papers_numbers() | study.own_numbers()
    speeds = {(row["method"], row["train_length"]): row["train_wps"] for row in tables["table1_speed_memory"]["rows"]}
    assert (facts["alibi_speed"], facts["sinusoidal_speed"]) == (speeds["ALiBi", 512], speeds["Sinusoidal", 512])
    assert abs(facts["alibi_speed"] / facts["sinusoidal_speed"] - 1) < 0.01, "as fast"
    rotary = speeds["Rotary", 512]
    assert facts["rotary_speed"] == rotary < facts["alibi_speed"], "faster in the paper's code, by more than is said"
    measured = json.loads(timing.FILE.read_text())["cpu"]["forward"]["ratios"]
    (tokens, alibi, *_), (same, rope, *_) = measured["alibi"][-1], measured["rope"][-1]
    assert tokens == same
    assert alibi > rope, "and slower here"
    for name in ("alibi", "sinusoidal", "rope"):
        assert not list(build(name, heads=8, head_dim=16, max_length=8).parameters()), "none has parameters"
    (large,) = (row for row in tables["table12_1p3B_equal_updates"]["rows"] if row["model"] == "ALiBi, L = 512")
    assert (facts["large_best"], facts["large_far"]) == (large["ppl_1024"], large["ppl_2048"]) == (9.3, 9.54)
    near, *_, far = tables["table15_sliding_alibi"]["rows"]["512"]
    assert far > near, "longer context does not help"
    assert (1 / 2) ** (1 / facts["near_half"]) == pytest.approx(exp(-1 / 2)), "2^-1, the largest of 8 slopes"
    assert (1 / 2) ** (1 / facts["far_half"]) == pytest.approx(exp(-1 / 256)), "2^-8, the smallest"
    filled = {"sliding_short": near, "sliding_far": far, "rotary_speed": rotary, "tokens": tokens}
    filled |= {"alibi_time": alibi, "rope_time": rope, "near_half": facts["near_half"], "far_half": facts["far_half"]}
    assert says(said(open_page("sources", sources_open="said")), "sources", "said", **filled)

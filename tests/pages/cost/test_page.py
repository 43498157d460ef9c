"""The Cost page as a reader opens it, and its measurement in a session."""

from __future__ import annotations

import json

import pytest

from alibi_viz.cost import plan as plans
from alibi_viz.cost import shipped
from alibi_viz.cost.cases import BASE
from alibi_viz.cost.plan import NAMES, TimingPlan
from alibi_viz.ui.format import format_number
from benchmarks import cost
from pages.cost import live
from pages.cost.study import ratios, shipped_times
from tests.pages.apptest import open_page, said, says, visible


@pytest.mark.parametrize(
    ("heads", "tokens", "sizes"),
    [
        ("8", "65536", ("128\u00a0GiB", "2\u00a0MiB", "32\u00a0bytes")),
        ("1", "1024", ("4\u00a0MiB", "4\u00a0KiB", "4\u00a0bytes")),
    ],
)
def test_the_sizes_are_computed(heads, tokens, sizes):
    text = said(open_page("cost", heads=heads, cost_n=tokens))
    for size in sizes:
        assert f"**{size}**" in text


@pytest.mark.parametrize("kind", ["forward", "backward", "decode"])
@pytest.mark.parametrize("what", ["ways", "methods"])
def test_the_shipped_times_have_what_the_picture_shows(what, kind):
    found = ratios(shipped_times(kind), what)
    assert "alibi" in found
    assert set(found) <= set(NAMES[what])
    base = shipped_times(kind)[BASE]
    for name, rows in found.items():
        for tokens, ratio in rows.items():
            assert ratio.median * base[tokens].median == pytest.approx(shipped_times(kind)[name][tokens].median)
            assert ratio.low <= ratio.median <= ratio.high
    assert {"device", "dtype", "threads", "torch"} == set(shipped.load()["machine"])


@pytest.fixture(autouse=True)
def nobody_else_measures():
    live.turns.forget()


def test_a_reader_measures_and_cancels(monkeypatch):
    monkeypatch.setattr(live, "SLICE", 0.02)
    at = open_page("cost", cost_open="here", cost_longest="2048")
    assert "cost_stop" in [button.key for button in at.button if button.disabled]
    at.button(key="cost_start").click().run()
    assert not at.exception
    run = at.session_state["_cost_run"]
    for _ in range(30):
        if not run.measured.seconds:
            at.run()
    assert run.measured.seconds
    assert "torch 2" in said(at)
    at.button(key="cost_stop").click().run()
    assert not at.session_state["_cost_run"].active
    counts = sum(map(len, run.measured.seconds.values()))
    at.run()
    assert sum(map(len, run.measured.seconds.values())) == counts, "cancelled"


def test_the_page_and_the_benchmark_measure_the_same_way(monkeypatch):
    """The same cases, prepared by the same function, with the same rounds, and timed by the same clock."""
    taken: list[tuple] = []

    def take(cases, into, **settings):
        taken.append(([(c.name, c.tokens) for c in cases], settings))
        into.seconds.update({(c.name, c.tokens): [1.0] for c in cases})
        return iter(())

    monkeypatch.setattr(plans, "measure", take)
    monkeypatch.setattr(cost, "TOKENS", 512)
    figures = cost.measure()
    at = open_page("cost", cost_open="here", cost_longest="512", cost_own_what="ways")
    at.button(key="cost_start").click().run()
    (benchmark, theirs), (page, ours) = taken
    assert [case for case in page if case[1] == 512] == [case for case in benchmark if case[0] != "flex"]
    assert {**ours, "most_seconds": 0} == {**theirs, "most_seconds": 0}
    assert {figure.value for figure in figures} == {1.0}
    assert at.session_state["_cost_run"].measured.ratio("cached", BASE, 512).median == 1


def test_flexattention_is_measured_in_a_process_of_its_own(monkeypatch):
    planned: list[TimingPlan] = []

    def steps(plan, into):
        planned.append(plan)
        yield 0.5
        into.seconds |= {("none", 512): [1.0], ("flex", 512): [3.0]}
        into.left_out["flex", 1024] = "FlexAttention does not run here: no compiler."

    monkeypatch.setattr(live.apart, "steps", steps)
    at = open_page("cost", cost_open="here", cost_longest="1024", cost_own_what="flex")
    at.button(key="cost_start").click().run()
    assert not at.exception
    assert (planned[0].names, planned[0].lengths) == (("none", "alibi", "flex"), (512, 1024))
    assert "no compiler" in said(at)
    assert not at.session_state["_cost_run"].active


def test_a_second_reader_waits_for_the_first():
    live.turns().ask("first")
    at = open_page("cost", cost_open="here", cost_longest="512")
    at.button(key="cost_start").click().run()
    assert "Readers before you: 1" in said(at)
    live.turns().leave("first")
    at.run()
    assert "Readers before you" not in said(at)
    at.button(key="cost_stop").click().run()


def test_the_paper_s_table_has_its_footnote():
    at = open_page("cost", cost_open="paper")
    assert len(at.dataframe[0].value) == 12
    assert "not optimized" in visible(at)


def test_the_sentence_leads_with_training_at_the_longest_common_length():
    """From the file, with none of the page's code."""
    passes = json.loads(shipped.FILE.read_text(encoding="utf-8"))["passes"]
    at = max(passes["backward"]["alibi"].keys() & passes["backward"]["built"].keys(), key=int)

    def ratio(kind: str, name: str) -> str:
        return format_number(passes[kind][name][at][0] / passes[kind][BASE][at][0])

    at_page = open_page("cost", cost_show="time")
    assert at_page.session_state["cost_pass"] == "backward"
    backward = {f"training_{name}": ratio("backward", name) for name in ("alibi", "sinusoidal", "built")}
    numbers = {"at": int(at), "time_alibi": ratio("forward", "alibi"), **backward}
    assert says(said(at_page), "cost", "seen_time", head_dim=128, gpu_head_dim=136, **numbers)

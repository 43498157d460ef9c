"""The timeline's file: complete, known, in order; and the check that says so can fail."""

from __future__ import annotations

from dataclasses import replace

import pytest

from alibi_viz.charts.palette import LOOKS
from alibi_viz.lessons import load
from alibi_viz.results import published
from pages.today.facts import facts_of
from pages.today.study import ARXIV, FIRST, KINDS, LAST, OTHER, Controls, Entry, check, study, timeline

ENTRY = Entry("2021-08", "ALiBi", "alibi", "method", "what", "source", "https://arxiv.org/abs/2108.12409")
LATER = replace(ENTRY, date="2022-07", name="BLOOM", kind="model", url="https://huggingface.co/bigscience/bloom")


def test_every_entry_names_its_source_and_stands_in_order():
    entries = timeline()
    assert len(entries) > 30
    assert len({entry.name for entry in entries}) == len(entries)
    assert [entry.date for entry in entries] == sorted(entry.date for entry in entries)
    for entry in entries:
        assert entry.source.strip(), entry.name
        assert entry.url.startswith("https://"), entry.name
        assert FIRST <= int(entry.date[:4]) <= LAST, entry.name
        assert entry.method in (*LOOKS, OTHER), entry.name
        if paper := ARXIV.fullmatch(entry.url):
            number = entry.url.removeprefix("https://arxiv.org/abs/")
            written = f"20{paper[1]}-{paper[2]}"
            assert entry.date == written or (entry.kind == "model" and entry.date < written), entry.name
            assert f"arXiv {number}" in entry.source, "the source and the address name the same paper"


@pytest.mark.parametrize(
    ("problem", "change"),
    [
        ("empty field", {"source": " "}),
        ("empty field", {"what": ""}),
        ("no date", {"date": "2026-01"}),
        ("no date", {"date": "2016-12"}),
        ("no date", {"date": "2021-13"}),
        ("no date", {"date": "2021"}),
        ("no date", {"date": "someday"}),
        ("unknown method", {"method": "magic"}),
        ("neither a method nor a model", {"kind": "rumor"}),
        ("no address", {"url": "http://arxiv.org/abs/2108.12409"}),
        ("month of its arXiv number", {"date": "2021-09"}),
    ],
)
def test_an_entry_that_is_wrong_is_refused(problem, change):
    assert check([ENTRY, LATER]) == (ENTRY, LATER)
    with pytest.raises(ValueError, match=problem):
        check([replace(ENTRY, **change)])


def test_a_model_may_stand_before_its_paper_but_not_after_it():
    model = replace(ENTRY, kind="model")
    assert check([replace(model, date="2021-05")])
    with pytest.raises(ValueError, match="later than its paper"):
        check([replace(model, date="2021-09")])


def test_what_builds_on_a_model_stands_after_it():
    dates = {entry.name: entry.date for entry in timeline()}
    assert dates["MosaicBERT"] < dates["DNABERT-2"]


def test_entries_out_of_order_or_twice_are_refused():
    for entries in ([LATER, ENTRY], [ENTRY, ENTRY]):
        with pytest.raises(ValueError, match="out of order"):
            check(entries)


def test_the_control_chooses_methods_or_models():
    chosen = {kind: study(Controls(kind)).entries for kind in KINDS}
    assert all({entry.kind for entry in entries} == {kind} for kind, entries in chosen.items())
    assert sorted(sum(chosen.values(), ()), key=lambda entry: (entry.date, entry.name)) == list(timeline())
    assert study(Controls("method")).alibi_models == study(Controls("model")).alibi_models


def test_newer_models_are_later_than_the_last_with_alibi():
    result = study(Controls("method"))
    last = result.alibi_models[-1]
    assert result.newer == tuple(entry for entry in timeline() if entry.kind == "model" and entry.date > last.date)
    assert "alibi" not in {entry.method for entry in result.newer}


def test_the_papers_numbers_are_those_of_its_tables():
    facts, tables = facts_of(study(Controls()), load("today").entries("lanes")), published.load()
    row = tables["table5_alibi_train_by_eval"]["rows"]["512"]
    assert (facts.nonoverlapping_short, facts.nonoverlapping_far) == (row[3], row[-1])
    row = tables["table15_sliding_alibi"]["rows"]["512"]
    assert (facts.sliding_short, facts.sliding_far) == (row[0], row[-1])

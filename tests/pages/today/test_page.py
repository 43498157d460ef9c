"""The page as a reader opens it."""

from __future__ import annotations

import json
import re
from datetime import datetime

from alibi_viz.lessons import load
from pages.today.study import Controls, study, timeline
from tests.pages.apptest import open_page, said


def names(at) -> int:
    (chart,) = at.get("plotly_chart")
    return sum(len(trace["text"]) for trace in json.loads(chart.proto.spec)["data"])


def test_the_pills_choose_what_is_drawn_and_the_sources_stay():
    at = open_page("today", today_show="method")
    assert names(at) == len(study(Controls("method")).entries) < len(timeline())
    for entry in timeline():
        assert f"{entry.date}, **{entry.name}**: {entry.what} [{entry.source}]({entry.url})" in said(at)


def test_sentences_take_names_and_numbers_from_the_files():
    text = said(open_page("today", today_open="long"))
    result = study(Controls())
    models = result.alibi_models
    assert ", ".join(entry.name for entry in models) in text
    assert f"**{models[-1].name}** ({models[-1].date})" in text
    assert all(entry.name in text for entry in result.newer)
    assert "RoPE: Jina v3, ModernBERT" in text
    assert "19.73 to 18.40" in text
    assert "17.98 to 18.30" in text


def test_the_entries_can_be_read_and_follow_the_control():
    table = open_page("today", today_show="model", today_open="entries").dataframe[0].value
    assert list(table["Name"]) == [entry.name for entry in timeline() if entry.kind == "model"]


def test_what_the_sentences_say_of_the_timeline_is_true():
    """They name models by hand: each must be on the timeline, with the method that the sentence gives it."""
    methods = {entry.name: entry.method for entry in timeline()}
    assert {methods[name] for name in ("BLOOM", "DNABERT-2", "Jina v2", "MosaicBERT", "BTLM-3B", "MPT-7B")} == {"alibi"}
    assert {methods[name] for name in ("PaLM", "YaRN", "ModernBERT", "DBRX", "Jina v3", "Interpolation")} == {"rope"}
    assert {methods[name] for name in ("Llama 4 (¼)", "SmolLM3 (¼)")} == {"none"}
    newest = study(Controls()).alibi_models[-1].date
    assert all(entry.date > newest for entry in timeline() if entry.name in ("Jina v3", "ModernBERT"))


def test_no_number_of_a_source_is_typed_into_a_sentence():
    """What a source counts is in the timeline's file, in the paper's tables, or is worded away."""
    sections = {name: text for name, text in load("today").sections.items() if name.startswith("question.")}
    for section, raw in sections.items():
        text = re.sub(r"\[[^\]]*\]\([^)]*\)|\{\{.*?\}\}|In 20\d\d", "", raw)
        assert not re.search(r"\d[\d,.]*\d|\d million", re.sub(r"Table \d+", "", text)), section


def test_the_title_has_the_date_of_the_newest_entry():
    newest = datetime.strptime(max(entry.date for entry in timeline()), "%Y-%m")
    assert f"({newest:%B %Y})" in load("today").text("title")

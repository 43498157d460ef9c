"""The timeline and what the page says of it: every fact has its source, and every sentence fits the file."""

from __future__ import annotations

import json
import re
from datetime import datetime
from itertools import pairwise

import numpy as np
import pytest

from alibi_viz.charts.palette import LOOKS
from alibi_viz.lessons import load
from alibi_viz.positions.alibi import slopes
from alibi_viz.results import published
from pages.today import study
from tests.pages.apptest import numbers, open_page, said

ENTRIES = list(study.timeline().itertuples())
ARXIV = re.compile(r"https://arxiv\.org/abs/((\d\d)(\d\d)\.\d{5})")


def test_every_entry_is_complete_dated_and_in_order():
    assert len({entry.name for entry in ENTRIES}) == len(ENTRIES) > 30
    assert all((a.date, a.name) < (b.date, b.name) for a, b in pairwise(ENTRIES))
    for entry in ENTRIES:
        assert all(str(part).strip() for part in entry), entry.name
        assert re.fullmatch(r"20(1[7-9]|2[0-5])-(0[1-9]|1[0-2])", entry.date), entry.name
        assert entry.method in (*LOOKS, study.OTHER), entry.name
        assert entry.kind in study.KINDS, entry.name
        assert entry.url.startswith("https://"), entry.name
        if paper := ARXIV.fullmatch(entry.url):
            written = f"20{paper[2]}-{paper[3]}"
            assert entry.date == written or (entry.kind == study.MODEL and entry.date < written), entry.name
            assert f"arXiv {paper[1]}" in entry.source, "the source and the address name the same paper"


def marks(at) -> dict[str, tuple]:
    """Name -> year, symbol and what is shown at it."""
    (chart,) = at.get("plotly_chart")
    traces = json.loads(chart.proto.spec)["data"]
    points = (
        point
        for trace in traces
        for point in zip(
            trace["text"], numbers(trace["x"]), trace["marker"]["symbol"], trace["customdata"], strict=True
        )
    )
    return {re.sub("</?b>", "", text).strip(): rest for text, *rest in points}


@pytest.mark.parametrize("kind", ["both", *study.KINDS])
def test_every_entry_stands_at_its_date_with_its_source(kind):
    at = open_page("today", today_show=kind)
    drawn = marks(at)
    assert set(drawn) == {entry.name for entry in ENTRIES if kind in ("both", entry.kind)}
    for entry in ENTRIES:
        assert f"{entry.date}, **{entry.name}**: {entry.what} [{entry.source}]({entry.url})" in said(at)
        if entry.name in drawn:
            year, symbol, shown = drawn[entry.name]
            assert entry.date == f"{int(year)}-{int(year % 1 * 12) + 1:02}"
            assert symbol.endswith("-open") == (entry.kind == study.MODEL), "a model's mark is open"
            assert entry.source.replace(" ", "") in re.sub("</?i>|<br>| ", "", shown)


@pytest.mark.parametrize("methods", study.LANES.values())
def test_names_of_a_row_leave_each_other_room_on_a_phone(methods):
    own = [entry for entry in ENTRIES if entry.method in methods]
    rows, sides = study.lane([entry.name for entry in own], [entry.year for entry in own])
    ends: dict[int, float] = {}
    for entry, row, side in zip(own, rows, sides, strict=True):
        length = study.MARK + study.LETTER * len(entry.name)
        left, right = (study.MARK, length) if side == "right" else (length, study.MARK)
        assert ends.get(row, study.START) <= entry.year - left, entry.name
        ends[row] = entry.year + right
    assert max(ends.values()) <= study.END


def test_sentences_take_names_and_numbers_from_the_files():
    text = said(open_page("today", today_open="users,rope,long"))
    models = [entry for entry in ENTRIES if entry.kind == study.MODEL]
    alibi = [model.name for model in models if model.method == "alibi"]
    newest = next(model.date for model in models if model.name == alibi[-1])
    assert ", ".join(alibi) in text
    assert f"**{alibi[-1]}** ({newest})" in text
    after = text[text.index("Models after it") :]
    assert all(
        (model.name in after[:200]) == (model.date > newest) for model in models if model.method in ("rope", "none")
    )
    tables = published.load()
    plain = tables["table5_alibi_train_by_eval"]["rows"]["512"]
    assert f"{plain[3]:.2f} to {plain[-1]:.2f}" in text
    sliding = tables["table15_sliding_alibi"]["rows"]["512"]
    assert f"{sliding[0]:.2f} to {sliding[-1]:.2f}" in text


def test_what_the_sentences_say_of_models_is_on_the_timeline():
    """They name models by hand: each must be there, with the method that the sentence gives it."""
    methods = {entry.name: entry.method for entry in ENTRIES}
    assert {
        methods[name] for name in ("BLOOM", "DNABERT-2", "Jina v2", "MosaicBERT", "BTLM-3B", "MPT-7B", "CROMA")
    } == {"alibi"}
    assert {methods[name] for name in ("PaLM", "YaRN", "ModernBERT", "DBRX", "Jina v3", "Interpolation")} == {"rope"}
    assert {methods[name] for name in ("Llama 4 (¼)", "SmolLM3 (¼)")} == {"none"}


def test_the_title_has_the_date_of_the_newest_entry():
    newest = datetime.strptime(ENTRIES[-1].date, "%Y-%m")
    assert f"({newest:%B %Y})" in load("today").text("title")


def test_the_decays_by_hand():
    found, far = study.decays(), study.DISTANCES.tolist().index(1024)
    for head, alibi, lightning in zip(study.SHOWN, found["alibi"], found["lightning"], strict=True):
        assert alibi[0] == pytest.approx(np.exp(-slopes(8)[head - 1]))
        np.testing.assert_allclose(lightning**2, alibi, rtol=1e-9)  # halfway up the slopes are half
    assert [values[0] for values in found["retnet"]] == [31 / 32, 4095 / 4096]
    (forgetting,) = found["forgetting"]
    stops = 1024 // study.SENTENCE
    assert forgetting[far] == pytest.approx(study.GATE ** (1024 - stops) * study.STOP**stops)
    assert len(open_page("today", today_open="decays").get("plotly_chart")) == 2

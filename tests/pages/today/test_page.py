"""The timeline and what the page says of it: every fact has its source, and every sentence fits the file."""

import re
from itertools import pairwise

import numpy as np
import pytest
import torch

from alibi_viz.lessons import load
from alibi_viz.lessons.languages import LANGUAGES
from alibi_viz.lm.corpus import python_text
from alibi_viz.results import published, trained
from alibi_viz.results.facts import load_facts
from alibi_viz.rules import slopes
from pages.today import study
from pages.today.page import LATEX, timeline_in
from tests.pages.apptest import lines, numbers, open_page, said, says, traces

ENTRIES = list(timeline_in(load("today", "en")).itertuples())
DAY = {"en": "%d %B %Y", "zh": "%Y 年 %m 月 %d 日", "ja": "%Y年%m月%d日"}
ARXIV = re.compile(r"https://arxiv\.org/abs/((\d\d)(\d\d)\.\d{5})")


@pytest.mark.parametrize("language", LANGUAGES)
def test_now_is_the_day_of_the_last_look(language):
    title, lead = open_page("today", lang=language).title[0].value, said(open_page("today", lang=language))
    assert not re.search(r"20\d\d", title), "a title with a date grows false by itself"
    assert f"{study.looked_at():{DAY[language]}}" in lead


def test_every_entry_has_its_line_its_lane_and_a_source_of_its_date():
    assert list(load("today", "en").entries("entries")) == list(study.timeline()["id"]), "in the order of the file"
    lanes = [method for lane in study.LANES.values() for method in lane]
    assert len(lanes) == len(set(lanes))
    assert {entry.method for entry in ENTRIES} <= set(lanes)
    assert {entry.kind for entry in ENTRIES if not entry.shown} == {study.MODEL}, "not in the picture are models alone"
    assert all((a.date, a.name) < (b.date, b.name) for a, b in pairwise(ENTRIES))
    assert ENTRIES[-1].date <= f"{study.looked_at():%Y-%m}", "nothing is younger than the last look"
    for entry in ENTRIES:
        assert entry.url.startswith("https://"), entry.name
        assert entry.read, f"{entry.name}: what was read of its source"
        assert set(entry.read) <= set(study.READ), entry.name
        if paper := ARXIV.fullmatch(entry.url):
            written = f"20{paper[2]}-{paper[3]}"
            assert entry.date == written or (entry.kind == study.MODEL and entry.date < written), entry.name
            assert f"arXiv {paper[1]}" in entry.source, "the source and the address name the same paper"


@pytest.mark.parametrize("kind", ["both", *study.KINDS])
def test_every_entry_stands_at_its_date_with_its_source(kind):
    at = open_page("today", today_show=kind)
    drawn = {}
    for trace in traces(at):
        for text, *rest in zip(trace["text"], numbers(trace["x"]), trace["marker"]["symbol"], strict=True):
            drawn[re.sub("</?b>", "", text).strip()] = rest
    assert drawn.keys() == {entry.name for entry in ENTRIES if entry.shown and kind in ("both", entry.kind)}
    words = load("today", "en").entries("read")
    for entry in ENTRIES:
        read = ", ".join(words[part] for part in entry.read)
        line = f"{entry.date} **{entry.name}**: {entry.what} [{entry.source}]({entry.url}) (read: {read})"
        assert line in said(at)
        if entry.name in drawn:
            year, symbol = drawn[entry.name]
            assert entry.date == f"{int(year)}-{int(year % 1 * 12) + 1:02}"
            assert symbol.endswith("-open") == (entry.kind == study.MODEL), "a model's mark is open"


def test_sentences_take_names_and_numbers_from_the_files():
    text = said(open_page("today", today_open="users,rope,long"))
    models = [entry for entry in ENTRIES if entry.kind == study.MODEL]
    alibi = [model for model in models if model.method == "alibi"]
    assert ", ".join(model.name for model in alibi) in text
    assert f"**{alibi[-1].name}** ({alibi[-1].date})" in text
    after = text[text.index("Models after it") : text.index("(¼: every")]
    for model in models:
        if model.method in ("rope", "none", study.CONTEXTUAL):
            assert (model.name in after) == (model.date > alibi[-1].date), model.name
    for table in ("table5_alibi_train_by_eval", "table15_sliding_alibi"):
        row = published.load()[table]["rows"]["512"]
        first = row[3] if table.startswith("table5") else row[0]
        assert f"{first:.2f} to {row[-1]:.2f}" in text


def test_the_decays_by_hand():
    _, found = study.decays()
    for head, alibi, lightning in zip(study.SHOWN, found["alibi"], found["lightning"], strict=True):
        assert alibi[0] == pytest.approx(np.exp(-slopes(8)[head - 1]))
        np.testing.assert_allclose(lightning**2, alibi, rtol=1e-9)  # halfway up the slopes are half
    gamma = 1 - 2.0 ** (-5 - np.arange(8))  # as its paper writes it, for eight heads
    named = [int(head) for head in re.findall(r"\d+", load("today").entries("decays")["retnet"])][:2]
    assert [values[0] for values in found["retnet"]] == [gamma[head - 1] for head in named]
    assert [1 - 2.0 ** (int(LATEX["retnet"].split("{")[1].split("-h")[0]) - head) for head in named] == [
        gamma[head - 1] for head in named
    ], "the formula counts heads as the names of the lines do"


def test_the_line_of_the_forgetting_transformer_is_that_of_the_trained_head_it_names():
    """Against the bias that the model itself adds."""
    distances, found = study.decays()
    far, named = int(distances[-1]), load_facts("heirs")["line_ends"]
    text, loaded = python_text().held_out[:far], trained.load("forgetting")
    assert loaded is not None
    method = trained.inputs(loaded, text, named["layer"]).method
    last = torch.tensor([far - 1])
    bias = method.for_queries(last).score_bias(last, torch.arange(far))[0, named["head"] - 1, 0].numpy()
    keys = far - 1 - distances[distances < far].astype(int)
    np.testing.assert_allclose(found["forgetting"][0][: len(keys)], np.exp(bias[keys]), atol=1e-5)
    at = open_page("today", today_open="decays")
    assert says(said(at), "today", "decayed", **named, far=far)
    assert load("today").entry("decays", "forgetting", named) in lines(at, 1)

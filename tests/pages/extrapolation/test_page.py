"""The result as a reader opens it: who is drawn, what is said, and the question that the shipped runs answer."""

import numpy as np
import pytest

from alibi_viz.classroom import drawing
from alibi_viz.positions import title_of
from alibi_viz.results import pretrained, table
from alibi_viz.results.facts import load_facts
from pages.extrapolation import study
from tests.pages.apptest import lines, numbers, open_page, report, said, says, traces


@pytest.mark.parametrize("protocol", ["sliding", "nonoverlapping"])
def test_the_shipped_runs_are_drawn(protocol):
    at = open_page("extrapolation", ext_protocol=protocol)
    every = table.losses()
    rows = every[(every.protocol == protocol) & (every.method == "rope")].groupby("length").loss.mean()
    assert numbers(lines(at)["RoPE"]["y"]).tolist() == pytest.approx(np.exp(rows).tolist(), rel=1e-6)
    assert says(said(at), "extrapolation", "heirs") == bool(load_facts("extrapolation")[protocol]["heirs"])


def test_the_ranking_says_who_has_one_seed():
    seeds = table.losses().groupby("method", observed=True).seed.nunique()
    text = said(open_page("extrapolation"))
    assert says(text, "extrapolation", "best", seeds=seeds.max())
    (ranking,) = (line for line in text.split("\n") if "lowest mean at L" in line)
    for method in set(pretrained.METHODS) - {"alibi"}:
        assert (f"{title_of(method)} (one seed)" in ranking) == (seeds[method] < seeds.max()), method


def test_a_reader_alone_draws_two_lines_before_the_chart_is_shown():
    at = open_page("extrapolation", predict="true")
    assert not at.get("plotly_chart"), "it would say the answer"
    report(at, "story", "drawn", [4.0] * 8 + [6.0] * 8)
    at.button(key="question_skip").click().run()
    far = drawing.measured()
    assert says(said(at), "shared", "predict.yours", alibi="4.0", alibi_at=f"{far[0]:.3g}", rope="6.0")
    by_hand = [trace for trace in traces(at) if not trace.get("name") and trace["mode"] == "lines"]
    assert [numbers(trace["y"])[8] for trace in by_hand if len(numbers(trace["y"])) == 10] == [4.0, 6.0]


def test_the_paper_stands_beside_ours_as_it_is_printed():
    at = open_page("extrapolation", extrapolation_open="paper", ext_paper="1024")
    theirs = lines(at, 2)
    assert set(theirs) == {"Sinusoidal", "RoPE", "T5 bias", "ALiBi"}
    assert all(numbers(trace["y"])[0] == 1 for trace in theirs.values()), "at L"
    assert says(said(at), "extrapolation", "paper", rank=1)
    printed = {line.name: line.y.tolist() for line in study.paper_short_and_long()}
    assert "L = 1,024" in printed, "as the sentences write it"
    assert (printed["L = 512"], printed["Sinusoidal"][-1]) == ([19.73, 18.81, 18.5, 18.48, 18.4], 18.67)
    assert [line.x[0] for line in study.short_and_long() if line.method == "alibi"] == [64, 128, 256, 512]
    test, books = (frame.value for frame in at.dataframe[:2])
    assert ["ALiBi", "512", "3,072", "18.40", "19.08"] in test.to_numpy().tolist(), "Table 6"
    assert books.to_numpy().tolist()[0] == ["ALiBi, L = 512", "14.29", "13.64", "13.55"], "Table 8"
    ranks = [
        sorted(study.test_set(), key=lambda row, column=column: getattr(row, column)) for column in ("valid", "test")
    ]
    assert ranks[0] == ranks[1], "the order is the same on both"
    at = open_page("extrapolation", extrapolation_open="paper", ext_methods="learned,none")
    assert len(at.get("plotly_chart")) == 1, "the paper has none of these"


def test_ours_is_converted_to_the_paper_s_unit_by_the_bytes_in_a_word():
    every = table.losses()
    rope = every[(every.method == "rope") & (every.protocol == "nonoverlapping")].groupby("length").loss.mean()
    per_byte, (line,) = np.exp(rope[2048]) / np.exp(rope[128]), study.ratios(["rope"])
    assert line.y[-1] == pytest.approx(per_byte ** every.bytes_per_word.iloc[0], rel=1e-6)
    (theirs,) = study.paper_ratios(["sinusoidal"], 512)
    assert theirs.y[-1] == pytest.approx(406.01 / 20.05)

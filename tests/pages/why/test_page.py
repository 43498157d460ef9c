"""Why it breaks: what the two by two says of each method, and what the records give of heads, depth, stretching."""

import json
import math

import pytest

from alibi_viz.positions import title_of
from alibi_viz.results import pretrained, table
from pages.why import study
from tests.pages.apptest import open_page, said, says


def test_the_hands_move_between_the_four_and_the_sentence_says_the_cell():
    rope = study.cells(1024)["rope"]
    for (is_clamped, is_thinned), reading in study.CELLS.items():
        values = {"why_distances": "clamped" if is_clamped else "new", "why_keys": "thinned" if is_thinned else "every"}
        words = said(open_page("why", why_method="rope", **values))
        assert f": {rope[reading].perplexity:#.3g}**" in words
        assert f"{rope['thinned_clamped'].perplexity:#.3g} → {rope['clamped'].perplexity:#.3g}" in words
    words = said(open_page("why", why_method="t5", why_distances="clamped"))
    assert "its bias has one value from distance 31 on" in words, "that it is as with all keys has a reason"
    words = said(open_page("why", why_method="forgetting", why_distances="clamped"))
    assert "not defined" in words


@pytest.mark.parametrize("window", [512, 1024, 2048])
def test_a_cause_follows_from_the_verdicts(window):
    """Direct: which cells are worse than another one by the whole interval."""
    for method, cells in study.cells(window).items():
        cause = study.cause(method, window)
        is_worse = cells["all"].above.low > 0.1
        assert is_worse == (cause not in ("holds", "open")), method
        if cause in ("distances", "both", "position"):
            assert cells["clamped"].perplexity < cells["all"].perplexity
            assert not cells["clamped"].same
        if cause == "keys":
            assert cells["thinned"].above.high <= 0.1, "as few keys as in training bring it back"
        entry = {"method": title_of(method), "times": window / 128, "at": study.at_trained(method)}
        assert math.isfinite(entry["at"])
    assert study.cause("rope", window) in ("distances", "both")
    assert study.cause("fire", window) == "position"
    assert study.cause("alibi", window) == "holds"


def test_more_keys_cost_rope_something_and_the_control_nothing():
    assert study.compared("rope", 1024, "clamped", "thinned_clamped") == "worse"
    assert study.compared("alibi", 1024, "clamped", "thinned_clamped") == "same"


def test_why_a_line_claims_what_the_runs_say():
    found = {one.name: one for one in study.penalties()}
    holds = {name for name, one in found.items() if one.rise.verdict == "same"}
    assert min(holds, key=lambda name: found[name].perplexities[1]) == "line_1", "of those that hold, the lowest"
    assert {"wall_8", "line_1"} <= holds
    assert found["none_0"].rise.verdict == found["log_1"].rise.verdict == "worse"
    assert found["wall_64"].perplexities[1] == found["none_0"].perplexities[1], "a wall at L is none within L"
    assert found["wall_8"].perplexities[1] > 1.2 * found["line_1"].perplexities[1], "it costs"
    words = said(open_page("why", why_open="line"))
    assert says(words, "why", "line")
    assert f"| wall at L | {found['wall_64'].perplexities[1]:.2f} |" in words, "all of the table is there on a phone"


def test_the_lines_are_those_of_the_records():
    records = [record for record in pretrained.load_all() if record["config"]["method"] == "rope"]
    tables = [next(e for e in r["nonoverlapping"] if e["length"] == study.WINDOW)["by_position"] for r in records]
    (line,) = study.by_position(("rope",))
    assert line.y[0] == pytest.approx(math.exp(sum(sum(t[: study.BLOCK]) for t in tables) / len(tables) / study.BLOCK))
    assert 128.5 in line.x + (line.x[1] - line.x[0]) / 2, "no point has positions on both sides of L"
    assert table.train_length() % study.BLOCK == 0
    record = json.loads((pretrained.FOLDER / "text" / "alibi-0.json").read_text())
    whole = next(e["loss"] for e in record["windows"] if e["length"] == e["window"] == 128)
    assert study.without_heads(128)["alibi"][0, 0] == pytest.approx(math.exp(record["without_heads"][0][0] - whole) - 1)
    ways = {"alibi": ("trained", "interpolated", "gentle half"), "rope": ("trained", "linear", "dynamic", "yarn")}
    assert set(study.stretched()) == {(method, way) for method, names in ways.items() for way in names}

"""The lesson “use”: the code for each place runs as it is copied, and its numbers are those of tensors, runs and clocks."""

import importlib
import sys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import alibi_viz
from alibi_viz import timing
from alibi_viz.drop_in import drop_in
from alibi_viz.drop_in.drop_in import alibi_bias, alibi_slopes, with_key_features
from alibi_viz.lessons import load
from pages.use.study import HEAD_DIM, PLACES, sizes, snippet, variants
from tests.pages.apptest import lines, numbers, open_page, said, says


@pytest.fixture(autouse=True)
def no_timing(monkeypatch, tmp_path):
    """No test measures: what would be measured is what was shipped."""
    file = tmp_path / "timing.json"
    file.write_text(timing.write({"cpu": timing.shipped()["cpu"]}))
    monkeypatch.setattr(timing, "COMMAND", ["sh", "-c", f"cat {file}"])
    monkeypatch.setattr(timing, "HERE", timing.Measurement())


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("heads", [1, 12])
def test_every_place_has_its_code_to_copy_and_a_file(place, heads):
    at = open_page("use", use_where=place, heads=str(heads))
    taken = snippet(place, heads)
    assert at.code[0].value == taken.code.strip()
    (button,) = (part.proto for part in at.get("download_button"))
    assert button.label == load("use").label("download", file=taken.file)
    for text in (taken.code, taken.text):
        compile(text, taken.file, "exec")
    assert open_page("use", use_where=place, heads=str(heads), present="true").code[0].value == taken.code.strip()


@pytest.mark.parametrize(("place", "heads"), [("sdpa", 6), ("flex_attention", 4)])
def test_the_code_of_a_kernel_runs_as_it_is_copied(place, heads):
    """With and without a cache and grouped heads."""
    q, k, v = torch.randn(3, 1, heads, 9, 16, generator=torch.Generator().manual_seed(0)).unbind(0)
    for names in ({"q": q, "k": k, "v": v}, {"q": q[:, :, 5:], "k": k[:, :1], "v": v[:, :1]}):
        expected = alibi_viz.trace(*names.values()).output
        exec(snippet(place, heads).code, names)
        torch.testing.assert_close(names["output"], expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("heads", [1, 6])
@torch.no_grad()
def test_the_code_for_an_encoder_gives_every_head_of_every_text_its_bias(heads, monkeypatch):
    """In training and in evaluation, whose fast path would take it otherwise, beside a padded text."""
    monkeypatch.setattr(torch.backends.mha, "_is_fastpath_enabled", True)
    torch.manual_seed(0)
    names = {"x": torch.randn(2, 7, heads * HEAD_DIM)}
    exec(snippet("encoder", heads).code, names)
    layer, x, mask = names["layer"], names["x"], names["encoder_mask"](2, 7, names["slopes"])
    assert names["output"].shape == x.shape
    distance = (torch.arange(7)[:, None] - torch.arange(7)).abs()
    bias = -torch.tensor(alibi_slopes(heads))[:, None, None] * distance
    torch.testing.assert_close(mask, bias.repeat(2, 1, 1))
    real = torch.tensor([[True] * 7, [True] * 4 + [False] * 3])
    padding = torch.zeros(2, 7).masked_fill(~real, -torch.inf)
    layer.self_attn.dropout = layer.dropout.p = layer.dropout1.p = layer.dropout2.p = 0.0
    training = layer.train()(x, src_mask=mask, src_key_padding_mask=padding)
    evaluation = layer.eval()(x, src_mask=mask, src_key_padding_mask=padding)
    torch.testing.assert_close(evaluation[real], training[real], atol=1e-5, rtol=0)


def test_the_code_of_the_block_and_for_transformers_runs_beside_its_file(monkeypatch):
    monkeypatch.setitem(sys.modules, "drop_in", drop_in)
    names = {"x": torch.randn(1, 5, 12 * HEAD_DIM), "cache": None}
    exec(snippet("block", 12).code, names)
    assert names["output"].shape == (1, 5, 12 * HEAD_DIM)
    assert names["cache"][0].shape == (1, 3, 5, HEAD_DIM)
    ours = importlib.import_module("alibi_viz.drop_in.drop_in_transformers")
    monkeypatch.setitem(sys.modules, "drop_in_transformers", ours)
    exec(snippet("transformers", 12).code.partition("model =")[0], names)  # the model would be a large one
    config = names["config"]
    assert (config.num_attention_heads, config.num_key_value_heads, config.alibi_bias_max) == (12, 3, 8)
    assert config.rope_parameters["rope_type"] == "alibi"


def test_what_differs_between_the_blocks_is_shown():
    lines = open_page("use").code[1].value.splitlines()
    assert {"-class RopeAttention(nn.Module):", "+class AlibiAttention(nn.Module):"} <= set(lines)
    assert {line[0] for line in lines} == {"-", "+", " ", "⋮"}


def test_what_the_lesson_says_of_these_runs():
    """“ALiBi did not learn faster”, and “far beyond L ahead of RoPE”."""
    rope, alibi = variants().values()
    far = int(rope.windows[-1])
    assert alibi.losses[-1] > rope.losses[-1]
    assert alibi.at(alibi.config.length) > rope.at(rope.config.length)
    assert alibi.at(far) < rope.at(far) / 5


@given(st.integers(1, 12), st.integers(1, 64))
def test_bytes_are_those_of_the_tensors(heads, tokens):
    q = torch.zeros(1, heads, tokens, HEAD_DIM)
    slopes, counted = torch.tensor(alibi_slopes(heads)), sizes(heads, tokens)
    assert counted["tensor"] == alibi_bias(q, q, slopes).nbytes
    assert counted["row"] == alibi_bias(q[:, :, :1], q, slopes).nbytes
    assert counted["closed"] == slopes.nbytes
    assert counted["cache"] == 2 * q.nbytes
    assert counted["features"] == sum(wide.nbytes for wide in with_key_features(q, q, q, slopes)) - 3 * q.nbytes


@pytest.mark.parametrize("device", timing.shipped())
@pytest.mark.parametrize("kind", timing.PASSES)
def test_the_time_chart_shows_what_was_measured(kind, device):
    at = open_page("use", use_open="time", use_pass=kind, use_device=device)
    drawn = {name: numbers(trace["y"]) for name, trace in lines(at).items()}
    shipped, names = timing.shipped()[device][kind], load("use").entries("cases")
    assert shipped.seconds[-1][0] == timing.LENGTHS[device][-1]
    assert shipped.machine["device"] in said(at)
    assert drawn.keys() == {names[case] for case, rows in shipped.ratios.items() if rows}
    for case, rows in shipped.ratios.items():
        if rows:
            assert drawn[names[case]] == pytest.approx([row[1] for row in rows])
        if len(rows) < len(shipped.seconds):
            assert f"Left out: {names[case]}" in said(at)


@pytest.mark.parametrize(("command", "charts"), [(None, 2), (["false"], 1)])
def test_a_reader_measures_this_machine_and_a_failure_is_told(monkeypatch, command, charts):
    monkeypatch.setattr(timing, "COMMAND", command or timing.COMMAND)
    at = open_page("use", use_open="time")
    at.button(key="use_measure").click().run()
    while timing.HERE.is_running():
        pass
    at.run()
    assert not at.exception
    assert says(said(at), "use", "measured_here") == (command is None)
    assert ["did not end as it should" in box.value for box in at.warning] == [True] * (command is not None)
    assert not at.button(key="use_measure").disabled
    assert len(open_page("use", use_open="time").get("plotly_chart")) == charts, "another reader has it too"

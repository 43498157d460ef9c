"""What is timed: every case computes the same attention, all run in turn, and what cannot run is left out."""

from __future__ import annotations

import time

import pytest
import torch

from alibi_viz import timing
from alibi_viz.attention.attention import trace_attention
from alibi_viz.positions import build

TOKENS = 96


@pytest.mark.parametrize("case", [timing.BASE, *(case for case in timing.CASES if case != "flex")])
def test_a_case_is_the_attention_that_it_is_named_after(case):
    """FlexAttention is compiled, which takes long: its recipe is tested elsewhere."""
    q, k, v = torch.randn(
        3, 1, timing.HEADS, TOKENS, timing.HEAD_DIM, generator=torch.Generator().manual_seed(0)
    ).unbind(0)
    method = build(case if case in ("none", "rope") else "alibi", heads=timing.HEADS, head_dim=timing.HEAD_DIM)
    at = torch.arange(TOKENS)
    expected = trace_attention(q, k, v, method, at, at).output
    torch.testing.assert_close(timing.attention(case, TOKENS, "cpu")(q, k, v), expected, atol=1e-5, rtol=0)


def test_all_take_turns():
    calls: list[str] = []

    def call(name):
        def run():
            calls.append(name)
            time.sleep(0.02)

        return run

    seconds = timing.in_turn({"a": call("a"), "b": call("b")}, 2)
    assert all(len(rows) == 2 and min(rows) > 0.015 for rows in seconds.values())
    turns = [name for name, before in zip(calls, ["", *calls], strict=False) if name != before]
    assert turns == ["a", "b", "a", "b"]


@pytest.mark.parametrize("kind", timing.PASSES)
def test_what_cannot_run_is_left_out_and_the_others_go_on(kind, monkeypatch):
    attention = timing.attention

    def without_flex(case, tokens, device):
        if case == "flex":
            raise RuntimeError("No compiler\nwas found")
        return attention(case, tokens, device)

    monkeypatch.setattr(timing, "attention", without_flex)
    monkeypatch.setattr(timing, "LEAST", 1e-4)
    found = timing.measure(kind, (16, 32), 2)
    assert found.left_out == {"flex": "RuntimeError: No compiler"}
    assert [tokens for tokens, _ in found.seconds] == [16, 32]
    for case in set(timing.CASES) - {"flex"}:
        assert [row[0] for row in found.ratios[case]] == [16, 32]
        assert all(0 < low <= median <= high for _, median, low, high in found.ratios[case])
    assert timing.read(timing.write({kind: found})) == {kind: found}


def test_the_shipped_measurement_has_every_pass_case_and_length():
    shipped = timing.shipped()
    assert tuple(shipped) == timing.PASSES
    for found in shipped.values():
        assert [row[0] for row in found.seconds] == list(timing.LENGTHS)
        for case in timing.CASES:
            assert case in found.left_out or [row[0] for row in found.ratios[case]] == list(timing.LENGTHS)


def test_one_measurement_runs_at_a_time_and_a_stuck_one_ends(monkeypatch):
    monkeypatch.setattr(timing, "COMMAND", ["sh", "-c", "exec sleep 60"])
    here = timing.Measurement()
    here.start("forward")
    process = here._process
    here.start("forward")
    assert here._process is process
    assert here.is_running()
    monkeypatch.setattr(timing, "LIMIT", 0.0)
    assert not here.is_running()
    assert process.poll() is not None
    assert "did not end as it should" in here.problem

"""What is timed: every case computes the same attention, all run in turn, and what cannot run is left out."""

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


def test_one_measurement_runs_at_a_time_and_a_stuck_one_ends(monkeypatch):
    monkeypatch.setattr(timing, "COMMAND", ["sh", "-c", "exec sleep 60"])
    monkeypatch.setattr(timing, "LIMIT", 0.5)
    here = timing.Measurement()
    here.start("forward")
    thread = here._thread
    here.start("forward")
    assert here._thread is thread
    assert here.is_running()
    thread.join(20)
    assert not here.is_running()
    assert "did not end as it should" in str(here.problem)

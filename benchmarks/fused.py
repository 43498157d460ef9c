"""Fused ALiBi against fused causal attention without positions: time, memory, error; by the engine of the Cost page.

8 heads of 64. Memory: what the call adds to the largest size of a fresh process, at n and at 2 n; a tensor of n x n would
make it grow four times.
"""

from __future__ import annotations

import torch

from alibi_viz.cost.cases import BASE, largest_error
from alibi_viz.cost.memory import peak_bytes
from alibi_viz.cost.plan import TimingPlan
from alibi_viz.cost.sizes import bias_bytes
from benchmarks.report import Figure

HEADS, TOKENS, LIMIT = 8, 4096, {"cpu": 1.1, "cuda": 1.05}


def ratio(device: str, rounds: int) -> tuple[float, str]:
    """Median of time(ALiBi) / time(no positions), round by round, and its quartiles in words."""
    spread = (
        TimingPlan((BASE, "alibi"), (TOKENS,), device=device, rounds=rounds).finished().ratio("alibi", BASE, TOKENS)
    )
    return spread.median, f"quartiles {spread.low:.2f} to {spread.high:.2f}"


def measure() -> list[Figure]:
    figures = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        value, note = ratio("cpu", 9)
        name = f"fused ALiBi / causal without positions, n = {TOKENS}, CPU, {threads} thread(s)"
        figures.append(Figure(name, value, "x", LIMIT["cpu"], note=note))
    torch.set_num_threads(1)
    name = f"error against eager float32, n = {TOKENS}, CPU"
    figures.append(Figure(name, largest_error("fused", TOKENS), "", 1e-4))
    small, large = peak_bytes("fused", TOKENS), peak_bytes("fused", 2 * TOKENS)
    square = bias_bytes(HEADS, 2 * TOKENS)["tensor"]
    note = f"{small / 2**20:.0f} and {large / 2**20:.0f} MB; one n x n tensor at 2 n: {square / 2**20:,.0f} MB"
    figures.append(Figure("memory of one fused call, 2 n / n", large / max(small, 1.0), "x", 2.5, note=note))
    return figures + (cuda() if torch.cuda.is_available() else [])


def cuda() -> list[Figure]:
    """The same on a GPU, in bfloat16."""
    value, note = ratio("cuda", 31)
    worst = largest_error("fused", TOKENS, "cuda", torch.bfloat16)
    name = f"fused ALiBi / causal without positions, n = {TOKENS}, bfloat16, GPU"
    return [
        Figure(name, value, "x", LIMIT["cuda"], note=note),
        Figure("error against eager float32 on the same inputs, bfloat16, GPU", worst, ""),
    ]

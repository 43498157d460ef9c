"""Fused ALiBi against fused causal attention without positions: time, memory, error.

8 heads of 64. Time: the two in turn, median of the ratios. Memory: what the call adds to the largest size of a fresh
process, at n and at 2 n; a tensor of n x n would make it grow four times.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F

from alibi_viz.attention.attention import trace_attention
from alibi_viz.attention.fused import fused_attention
from alibi_viz.positions.alibi import Alibi
from benchmarks.report import Figure

HEADS, HEAD_DIM, TOKENS = 8, 64, 4096

_MEMORY = """
import torch
from benchmarks.fused import alibi_call, peak, tensors
torch.set_num_threads(1)
alibi_call(*tensors(64, torch.float32, "cpu"))()
call = alibi_call(*tensors({n}, torch.float32, "cpu"))
with open("/proc/self/clear_refs", "w") as refs:
    refs.write("5")
before = peak()
call()
print(peak() - before)
"""


def peak() -> float:
    """Largest size of this process since its counter was reset, in bytes (Linux)."""
    with open("/proc/self/status") as status:
        return 1024.0 * next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def tensors(n: int, dtype: torch.dtype, device: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """q, k, v [1, 8, n, 64] and positions [n]."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, HEADS, n, HEAD_DIM, device=device, dtype=dtype) for _ in range(3))
    return q, k, v, torch.arange(n, device=device)


def alibi_call(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, positions: torch.Tensor
) -> Callable[[], torch.Tensor]:
    method = Alibi(HEADS, HEAD_DIM, HEADS * HEAD_DIM).to(q.device)
    return lambda: fused_attention(q, k, v, method, positions, positions)


def ratio(first: Callable[[], object], second: Callable[[], object], device: str, rounds: int = 9) -> float:
    """Median over the rounds of time(first) / time(second), the two in turn."""
    first(), second()
    return statistics.median(_timed(first, device) / _timed(second, device) for _ in range(rounds))


def _timed(call: Callable[[], object], device: str) -> float:
    if device == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    call()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


def error(n: int, dtype: torch.dtype, device: str) -> float:
    """Largest difference from the eager float32 path on the same (rounded) inputs, a head at a time."""
    q, k, v, positions = tensors(n, dtype, device)
    ours = alibi_call(q, k, v, positions)()
    slopes = Alibi(HEADS, HEAD_DIM, HEADS * HEAD_DIM).slopes.tolist()
    worst = 0.0
    for head, slope in enumerate(slopes):
        method = Alibi(1, HEAD_DIM, HEAD_DIM, slopes=[slope]).to(device)
        q1, k1, v1 = (x[:, head : head + 1].float() for x in (q, k, v))
        exact = trace_attention(q1, k1, v1, method, positions, positions).output
        worst = max(worst, float((ours[:, head : head + 1].float() - exact).abs().max()))
    return worst


def memory(n: int) -> float:
    """Bytes that one fused call adds to a process."""
    code = _MEMORY.format(n=n)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


@torch.no_grad()
def measure() -> list[Figure]:
    figures = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        q, k, v, positions = tensors(TOKENS, torch.float32, "cpu")

        def plain(q: torch.Tensor = q, k: torch.Tensor = k, v: torch.Tensor = v) -> torch.Tensor:
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)

        measured = ratio(alibi_call(q, k, v, positions), plain, "cpu")
        name = f"fused ALiBi / causal without positions, n = {TOKENS}, CPU, {threads} thread(s)"
        figures.append(Figure(name, measured, "x", 1.3))
    torch.set_num_threads(1)
    figures.append(
        Figure(f"error against eager float32, n = {TOKENS}, CPU", error(TOKENS, torch.float32, "cpu"), "", 1e-4)
    )
    small, large = memory(TOKENS), memory(2 * TOKENS)
    square = 4.0 * HEADS * (2 * TOKENS) ** 2
    note = f"{small / 2**20:.0f} and {large / 2**20:.0f} MB; one n x n tensor at 2 n: {square / 2**20:,.0f} MB"
    figures.append(Figure("memory of one fused call, 2 n / n", large / max(small, 1.0), "x", 2.5, note=note))
    return figures + (cuda() if torch.cuda.is_available() else [])


def cuda() -> list[Figure]:
    """The same on a GPU, in bfloat16."""
    q, k, v, positions = tensors(TOKENS, torch.bfloat16, "cuda")
    measured = ratio(
        alibi_call(q, k, v, positions), lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True), "cuda", 31
    )
    worst = error(TOKENS, torch.bfloat16, "cuda")
    return [
        Figure(f"fused ALiBi / causal without positions, n = {TOKENS}, bfloat16, GPU", measured, "x", 1.3),
        Figure("error against eager float32 on the same inputs, bfloat16, GPU", worst, ""),
    ]

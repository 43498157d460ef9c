"""Fused ALiBi against fused causal attention without positions: time, memory, error.

8 heads of 64. Memory: what the call adds to the largest size of a fresh process (Linux), at n and at 2 n; a tensor of n x n
would make it grow four times.
"""

import statistics
import subprocess
import sys
from collections.abc import Callable

import torch

from alibi_viz.attention.attention import trace_attention
from alibi_viz.attention.fused import fused_attention
from alibi_viz.drop_in.drop_in import alibi_slopes
from alibi_viz.positions import build
from alibi_viz.timing import BASE, HEAD_DIM, HEADS, in_turn, quartiles
from benchmarks.report import Figure

TOKENS, LIMIT = 4096, {"cpu": 1.1, "cuda": 1.05}
GROWN = "import sys; from benchmarks.fused import memory; print(memory(int(sys.argv[1])))"


def attention(
    name: str, tokens: int, device: str = "cpu", dtype: torch.dtype = torch.float32
) -> tuple[list[torch.Tensor], Callable[[], torch.Tensor]]:
    """Random q, k, v [1, H, T, d], and their attention with a position method, through the fused path."""
    q, k, v = torch.randn(3, 1, HEADS, tokens, HEAD_DIM, generator=torch.Generator().manual_seed(0)).to(device, dtype)
    method = build(name, heads=HEADS, head_dim=HEAD_DIM, max_length=tokens).to(device)
    at = torch.arange(tokens, device=device)
    return [q, k, v], torch.no_grad()(lambda: fused_attention(q, k, v, method, at, at, square=True))


def ratio(device: str, rounds: int) -> tuple[float, str]:
    """Median of time(ALiBi) / time(no positions), round by round, and its quartiles in words."""
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    seconds = in_turn({name: attention(name, TOKENS, device, dtype)[1] for name in (BASE, "alibi")}, rounds)
    median, low, high = quartiles([a / b for a, b in zip(seconds["alibi"], seconds[BASE], strict=True)])
    return median, f"quartiles {low:.2f} to {high:.2f}"


@torch.no_grad()
def largest_error(tokens: int, device: str = "cpu", dtype: torch.dtype = torch.float32) -> float:
    """Largest difference from the traced float32 path on the same (rounded) inputs, one head at a time."""
    given, fused = attention("alibi", tokens, device, dtype)
    ours, at, errors = fused(), torch.arange(tokens, device=device), []
    for head, slope in enumerate(alibi_slopes(HEADS)):
        alone = build("alibi", heads=1, head_dim=HEAD_DIM, slopes=[slope]).to(device)
        q, k, v = (x[:, head : head + 1].float() for x in given)
        exact = trace_attention(q, k, v, alone, at, at).output
        errors.append(float((ours[:, head : head + 1].float() - exact).abs().max()))
    return max(errors)


def memory(tokens: int) -> float:
    """Bytes that one call adds to this process, which should be a fresh one, at its largest."""
    torch.set_num_threads(1)
    attention("alibi", 64)[1]()
    call = attention("alibi", tokens)[1]
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")
    before = _largest()
    call()
    return _largest() - before


def _largest() -> float:
    with open("/proc/self/status") as status:
        return 1024.0 * next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def measure() -> list[Figure]:
    torch.set_num_threads(1)
    value, note = ratio("cpu", 9)
    name = f"fused ALiBi / causal without positions, n = {TOKENS}, CPU, 1 thread"
    figures = [
        Figure(name, value, "x", LIMIT["cpu"], note=note),
        Figure(f"error against eager float32, n = {TOKENS}, CPU", largest_error(TOKENS), "", 1e-4),
    ]
    if sys.platform.startswith("linux"):
        small, large = (
            statistics.median(float(subprocess.check_output([sys.executable, "-c", GROWN, str(n)])) for _ in range(3))
            for n in (TOKENS, 2 * TOKENS)
        )
        square = 4 * HEADS * (2 * TOKENS) ** 2
        note = f"{small / 2**20:.0f} and {large / 2**20:.0f} MB; one n x n tensor at 2 n: {square / 2**20:,.0f} MB"
        figures.append(Figure("memory of one fused call, 2 n / n", large / max(small, 1.0), "x", 2.5, note=note))
    return figures + (cuda() if torch.cuda.is_available() else [])


def cuda() -> list[Figure]:
    """The same on a GPU, in bfloat16."""
    value, note = ratio("cuda", 31)
    worst = largest_error(TOKENS, "cuda", torch.bfloat16)
    name = f"fused ALiBi / causal without positions, n = {TOKENS}, bfloat16, GPU"
    return [
        Figure(name, value, "x", LIMIT["cuda"], note=note),
        Figure("error against eager float32 on the same inputs, bfloat16, GPU", worst, ""),
    ]

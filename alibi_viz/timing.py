"""How long attention takes with RoPE, and with ALiBi in the ways of the lesson “Use ALiBi”, by `torch.utils.benchmark`.

    python -m alibi_viz.timing > timing.json && mv timing.json alibi_viz/      # what was measured when the app was made

The shipped file holds one entry a device (a CPU, a GPU): this writes that of this machine anew, and keeps the other.

Notable choices:
- Attention alone: 8 heads of 64, one text, causal, random queries, keys and values. Projections and the MLP are the same
  for every case.
- All cases in turn, round after round, and each ratio is taken within a round: what else the machine does falls on all.
- A reader's measurement runs in a process of its own: a compiler and long calls would hold up the server. It is one of the
  machine, so all readers of a server share it, and one runs at a time.
"""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.benchmark import Timer

from alibi_viz.drop_in import recipes
from alibi_viz.drop_in.drop_in import alibi_bias, alibi_slopes, allowed_keys, rope_cos_sin, rotate, with_key_features
from alibi_viz.lessons.problems import Problem

FILE = Path(__file__).with_suffix(".json")
HEADS, HEAD_DIM = 8, 64
LENGTHS = {"cpu": (256, 512, 1024, 2048, 4096), "cuda": tuple(2**power for power in range(10, 17))}  # tokens
LONGEST = 2048  # tokens of a reader's measurement
ROUNDS, FEW = 9, 3  # of the shipped measurement, and of a reader's
PASSES = ("forward", "training")  # training: forward and backward
BASE = "none"  # causal attention without positions
CASES = ("rope", "alibi", "flex", "kept", "built")
LEAST = 0.05  # seconds of calls behind each number
LIMIT = 180.0  # seconds of a reader's measurement
COMMAND = [sys.executable, "-m", "alibi_viz.timing"]  # and the pass

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Timing:
    """Times of one pass, and where they were measured. Rows are by tokens."""

    machine: dict[str, str]
    seconds: list[list[float]]  # rows of tokens, seconds of BASE
    ratios: dict[str, list[list[float]]]  # case -> rows of tokens, and median and quartiles of time / time of BASE
    left_out: dict[str, str]  # case -> why


def read(text: str) -> dict[str, dict[str, Timing]]:
    """Device -> pass -> its times. Raises ValueError, TypeError or AttributeError for anything else than `write` gives."""
    timings = json.loads(text)
    return {device: {kind: Timing(**timing) for kind, timing in passes.items()} for device, passes in timings.items()}


def write(timings: Mapping[str, Mapping[str, Timing]]) -> str:
    plain = {device: {kind: asdict(timing) for kind, timing in passes.items()} for device, passes in timings.items()}
    return json.dumps(plain, separators=(",", ":"))


@cache
def shipped() -> dict[str, dict[str, Timing]]:
    """What was measured when the app was made, by device."""
    return read(FILE.read_text(encoding="utf-8"))


def attention(case: str, tokens: int, device: str) -> Attend:
    """A case for q, k, v [1, H, T, d] -> [1, H, T, d]. What does not depend on them is made here, and not measured."""
    slopes = torch.tensor(alibi_slopes(HEADS), device=device)
    if case == "rope":
        angles = rope_cos_sin(torch.arange(tokens, device=device), HEAD_DIM)
        return lambda q, k, v: F.scaled_dot_product_attention(rotate(q, *angles), rotate(k, *angles), v, is_causal=True)
    if case == "alibi":
        return lambda q, k, v: F.scaled_dot_product_attention(
            *with_key_features(q, k, v, slopes), is_causal=True, scale=HEAD_DIM**-0.5
        )[..., :HEAD_DIM]
    if case == "built":
        return lambda q, k, v: recipes.with_sdpa(q, k, v, slopes)
    if case == "kept":
        shape = torch.empty(1, HEADS, tokens, 0, device=device)
        mask = alibi_bias(shape, shape, slopes).masked_fill(~allowed_keys(shape, shape), -math.inf)[None]
        return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=mask.to(q.dtype))
    if case == "flex":
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention

        blocks = create_block_mask(lambda b, h, i, j: i >= j, None, None, tokens, tokens, device=device)
        torch.compiler.reset()  # it compiles for so many lengths, then no more
        compiled: Any = torch.compile(flex_attention, dynamic=False)
        score = lambda score, b, h, i, j: score - slopes[h] * (i - j)  # noqa: E731
        return lambda q, k, v: compiled(q, k, v, score_mod=score, block_mask=blocks)
    return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)


def call(case: str, tokens: int, kind: str, device: str = "cpu") -> Callable[[], object]:
    """One call to be measured, after it has run once. Raises what the case raises where it cannot run."""
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, 1, HEADS, tokens, HEAD_DIM, generator=generator).to(device, dtype).unbind(0)
    attend = attention(case, tokens, device)

    @torch.no_grad()
    def forward() -> None:
        attend(q, k, v)

    leaves = [x.clone().requires_grad_() for x in (q, k, v)]

    def training() -> None:
        torch.autograd.grad(attend(*leaves).sum(), leaves)

    chosen = forward if kind == "forward" else training
    chosen()
    return chosen


def in_turn(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of a call, by case, a number a round. Each is the median of as many calls as LEAST holds."""
    timers = {case: Timer("call()", globals={"call": run}, num_threads=1) for case, run in calls.items()}
    seconds: dict[str, list[float]] = {case: [] for case in calls}
    for _ in range(rounds):
        for case, timer in timers.items():
            seconds[case].append(timer.blocked_autorange(min_run_time=LEAST).median)
    return seconds


def quartiles(values: Sequence[float]) -> list[float]:
    """Median, first and third quartile, with four digits."""
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return [float(f"{value:.4g}") for value in (median, low, high)]


def measure(kind: str, device: str, lengths: Sequence[int], rounds: int) -> Timing:
    label, dtype = (torch.cuda.get_device_name(), "bfloat16") if device == "cuda" else ("CPU", "float32")
    machine = {"device": label, "dtype": dtype, "torch": torch.__version__}
    timing = Timing(machine, [], {case: [] for case in CASES}, {})
    torch.set_num_threads(1)
    for tokens in lengths:
        calls = {}
        for case in (BASE, *(case for case in CASES if case not in timing.left_out)):
            try:
                calls[case] = call(case, tokens, kind, device)
            except torch.OutOfMemoryError:
                timing.left_out[case] = f"{tokens:,} tokens do not fit into the memory of the device"
            except Exception as error:  # compilers fail in ways of their own; all mean that it does not run
                timing.left_out[case] = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:120]}"
        rows = in_turn(calls, rounds)
        timing.seconds.append([tokens, quartiles(rows[BASE])[0]])
        for case in calls.keys() - {BASE}:
            ratios = [a / b for a, b in zip(rows[case], rows[BASE], strict=True)]
            timing.ratios[case].append([tokens, *quartiles(ratios)])
    return timing


class Measurement:
    """The measurement of this machine that readers ask for. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.results: dict[str, Timing] = {}  # by pass
        self.problem: Problem | None = None

    def start(self, kind: str) -> None:
        """Begin, unless one is running."""
        with self._lock:
            if not self.is_running():
                self.problem, self._thread = None, threading.Thread(target=self._measure, args=(kind,), daemon=True)
                self._thread.start()

    def is_running(self) -> bool:
        """Whether it goes on; when it has ended, its result or its problem is there."""
        return self._thread is not None and self._thread.is_alive()

    def _measure(self, kind: str) -> None:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            output = Path(folder, "timing.json")  # no pipe: processes of a compiler would hold it open
            try:
                with output.open("wb") as file:
                    subprocess.run(
                        [*COMMAND, kind],
                        stdout=file,
                        stderr=subprocess.DEVNULL,
                        cwd=FILE.parents[1],
                        env=os.environ | {"TORCHINDUCTOR_CACHE_DIR": folder},
                        timeout=LIMIT,
                        check=False,
                    )
                last = output.read_text(encoding="utf-8").splitlines()[-1]  # compilers may print before it
                (measured,) = read(last).values()
                self.results |= measured
            except (subprocess.TimeoutExpired, ValueError, TypeError, AttributeError, IndexError):
                self.problem = Problem("methods.measurement")


HERE = Measurement()


def main(requested: Sequence[str]) -> None:
    """Print what a reader asks for, these passes; or what is shipped, without any."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    lengths, kept = LENGTHS[device], dict(shipped())
    if requested:
        lengths, kept = tuple(n for n in lengths if n <= LONGEST), {}
    rounds = FEW if requested else ROUNDS
    print(write(kept | {device: {kind: measure(kind, device, lengths, rounds) for kind in requested or PASSES}}))


if __name__ == "__main__":
    main(sys.argv[1:])

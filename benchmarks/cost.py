"""What every position method costs, and ALiBi in every way of computing it: the engine of the Cost page, run to the end.

`python -m benchmarks.cost --write` writes the measurement that the page shows first.
"""

from __future__ import annotations

import sys

import torch

from alibi_viz.cost import shipped
from alibi_viz.cost.cases import BASE, LENGTHS, PASSES, WAYS, Pass, case, largest_error
from alibi_viz.cost.memory import peak_bytes
from alibi_viz.cost.timing import Measured
from alibi_viz.cost.timing import measure as timed
from alibi_viz.positions import METHODS
from benchmarks.report import Figure

TOKENS = 4096
ROUNDS = 5
SECONDS: dict[Pass, float] = {"forward": 55, "backward": 45, "decode": 10}  # of the shipped measurement
DTYPES = {"cpu": torch.float32, "cuda": torch.bfloat16}
LIMITS = {"cpu": 1.1, "cuda": 1.05}


def run(kind: Pass, names: tuple[str, ...], lengths: tuple[int, ...], device: str, seconds: float) -> Measured:
    """All cases, one call of each in turn."""
    options = {"device": device, "dtype": DTYPES[device]}
    result = Measured()
    names = tuple(name for name in names if name != "flex")  # compiled for every length, most of a minute each
    cases = [case(name, tokens, kind, **options) for tokens in lengths for name in names]
    cases += [case("flex", TOKENS, kind, **options)] if kind == "forward" and TOKENS in lengths else []
    for _ in timed(cases, result, rounds=ROUNDS, device=device, most_seconds=seconds, longest_call=1.5):
        pass
    return result


def measure() -> list[Figure]:
    torch.set_num_threads(1)
    figures = []
    for device in ("cpu", *(["cuda"] if torch.cuda.is_available() else [])):
        result = run("forward", (BASE, *WAYS), (TOKENS,), device, 120)
        for way in WAYS:
            if (way, TOKENS) in result.left_out:
                figures.append(Figure(f"ALiBi, {way}, {device}", 0.0, "", note=result.left_out[way, TOKENS]))
                continue
            ratio, limit = result.ratio(way, BASE, TOKENS), LIMITS[device] if way == "fused" else None
            note = f"quartiles {ratio.low:.2f} to {ratio.high:.2f}"
            name = f"ALiBi, {way} / causal without positions, n = {TOKENS}, {device}"
            figures.append(Figure(name, ratio.median, "x", limit, note=note))
        exact = largest_error("fused", TOKENS, device, DTYPES[device])
        figures.append(
            Figure(f"ALiBi, fused: largest error, n = {TOKENS}, {device}", exact, "", 1e-4 if device == "cpu" else None)
        )
    return figures


def write() -> None:
    """The shipped measurement: all passes and cases, and the memory of one call."""
    torch.set_num_threads(1)
    names = (*METHODS, *(way for way in WAYS if way != "fused"))
    passes, left_out = {}, {}
    for kind in PASSES:
        result = run(kind, names, LENGTHS, "cpu", SECONDS[kind])
        passes[kind] = shipped.rows(result)
        left_out[kind] = {name: reason for (name, _), reason in result.left_out.items()}
        print(kind, {name: max(map(int, rows)) for name, rows in passes[kind].items()}, left_out[kind], flush=True)
    memory = {
        name: peak_bytes(name, 2048) for name in (BASE, "rope", "t5", "alibi", "feature", "cached", "built", "eager")
    }
    errors = {way: float(f"{largest_error(way, TOKENS):.2g}") for way in ("fused", "feature")}
    facts = {"machine": shipped.machine(), "memory_tokens": 2048, "error_tokens": TOKENS}
    shipped.write(facts | {"passes": passes, "left_out": left_out, "memory": memory, "errors": errors})


if __name__ == "__main__":
    write() if "--write" in sys.argv else print(measure())

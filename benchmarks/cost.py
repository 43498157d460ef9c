"""What every position method costs, and ALiBi in every way of computing it: the engine of the Cost page, run to the end.

`python -m benchmarks.cost --write` writes the measurement that the page shows first.
"""

from __future__ import annotations

import sys
from typing import Any

import torch

from alibi_viz.cost import shipped
from alibi_viz.cost.cases import BASE, LENGTHS, PASSES, WAYS, Pass, case, largest_error
from alibi_viz.cost.memory import peak_bytes
from alibi_viz.cost.timing import Measured
from alibi_viz.cost.timing import measure as timed
from alibi_viz.positions import METHODS
from benchmarks.report import Figure

TOKENS = 4096
ROUNDS, LONGEST_CALL = 5, 0.8  # a slow case ends early, so that there is time for the others
SECONDS: dict[Pass, float] = {"forward": 25, "backward": 20, "decode": 5}  # of the shipped measurement
MEMORY = (BASE, "rope", "t5", "alibi", "feature", "cached", "built", "eager")
DTYPES = {"cpu": torch.float32, "cuda": torch.bfloat16}


def run(kind: Pass, names: tuple[str, ...], lengths: tuple[int, ...], device: str, seconds: float) -> Measured:
    """All cases, one call of each in turn."""
    options = {"device": device, "dtype": DTYPES[device]}
    result = Measured()
    cases = [case(name, tokens, kind, **options) for tokens in lengths for name in names]
    for _ in timed(cases, result, rounds=ROUNDS, device=device, most_seconds=seconds, longest_call=LONGEST_CALL):
        pass
    return result


def measure() -> list[Figure]:
    torch.set_num_threads(1)
    figures = []
    for device in ("cpu", *(["cuda"] if torch.cuda.is_available() else [])):
        result = run("forward", (BASE, *WAYS), (TOKENS,), device, 120)
        for way in WAYS:
            if (way, TOKENS) in result.left_out:
                figures.append(Figure(f"ALiBi, {way}, {device}: left out", 0.0, "", note=result.left_out[way, TOKENS]))
                continue
            ratio = result.ratio(way, BASE, TOKENS)
            note = f"quartiles {ratio.low:.2f} to {ratio.high:.2f}"
            name = f"ALiBi, {way} / causal without positions, n = {TOKENS}, {device}"
            figures.append(Figure(name, ratio.median, "x", note=note))
    return figures


def write() -> None:
    """The shipped measurement: all passes and cases, the memory of one call, the errors."""
    torch.set_num_threads(1)
    names = tuple(METHODS) + tuple(way for way in WAYS if way not in ("fused", "flex"))
    data: dict[str, Any] = {"machine": shipped.machine(), "memory_tokens": 2048, "error_tokens": TOKENS}
    data |= {"passes": {}, "left_out": {}}
    data["errors"] = {way: float(f"{largest_error(way, TOKENS):.2g}") for way in ("fused", "feature")}
    data["memory"] = {name: peak_bytes(name, 2048) for name in MEMORY}
    for kind in PASSES:
        result = run(kind, names, LENGTHS, "cpu", SECONDS[kind])
        data["passes"][kind] = shipped.rows(result)
        data["left_out"][kind] = {name: reason for (name, _), reason in result.left_out.items()}
    shipped.write(data)


if __name__ == "__main__":
    write() if "--write" in sys.argv else print(measure())

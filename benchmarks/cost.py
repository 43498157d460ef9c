"""What every position method costs, and ALiBi in every way of computing it: the engine of the Cost page, run to the end.

`python -m benchmarks.cost --write` writes the measurement that the page shows first. With names of parts after it (forward,
backward, decode, errors, memory) those alone, beside what is there; `backward:2048,4096` measures a pass at these lengths.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F

from alibi_viz.attention.fused import fused_attention
from alibi_viz.cost import shipped, timing
from alibi_viz.cost.cases import BASE, HEAD_DIM, LENGTHS, PASSES, Pass, inputs, largest_error
from alibi_viz.cost.memory import peak_bytes
from alibi_viz.cost.plan import NAMES, TimingPlan, compared
from alibi_viz.cost.timing import CallTimes, Case, Spread
from alibi_viz.lm.corpus import python_text
from alibi_viz.results import trained
from benchmarks.report import Figure

TOKENS, MEMORY_TOKENS = 4096, 2048
LONGEST_CALL, MOST_SECONDS = 10.0, 150.0  # of a part of the shipped measurement
ROUNDS, FEW, LONG = 9, 3, 2048  # rounds; fewer from this length on
MANY = 301  # rounds of a decoding step, which takes a fraction of a millisecond
MEMORY = (BASE, "rope", "t5", "alibi", "feature", "cached", "built", "eager")
PARTS = (*PASSES, "errors", "memory", "trained")
TRAINED_TOKENS = 2048  # the longest text that the shipped models read


def plan(device: str) -> TimingPlan:
    """What the page measures of ALiBi's ways, at one length; and FlexAttention."""
    page = compared("ways", (TOKENS,), device=device)
    return replace(page, names=(*page.names, "flex"), most_seconds=120)


def measure() -> list[Figure]:
    torch.set_num_threads(1)
    figures = []
    for device in ("cpu", *(["cuda"] if torch.cuda.is_available() else [])):
        measured = plan(device)
        result = measured.finished()
        for way in measured.names[1:]:
            if (way, TOKENS) in result.left_out:
                figures.append(Figure(f"ALiBi, {way}, {device}: left out", 0.0, "", note=result.left_out[way, TOKENS]))
                continue
            ratio = result.ratio(way, BASE, TOKENS)
            note = f"quartiles {ratio.low:.2f} to {ratio.high:.2f}"
            name = f"ALiBi, {way} / causal without positions, n = {TOKENS}, {device}"
            figures.append(Figure(name, ratio.median, "x", note=note))
    return figures


def write(parts: dict[str, tuple[int, ...]]) -> None:
    """The shipped measurement: the passes with all cases (at these lengths), the memory of one call, the errors."""
    torch.set_num_threads(1)
    data: dict[str, Any] = shipped.stored() | {"machine": shipped.machine()}
    if "errors" in parts:
        data |= {"errors": {way: float(f"{largest_error(way, TOKENS):.2g}") for way in ("fused", "feature")}}
        data |= {"error_tokens": TOKENS}
    if "memory" in parts:
        data |= {"memory": {name: peak_bytes(name, MEMORY_TOKENS) for name in MEMORY}, "memory_tokens": MEMORY_TOKENS}
    if "trained" in parts:
        ratio = trained_ratio()
        data |= {"trained": [float(f"{value:.4g}") for value in (ratio.median, ratio.low, ratio.high)]}
        data |= {"trained_tokens": TRAINED_TOKENS}
    for kind in (kind for kind in PASSES if kind in parts):
        shipped.put(data, kind, parts[kind], measured_at(kind, parts[kind], shipped.medians(data, kind)))
    shipped.write(data)


def trained_ratio() -> Spread:
    """ALiBi's time against causal attention without positions, on the queries and keys of the shipped model's last layer.

    Their 16 numbers a head are doubled and filled up with zeros: in heads of 64 that gives the same scores.
    """
    loaded = trained.load("alibi")
    assert loaded is not None
    read = trained.inputs(loaded, python_text().held_out[:TRAINED_TOKENS], loaded.config.layers)
    room = HEAD_DIM - read.q.shape[-1]
    grown = (HEAD_DIM / read.q.shape[-1]) ** 0.5
    q, k = F.pad(read.q * grown, (0, room)).detach(), F.pad(read.k, (0, room)).detach()

    def timed(name: str) -> Case:
        given = inputs(name, TRAINED_TOKENS)
        at = given.positions
        call = torch.no_grad()(lambda: fused_attention(q, k, given.v, given.method, at, at, square=True))
        return Case(name, TRAINED_TOKENS, lambda: call)

    result = CallTimes()
    for _ in timing.measure([timed(BASE), timed("alibi")], result, rounds=ROUNDS, device="cpu"):
        pass
    return result.ratio("alibi", BASE, TRAINED_TOKENS)


def measured_at(kind: Pass, lengths: tuple[int, ...], result: CallTimes) -> CallTimes:
    """All cases at these lengths, short ones first. result: what is known of other lengths, from which times are judged."""
    names = (BASE, *dict.fromkeys((*NAMES["methods"], *NAMES["ways"])))
    for tokens in lengths:
        result.seconds = {case: times for case, times in result.seconds.items() if case[1] != tokens}
        rounds = MANY if kind == "decode" else ROUNDS if tokens < LONG else FEW
        part = TimingPlan(names, (tokens,), kind, rounds=rounds, most_seconds=MOST_SECONDS, longest_call=LONGEST_CALL)
        part.finished(result)
    return result


def asked(words: list[str]) -> dict[str, tuple[int, ...]]:
    """Parts, each with the lengths to measure."""
    parts = {name: lengths for name, _, lengths in (word.partition(":") for word in words or PARTS)}
    return {name: tuple(map(int, text.split(","))) if text else LENGTHS for name, text in parts.items()}


if __name__ == "__main__":
    write(asked(sys.argv[2:])) if "--write" in sys.argv else print(measure())

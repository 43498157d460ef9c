"""The measurement that is shipped: made by `python -m benchmarks cost --write`, by the same engine as the reader's own."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import torch

from alibi_viz.cost.timing import CallTimes, Spread
from alibi_viz.files import write_atomically

FILE = Path(__file__).with_name("shipped.json")


def stored() -> dict[str, Any]:
    """The file as it is: seconds as lists, tokens as text. Without a file, an empty measurement."""
    try:
        data: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"passes": {}, "left_out": {}}
    return data


@cache
def load() -> dict[str, Any]:
    """The machine, the times (pass -> case -> tokens -> Spread, in seconds), memory in bytes, errors, and what was left out
    (pass -> case -> from how many tokens on, and why)."""
    data = stored()
    for cases in data["passes"].values():
        for name, rows in cases.items():
            cases[name] = {int(tokens): Spread(*row) for tokens, row in rows.items()}
    return data


def machine(device: str = "cpu", dtype: torch.dtype = torch.float32) -> dict[str, str]:
    """Where a measurement is made."""
    label = torch.cuda.get_device_name() if device == "cuda" else processor()
    words = {"device": label, "dtype": str(dtype).removeprefix("torch."), "torch": torch.__version__}
    return words | {"threads": str(torch.get_num_threads())}


def processor() -> str:
    """The CPU's own name, as Linux knows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        name = next(line for line in lines if line.startswith("model name")).partition(":")[2].strip()
    except (OSError, StopIteration):
        return "CPU"
    return name[:80] or "CPU"


def medians(data: dict[str, Any], kind: str) -> CallTimes:
    """What is stored of a pass, as a measurement of one call each."""
    table = data["passes"].get(kind, {})
    return CallTimes({(name, int(n)): [row[0]] for name, rows in table.items() for n, row in rows.items()})


def put(data: dict[str, Any], kind: str, lengths: Sequence[int], measured: CallTimes) -> None:
    """Store a pass at these lengths, with four digits; other lengths stay. What is left out: from which length, and why."""
    table, missing = data["passes"].setdefault(kind, {}), data["left_out"].setdefault(kind, {})
    for name, tokens in measured.seconds:
        if tokens in lengths:
            spread = asdict(measured.spread(name, tokens))
            table.setdefault(name, {})[str(tokens)] = [float(f"{value:.4g}") for value in spread.values()]
    for name, row in table.items():
        table[name] = dict(sorted(row.items(), key=lambda item: int(item[0])))
    known = [(entry[0], name, entry[1]) for name, entry in missing.items() if entry[0] not in lengths]
    known += [(tokens, name, reason) for (name, tokens), reason in measured.left_out.items()]
    # The shortest length comes last, and stays.
    data["left_out"][kind] = {name: [tokens, reason] for tokens, name, reason in sorted(known, reverse=True)}


def write(data: dict[str, Any]) -> None:
    write_atomically(FILE, json.dumps(data, separators=(",", ":"), allow_nan=False).encode() + b"\n")
